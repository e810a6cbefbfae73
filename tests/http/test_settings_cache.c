/*
 * test_settings_cache.c - what authd keeps of settingsd's answers is never older than what was
 * answered to the one that changed it, on any of two authd, and lets tenants be used while
 * settingsd is away.
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

enum { PROBES = 8, CHANGES = 60, WORKERS = 3 }; /* PROBES at a time reach both authd */

static struct suite *suite;
static struct person *admin, *patient;
static char *client, *secret;

static void put(const char *path, json_t *body)
{
    HTTP_ANSWER done = http_put(suite_url(suite), path, admin->access, body);

    CHECK_STATUS(done, 200);
}

/* ---- what is asked ---- */

static struct http_request token_request(void)
{
    return (struct http_request){.method = "POST",
                                 .path = "/t/demo/token",
                                 .raw = OWN,
                                 .content_type = FORM,
                                 .headers = {oauth_basic(client, secret)}};
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

/* How many of PROBES at one time are answered with that status and text. */
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

static void the_scene_is_set(void)
{
    suite = suite_start(&(struct suite_options){.instances = "authd=2,gateway=2"});
    admin = person_admin(suite);
    patient = person_register(suite, NULL);
    client = oauth_register(suite, admin,
                            "{\"type\":\"confidential\",\"grantTypes\":[\"client_credentials\"],"
                            "\"firstParty\":false,\"redirectUris\":[],\"scopes\":[\"read\"]}");
    secret = oauth_secret(suite, admin, client);
    UNIT_REQUIRE(admin->access && patient->access && *client && *secret, "a client");
}

/* ---- changes ---- */

static void replace_client(const char *scope)
{
    char path[128];

    snprintf(path, sizeof(path), CLIENTS "/%s", client);
    put(path, json_pack("{s:s, s:s, s:[s], s:[s]}", "name", "App", "type", "confidential",
                        "grantTypes", "client_credentials", "scopes", scope));
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
    char path[128];

    snprintf(path, sizeof(path), CLIENTS "/%s/secret", client);
    CHECK_ANSWERED(token_request, 200, "access_token");

    HTTP_ANSWER next =
        http_post(suite_url(suite), path, admin->access, json_pack("{s:i}", "previousHours", 0));

    CHECK_STATUS(next, 200);
    CHECK_ANSWERED(token_request, 401, "invalid_client");
    free(secret);
    secret = strdup(http_text(next, "secret"));
    CHECK_ANSWERED(token_request, 200, "access_token");
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

    PROGRAM suspended = ATRIUMCTL(suite, NULL, "project", "suspend", "demo");

    CHECK_EXIT(suspended, 0);
    CHECK_ANSWERED(token_request, 404, "");
    CHECK_ANSWERED(page_request, 404, "");

    PROGRAM resumed = ATRIUMCTL(suite, NULL, "project", "suspend", "demo", "--resume");

    CHECK_EXIT(resumed, 0);
    CHECK_ANSWERED(token_request, 200, "access_token");
}

/* ---- changes while others ask ---- */

static atomic_bool asking;

static void *ask(void *arg UNUSED)
{
    const struct http_request request = token_request();

    while (asking) {
        UNUSED HTTP_ANSWER answer = http_call(suite_url(suite), &request);
    }
    return NULL;
}

static void no_answer_outlives_a_change_under_load(void)
{
    static const char *const scopes[] = {"read", "write"};
    static const char *const wanted[] = {"\"read\"", "\"write\""};
    pthread_t workers[WORKERS];
    int stale = 0;

    asking = true;
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&workers[i], NULL, ask, NULL);
    for (int i = 0; i < CHANGES; i++) {
        replace_client(scopes[i % 2]);
        stale += PROBES - answered(token_request, 200, wanted[i % 2]);
    }
    asking = false;
    for (int i = 0; i < WORKERS; i++)
        pthread_join(workers[i], NULL);
    UNIT_CHECK(stale == 0, "%d of %d answers are stale", stale, CHANGES * PROBES);
    replace_client("read");
}

static void *ask_once(void *arg UNUSED)
{
    const struct http_request request = token_request();

    return http_call(suite_url(suite), &request);
}

/* settingsd reads the registration, and stands still with the answer while it is changed. */
static void an_answer_that_comes_behind_a_change_is_not_kept(void)
{
    PGconn *db = suite_database(suite);
    pthread_t worker;
    void *answer;

    replace_client("read"); /* nothing is kept */
    PQclear(PQexec(db, "begin; lock table settings.client in access exclusive mode"));
    pthread_create(&worker, NULL, ask_once, NULL);
    CU_ASSERT_TRUE(suite_waits_for_rows(suite, "settingsd", 1));
    suite_signal(suite, "settingsd", "1", SIGSTOP);
    PQclear(PQexec(db, "commit"));
    PQclear(PQexec(db, "update settings.client set oauth = oauth || '{\"scopes\":[\"write\"]}'"));
    PQclear(PQexec(db, "with c as (update auth.change_counter set sequence = sequence + 1 "
                       "returning sequence) insert into auth.change (sequence, kind, id, until) "
                       "select sequence, 'project', gen_random_uuid(), 1e15 from c"));
    suite_signal(suite, "settingsd", "1", SIGCONT);
    pthread_join(worker, &answer);

    HTTP_ANSWER before = answer;

    CHECK_STATUS(before, 200);
    CU_ASSERT_STRING_EQUAL(http_text(before, "scope"), "read");
    CHECK_ANSWERED(token_request, 200, "\"write\"");
    PQfinish(db);
}

/* ---- without settingsd ---- */

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

/* ---- bounds ---- */

/* How many answers both authd have got from settingsd. */
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

    for (int i = 0; i < 4; i++) /* both authd have it */
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
    for (int i = 0; i < 4; i++) /* both authd have the tenant */
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
    person_destroy(&admin);
    person_destroy(&patient);
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(the_scene_is_set),
    CASE(another_registration_counts_at_once),
    CASE(another_secret_counts_at_once),
    CASE(a_switch_counts_at_once),
    CASE(languages_count_at_once),
    CASE(a_brand_counts_at_once),
    CASE(a_suspended_tenant_is_closed_at_once),
    CASE(no_answer_outlives_a_change_under_load),
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
