/*
 * test_oauth_discovery.c - the issuers' published metadata and keys, also without any authd, and
 * the format of errors.
 */
#include <CUnit/CUnit.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/oauth.h"
#include "tests/support/rows.h"
#include "tests/support/unit.h"

static struct suite *suite;
static struct person *admin, *patient;
static char *app; /* a first-party client */

static void the_scene_is_set(void)
{
    oauth_scene_set(&suite, &admin, &patient, &app, NULL);
}

static void discovery_names_the_endpoints(void)
{
    static const char *const endpoints[] = {"authorization_endpoint", "token_endpoint",
                                            "userinfo_endpoint", "jwks_uri",
                                            "pushed_authorization_request_endpoint"};
    HTTP_ANSWER page = http_get(suite_url(suite), "/t/demo/.well-known/openid-configuration", NULL);
    HTTP_ANSWER other =
        http_get(suite_url(suite), "/.well-known/oauth-authorization-server/t/demo", NULL);
    HTTP_ANSWER none =
        http_get(suite_url(suite), "/t/nowhere/.well-known/openid-configuration", NULL);
    HTTP_ANSWER nowhere =
        http_get(suite_url(suite), "/.well-known/oauth-authorization-server/t/nowhere", NULL);
    char *own = oauth_issuer(suite), *shared = http_header(page, "Access-Control-Allow-Origin");

    CHECK_STATUS(page, 200);
    CU_ASSERT_STRING_EQUAL(http_text(page, "issuer"), own);
    CU_ASSERT_PTR_NOT_NULL(shared);
    for (size_t i = 0; i < ARRAY_SIZE(endpoints); i++)
        UNIT_CHECK(strncmp(http_text(page, endpoints[i]), own, strlen(own)) == 0, "%s",
                   endpoints[i]);
    CU_ASSERT_TRUE(
        json_is_true(http_member(page, "authorization_response_iss_parameter_supported")));
    CU_ASSERT_TRUE(json_is_false(http_member(page, "request_uri_parameter_supported")));
    CU_ASSERT_STRING_EQUAL(page->body,
                           other->body); /* RFC 8414, section 3: both well-known paths return it */
    CHECK_STATUS(none, 404);
    CHECK_STATUS(nowhere, 404);
    CU_ASSERT_STRING_EQUAL(http_text(none, "error"), "invalid_request");
    free(own);
    free(shared);
}

/* Compares complete lists and flags: clients cannot know what is missing and may use all that is
 * listed. */
static void discovery_lists_what_is_taken(void)
{
#define AUTH_ALGS "[\"RS256\",\"RS384\",\"PS256\",\"ES256\",\"ES384\"]"
#define AUTH_METHODS "[\"none\",\"client_secret_basic\",\"client_secret_post\",\"private_key_jwt\"]"
    static const char want[] =
        "{\"scopes_supported\":[\"openid\",\"profile\",\"email\",\"fhirUser\",\"offline_access\"],"
        "\"response_types_supported\":[\"code\"],\"response_modes_supported\":[\"query\"],"
        "\"grant_types_supported\":[\"authorization_code\",\"refresh_token\",\"client_"
        "credentials\","
        "\"urn:ietf:params:oauth:grant-type:device_code\"],"
        "\"subject_types_supported\":[\"public\"],"
        "\"id_token_signing_alg_values_supported\":[\"RS256\",\"ES256\"],"
        "\"token_endpoint_auth_methods_supported\":" AUTH_METHODS ","
        "\"token_endpoint_auth_signing_alg_values_supported\":" AUTH_ALGS ","
        "\"introspection_endpoint_auth_methods_supported\":"
        "[\"client_secret_basic\",\"client_secret_post\",\"private_key_jwt\"],"
        "\"introspection_endpoint_auth_signing_alg_values_supported\":" AUTH_ALGS ","
        "\"introspection_signing_alg_values_supported\":[\"RS256\"],"
        "\"revocation_endpoint_auth_methods_supported\":" AUTH_METHODS ","
        "\"revocation_endpoint_auth_signing_alg_values_supported\":" AUTH_ALGS ","
        "\"dpop_signing_alg_values_supported\":[\"ES256\",\"ES384\",\"RS256\",\"PS256\"],"
        "\"code_challenge_methods_supported\":[\"S256\"],"
        "\"prompt_values_supported\":[\"none\",\"login\",\"consent\",\"select_account\"],"
        "\"acr_values_supported\":[\"urn:atrium:acr:one-factor\",\"urn:atrium:acr:two-factors\"],"
        "\"claim_types_supported\":[\"normal\"],"
        "\"claims_supported\":[\"iss\",\"sub\",\"aud\",\"exp\",\"iat\",\"auth_time\",\"nonce\","
        "\"acr\","
        "\"amr\",\"at_hash\",\"sid\",\"name\",\"given_name\",\"family_name\",\"locale\",\"email\","
        "\"email_verified\",\"fhirUser\"],"
        "\"ui_locales_supported\":[\"en\",\"de\",\"es\"],"
        "\"authorization_response_iss_parameter_supported\":true,"
        "\"claims_parameter_supported\":true,\"backchannel_logout_supported\":true,"
        "\"backchannel_logout_session_supported\":true,"
        "\"request_parameter_supported\":false,\"request_uri_parameter_supported\":false}";
    HTTP_ANSWER page = http_get(suite_url(suite), "/t/demo/.well-known/openid-configuration", NULL);
    json_t *expected = json_loads(want, 0, NULL), *found = json_loads(page->body, 0, NULL), *value;
    const char *name;
    void *next;

    CU_ASSERT_PTR_NOT_NULL_FATAL(expected);
    json_object_foreach_safe(found, next, name, value)
    {
        if (json_is_string(value)) /* URLs, which differ in each suite */
            json_object_del(found, name);
        else
            UNIT_CHECK(json_equal(value, json_object_get(expected, name)), "%s", name);
    }
    CU_ASSERT_TRUE(json_equal(found, expected));
    json_decref(expected);
    json_decref(found);
}

static void issuer_keys_are_its_own(void)
{
    HTTP_ANSWER keys = http_get(suite_url(suite), "/t/demo/jwks", NULL);
    HTTP_ANSWER api = http_get(suite_url(suite), "/.well-known/jwks.json", NULL);
    HTTP_ANSWER none = http_get(suite_url(suite), "/t/nowhere/jwks", NULL);

    CHECK_STATUS(keys, 200);
    CHECK_STATUS(none, 404);
    CU_ASSERT_EQUAL(json_array_size(http_member(keys, "keys")), 2);
    CU_ASSERT_PTR_NOT_NULL(strstr(keys->body, "\"alg\":\"RS256\""));
    CU_ASSERT_PTR_NOT_NULL(strstr(keys->body, "\"alg\":\"ES256\""));
    CU_ASSERT_PTR_NULL(strstr(keys->body, "\"d\""));
    CU_ASSERT_PTR_NULL(strstr(keys->body, http_text(api, "keys.0.kid")));
}

static const char *const published[] = {
    "/t/demo/.well-known/openid-configuration",
    "/.well-known/oauth-authorization-server/t/demo",
    "/t/demo/jwks",
};

static void what_is_published_may_be_kept_for_five_minutes(void)
{
    for (size_t i = 0; i < ARRAY_SIZE(published); i++) {
        HTTP_ANSWER page = http_get(suite_url(suite), published[i], NULL);
        char *cache = http_header(page, "Cache-Control");

        UNIT_CHECK(cache && strcmp(cache, "public, max-age=300") == 0, "%s: %s", published[i],
                   cache);
        free(cache);
    }
}

static size_t count_published(const char *path)
{
    size_t good = 0;

    for (int i = 0; i < 24; i++) {
        HTTP_ANSWER page = http_get(suite_url(suite), path, NULL);

        good += page->status == 200;
    }
    return good;
}

/* Asks each gateway while authd runs, and again when no authd does. */
static void what_is_published_is_answered_while_no_authd_is(void)
{
    size_t before = 0, good = 0;

    for (size_t i = 0; i < ARRAY_SIZE(published); i++)
        before += count_published(published[i]);
    CU_ASSERT_EQUAL(before, 24 * ARRAY_SIZE(published));
    suite_signal(suite, "authd", "1", SIGSTOP);
    suite_signal(suite, "authd", "2", SIGSTOP);
    for (size_t i = 0; i < ARRAY_SIZE(published); i++)
        good += count_published(published[i]);
    suite_signal(suite, "authd", "1", SIGCONT);
    suite_signal(suite, "authd", "2", SIGCONT);
    CU_ASSERT_EQUAL(good, 24 * ARRAY_SIZE(published));
    CU_ASSERT_TRUE(suite_wait_ready(suite, 20000));
}

static struct http_answer *ask(const struct route *route, const char *method, const char *form,
                               const char *header)
{
    char path[256], *at = strstr(route->path, "{tenantCode}");
    bool post = strcmp(method, "POST") == 0;
    char *source = fresh_source();
    struct http_answer *answer;

    snprintf(path, sizeof(path), "%.*sdemo%s%s%s", (int)(at - route->path), route->path,
             at + strlen("{tenantCode}"), !post && *form ? "?" : "", post ? "" : form);
    answer = http_call(suite_url(suite),
                       &(struct http_request){.method = method,
                                              .path = path,
                                              .raw = post ? form : NULL,
                                              .content_type = "application/x-www-form-urlencoded",
                                              .headers = {header},
                                              .source = source});
    free(source);
    return answer;
}

static void check_form(const struct route *route, const struct http_answer *answer, int status)
{
    char *shared = http_header(answer, "Access-Control-Allow-Origin");
    bool html = answer->body && answer->body[0] == '<';

    UNIT_CHECK(answer->status == status, "%s %s: %d, not %d", route->method, route->path,
               answer->status, status);
    UNIT_CHECK(html == !!(route->flags & R_BROWSER), "%s %s: %s", route->method, route->path,
               answer->body);
    UNIT_CHECK(html || strcmp(http_text(answer, "error"), "invalid_request") == 0, "%s %s: %s",
               route->method, route->path, answer->body);
    UNIT_CHECK(!!shared == !!(route->flags & R_CORS), "%s %s: shared with %s", route->method,
               route->path, shared ? shared : "no one");
    free(shared);
}

/* Those of SCIM (RFC 7644, section 3.12) know no caller without a token. */
static void check_scim(const struct route *route)
{
    HTTP_ANSWER stranger = ask(route, route->method, "", NULL);

    UNIT_CHECK(stranger->status == 401 && strcmp(http_text(stranger, "status"), "401") == 0,
               "%s %s: %d", route->method, route->path, stranger->status);
}

/* Each row: a repeated parameter, another media type, a large body, another method, and CORS. */
static void each_endpoint_refuses_in_its_own_form(void)
{
    size_t size = 2 * 1024 * 1024;
    char *large = calloc(1, size);

    memset(large, 'a', size - 1);
    for (const struct route *route = test_endpoints; route->method; route++) {
        bool post = strcmp(route->method, "POST") == 0;
        char *shared;

        if (route->flags & R_SCIM) {
            check_scim(route);
            continue;
        }
        if (!(route->flags & R_CACHED)) {
            HTTP_ANSWER twice = ask(route, route->method, "a=1&a=2", NULL);
            check_form(route, twice, 400);
        }
        if (post) {
            HTTP_ANSWER long_body = ask(route, "POST", large, NULL);
            check_form(route, long_body, 413);
        }
        HTTP_ANSWER put = ask(route, "PUT", "", NULL);
        check_form(route, put, 405);
        HTTP_ANSWER preflight = ask(route, "OPTIONS", "", "Access-Control-Request-Method: GET");
        shared = http_header(preflight, "Access-Control-Allow-Methods");
        UNIT_CHECK(!!shared == !!(route->flags & R_CORS), "%s", route->path);
        free(shared);
    }
    free(large);
}

static void issuer_tokens_do_not_open_the_api(void)
{
    BROWSER browser = browser_open(suite);
    HTTP_ANSWER answer = oauth_tokens(suite, browser, patient, app, OAUTH_USUAL);
    HTTP_ANSWER access = http_get(suite_url(suite), "/auth/me", http_text(answer, "access_token"));
    HTTP_ANSWER id = http_get(suite_url(suite), "/auth/me", http_text(answer, "id_token"));
    HTTP_ANSWER refresh =
        http_post(suite_url(suite), "/auth/refresh-token", NULL,
                  json_pack("{s:s}", "refresh_token", http_text(answer, "refresh_token")));

    CHECK_STATUS(access, 401);
    CHECK_STATUS(id, 401);
    CU_ASSERT_TRUE(*http_text(answer, "refresh_token") != '\0');
    CHECK_STATUS(refresh, 401);
}

static void the_scene_is_left(void)
{
    oauth_scene_leave(&suite, &admin, &patient, &app);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(the_scene_is_set),
    CASE(discovery_names_the_endpoints),
    CASE(discovery_lists_what_is_taken),
    CASE(issuer_keys_are_its_own),
    CASE(what_is_published_may_be_kept_for_five_minutes),
    CASE(what_is_published_is_answered_while_no_authd_is),
    CASE(each_endpoint_refuses_in_its_own_form),
    CASE(issuer_tokens_do_not_open_the_api),
    CASE_ALWAYS(the_scene_is_left),
};

int main(void)
{
    return unit_run("oauth discovery", cases, ARRAY_SIZE(cases));
}
