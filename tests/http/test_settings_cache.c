/*
 * test_settings_cache.c - authd's settings cache is never older than the response to a change, on
 * two authd, and serves tenants without settingsd.
 */
#include <CUnit/CUnit.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/browser.h"
#include "tests/support/oauth.h"
#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

#define CLIENTS "/v1/project/clients"
#define FORM "application/x-www-form-urlencoded"
#define OWN "grant_type=client_credentials"
#define RESOURCE "https://records.example/r4"
#define OTHER_RESOURCE "https://images.example/r4"
#define SIGNED                                                                                \
    "&client_assertion_type=urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type%3Ajwt-bearer" \
    "&client_assertion="

enum { PROBES = 8, CHANGES = 60, WORKERS = 3 }; /* concurrent PROBES reach both authd */
enum { ROTATIONS = 3, FORM_MAX = 8192 };

static struct suite *suite;
static struct person *admin, *patient;
static char *client, *secret;
static char *server, *server_secret; /* RESOURCE's server */
static char *person_token;           /* for the issuer's userinfo */
static char *resource_token;         /* a person's token for RESOURCE */
static char introspection[FORM_MAX]; /* the form that `server` posts */

static void put(const char *path, json_t *body)
{
    HTTP_ANSWER done = http_put(suite_url(suite), path, admin->access, body);

    CHECK_STATUS(done, 200);
}

static struct http_request token_request(void)
{
    return (struct http_request){.method = "POST",
                                 .path = "/t/demo/token",
                                 .raw = OWN,
                                 .content_type = FORM,
                                 .headers = {oauth_basic(client, secret)}};
}

static struct http_request userinfo_request(void)
{
    return (struct http_request){.path = "/t/demo/userinfo", .bearer = person_token};
}

static struct http_request introspect_request(void)
{
    return (struct http_request){
        .method = "POST", .path = "/t/demo/introspect", .raw = introspection, .content_type = FORM};
}

static void introspect(const char *token)
{
    snprintf(introspection, sizeof(introspection), "client_id=%s&client_secret=%s&token=%s", server,
             server_secret, token);
}

static struct http_request page_request(void)
{
    return (struct http_request){.path = "/t/demo/sign-in",
                                 .headers = {"Accept: text/html", "Accept-Language: fr"}};
}

static struct http_request sign_in_request(void)
{
    return (struct http_request){.method = "POST",
                                 .path = "/auth/tenant/Patient/login/start",
                                 .body =
                                     body_login_start(patient->email, patient->password, "demo")};
}

/* Sends PROBES concurrent requests and counts the responses with this status and text. */
static int answered(struct http_request (*make)(void), int status, const char *text)
{
    struct http_request requests[PROBES];
    struct http_answer *answers[PROBES];
    int count = 0;

    for (int i = 0; i < PROBES; i++)
        requests[i] = make();
    http_call_many(suite_url(suite), requests, PROBES, PROBES, answers);
    for (int i = 0; i < PROBES; i++) {
        count += answers[i]->status == status && strstr(answers[i]->body, text);
        http_answer_destroy(&answers[i]);
    }
    return count;
}

#define CHECK_ANSWERED(make, status, text)                                                     \
    do {                                                                                       \
        int count_ = answered((make), (status), (text));                                       \
                                                                                               \
        UNIT_CHECK(count_ == PROBES, "%d of %d have %d %s", count_, PROBES, (status), (text)); \
    } while (0)

static char *token_for(const char *public_client, const char *resource)
{
    BROWSER browser = browser_open(suite);
    char behind[512];

    snprintf(behind, sizeof(behind), "%s%s%s", OAUTH_USUAL, resource ? "&resource=" : "",
             resource ? resource : "");
    HTTP_ANSWER tokens = oauth_tokens(suite, browser, patient, public_client, behind);

    return strdup(http_text(tokens, "access_token"));
}

static void open_server(void)
{
    char *app = oauth_register(suite, admin, "{\"audiences\":[\"" RESOURCE "\"]}");

    server = oauth_register(suite, admin,
                            "{\"type\":\"confidential\",\"authMethod\":\"client_secret_post\","
                            "\"grantTypes\":[],\"redirectUris\":[],\"scopes\":[],"
                            "\"firstParty\":false,\"audiences\":[\"" RESOURCE "\"]}");
    server_secret = oauth_secret(suite, admin, server);
    person_token = token_for(app, NULL);
    resource_token = token_for(app, RESOURCE);
    UNIT_REQUIRE(*server_secret && *person_token && *resource_token, "tokens and a server");
    free(app);
}

static void the_scene_is_set(void)
{
    suite = suite_start(&(struct suite_options){.instances = "authd=2,gateway=2"});
    admin = person_admin(suite);
    patient = person_register(suite, NULL);
    client = oauth_register(suite, admin,
                            "{\"type\":\"confidential\",\"grantTypes\":[\"client_credentials\"],"
                            "\"firstParty\":false,\"redirectUris\":[],\"scopes\":[\"read\"],"
                            "\"audiences\":[\"" RESOURCE "\"]}");
    secret = oauth_secret(suite, admin, client);
    UNIT_REQUIRE(admin->access && patient->access && *client && *secret, "a client");
    open_server();
}

static void replace_client(const char *scope)
{
    char path[128];

    snprintf(path, sizeof(path), CLIENTS "/%s", client);
    put(path,
        json_pack("{s:s, s:s, s:[s], s:[s], s:[s]}", "name", "App", "type", "confidential",
                  "grantTypes", "client_credentials", "scopes", scope, "audiences", RESOURCE));
}

/* Moves `server` to another resource, or back to RESOURCE. */
static void replace_server(const char *resource)
{
    char path[128];

    snprintf(path, sizeof(path), CLIENTS "/%s", server);
    put(path, json_pack("{s:s, s:s, s:s, s:[s]}", "name", "Records", "type", "confidential",
                        "authMethod", "client_secret_post", "audiences", resource));
}

static char *next_secret(const char *of)
{
    char path[128];

    snprintf(path, sizeof(path), CLIENTS "/%s/secret", of);
    HTTP_ANSWER next =
        http_post(suite_url(suite), path, admin->access, json_pack("{s:i}", "previousHours", 0));

    CHECK_STATUS(next, 200);
    return strdup(http_text(next, "secret"));
}

static long long number(const char *sql)
{
    PGconn *db = suite_database(suite);
    PGresult *result = PQexec(db, sql);
    long long value;

    UNIT_CHECK(PQresultStatus(result) == PGRES_TUPLES_OK, "%s", PQerrorMessage(db));
    value = PQntuples(result) > 0 ? atoll(PQgetvalue(result, 0, 0)) : -1;
    PQclear(result);
    PQfinish(db);
    return value;
}

static void another_registration_counts_at_once(void)
{
    CHECK_ANSWERED(token_request, 200, "\"read\"");
    replace_client("write");
    CHECK_ANSWERED(token_request, 200, "\"write\"");
    replace_client("read");
    CHECK_ANSWERED(token_request, 200, "\"read\"");
}

static void another_secret_counts_at_once(void)
{
    char *next;

    CHECK_ANSWERED(token_request, 200, "access_token");
    next = next_secret(client);
    CHECK_ANSWERED(token_request, 401, "invalid_client");
    free(secret);
    secret = next;
    CHECK_ANSWERED(token_request, 200, "access_token");
}

/* Checks the introspection of the client's own token and of a person's. */
static void introspection_is_by_the_registration_of_now(void)
{
    HTTP_ANSWER own = http_call(suite_url(suite),
                                &(struct http_request){.method = "POST",
                                                       .path = "/t/demo/token",
                                                       .raw = OWN "&resource=" RESOURCE,
                                                       .content_type = FORM,
                                                       .headers = {oauth_basic(client, secret)}});
    const char *const tokens[] = {resource_token, http_text(own, "access_token")};

    CHECK_STATUS(own, 200);
    for (size_t i = 0; i < ARRAY_SIZE(tokens); i++) {
        introspect(tokens[i]);
        CHECK_ANSWERED(introspect_request, 200, "\"active\":true");
        replace_server(OTHER_RESOURCE);
        CHECK_ANSWERED(introspect_request, 200, "\"active\":false");
        replace_server(RESOURCE);
        CHECK_ANSWERED(introspect_request, 200, "\"active\":true");
    }
}

/* authd first compares a new secret with the cached old hash, which must not count as a failure. */
static void introspection_is_by_the_secret_of_now(void)
{
    static const char hits[] = "select coalesce(sum(cardinality(hits)), 0) from auth.throttle";
    long long before;

    introspect(resource_token);
    CHECK_ANSWERED(introspect_request, 200, "\"active\":true");
    for (int i = 0; i < ROTATIONS; i++) {
        before = number(hits);
        free(server_secret);
        server_secret = next_secret(server);
        introspect(resource_token);
        CHECK_ANSWERED(introspect_request, 200, "\"active\":true");
        CU_ASSERT_EQUAL(number(hits), before);
    }
    free(next_secret(server));
    CHECK_ANSWERED(introspect_request, 401, "invalid_client");
    CU_ASSERT_EQUAL(number(hits), before + PROBES);
    free(server_secret);
    server_secret = next_secret(server);
    introspect(resource_token);
}

static struct http_request read_request(void)
{
    struct http_request request = token_request();

    request.raw = OWN "&scope=read";
    return request;
}

static void no_token_is_recorded_by_a_former_registration(void)
{
    static const char rows[] =
        "select count(*) from auth.audit where event ->> 'action' = 'client.token'";
    long long before;

    CHECK_ANSWERED(read_request, 200, "access_token");
    before = number(rows);
    replace_client("write");
    CHECK_ANSWERED(read_request, 400, "invalid_scope");
    CU_ASSERT_EQUAL(number(rows), before);
    replace_client("read");
    CHECK_ANSWERED(read_request, 200, "access_token");
    CU_ASSERT_EQUAL(number(rows), before + PROBES);
}

static struct http_answer *post_token(const char *form, const char *header, const char *other)
{
    return http_call(suite_url(suite), &(struct http_request){.method = "POST",
                                                              .path = "/t/demo/token",
                                                              .raw = form,
                                                              .content_type = FORM,
                                                              .headers = {header, other}});
}

static struct http_answer *post_assertion(const struct jose *key, const char *signer)
{
    static int ids;
    json_int_t now = suite_now(suite);
    char audience[256], form[FORM_MAX], *assertion;

    snprintf(audience, sizeof(audience), "%s/t/demo/token", suite_text(suite, "publicUrl"));
    assertion = jose_sign(key, NULL,
                          json_pack("{s:s, s:s, s:s, s:I, s:I, s:o}", "iss", signer, "sub", signer,
                                    "aud", audience, "iat", now, "exp", now + 60, "jti",
                                    json_sprintf("id-%d", ids++)));
    snprintf(form, sizeof(form), "%s%s", OWN SIGNED, assertion);
    free(assertion);
    return post_token(form, NULL, NULL);
}

static void an_assertion_is_spent_once_though_settings_changed(void)
{
    JOSE key = jose_new("ES256", "one");
    json_t *settings = json_pack("{s:s, s:s, s:s, s:[s], s:[], s:[s], s:b, s:{s:[o]}}", "name",
                                 "Signer", "type", "confidential", "authMethod", "private_key_jwt",
                                 "grantTypes", "client_credentials", "redirectUris", "scopes",
                                 "read", "firstParty", 0, "jwks", "keys", jose_jwk(key));
    char *more = json_dumps(settings, 0), *signer = oauth_register(suite, admin, more);

    for (int i = 0; i < PROBES; i++) {
        if (i >= PROBES / 2) /* both authd have cached it */
            replace_client("read");
        HTTP_ANSWER answer = post_assertion(key, signer);

        CHECK_STATUS(answer, 200);
    }
    json_decref(settings);
    free(more);
    free(signer);
}

static struct http_answer *post_proof(const struct jose *key, const char *nonce)
{
    char url[256], *proof;
    struct http_answer *answer;

    snprintf(url, sizeof(url), "%s/t/demo/token", suite_text(suite, "publicUrl"));
    proof = oauth_proof(key, &(struct oauth_proof){"POST", url, nonce, NULL, 0});
    answer = post_token(OWN, oauth_basic(client, secret), proof);
    free(proof);
    return answer;
}

static void a_proof_is_spent_once_though_settings_changed(void)
{
    JOSE key = jose_new("ES256", NULL);
    HTTP_ANSWER first = post_proof(key, NULL);
    char *nonce = http_header(first, "DPoP-Nonce");

    CHECK_STATUS(first, 400);
    for (int i = 0; i < PROBES; i++) {
        if (i >= PROBES / 2)
            replace_client("read");
        HTTP_ANSWER answer = post_proof(key, nonce);

        CHECK_STATUS(answer, 200);
        CU_ASSERT_STRING_EQUAL(http_text(answer, "token_type"), "DPoP");
    }
    free(nonce);
}

static void a_switch_counts_at_once(void)
{
    CHECK_ANSWERED(sign_in_request, 200, "sessionCode");
    put("/v1/project/settings/PATIENT_LOGIN_ENABLED", json_pack("{s:b}", "enabled", 0));
    CHECK_ANSWERED(sign_in_request, 403, "");
    put("/v1/project/settings/PATIENT_LOGIN_ENABLED", json_pack("{s:b}", "enabled", 1));
    CHECK_ANSWERED(sign_in_request, 200, "sessionCode");
}

static void languages_count_at_once(void)
{
    static const char *const tags[] = {"de", "es", "en"};

    CHECK_ANSWERED(page_request, 200, "lang=\"en\"");
    for (size_t i = 0; i < ARRAY_SIZE(tags); i++) {
        char wanted[16];
        const struct http_request patch = {.method = "PATCH",
                                           .path = "/locales",
                                           .bearer = admin->access,
                                           .body =
                                               json_pack("{s:[s,s,s], s:s}", "languages", "en",
                                                         "de", "es", "defaultLanguage", tags[i])};
        HTTP_ANSWER done = http_call(suite_url(suite), &patch);

        CHECK_STATUS(done, 200);
        snprintf(wanted, sizeof(wanted), "lang=\"%s\"", tags[i]);
        CHECK_ANSWERED(page_request, 200, wanted);
    }
}

static void a_brand_counts_at_once(void)
{
    put("/v1/project/branding", json_pack("{s:s}", "name", "Clinic of the hill"));
    CHECK_ANSWERED(page_request, 200, "Clinic of the hill");
    put("/v1/project/branding", json_pack("{s:s}", "name", "Clinic of the lake"));
    CHECK_ANSWERED(page_request, 200, "Clinic of the lake");
}

static void a_suspended_tenant_is_closed_at_once(void)
{
    CHECK_ANSWERED(token_request, 200, "access_token");
    CHECK_ANSWERED(userinfo_request, 200, "\"sub\"");
    CHECK_ANSWERED(introspect_request, 200, "\"active\":true");

    PROGRAM suspended = ATRIUMCTL(suite, NULL, "project", "suspend", "demo");

    CHECK_EXIT(suspended, 0);
    CHECK_ANSWERED(token_request, 404, "");
    CHECK_ANSWERED(userinfo_request, 404, "");
    CHECK_ANSWERED(introspect_request, 404, "");
    CHECK_ANSWERED(page_request, 404, "");

    PROGRAM resumed = ATRIUMCTL(suite, NULL, "project", "suspend", "demo", "--resume");

    CHECK_EXIT(resumed, 0);
    CHECK_ANSWERED(token_request, 200, "access_token");
    CHECK_ANSWERED(userinfo_request, 200, "\"sub\"");
    CHECK_ANSWERED(introspect_request, 200, "\"active\":true");
}

static atomic_bool asking;

/* A change between two values, and the text of a response after each. */
struct change {
    void (*make)(const char *value);
    const char *values[2];
    struct http_request (*request)(void);
    const char *wanted[2];
};

static void *ask(void *arg)
{
    const struct change *change = arg;
    const struct http_request request = change->request();

    while (asking) {
        UNUSED HTTP_ANSWER answer = http_call(suite_url(suite), &request);
    }
    return NULL;
}

static void check_under_load(struct change *change)
{
    pthread_t workers[WORKERS];
    int stale = 0;

    asking = true;
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&workers[i], NULL, ask, change);
    for (int i = 0; i < CHANGES; i++) {
        change->make(change->values[i % 2]);
        stale += PROBES - answered(change->request, 200, change->wanted[i % 2]);
    }
    asking = false;
    for (int i = 0; i < WORKERS; i++)
        pthread_join(workers[i], NULL);
    UNIT_CHECK(stale == 0, "%d of %d answers are stale", stale, CHANGES * PROBES);
    change->make(change->values[0]);
}

static void no_answer_outlives_a_change_under_load(void)
{
    struct change scope = {
        replace_client, {"read", "write"}, token_request, {"\"read\"", "\"write\""}};
    struct change audience = {replace_server,
                              {RESOURCE, OTHER_RESOURCE},
                              introspect_request,
                              {"\"active\":true", "\"active\":false"}};

    check_under_load(&scope);
    check_under_load(&audience);
}

static void *ask_once(void *arg UNUSED)
{
    const struct http_request request = token_request();

    return http_call(suite_url(suite), &request);
}

/* Changes any client's scopes in the way settingsd does. */
static void change_scopes(PGconn *db)
{
    PQclear(PQexec(db, "update settings.client set oauth = oauth || '{\"scopes\":[\"write\"]}'"));
    PQclear(PQexec(db, "with c as (update auth.change_counter set sequence = sequence + 1 "
                       "returning sequence) insert into auth.change (sequence, kind, id, until) "
                       "select sequence, 'project', gen_random_uuid(), 1e15 from c"));
}

/* The settings change while the insert of the token waits for a lock. */
static void a_token_is_given_by_the_settings_of_its_record(void)
{
    PGconn *holder;
    pthread_t worker;
    void *answer;

    replace_client("read");
    CHECK_ANSWERED(token_request, 200, "\"read\"");
    holder = oauth_hold(suite, "audit", "share");
    pthread_create(&worker, NULL, ask_once, NULL);
    CU_ASSERT_TRUE(suite_comes_to(suite, 1, 2000,
                                  "select least(count(*), 1) from pg_stat_activity where "
                                  "wait_event_type = 'Lock' and query like '%%audit_written%%' and "
                                  "application_name like 'atrium-authd.%%'"));
    change_scopes(holder);
    PQclear(PQexec(holder, "commit"));
    pthread_join(worker, &answer);
    PQfinish(holder);

    HTTP_ANSWER behind = answer;

    CHECK_STATUS(behind, 200);
    CU_ASSERT_STRING_EQUAL(http_text(behind, "scope"), "write");
    replace_client("read");
}

static void an_answer_that_comes_behind_a_change_is_not_kept(void)
{
    PGconn *db = suite_database(suite);
    pthread_t worker;
    void *answer;

    replace_client("read"); /* a change, so that nothing is cached */
    PQclear(PQexec(db, "begin; lock table settings.client in access exclusive mode"));
    pthread_create(&worker, NULL, ask_once, NULL);
    CU_ASSERT_TRUE(suite_waits_for_rows(suite, "settingsd", 1));
    suite_signal(suite, "settingsd", "1", SIGSTOP);
    PQclear(PQexec(db, "commit"));
    CU_ASSERT_TRUE(suite_comes_to(suite, 0, 15000,
                                  "select count(*) from pg_stat_activity where state = 'active' "
                                  "and application_name like 'atrium-settingsd.%%'"));
    change_scopes(db);
    suite_signal(suite, "settingsd", "1", SIGCONT);
    pthread_join(worker, &answer);

    HTTP_ANSWER before = answer;

    CHECK_STATUS(before, 200);
    CU_ASSERT_STRING_EQUAL(http_text(before, "scope"), "read");
    CHECK_ANSWERED(token_request, 200, "\"write\"");
    PQfinish(db);
}

static void what_is_known_is_answered_while_settingsd_is_away(void)
{
    char *known = client, unknown[] = "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b";

    CHECK_ANSWERED(token_request, 200, "access_token");
    CHECK_ANSWERED(page_request, 200, "<form");
    suite_signal(suite, "settingsd", "1", SIGSTOP);
    CHECK_ANSWERED(token_request, 200, "access_token");
    CHECK_ANSWERED(page_request, 200, "<form");
    suite_signal(suite, "settingsd", "1", SIGCONT);
    client = unknown;
    CHECK_ANSWERED(token_request, 401, "invalid_client");
    client = known;
}

static long long answers_from_settingsd(void)
{
    HTTP_ANSWER answer = http_get(suite_admin_url(suite), "/metrics", NULL);
    const char *line = answer->body;
    long long sum = 0;

    while ((line = strstr(line, "\natrium_auth_settings_total{"))) {
        const char *end = strchr(++line, '}');

        if (memmem(line, (size_t)(end - line), "from=\"settingsd\"", 16))
            sum += strtoll(end + 1, NULL, 10);
    }
    return sum;
}

static void what_is_kept_is_not_asked_for(void)
{
    long long before;

    for (int i = 0; i < 4; i++) /* both authd have cached it */
        CHECK_ANSWERED(token_request, 200, "access_token");
    before = answers_from_settingsd();
    CHECK_ANSWERED(token_request, 200, "access_token");
    CU_ASSERT_EQUAL(answers_from_settingsd(), before);
}

static void a_large_answer_is_asked_for_each_time(void)
{
    enum { URIS = 32, PADDING = 600 };
    json_t *body = json_pack("{s:s, s:s, s:[s,s], s:[s], s:[]}", "name", "App", "type",
                             "confidential", "grantTypes", "client_credentials",
                             "authorization_code", "scopes", "read", "redirectUris");
    char path[128], uri[PADDING + 64];
    long long before;

    for (int i = 0; i < URIS; i++) {
        snprintf(uri, sizeof(uri), "https://app.example/%0*d", PADDING, i);
        json_array_append_new(json_object_get(body, "redirectUris"), json_string(uri));
    }
    snprintf(path, sizeof(path), CLIENTS "/%s", client);
    put(path, body);
    for (int i = 0; i < 4; i++) /* both authd have cached the tenant */
        CHECK_ANSWERED(token_request, 200, "access_token");
    before = answers_from_settingsd();
    CHECK_ANSWERED(token_request, 200, "access_token");
    CU_ASSERT_EQUAL(answers_from_settingsd(), before + PROBES);
    replace_client("read");
}

static void a_deleted_client_is_unknown_at_once(void)
{
    char path[128];

    snprintf(path, sizeof(path), CLIENTS "/%s", client);
    CHECK_ANSWERED(token_request, 200, "access_token");

    HTTP_ANSWER gone = http_delete(suite_url(suite), path, admin->access);

    CHECK_STATUS(gone, 204);
    CHECK_ANSWERED(token_request, 401, "invalid_client");
}

static void the_scene_is_left(void)
{
    free(client);
    free(secret);
    free(server);
    free(server_secret);
    free(person_token);
    free(resource_token);
    person_destroy(&admin);
    person_destroy(&patient);
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(the_scene_is_set),
    CASE(another_registration_counts_at_once),
    CASE(another_secret_counts_at_once),
    CASE(introspection_is_by_the_registration_of_now),
    CASE(introspection_is_by_the_secret_of_now),
    CASE(no_token_is_recorded_by_a_former_registration),
    CASE(an_assertion_is_spent_once_though_settings_changed),
    CASE(a_proof_is_spent_once_though_settings_changed),
    CASE(a_switch_counts_at_once),
    CASE(languages_count_at_once),
    CASE(a_brand_counts_at_once),
    CASE(a_suspended_tenant_is_closed_at_once),
    CASE(no_answer_outlives_a_change_under_load),
    CASE(a_token_is_given_by_the_settings_of_its_record),
    CASE(an_answer_that_comes_behind_a_change_is_not_kept),
    CASE(what_is_known_is_answered_while_settingsd_is_away),
    CASE(what_is_kept_is_not_asked_for),
    CASE(a_large_answer_is_asked_for_each_time),
    CASE(a_deleted_client_is_unknown_at_once),
    CASE_ALWAYS(the_scene_is_left),
};

int main(void)
{
    return unit_run("Settings that authd keeps", cases, ARRAY_SIZE(cases));
}
