/*
 * test_oauth_ended.c - deleting or restricting an application or FHIR server ends the affected
 * grants and tokens on every gateway before the response, and no others.
 */
#include <CUnit/CUnit.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/device.h"
#include "tests/support/smart.h"
#include "tests/support/suite.h"
#include "tests/support/unit.h"

#define CLIENTS "/v1/project/clients"
#define FORM "application/x-www-form-urlencoded"
#define OWN "grant_type=client_credentials"
#define RESOURCE "https://images.example/r4"
#define ALL_GRANTS \
    "{\"grantTypes\":[\"authorization_code\",\"refresh_token\",\"" DEVICE_GRANT "\"]}"
#define CONFIDENTIAL "\"type\":\"confidential\",\"authMethod\":\"client_secret_post\""

#define OFFLINE                                                                  \
    "&response_type=code&redirect_uri=https%3A%2F%2Fapp.example%2Fcb" OAUTH_PKCE \
    "&scope=openid+offline_access"

enum { PROBES = 8 }; /* concurrent requests reach both gateways */

static struct suite *suite;
static struct person *admin, *patient;
static char *server, *server_secret; /* a resource server that introspects tokens */
static char for_api[512];            /* a request for the API */

static void the_scene_is_set(void)
{
    suite =
        suite_start(&(struct suite_options){.instances = "authd=2,gateway=2", .test_clock = true});
    admin = person_admin(suite);
    patient = browser_person(suite);
    server = oauth_register(suite, admin,
                            "{\"name\":\"Records\"," CONFIDENTIAL ",\"grantTypes\":[],"
                            "\"firstParty\":false,\"scopes\":[],\"redirectUris\":[],\"audiences\":"
                            "[\"" RESOURCE "\",\"" SMART_BASE "\",\"" SMART_BASE "/2\"]}");
    server_secret = oauth_secret(suite, admin, server);
    snprintf(for_api, sizeof(for_api), "%s&resource=%s", OAUTH_USUAL,
             suite_text(suite, "publicUrl"));
}

static const char *client_path(const char *client)
{
    static char path[128];

    snprintf(path, sizeof(path), CLIENTS "/%s", client);
    return path;
}

static void client_set(const char *client, const char *members)
{
    HTTP_ANSWER found = http_get(suite_url(suite), client_path(client), admin->access);
    json_t *body = json_deep_copy(found->json), *others = json_loads(members, 0, NULL);

    json_object_update(body, others);
    json_decref(others);

    HTTP_ANSWER replaced = http_put(suite_url(suite), client_path(client), admin->access, body);

    CHECK_STATUS(replaced, 200);
}

static void client_delete(const char *client)
{
    HTTP_ANSWER deleted = http_delete(suite_url(suite), client_path(client), admin->access);

    CHECK_STATUS(deleted, 204);
}

static struct http_answer *granted(const struct person *who, const char *client, const char *behind)
{
    BROWSER browser = browser_open(suite);

    return oauth_tokens(suite, browser, who, client, behind);
}

static bool is_active(const char *token)
{
    char form[4096];

    snprintf(form, sizeof(form), "client_id=%s&client_secret=%s&token=%s", server, server_secret,
             token);

    HTTP_ANSWER answer = oauth_post(suite, "introspect", form);

    CHECK_STATUS(answer, 200);
    return json_is_true(http_member(answer, "active"));
}

static int opened(const char *path, const char *token)
{
    struct http_request requests[PROBES];
    struct http_answer *answers[PROBES];
    int count = 0;

    for (int i = 0; i < PROBES; i++)
        requests[i] = (struct http_request){.path = path, .bearer = token};
    http_call_many(suite_url(suite), requests, PROBES, PROBES, answers);
    for (int i = 0; i < PROBES; i++)
        count += answers[i]->status == 200;
    http_answers_destroy(answers, PROBES);
    return count;
}

#define CHECK_OPENS(answer, path, yes)                                                      \
    do {                                                                                    \
        int count_ = opened((path), http_text((answer), "access_token"));                   \
                                                                                            \
        UNIT_CHECK(count_ == ((yes) ? PROBES : 0), "%d of %d at %s", count_, PROBES, path); \
    } while (0)

#define ME "/auth/me"
#define USERINFO "/t/demo/userinfo"

static void check_renewal(const char *client, const struct http_answer *tokens, int status)
{
    HTTP_ANSWER renewed = oauth_renew(suite, client, http_text(tokens, "refresh_token"), "");

    CHECK_STATUS(renewed, status);
}

static void a_deleted_client_has_no_tokens(void)
{
    char *other = oauth_register(suite, admin, NULL), *public = oauth_register(suite, admin, NULL);
    HTTP_ANSWER kept = granted(patient, other, for_api);
    HTTP_ANSWER api = granted(patient, public, for_api);
    HTTP_ANSWER of_admin = granted(admin, public, for_api);
    HTTP_ANSWER own = granted(patient, public, OFFLINE);

    CHECK_STATUS(own, 200);
    CHECK_OPENS(api, ME, true);
    CHECK_OPENS(of_admin, "/v1/project/settings", true);
    CHECK_OPENS(own, USERINFO, true);
    client_delete(public);
    CHECK_OPENS(api, ME, false);
    CHECK_OPENS(of_admin, "/v1/project/settings", false);
    CHECK_OPENS(own, USERINFO, false);
    CHECK_OPENS(kept, ME, true);
    check_renewal(public, own, 401);
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from auth.session s join auth.oauth_grant g on "
                                "g.session_id = s.id where g.client_id = '%s' "
                                "and s.end_reason is null",
                                public),
                    0);
    CU_ASSERT_EQUAL(
        suite_count(suite,
                    "select count(*) from auth.audit where "
                    "event->>'action' = 'session.end' and event->>'detail' = "
                    "'application' and event->>'account' = (select account_id::text from "
                    "auth.membership where profile_id = '%s')",
                    patient->profile + strlen("Patient/")),
        2);
    free(public);
    free(other);
}

static void codes_devices_and_pushed_requests_of_it_lead_nowhere(void)
{
    char *client = oauth_register(suite, admin, "{" DEVICE_GRANTS "}");
    char *app = oauth_register(suite, admin, NULL), form[1024], behind[512];
    BROWSER browser = browser_open(suite);
    char *code = oauth_code(browser, patient, app, for_api);
    DEVICE device = device_begin(suite, client, "&scope=openid");

    device_approve(suite, patient, device.shown);
    snprintf(form, sizeof(form), "client_id=%s%s", app, OAUTH_USUAL);

    HTTP_ANSWER pushed = oauth_post(suite, "par", form);

    CHECK_STATUS(pushed, 201);
    client_delete(client);
    client_delete(app);
    snprintf(behind, sizeof(behind), "&request_uri=%s", http_text(pushed, "request_uri"));
    CU_ASSERT_EQUAL(oauth_ask(browser, app, behind), 400);

    HTTP_ANSWER exchanged = oauth_exchange(suite, app, code);
    HTTP_ANSWER polled = device_poll(suite, client, device.code);

    CHECK_STATUS(exchanged, 401);
    CHECK_STATUS(polled, 401);
    free(code);
    free(app);
    free(client);
}

static void nothing_is_consented_to_for_it(void)
{
    char *theirs = oauth_register(suite, admin, "{\"firstParty\":false}");
    PERSON person = person_register(suite, NULL);
    BROWSER browser = browser_open(suite);

    oauth_ask(browser, theirs, OAUTH_USUAL);
    oauth_follow(browser);
    oauth_sign_in(browser, person->email, FORM_PASSWORD);
    oauth_consent(browser, "allow");

    HTTP_ANSWER before = http_get(suite_url(suite), "/auth/consent", person->access);

    CU_ASSERT_EQUAL(json_array_size(http_member(before, "consents")), 1);
    client_delete(theirs);

    HTTP_ANSWER after = http_get(suite_url(suite), "/auth/consent", person->access);

    CU_ASSERT_EQUAL(json_array_size(http_member(after, "consents")), 0);
    free(theirs);
}

/* Each row replaces a registration and says whether a grant for the API and one for the issuer
 * survive. */
static void what_is_taken_away_ends_what_holds_it(void)
{
    static const struct {
        const char *label, *members;
        bool api, openid, profile;
    } rows[] = {
        {"another redirect address and name",
         "{\"name\":\"Renamed\",\"redirectUris\":[\"https://app.example/other\"],"
         "\"postLogoutRedirectUris\":[\"https://app.example/\"],\"dpop\":\"optional\"}",
         true, true, true},
        {"more", "{\"scopes\":[\"openid\",\"profile\",\"email\",\"x\"]}", true, true, true},
        {"a scope", "{\"scopes\":[\"openid\",\"email\"]}", false, true, false},
        {"the first party", "{\"firstParty\":false}", false, false, false},
        {"the code", "{\"grantTypes\":[\"refresh_token\",\"" DEVICE_GRANT "\"]}", false, false,
         false},
        {"the renewal", "{\"grantTypes\":[\"authorization_code\",\"" DEVICE_GRANT "\"]}", false,
         false, false},
        {"the device", "{\"grantTypes\":[\"authorization_code\",\"refresh_token\"]}", true, true,
         true},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        char *client = oauth_register(suite, admin, ALL_GRANTS);
        HTTP_ANSWER api = granted(patient, client, for_api);
        HTTP_ANSWER openid = granted(patient, client,
                                     "&response_type=code&redirect_uri=https%3A%2F%2Fapp.example"
                                     "%2Fcb&scope=openid" OAUTH_PKCE);
        HTTP_ANSWER profile = granted(patient, client, OAUTH_USUAL);
        int are[3], want[3] = {rows[i].api, rows[i].openid, rows[i].profile};

        client_set(client, rows[i].members);
        are[0] = opened(ME, http_text(api, "access_token"));
        are[1] = opened(USERINFO, http_text(openid, "access_token"));
        are[2] = opened(USERINFO, http_text(profile, "access_token"));
        for (int n = 0; n < 3; n++)
            UNIT_CHECK(are[n] == want[n] * PROBES, "%s: %d of %d for token %d", rows[i].label,
                       are[n], PROBES, n);
        free(client);
    }
}

static void a_device_ends_with_its_grant_type(void)
{
    char *client = oauth_register(suite, admin, ALL_GRANTS);
    DEVICE device = device_begin(suite, client, "&scope=openid");
    DEVICE waiting = device_begin(suite, client, "&scope=openid+profile");

    device_approve(suite, patient, device.shown);
    device_approve(suite, patient, waiting.shown);

    HTTP_ANSWER tokens = device_poll(suite, client, device.code);

    CHECK_STATUS(tokens, 200);
    CHECK_OPENS(tokens, USERINFO, true);
    client_set(client, "{\"scopes\":[\"openid\"]}");
    CHECK_OPENS(tokens, USERINFO, true);

    HTTP_ANSWER narrowed = device_poll(suite, client, waiting.code);

    CHECK_STATUS(narrowed, 400);
    CU_ASSERT_STRING_EQUAL(http_text(narrowed, "error"), "invalid_grant");
    client_set(client, "{\"grantTypes\":[\"authorization_code\",\"refresh_token\"]}");
    CHECK_OPENS(tokens, USERINFO, false);
    free(client);
}

static void a_code_is_not_worth_more_than_the_registration(void)
{
    char *client = oauth_register(suite, admin, NULL), *less = oauth_register(suite, admin, NULL);
    BROWSER browser = browser_open(suite);
    char *code = oauth_code(browser, patient, client, for_api);
    char *other = oauth_code(browser, patient, less, OAUTH_USUAL);

    client_set(client, "{\"firstParty\":false}");
    client_set(less, "{\"scopes\":[\"openid\"]}");

    HTTP_ANSWER exchanged = oauth_exchange(suite, client, code);
    HTTP_ANSWER narrowed = oauth_exchange(suite, less, other);

    CHECK_STATUS(exchanged, 400);
    CU_ASSERT_STRING_EQUAL(http_text(exchanged, "error"), "invalid_grant");
    CHECK_STATUS(narrowed, 400);
    CU_ASSERT_STRING_EQUAL(http_text(narrowed, "error"), "invalid_grant");
    free(other);
    free(code);
    free(less);
    free(client);
}

/* An older release did not store what a grant includes, so it ends by other data. */
static void grants_of_an_older_release_end_alike(void)
{
    char *client = oauth_register(suite, admin, NULL), sql[256];
    HTTP_ANSWER tokens = granted(patient, client, OAUTH_USUAL);

    snprintf(sql, sizeof(sql),
             "update auth.oauth_grant set grant_types = null, first_party = null where client_id = "
             "'%s' returning client_id",
             client);
    free(suite_query(suite, sql));
    client_set(client, "{\"name\":\"Renamed\"}");
    CHECK_OPENS(tokens, USERINFO, true);
    client_set(client, "{\"firstParty\":false}");
    CHECK_OPENS(tokens, USERINFO, false);
    free(client);
}

static void tokens_in_its_own_name_end_alike(void)
{
    static const struct {
        const char *label, *members; /* NULL: deleted */
        bool active;
    } rows[] = {
        {"another name", "{\"name\":\"Other\"}", true},
        {"another scope", "{\"scopes\":[\"read\"]}", true},
        {"its scope", "{\"scopes\":[\"write\"]}", false},
        {"its resource", "{\"audiences\":[\"" SMART_BASE "\"]}", false},
        {"its grant type", "{\"grantTypes\":[]}", false},
        {"deleted", NULL, false},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        char *client =
            oauth_register(suite, admin,
                           "{" CONFIDENTIAL
                           ",\"grantTypes\":[\"client_credentials\"],\"scopes\":[\"read\","
                           "\"write\"],\"audiences\":[\"" RESOURCE "\"],\"redirectUris\":[]}");
        char *secret = oauth_secret(suite, admin, client), form[1024];

        snprintf(form, sizeof(form),
                 OWN "&client_id=%s&client_secret=%s&scope=read&resource=" RESOURCE, client,
                 secret);

        HTTP_ANSWER tokens = oauth_post(suite, "token", form);

        CU_ASSERT_TRUE(is_active(http_text(tokens, "access_token")));
        if (rows[i].members)
            client_set(client, rows[i].members);
        else
            client_delete(client);
        for (int n = 0; n < PROBES; n++)
            UNIT_CHECK(is_active(http_text(tokens, "access_token")) == rows[i].active, "%s",
                       rows[i].label);
        free(secret);
        free(client);
    }
}

#define SMART_CLIENT                                                                        \
    "{\"scopes\":[\"openid\",\"fhirUser\",\"launch/patient\"],\"audiences\":[\"" SMART_BASE \
    "\",\"" SMART_BASE "/2\"],\"patientScopes\":[\"patient/*.rs\"]}"
#define SMART_ASK                                                                \
    "&response_type=code&redirect_uri=https%3A%2F%2Fapp.example%2Fcb" OAUTH_PKCE \
    "&aud=https%3A%2F%2Frecords.example%2Fr4"

static json_t *server_body(const char *base, const char *patient_scopes)
{
    json_t *body = smart_server_body(base);

    json_object_set_new(body, "patientScopes", json_loads(patient_scopes, 0, NULL));
    return body;
}

static void what_holds_a_fhir_server_ends_with_it(void)
{
    char *client = oauth_register(suite, admin, SMART_CLIENT);
    json_t *scopes = server_body(SMART_BASE, "[\"patient/Observation.rs\",\"patient/Patient.r\"]");
    HTTP_ANSWER made = smart_server_register(suite, admin, scopes);
    HTTP_ANSWER other = smart_server_register(
        suite, admin, server_body(SMART_BASE "/2", "[\"patient/Observation.rs\"]"));
    HTTP_ANSWER wide = granted(patient, client, SMART_ASK "&scope=openid+patient/Observation.rs");
    HTTP_ANSWER little = granted(patient, client, SMART_ASK "&scope=openid+patient/Patient.r");
    HTTP_ANSWER kept =
        granted(patient, client, SMART_ASK "%2F2&scope=openid+patient/Observation.rs");
    const char *path = smart_server_path(http_text(made, "id"));

    CHECK_STATUS(made, 200);
    CHECK_STATUS(other, 200);
    CU_ASSERT_TRUE(is_active(http_text(wide, "access_token")));
    CU_ASSERT_TRUE(is_active(http_text(little, "access_token")));

    HTTP_ANSWER renamed = http_put(suite_url(suite), path, admin->access,
                                   server_body(SMART_BASE, "[\"patient/Observation.rs\","
                                                           "\"patient/Patient.r\"]"));
    CHECK_STATUS(renamed, 200);
    CU_ASSERT_TRUE(is_active(http_text(wide, "access_token")));

    HTTP_ANSWER narrowed =
        http_put(suite_url(suite), smart_server_path(http_text(made, "id")), admin->access,
                 server_body(SMART_BASE, "[\"patient/Observation.r\",\"patient/Patient.r\"]"));
    CHECK_STATUS(narrowed, 200);
    for (int i = 0; i < PROBES; i++) {
        CU_ASSERT_FALSE(is_active(http_text(wide, "access_token")));
        CU_ASSERT_TRUE(is_active(http_text(little, "access_token")));
    }

    HTTP_ANSWER deleted =
        http_delete(suite_url(suite), smart_server_path(http_text(made, "id")), admin->access);
    CHECK_STATUS(deleted, 204);
    for (int i = 0; i < PROBES; i++)
        CU_ASSERT_FALSE(is_active(http_text(little, "access_token")));
    CU_ASSERT_TRUE(is_active(http_text(kept, "access_token")));

    HTTP_ANSWER moved =
        http_put(suite_url(suite), smart_server_path(http_text(other, "id")), admin->access,
                 server_body(SMART_BASE "/3", "[\"patient/Observation.rs\"]"));
    CHECK_STATUS(moved, 200);
    CU_ASSERT_FALSE(is_active(http_text(kept, "access_token")));
    free(client);
}

static char *raced;

static void *narrow_raced(void *arg UNUSED)
{
    client_set(raced, "{\"scopes\":[\"openid\"]}");
    return NULL;
}

/* Starts the change of the client. Either it waits for the grant in progress, or the grant waits
 * for it. */
static void begin_to_narrow(void *thread)
{
    if (pthread_create(thread, NULL, narrow_raced, NULL) != 0)
        abort();
    usleep(500 * 1000);
}

/* The grant's request has read the client before the change, and its insert has started when the
 * change comes. */
static void a_grant_that_is_made_meanwhile_is_worth_nothing(void)
{
    BROWSER browser = browser_open(suite);
    pthread_t thread;
    char *code;

    raced = oauth_register(suite, admin, NULL);
    code = oauth_code(browser, patient, raced, OAUTH_USUAL);

    HTTP_ANSWER answer = oauth_token_during(suite, oauth_redeeming(raced, code), "oauth_code",
                                            begin_to_narrow, &thread);

    pthread_join(thread, NULL);
    UNIT_CHECK(answer->status == 200 || answer->status == 400, "%d %s", answer->status,
               answer->body);
    if (answer->status == 200)
        CHECK_OPENS(answer, USERINFO, false);
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from auth.session s join auth.oauth_grant g on "
                                "g.session_id = s.id where g.client_id = '%s' "
                                "and s.end_reason is null",
                                raced),
                    0);
    free(code);
    free(raced);
}

static void it_ends_when_authd_is_back(void)
{
    char *client = oauth_register(suite, admin, NULL);
    HTTP_ANSWER tokens = granted(patient, client, for_api);
    pid_t first = suite_pid(suite, "authd", "1"), second = suite_pid(suite, "authd", "2");
    int left = PROBES;

    CHECK_OPENS(tokens, ME, true);
    CU_ASSERT_EQUAL(opened(CLIENTS, admin->access), PROBES); /* both gateways know the admin */
    kill(first, SIGSTOP);
    kill(second, SIGSTOP);

    HTTP_ANSWER deleted = http_delete(suite_url(suite), client_path(client), admin->access);

    CHECK_ERROR(deleted, 503, "The change is stored, but not yet in force everywhere.");
    kill(first, SIGKILL);
    kill(second, SIGKILL);
    kill(first, SIGCONT);
    kill(second, SIGCONT);
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, "authd", "1", first));
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, "authd", "2", second));
    CU_ASSERT_TRUE(suite_comes_to(suite, 0, 10000, "select count(*) from settings.outbox"));
    left = opened(ME, http_text(tokens, "access_token"));
    CU_ASSERT_EQUAL(left, 0);
    free(client);
}

static void suite_shuts_down_cleanly(void)
{
    free(server);
    free(server_secret);
    person_destroy(&admin);
    person_destroy(&patient);
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(the_scene_is_set),
    CASE(a_deleted_client_has_no_tokens),
    CASE(codes_devices_and_pushed_requests_of_it_lead_nowhere),
    CASE(nothing_is_consented_to_for_it),
    CASE(what_is_taken_away_ends_what_holds_it),
    CASE(a_device_ends_with_its_grant_type),
    CASE(a_code_is_not_worth_more_than_the_registration),
    CASE(grants_of_an_older_release_end_alike),
    CASE(tokens_in_its_own_name_end_alike),
    CASE(what_holds_a_fhir_server_ends_with_it),
    CASE(a_grant_that_is_made_meanwhile_is_worth_nothing),
    CASE(it_ends_when_authd_is_back),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    return unit_run("oauth ended", cases, ARRAY_SIZE(cases));
}
