/*
 * test_smart.c - SMART App Launch 2.2: what applications get for a project's FHIR servers (see
 * test_smart_servers.c).
 */
#include <CUnit/CUnit.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/oauth.h"
#include "tests/support/smart.h"
#include "tests/support/suite.h"
#include "tests/support/unit.h"

#define ASK                                                                     \
    "&response_type=code&redirect_uri=https%3A%2F%2Fapp.example%2Fcb&state=st8" \
    "&aud=https%3A%2F%2Frecords.example%2Fr4" OAUTH_PKCE "&scope="
#define LAUNCH_SCOPES "launch+openid+fhirUser+patient/Observation.rs"
#define ASSERTION                                                                             \
    "&client_assertion_type=urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type%3Ajwt-bearer" \
    "&client_assertion="
#define REGISTRATION(more)                                                                      \
    "{\"name\":\"Growth "                                                                       \
    "chart\",\"scopes\":[\"openid\",\"fhirUser\",\"offline_access\",\"launch\","                \
    "\"launch/patient\",\"system/*.rs\"],\"audiences\":[\"" SMART_BASE "\",\"" SMART_OTHER_BASE \
    "\"],\"patientScopes\":[\"patient/*.rs\"],"                                                 \
    "\"practitionerScopes\":[\"patient/*.rs\",\"user/*.cruds\"]" more "}"

enum { AT_ONCE = 64, LAUNCH_S = 300 };

static struct suite *suite;
static struct person *admin, *child, *patient, *doctor;
static char *server, *other_server; /* ids of the servers at SMART_BASE and SMART_OTHER_BASE */
static char *app, *other_app;
static char *records, *records_secret; /* the FHIR server's own client */
static char *service;                  /* a client with a key */
static struct jose *key;

static void register_people(void)
{
    suite_set_switch(suite, admin->access, "PRACTITIONER_REGISTRATION_ENABLED", true);

    HTTP_ANSWER made =
        http_post(suite_url(suite), "/auth/tenant/Practitioner/register", NULL,
                  json_pack("{s:s, s:s, s:s, s:s, s:s}", "email", "doctor@smart.example",
                            "password", "long enough for 1 doctor", "name", "Dora", "surname",
                            "Lind", "tenantCode", "demo"));

    CHECK_STATUS(made, 200);
    doctor = person_sign_in(suite, "Practitioner", "doctor@smart.example",
                            "long enough for 1 doctor", NULL);
    patient = person_register(suite, NULL);
    UNIT_REQUIRE(doctor->access && patient->access, "two people");
}

static void register_clients(void)
{
    app = oauth_register(suite, admin, REGISTRATION(""));
    other_app = oauth_register(suite, admin, REGISTRATION(""));
    records =
        oauth_register(suite, admin,
                       "{\"name\":\"Records\",\"type\":\"confidential\",\"grantTypes\":[],"
                       "\"authMethod\":\"client_secret_post\",\"firstParty\":false,"
                       "\"scopes\":[],\"redirectUris\":[],\"audiences\":[\"" SMART_BASE "\"]}");
    records_secret = oauth_secret(suite, admin, records);
    key = jose_new("ES384", "one");

    HTTP_ANSWER made =
        http_post(suite_url(suite), "/v1/project/clients", admin->access,
                  json_pack("{s:s, s:s, s:s, s:[s], s:[s,s], s:[s], s:{s:[o]}}", "name", "Reports",
                            "type", "confidential", "authMethod", "private_key_jwt", "grantTypes",
                            "client_credentials", "scopes", "system/*.rs", "system/Group.c",
                            "audiences", SMART_BASE, "jwks", "keys", jose_jwk(key)));

    CHECK_STATUS(made, 200);
    service = strdup(http_text(made, "id"));
}

static void the_scene_is_set(void)
{
    suite =
        suite_start(&(struct suite_options){.instances = "authd=2,gateway=2", .test_clock = true});
    admin = person_admin(suite);
    child = person_admin_of_child(suite, "smart-child");

    HTTP_ANSWER made = smart_server_register(suite, admin, smart_server_body(SMART_BASE));

    CHECK_STATUS(made, 200);
    server = strdup(http_text(made, "id"));
    UNIT_REQUIRE(*server, "a FHIR server");

    HTTP_ANSWER other = smart_server_register(suite, admin, smart_server_body(SMART_OTHER_BASE));

    other_server = strdup(http_text(other, "id"));
    register_people();
    register_clients();
}

/* Returns the person's token response from a new browser; `more`: further parameters. */
static struct http_answer *granted(const struct person *who, const char *scope, const char *more)
{
    BROWSER browser = browser_open(suite);
    char behind[1024], *code;
    struct http_answer *answer;

    snprintf(behind, sizeof(behind), "%s%s%s", ASK, scope, more);
    code = oauth_code(browser, who, app, behind);
    answer = oauth_exchange(suite, app, code);
    free(code);
    return answer;
}

/* Returns the OAuth error of a request that is refused (caller frees). */
static char *refused(const struct person *who, const char *client, const char *scope,
                     const char *more)
{
    BROWSER browser = browser_open(suite);
    char behind[1024];

    snprintf(behind, sizeof(behind), "%s%s%s", ASK, scope, more);
    free(oauth_code(browser, who, client, behind));
    return oauth_parameter(browser, "error");
}

static void check_refused(const char *label, const struct person *who, const char *scope,
                          const char *more, const char *want)
{
    char *word = refused(who, app, scope, more);

    UNIT_CHECK(strcmp(word, want) == 0, "%s: %s instead of %s", label, word, want);
    free(word);
}

static const char *id_of(const struct person *who)
{
    return strchr(who->profile, '/') + 1;
}

static void standalone_launch_of_a_patient(void)
{
    HTTP_ANSWER tokens =
        granted(patient, "launch/patient+openid+fhirUser+patient/Observation.rs", "");
    json_t *access = oauth_claims(suite, http_text(tokens, "access_token"), "at+jwt", "ES256");
    json_t *identity = oauth_claims(suite, http_text(tokens, "id_token"), "JWT", "RS256");
    char *cache = http_header(tokens, "Cache-Control");

    CHECK_STATUS(tokens, 200);
    CU_ASSERT_STRING_EQUAL(http_text(tokens, "scope"),
                           "launch/patient openid fhirUser patient/Observation.rs");
    CU_ASSERT_STRING_EQUAL(http_text(tokens, "patient"), id_of(patient));
    CU_ASSERT_TRUE(json_is_true(http_member(tokens, "need_patient_banner")));
    CU_ASSERT(cache && strcmp(cache, "no-store") == 0);
    CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(access, "aud")), SMART_BASE);
    CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(access, "patient")), id_of(patient));
    CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(identity, "fhirUser")),
                           patient->profile);
    free(cache);
    json_decref(access);
    json_decref(identity);
}

static void scopes_are_what_client_and_server_list_for_the_role(void)
{
    const struct {
        const struct person *who;
        const char *ask, *given; /* NULL: refused */
    } rows[] = {
        {patient, "patient/Observation.read", "patient/Observation.read"},
        {patient, "patient/Observation.*", "patient/Observation.read"},
        {patient, "patient/Observation.cruds", "patient/Observation.rs"},
        {patient, "patient/*.rs", "patient/Observation.rs patient/Patient.r"},
        {patient, "patient/*.read", "patient/Observation.read patient/Patient.r"},
        {patient, "openid+patient/Patient.rs", "openid patient/Patient.r"},
        {patient, "openid+patient/Observation.write", "openid"},
        {patient, "openid+user/Observation.rs", "openid"},
        {patient, "openid+system/Observation.rs", "openid"},
        {patient, "openid+launch", "openid"},
        {patient, "openid+patient/Observation.sr", "openid"},
        {patient, "patient/Condition.rs", NULL},
        {doctor, "user/Observation.cruds", "user/Observation.cruds"},
        {doctor, "user/Observation.write", "user/Observation.write"},
        {doctor, "user/*.read", "user/Patient.read user/Observation.read"},
        {doctor, "user/Patient.cruds", "user/Patient.rs"},
        {doctor, "openid+system/Patient.rs", "openid"},
        {doctor, "openid+patient/Observation.rs+launch/patient+launch", "openid"},
        {doctor, "patient/Observation.rs", NULL},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        if (rows[i].given) {
            HTTP_ANSWER tokens = granted(rows[i].who, rows[i].ask, "");

            UNIT_CHECK(strcmp(http_text(tokens, "scope"), rows[i].given) == 0, "%s: %d %s",
                       rows[i].ask, tokens->status, tokens->body);
        } else {
            check_refused(rows[i].ask, rows[i].who, rows[i].ask, "", "invalid_scope");
        }
    }
}

static void queries_are_given_where_the_server_lists_them(void)
{
    static const struct {
        const char *listed, *ask, *given;
    } rows[] = {
        {"patient/Observation.rs", "openid+patient/Observation.rs%3Fcategory%3Da", "openid"},
        {"patient/Observation.rs?category=a", "openid+patient/Observation.rs%3Fcategory%3Da",
         "openid patient/Observation.rs?category=a"},
        {"patient/Observation.rs?category=a", "openid+patient/Observation.rs%3Fcategory%3Db",
         "openid"},
        {"patient/Observation.rs?category=a", "openid+patient/Observation.rs",
         "openid patient/Observation.rs?category=a"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        json_t *body = smart_server_body(SMART_BASE);

        json_object_set_new(body, "patientScopes", json_pack("[s]", rows[i].listed));
        HTTP_ANSWER put =
            http_put(suite_url(suite), smart_server_path(server), admin->access, body);
        CHECK_STATUS(put, 200);
        HTTP_ANSWER tokens = granted(patient, rows[i].ask, "");
        UNIT_CHECK(strcmp(http_text(tokens, "scope"), rows[i].given) == 0, "%s, %s: %s",
                   rows[i].listed, rows[i].ask, tokens->body);
    }
    HTTP_ANSWER back = http_put(suite_url(suite), smart_server_path(server), admin->access,
                                smart_server_body(SMART_BASE));
    CHECK_STATUS(back, 200);
}

static void give_policy(const struct person *who, const char *rules)
{
    static int count;
    char name[32], id[64] = "null";

    if (rules) {
        snprintf(name, sizeof(name), "Documents %d", ++count);
        HTTP_ANSWER made = http_post(suite_url(suite), "/v1/project/access-policies", admin->access,
                                     json_pack("{s:s, s:o}", "name", name, "resource",
                                               json_loads(rules, 0, NULL)));
        CHECK_STATUS(made, 200);
        snprintf(id, sizeof(id), "'%s'", http_text(made, "id"));
    }
    CU_ASSERT_EQUAL(suite_count(suite,
                                "with given as (update auth.membership set policy_id = %s where "
                                "profile_id = '%s' returning 1) select count(*) from given",
                                id, id_of(who)),
                    1);
}

static void list_documents(void)
{
    json_t *body = smart_server_body(SMART_BASE);

    json_object_set_new(body, "patientScopes", json_pack("[s]", "patient/DocumentReference.cruds"));
    json_object_set_new(body, "practitionerScopes",
                        json_pack("[s,s]", "user/DocumentReference.cruds", "user/Observation.rs"));
    HTTP_ANSWER put = http_put(suite_url(suite), smart_server_path(server), admin->access, body);
    CHECK_STATUS(put, 200);
}

#define OWN_DOCUMENTS                                                      \
    "[{\"resourceType\":\"DocumentReference\",\"interaction\":[\"read\"]," \
    "\"criteria\":\"DocumentReference?author=%profile\"}]"

static void documents_are_narrowed_by_the_access_policy(void)
{
    const struct {
        const struct person *who;
        const char *rules, *ask, *given;
    } rows[] = {
        {patient, NULL, "openid+patient/DocumentReference.rs", "openid"},
        {patient, OWN_DOCUMENTS, "openid+patient/DocumentReference.rs",
         "openid patient/DocumentReference.r"},
        {doctor, NULL, "openid+user/DocumentReference.rs", "openid"},
        {doctor, NULL, "user/*.rs", "user/Observation.rs"},
        {doctor, OWN_DOCUMENTS, "openid+user/DocumentReference.rs", "openid"},
        {doctor, "[{\"resourceType\":\"DocumentReference\",\"readonly\":true}]",
         "user/DocumentReference.cruds", "user/DocumentReference.rs"},
        {doctor, "[{\"resourceType\":\"*\",\"interaction\":[\"create\"]}]",
         "user/DocumentReference.cruds", "user/DocumentReference.c"},
        {admin, NULL, "user/DocumentReference.cruds", "user/DocumentReference.cruds"},
    };

    list_documents();
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        if (rows[i].who != admin)
            give_policy(rows[i].who, rows[i].rules);
        HTTP_ANSWER tokens = granted(rows[i].who, rows[i].ask, "");
        UNIT_CHECK(strcmp(http_text(tokens, "scope"), rows[i].given) == 0, "row %zu, %s: %s", i,
                   rows[i].ask, tokens->body);
    }
}

static void a_renewal_is_narrowed_by_the_policy_of_then(void)
{
    char form[1024];

    give_policy(doctor, "[{\"resourceType\":\"DocumentReference\"}]");
    HTTP_ANSWER tokens = granted(doctor, "openid+offline_access+user/DocumentReference.rs", "");
    CU_ASSERT_STRING_EQUAL(http_text(tokens, "scope"),
                           "openid offline_access user/DocumentReference.rs");
    give_policy(doctor, NULL);
    snprintf(form, sizeof(form), "grant_type=refresh_token&client_id=%s&refresh_token=%s", app,
             http_text(tokens, "refresh_token"));
    HTTP_ANSWER renewed = oauth_post(suite, "token", form);
    CHECK_STATUS(renewed, 200);
    CU_ASSERT_STRING_EQUAL(http_text(renewed, "scope"), "openid offline_access");
    give_policy(patient, NULL);
    HTTP_ANSWER back = http_put(suite_url(suite), smart_server_path(server), admin->access,
                                smart_server_body(SMART_BASE));
    CHECK_STATUS(back, 200);
}

static void aud_is_a_registered_server_byte_by_byte(void)
{
    static const struct {
        const char *aud, *error;
    } rows[] = {
        {"https%3A%2F%2Frecords.example%2Fr4%2F", "invalid_target"},
        {"https%3A%2F%2FRECORDS.example%2Fr4", "invalid_target"},
        {"https%3A%2F%2Fevil.example%2Fr4", "invalid_target"},
        {"https%3A%2F%2Frecords.example%2Fr4&resource=https%3A%2F%2Fimages.example%2Fr4",
         "invalid_target"},
        {"https%3A%2F%2Frecords.example%2Fr4", ""},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        BROWSER browser = browser_open(suite);
        char behind[1024], *error;

        snprintf(behind, sizeof(behind),
                 "&response_type=code&redirect_uri=https%%3A%%2F%%2Fapp.example%%2Fcb&state=st8"
                 "&scope=openid" OAUTH_PKCE "&aud=%s",
                 rows[i].aud);
        free(oauth_code(browser, patient, app, behind));
        error = oauth_parameter(browser, "error");
        UNIT_CHECK(strcmp(error, rows[i].error) == 0, "%s: %s", rows[i].aud, error);
        free(error);
    }
}

static void offline_access_renews_with_the_same_context(void)
{
    HTTP_ANSWER tokens =
        granted(patient, "launch/patient+offline_access+patient/Observation.rs", "");
    char form[1024];

    snprintf(form, sizeof(form), "grant_type=refresh_token&client_id=%s&refresh_token=%s", app,
             http_text(tokens, "refresh_token"));
    HTTP_ANSWER renewed = oauth_post(suite, "token", form);
    CHECK_STATUS(renewed, 200);
    CU_ASSERT_STRING_EQUAL(http_text(renewed, "patient"), id_of(patient));
    CU_ASSERT_STRING_EQUAL(http_text(renewed, "scope"), http_text(tokens, "scope"));
}

static struct http_answer *introspected(const char *token)
{
    char form[4096];

    snprintf(form, sizeof(form), "client_id=%s&client_secret=%s&token=%s", records, records_secret,
             token);
    return oauth_post(suite, "introspect", form);
}

static void token_introspection_tells_the_context(void)
{
    HTTP_ANSWER tokens =
        granted(patient, "launch/patient+openid+fhirUser+patient/Observation.rs", "");
    HTTP_ANSWER seen = introspected(http_text(tokens, "access_token"));

    CHECK_STATUS(seen, 200);
    CU_ASSERT_TRUE(json_is_true(http_member(seen, "active")));
    CU_ASSERT_STRING_EQUAL(http_text(seen, "scope"), http_text(tokens, "scope"));
    CU_ASSERT_STRING_EQUAL(http_text(seen, "client_id"), app);
    CU_ASSERT_STRING_EQUAL(http_text(seen, "patient"), id_of(patient));
    CU_ASSERT_STRING_EQUAL(http_text(seen, "fhirUser"), patient->profile);
    CU_ASSERT_TRUE(json_integer_value(http_member(seen, "exp")) > 0);
}

static void consent_shows_what_is_left_of_the_scopes(void)
{
    char *third = oauth_register(suite, admin, REGISTRATION(",\"firstParty\":false"));
    BROWSER browser = browser_open(suite);

    oauth_ask(browser, third, ASK "openid+patient/Observation.cruds+user/Patient.rs");
    oauth_follow(browser);
    oauth_sign_in(browser, patient->email, patient->password);
    CU_ASSERT_TRUE(browser_sees(browser, "<span>read and search measurements and lab "
                                         "results in your health record</span>"));
    CU_ASSERT_FALSE(browser_sees(browser, "delete"));
    CU_ASSERT_FALSE(browser_sees(browser, "access to</span>"));
    oauth_consent(browser, "allow");
    char *code = oauth_parameter(browser, "code");
    HTTP_ANSWER tokens = oauth_exchange(suite, third, code);
    CHECK_STATUS(tokens, 200);
    CU_ASSERT_STRING_EQUAL(http_text(tokens, "scope"), "openid patient/Observation.rs");
    free(code);
    free(third);
}

static json_t *body_launch(const char *client, const char *resource, const char *of)
{
    return json_pack("{s:s, s:s, s:s}", "clientId", client, "resource", resource, "patient", of);
}

static struct http_answer *launch_of(const struct person *who, json_t *body)
{
    return http_post(suite_url(suite), "/v1/launch", who->access, body);
}

/* Returns "&launch=..." of the doctor for patient, app and server (caller frees). */
static char *launch(void)
{
    HTTP_ANSWER made = launch_of(doctor, body_launch(app, server, id_of(patient)));
    char *text;

    CHECK_STATUS(made, 200);
    if (asprintf(&text, "&launch=%s", http_text(made, "launch")) < 0)
        abort();
    return text;
}

static void ehr_launch_of_a_practitioner(void)
{
    char *with = launch();
    HTTP_ANSWER tokens = granted(doctor, LAUNCH_SCOPES "+launch/patient", with);
    json_t *identity = oauth_claims(suite, http_text(tokens, "id_token"), "JWT", "RS256");

    CHECK_STATUS(tokens, 200);
    CU_ASSERT_STRING_EQUAL(http_text(tokens, "patient"), id_of(patient));
    CU_ASSERT_STRING_EQUAL(http_text(tokens, "scope"),
                           "launch openid fhirUser patient/Observation.rs launch/patient");
    CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(identity, "fhirUser")),
                           doctor->profile);
    HTTP_ANSWER seen = introspected(http_text(tokens, "access_token"));
    CU_ASSERT_STRING_EQUAL(http_text(seen, "patient"), id_of(patient));
    json_decref(identity);
    free(with);
}

static void a_launch_is_for_its_person_client_and_server(void)
{
    char *with = launch(), *word;
    BROWSER browser = browser_open(suite);

    check_refused("another practitioner", admin, LAUNCH_SCOPES, with, "invalid_request");
    check_refused("a patient", patient, LAUNCH_SCOPES, with, "invalid_request");
    check_refused("made up", doctor, LAUNCH_SCOPES, "&launch=AAAA", "invalid_request");
    check_refused("without its scope", doctor, "openid+patient/Observation.rs", with,
                  "invalid_request");
    word = refused(doctor, other_app, LAUNCH_SCOPES, with);
    CU_ASSERT_STRING_EQUAL(word, "invalid_request");
    free(word);

    char behind[1024];

    snprintf(behind, sizeof(behind),
             "&response_type=code&redirect_uri=https%%3A%%2F%%2Fapp.example%%2Fcb&state=st8"
             "&aud=https%%3A%%2F%%2Fimages.example%%2Fr4" OAUTH_PKCE "&scope=" LAUNCH_SCOPES "%s",
             with);
    free(oauth_code(browser, doctor, app, behind));
    word = oauth_parameter(browser, "error");
    CU_ASSERT_STRING_EQUAL(word, "invalid_request");
    free(word);

    HTTP_ANSWER tokens = granted(doctor, LAUNCH_SCOPES, with); /* none of these consumed it */
    CHECK_STATUS(tokens, 200);
    free(with);
}

static void a_launch_counts_once(void)
{
    char *with = launch();
    HTTP_ANSWER tokens = granted(doctor, LAUNCH_SCOPES, with);

    CHECK_STATUS(tokens, 200);
    check_refused("again", doctor, LAUNCH_SCOPES, with, "invalid_request");
    free(with);
}

static void a_launch_lives_five_minutes(void)
{
    char *with = launch();

    suite_advance_clock(suite, LAUNCH_S + 1);
    check_refused("late", doctor, LAUNCH_SCOPES, with, "invalid_request");
    free(with);
}

static bool has_code(const struct http_answer *answer)
{
    char *location = http_header(answer, "Location");
    bool found = location && strstr(location, "&code=");

    found |= location && strstr(location, "?code=");
    free(location);
    return found;
}

static void one_launch_gives_one_code(void)
{
    BROWSER browser = browser_open(suite);
    struct http_request requests[AT_ONCE];
    struct http_answer *answers[AT_ONCE];
    char path[1024], cookie[512], *with;
    int good = 0;

    free(oauth_code(browser, doctor, app, ASK "openid"));
    with = launch();
    snprintf(cookie, sizeof(cookie), "Cookie: %s", browser->cookie);
    snprintf(path, sizeof(path), "/t/demo/authorize?client_id=%s%s%s", app, ASK LAUNCH_SCOPES,
             with);
    for (int i = 0; i < AT_ONCE; i++)
        requests[i] = (struct http_request){.path = path, .headers = {cookie}};
    http_call_many(suite_url(suite), requests, AT_ONCE, AT_ONCE, answers);
    for (int i = 0; i < AT_ONCE; i++) {
        good += has_code(answers[i]);
        UNIT_CHECK(answers[i]->status == 303, "%d %s", answers[i]->status, answers[i]->body);
    }
    CU_ASSERT_EQUAL(good, 1);
    http_answers_destroy(answers, AT_ONCE);
    free(with);
}

static void launches_are_refused(void)
{
    char *bare = oauth_register(suite, admin, "{\"name\":\"Bare\"}");
    PERSON other_patient = person_register(suite, NULL);
    const struct {
        const char *label;
        const struct person *who;
        json_t *body;
        int status;
    } rows[] = {
        {"by a patient", patient, body_launch(app, server, id_of(patient)), 403},
        {"of a practitioner", doctor, body_launch(app, server, id_of(doctor)), 404},
        {"of none", doctor, body_launch(app, server, SMART_NO_ID), 404},
        {"elsewhere", child, body_launch(app, server, id_of(patient)), 422},
        {"a client without launch", doctor, body_launch(bare, server, id_of(patient)), 422},
        {"an unknown client", doctor, body_launch(SMART_NO_ID, server, id_of(patient)), 422},
        {"an unknown server", doctor, body_launch(app, SMART_NO_ID, id_of(patient)), 422},
        {"no id", doctor, body_launch(app, server, "x"), 422},
        {"of another patient", doctor, body_launch(app, server, id_of(other_patient)), 200},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        HTTP_ANSWER made = launch_of(rows[i].who, rows[i].body);

        UNIT_CHECK(made->status == rows[i].status, "%s: %d %s", rows[i].label, made->status,
                   made->body);
    }
    free(bare);
}

static void kill_authd(void)
{
    pid_t one = suite_pid(suite, "authd", "1"), other = suite_pid(suite, "authd", "2");

    suite_signal(suite, "authd", "1", SIGKILL);
    suite_signal(suite, "authd", "2", SIGKILL);
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, "authd", "1", one));
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, "authd", "2", other));
    CU_ASSERT_TRUE(suite_wait_ready(suite, 10000));
}

static void deaths_lose_no_launch(void)
{
    BROWSER browser = browser_open(suite);
    char behind[1024], *with = launch(), *code;

    kill_authd();
    snprintf(behind, sizeof(behind), "%s%s", ASK LAUNCH_SCOPES, with);
    code = oauth_code(browser, doctor, app, behind);
    kill_authd();
    HTTP_ANSWER tokens = oauth_exchange(suite, app, code);
    CHECK_STATUS(tokens, 200);
    CU_ASSERT_STRING_EQUAL(http_text(tokens, "patient"), id_of(patient));
    check_refused("again", doctor, LAUNCH_SCOPES, with, "invalid_request");
    free(code);
    free(with);
}

static struct http_answer *own_token(const char *scope)
{
    static int ids;
    char token_url[160], form[8192], *assertion;
    int64_t now = suite_now(suite);

    snprintf(token_url, sizeof(token_url), "%s/t/demo/token", suite_text(suite, "publicUrl"));
    assertion = jose_sign(key, NULL,
                          json_pack("{s:s, s:s, s:s, s:I, s:o}", "iss", service, "sub", service,
                                    "aud", token_url, "exp", (json_int_t)(now + 60), "jti",
                                    json_sprintf("s-%d", ids++)));
    snprintf(form, sizeof(form), "grant_type=client_credentials&scope=%s%s%s", scope, ASSERTION,
             assertion);
    free(assertion);
    return oauth_post(suite, "token", form);
}

static void backend_services_get_what_is_registered(void)
{
    static const struct {
        const char *ask, *given; /* NULL: invalid_scope */
    } rows[] = {
        {"system/*.rs", "system/*.rs"},
        {"system/Observation.rs", "system/Observation.rs"},
        {"system/Observation.read", "system/Observation.read"},
        {"system/Observation.cruds", "system/Observation.rs"},
        {"system/Group.cruds", "system/Group.rs system/Group.c"},
        {"system/Observation.rs+system/Observation.write", "system/Observation.rs"},
        {"system/Observation.write", NULL},
        {"patient/Observation.rs", NULL},
        {"user/Observation.rs", NULL},
        {"launch", NULL},
        {"openid", NULL},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        HTTP_ANSWER answer = own_token(rows[i].ask);
        const char *said = http_text(answer, rows[i].given ? "scope" : "error");

        UNIT_CHECK(strcmp(said, rows[i].given ? rows[i].given : "invalid_scope") == 0, "%s: %d %s",
                   rows[i].ask, answer->status, answer->body);
    }
}

static void backend_services_get_short_tokens_for_their_server(void)
{
    HTTP_ANSWER answer = own_token("system/Observation.rs");
    json_t *claims = oauth_claims(suite, http_text(answer, "access_token"), "at+jwt", "ES256");
    HTTP_ANSWER seen = introspected(http_text(answer, "access_token"));

    CHECK_STATUS(answer, 200);
    CU_ASSERT_EQUAL(json_integer_value(http_member(answer, "expires_in")), 300);
    CU_ASSERT_PTR_NULL(http_member(answer, "refresh_token"));
    CU_ASSERT_PTR_NULL(http_member(answer, "patient"));
    CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(claims, "aud")), SMART_BASE);
    CU_ASSERT_TRUE(json_is_true(http_member(seen, "active")));
    CU_ASSERT_STRING_EQUAL(http_text(seen, "scope"), "system/Observation.rs");
    json_decref(claims);
}

static void a_removed_server_has_no_launches(void)
{
    HTTP_ANSWER gone =
        http_delete(suite_url(suite), smart_server_path(other_server), admin->access);
    HTTP_ANSWER refused_now = launch_of(doctor, body_launch(app, other_server, id_of(patient)));
    HTTP_ANSWER page = smart_configuration(suite, "demo", other_server);

    CHECK_STATUS(gone, 204);
    CHECK_STATUS(refused_now, 422);
    CHECK_STATUS(page, 404);
}

static void the_scene_is_left(void)
{
    jose_destroy(&key);
    person_destroy(&patient);
    person_destroy(&doctor);
    free(app);
    free(other_app);
    free(records);
    free(records_secret);
    free(service);
    free(other_server);
    free(server);
    person_destroy(&admin);
    person_destroy(&child);
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(the_scene_is_set),
    CASE(standalone_launch_of_a_patient),
    CASE(scopes_are_what_client_and_server_list_for_the_role),
    CASE(queries_are_given_where_the_server_lists_them),
    CASE(documents_are_narrowed_by_the_access_policy),
    CASE(a_renewal_is_narrowed_by_the_policy_of_then),
    CASE(aud_is_a_registered_server_byte_by_byte),
    CASE(offline_access_renews_with_the_same_context),
    CASE(token_introspection_tells_the_context),
    CASE(consent_shows_what_is_left_of_the_scopes),
    CASE(ehr_launch_of_a_practitioner),
    CASE(a_launch_is_for_its_person_client_and_server),
    CASE(a_launch_counts_once),
    CASE(one_launch_gives_one_code),
    CASE(launches_are_refused),
    CASE(deaths_lose_no_launch),
    CASE(backend_services_get_what_is_registered),
    CASE(backend_services_get_short_tokens_for_their_server),
    CASE(a_removed_server_has_no_launches),
    CASE(a_launch_lives_five_minutes),
    CASE_ALWAYS(the_scene_is_left),
};

int main(void)
{
    return unit_run("SMART App Launch", cases, ARRAY_SIZE(cases));
}
