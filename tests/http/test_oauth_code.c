/*
 * test_oauth_code.c - the code flow of the issuers: discovery and keys, what authorize takes and
 * refuses, pushed requests, consent, codes and their one use, ID tokens, userinfo and renewal.
 * What the modules of the OpenID Connect Basic plan show is in test_oidcc.c. Over two gateways and
 * two authd, on the test clock.
 */
#include <CUnit/CUnit.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/domain/jwt.h"
#include "tests/support/authenticator.h"
#include "tests/support/oauth.h"
#include "tests/support/rows.h"
#include "tests/support/suite_command.h"
#include "tests/support/totp.h"
#include "tests/support/unit.h"

#define PASSWORD "correct+horse+battery+staple" /* of every person, as a form sends it */
#define HOUR 3600
#define ONE "urn%3Aatrium%3Aacr%3Aone-factor"
#define TWO "urn%3Aatrium%3Aacr%3Atwo-factors"
#define ACR_VALUES(values) "&acr_values=" values

static struct suite *suite;
static struct person *admin, *patient;
static char *app;     /* a client of the tenant itself */
static int64_t ahead; /* of the test clock, seconds */

static void the_scene_is_set(void)
{
    suite =
        suite_start(&(struct suite_options){.instances = "authd=2,gateway=2", .test_clock = true});
    admin = person_admin(suite);
    patient = person_register(suite, NULL);
    free(patient->password);
    patient->password = strdup(PASSWORD);
    app = oauth_register(suite, admin, NULL);
    UNIT_REQUIRE(*app != '\0', "a client");
}

static void go_ahead(int64_t seconds)
{
    ahead += seconds;
    suite_set_clock(suite, ahead);
}

static char *issuer(void)
{
    char *url;

    if (asprintf(&url, "%s/t/demo", suite_text(suite, "publicUrl")) < 0)
        abort();
    return url;
}

/* ---- what is published ---- */

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
    char *own = issuer(), *shared = http_header(page, "Access-Control-Allow-Origin");

    CHECK_STATUS(page, 200);
    CU_ASSERT_STRING_EQUAL(http_text(page, "issuer"), own);
    CU_ASSERT_PTR_NOT_NULL(shared);
    for (size_t i = 0; i < ARRAY_SIZE(endpoints); i++)
        UNIT_CHECK(strncmp(http_text(page, endpoints[i]), own, strlen(own)) == 0, "%s",
                   endpoints[i]);
    CU_ASSERT_TRUE(
        json_is_true(http_member(page, "authorization_response_iss_parameter_supported")));
    CU_ASSERT_TRUE(json_is_false(http_member(page, "request_uri_parameter_supported")));
    CU_ASSERT_STRING_EQUAL(page->body, other->body); /* RFC 8414, section 3 */
    CHECK_STATUS(none, 404);
    CHECK_STATUS(nowhere, 404);
    CU_ASSERT_STRING_EQUAL(http_text(none, "error"), "invalid_request");
    free(own);
    free(shared);
}

/* The whole of the lists, in their order, and the switches: what is left out of them no client can
 * know of, and what stands there it may use. */
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
        if (json_is_string(value)) /* addresses */
            json_object_del(found, name);
        else
            UNIT_CHECK(json_equal(value, json_object_get(expected, name)), "%s", name);
    }
    CU_ASSERT_TRUE(json_equal(found, expected));
    json_decref(expected);
    json_decref(found);
}

/* RS256 and ES256, none of them the API's. */
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

/* So many answers with 200, over both gateways. */
static size_t count_published(const char *path)
{
    size_t good = 0;

    for (int i = 0; i < 24; i++) {
        HTTP_ANSWER page = http_get(suite_url(suite), path, NULL);

        good += page->status == 200;
    }
    return good;
}

/* Each gateway is asked before and while no authd answers. */
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

/* ---- the form of refusals ---- */

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

/* Each row: a repeated parameter, another media type, a large body, another method, and whether
 * scripts of other sites may ask. */
static void each_endpoint_refuses_in_its_own_form(void)
{
    size_t size = 2 * 1024 * 1024;
    char *large = calloc(1, size);

    memset(large, 'a', size - 1);
    for (const struct route *route = test_endpoints; route->method; route++) {
        bool post = strcmp(route->method, "POST") == 0;
        char *shared;

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

/* ---- the flow ---- */

/* A token that is for the issuer opens nothing of the API, nor does an ID token. */
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

/* ---- what authorize refuses ---- */

/* Errors of all else go to the redirect address, with state and issuer. */
static void errors_go_to_the_redirect_address(void)
{
#define REDIRECTED "&redirect_uri=https%3A%2F%2Fapp.example%2Fcb&state=st8"
    static const struct {
        const char *label, *behind, *error;
    } rows[] = {
        {"implicit", REDIRECTED "&response_type=token" OAUTH_PKCE, "unsupported_response_type"},
        {"hybrid", REDIRECTED "&response_type=code+id_token" OAUTH_PKCE,
         "unsupported_response_type"},
        {"fragment", OAUTH_USUAL "&response_mode=fragment", "invalid_request"},
        {"no challenge", REDIRECTED "&response_type=code&scope=openid", "invalid_request"},
        {"plain", REDIRECTED "&response_type=code&scope=openid&code_challenge=" OAUTH_CHALLENGE,
         "invalid_request"},
        {"short challenge",
         REDIRECTED
         "&response_type=code&scope=openid&code_challenge=abc&code_challenge_method=S256",
         "invalid_request"},
        {"no scope of its own", REDIRECTED "&response_type=code&scope=system%2F*.rs" OAUTH_PKCE,
         "invalid_scope"},
        {"prompt none and more", OAUTH_USUAL "&prompt=none+login", "invalid_request"},
        {"unknown prompt", OAUTH_USUAL "&prompt=dance", "invalid_request"},
        {"negative max_age", OAUTH_USUAL "&max_age=-1", "invalid_request"},
        {"claims", OAUTH_USUAL "&claims=%7B", "invalid_request"},
        {"unknown acr", OAUTH_USUAL OAUTH_UNKNOWN_ACR, "unmet_authentication_requirements"},
        {"foreign resource", OAUTH_USUAL "&resource=https%3A%2F%2Fother.example", "invalid_target"},
    };
    char *own = issuer();

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        BROWSER browser = browser_open(suite);
        int status = oauth_ask(browser, app, rows[i].behind);
        char *error = oauth_parameter(browser, "error"), *state = oauth_parameter(browser, "state");
        char *iss = oauth_parameter(browser, "iss");

        UNIT_CHECK(status == 303 && strcmp(error, rows[i].error) == 0 &&
                       strcmp(state, "st8") == 0 && strcmp(iss, own) == 0,
                   "%s: %d %s %s %s", rows[i].label, status, error, state, iss);
        free(error);
        free(state);
        free(iss);
    }
    free(own);
}

/* The words of a FHIR server are left out where the resource is none, so that no other server takes
 * them for what was narrowed to a role and a patient. */
static void scopes_of_fhir_servers_are_given_for_them_alone(void)
{
    static const char *const targets[] = {"", "&resource=https%3A%2F%2Fapi.example",
                                          "&aud=https%3A%2F%2Fapi.example"};
    char *client =
        oauth_register(suite, admin,
                       "{\"scopes\":[\"openid\",\"launch\",\"launch/patient\",\"patient/*.rs\","
                       "\"user/*.rs\"],\"audiences\":[\"https://api.example\"]}");
    const struct person *people[] = {patient, admin};
    char behind[512], *error;
    BROWSER alone = browser_open(suite);

    for (size_t i = 0; i < ARRAY_SIZE(people) * ARRAY_SIZE(targets); i++) {
        BROWSER browser = browser_open(suite);

        snprintf(behind, sizeof(behind),
                 "&response_type=code&redirect_uri=https%%3A%%2F%%2Fapp.example%%2Fcb"
                 "&scope=launch+launch/patient+openid+patient/*.rs+user/*.rs%s" OAUTH_PKCE,
                 targets[i / 2]);
        HTTP_ANSWER answer = oauth_tokens(suite, browser, people[i % 2], client, behind);
        UNIT_CHECK(strcmp(http_text(answer, "scope"), "openid") == 0, "%s: %s", behind,
                   http_text(answer, "scope"));
        CU_ASSERT_PTR_NULL(http_member(answer, "patient"));
    }
    oauth_ask(alone, client,
              "&response_type=code&redirect_uri=https%3A%2F%2Fapp.example%2Fcb"
              "&scope=launch/patient+patient/*.rs" OAUTH_PKCE);
    error = oauth_parameter(alone, "error");
    CU_ASSERT_STRING_EQUAL(error, "invalid_scope");
    free(error);
    free(client);
}

/* ---- whom it asks ---- */

/* The request cannot be changed on the way: not by who is asked to sign in again. */
static void continuations_are_sealed(void)
{
    BROWSER browser = browser_open(suite);
    char *next, *changed;

    oauth_ask(browser, app, OAUTH_USUAL);
    next = oauth_parameter(browser, "next");
    CU_ASSERT_TRUE(strlen(next) > 100);
    CU_ASSERT_PTR_NULL(strstr(next, "app.example"));
    changed = strdup(next);
    changed[50] = changed[50] == 'A' ? 'B' : 'A';
    {
        char *path;

        if (asprintf(&path, "/t/demo/authorize?next=%s", changed) < 0)
            abort();
        CU_ASSERT_EQUAL(browser_get(browser, path), 400);
        free(path);
        if (asprintf(&path, "/t/demo/sign-in?next=%s", next) < 0)
            abort();
        CU_ASSERT_EQUAL(browser_get(browser, path), 200);
        free(path);
    }
    {
        char *policy = http_header(browser->page, "Content-Security-Policy");

        CU_ASSERT_PTR_NOT_NULL(strstr(policy, "form-action 'self' https://app.example;"));
        free(policy);
    }
    free(next);
    free(changed);
}

/* No policy can name an IPv6 address: its scheme is allowed, or browsers would not go there. */
static void a_redirect_to_an_ipv6_address_is_allowed(void)
{
    char *tool = oauth_register(suite, admin, "{\"redirectUris\":[\"http://[::1]/cb\"]}"), *policy;
    BROWSER browser = browser_open(suite);

    CU_ASSERT_EQUAL(oauth_ask(browser, tool,
                              "&response_type=code&scope=openid"
                              "&redirect_uri=http%3A%2F%2F%5B%3A%3A1%5D%3A4444%2Fcb" OAUTH_PKCE),
                    303);
    CU_ASSERT_EQUAL(oauth_follow(browser), 200);
    policy = http_header(browser->page, "Content-Security-Policy");
    UNIT_CHECK(strstr(policy, "form-action 'self' http:;"), "%s", policy);
    free(policy);
    free(tool);
}

/* `prompt=login` of a browser without a session is not answered by an old session of another
 * one. */
static void an_old_session_is_no_new_sign_in(void)
{
    BROWSER browser = browser_open(suite);
    BROWSER other = browser_open(suite);
    char *before = oauth_code(browser, patient, app, OAUTH_USUAL), *next, *path, *code;

    go_ahead(61);
    oauth_ask(other, app, OAUTH_USUAL "&prompt=login");
    next = oauth_parameter(other, "next");
    if (asprintf(&path, "/t/demo/authorize?next=%s", next) < 0)
        abort();
    CU_ASSERT_EQUAL(browser_get(browser, path), 303);
    code = oauth_parameter(browser, "code");
    CU_ASSERT_STRING_EQUAL(code, "");
    CU_ASSERT_EQUAL(oauth_follow(browser), 200);
    CU_ASSERT_TRUE(browser_sees(browser, "name=\"password\""));
    free(code);
    oauth_sign_in(browser, patient->email, PASSWORD);
    code = oauth_parameter(browser, "code");
    CU_ASSERT_STRING_NOT_EQUAL(code, "");
    free(before);
    free(next);
    free(path);
    free(code);
}

/* Of several acr values one that the issuer knows is enough, and one that is not essential is a
 * wish. */
static void an_acr_is_met_by_one_of_its_values(void)
{
#define ACR(text) OAUTH_USUAL "&claims=%7B%22id_token%22%3A%7B%22acr%22%3A%7B" text "%7D%7D%7D"
    static const char *const behind[] = {
        ACR("%22essential%22%3Atrue"),
        ACR("%22essential%22%3Atrue%2C%22values%22%3A%5B%22urn%3Amace%3Asilver%22%2C"
            "%22urn%3Aatrium%3Aacr%3Aone-factor%22%5D"),
        ACR("%22values%22%3A%5B%22urn%3Amace%3Asilver%22%5D"),
        ACR("%22essential%22%3Afalse%2C%22value%22%3A%22urn%3Amace%3Asilver%22"),
    };
    BROWSER browser = browser_open(suite);

    for (size_t i = 0; i < ARRAY_SIZE(behind); i++) {
        char *code = oauth_code(browser, patient, app, behind[i]);

        UNIT_CHECK(*code != '\0', "%s", behind[i]);
        free(code);
    }
}

/* Enrols a second factor; then the person signs in with it, which the request demands: the code,
 * which the caller frees. */
static char *code_of_two_factors(struct browser *browser, struct person *person)
{
    uint8_t secret[TOTP_SECRET];
    char digits[7], form[2048], *step, *next;

    totp_enrol(suite, person, time(NULL) + ahead, secret);
    go_ahead(2 * TOTP_STEP);
    oauth_ask(browser, app, OAUTH_USUAL OAUTH_TWO_FACTORS);
    CU_ASSERT_EQUAL(oauth_follow(browser), 200);
    oauth_sign_in(browser, person->email, person->password);
    step = browser_value(browser, "step");
    next = browser_value(browser, "next");
    snprintf(form, sizeof(form), "step=%s&next=%s&code=%s", step, next,
             totp_code(secret, time(NULL) + ahead, digits));
    browser_post(browser, "mfa", form);
    oauth_follow(browser);
    free(next);
    free(step);
    return oauth_parameter(browser, "code");
}

/* One that was enrolled after the browser's session had begun makes the person sign in again. */
static void a_factor_enrolled_elsewhere_is_asked_for(void)
{
    PERSON other = person_register(suite, NULL);
    BROWSER browser = browser_open(suite);
    char *before = oauth_code(browser, other, app, OAUTH_USUAL);
    char *code = code_of_two_factors(browser, other);
    HTTP_ANSWER tokens = oauth_exchange(suite, app, code);
    json_t *claims = oauth_claims(suite, http_text(tokens, "id_token"), "JWT", "RS256");
    CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(claims, "acr")),
                           "urn:atrium:acr:two-factors");
    json_decref(claims);
    free(code);
    free(before);
}

/* acr in the tokens of an answer. */
static void check_acr(const struct http_answer *tokens, const char *id_acr, const char *access_acr)
{
    json_auto_t *id = oauth_claims(suite, http_text(tokens, "id_token"), "JWT", "RS256");
    json_auto_t *access = oauth_claims(suite, http_text(tokens, "access_token"), "at+jwt", "ES256");

    UNIT_CHECK(strcmp(jwt_text(id, "acr"), id_acr) == 0, "%s, not %s", jwt_text(id, "acr"), id_acr);
    UNIT_CHECK(strcmp(jwt_text(access, "acr"), access_acr) == 0, "%s", jwt_text(access, "acr"));
}

/* OpenID Connect Core 1.0, section 5.5.1.1: acr has one of the values that were named, where two
 * factors were shown as well, which satisfy the class of one; at renewals, too. */
static void an_essential_acr_is_answered_by_a_value_that_was_named(void)
{
    static const char one[] = "urn:atrium:acr:one-factor", two[] = "urn:atrium:acr:two-factors";
    static const struct {
        const char *behind, *want;
    } rows[] = {
        {OAUTH_USUAL, two},
        {ACR("%22essential%22%3Atrue"), two},
        {ACR("%22essential%22%3Atrue%2C%22value%22%3A%22" ONE "%22"), one},
        {ACR("%22essential%22%3Atrue%2C%22values%22%3A%5B%22urn%3Amace%3Asilver%22%2C%22" ONE
             "%22%5D"),
         one},
        {ACR("%22essential%22%3Atrue%2C%22values%22%3A%5B%22" ONE "%22%2C%22" TWO "%22%5D"), two},
        {ACR("%22value%22%3A%22" ONE "%22"), two}, /* a wish */
    };
    PERSON other = person_register(suite, NULL);
    BROWSER browser = browser_open(suite);

    free(code_of_two_factors(browser, other));
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        HTTP_ANSWER tokens = oauth_tokens(suite, browser, other, app, rows[i].behind);
        HTTP_ANSWER renewed = oauth_renew(suite, app, http_text(tokens, "refresh_token"), "");

        check_acr(tokens, rows[i].want, two);
        check_acr(renewed, rows[i].want, two);
    }
}

/* ---- claims of the person (OpenID Connect Core 1.0, section 5.5) ---- */

/* A request with these scopes and this JSON in `claims`; the caller frees it. */
static char *claims_request(const char *scope, const char *claims)
{
    char *text, *at;

    if (asprintf(&text,
                 "&response_type=code&redirect_uri=https%%3A%%2F%%2Fapp.example%%2Fcb&scope=%s"
                 "%s&claims=%*s",
                 scope, OAUTH_PKCE, (int)strlen(claims) * 3, "") < 0)
        abort();
    at = strstr(text, "&claims=") + strlen("&claims=");
    for (; *claims; claims++, at += 3)
        snprintf(at, 4, "%%%02X", (unsigned char)*claims);
    return text;
}

/* The ID token has of the person what userinfo has, as far as it is among `want`. */
static void check_person(const struct http_answer *tokens, const char *const *want)
{
    static const char *const all[] = {"name",   "given_name", "family_name",
                                      "locale", "email",      "email_verified"};
    json_auto_t *id = oauth_claims(suite, http_text(tokens, "id_token"), "JWT", "RS256");
    HTTP_ANSWER shown = oauth_userinfo(suite, "GET", http_text(tokens, "access_token"), NULL);

    CHECK_STATUS(shown, 200);
    for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
        const json_t *found = json_object_get(id, all[i]);
        size_t j = 0;

        while (want[j] && strcmp(want[j], all[i]) != 0)
            j++;
        UNIT_CHECK(want[j] ? found && json_equal(found, http_member(shown, all[i])) : !found, "%s",
                   all[i]);
    }
}

/* Each scope has its claims, and only what is named stands in the ID token; a claim that cannot be
 * given is no error, be it essential. */
static void id_tokens_have_the_claims_that_are_named(void)
{
    static const struct {
        const char *scope, *claims;
        const char *want[5];
    } rows[] = {
        {"openid+profile+email", "{\"id_token\":{}}", {NULL}},
        {"openid+profile+email", "{\"userinfo\":{\"email\":null}}", {NULL}},
        {"openid+profile+email", "{\"id_token\":{\"email\":null}}", {"email"}},
        {"openid+profile+email",
         "{\"id_token\":{\"name\":null,\"given_name\":{\"essential\":true},"
         "\"family_name\":{\"value\":\"x\"},\"email_verified\":{\"essential\":false}}}",
         {"name", "given_name", "family_name", "email_verified"}},
        {"openid+email",
         "{\"id_token\":{\"name\":{\"essential\":true},\"email\":{\"essential\":true},"
         "\"phone_number\":{\"essential\":true},\"locale\":null}}",
         {"email"}},
        {"openid", "{\"id_token\":{\"email\":{\"essential\":true},\"name\":null}}", {NULL}},
    };
    BROWSER browser = browser_open(suite);

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        char *behind = claims_request(rows[i].scope, rows[i].claims);
        HTTP_ANSWER tokens = oauth_tokens(suite, browser, patient, app, behind);
        HTTP_ANSWER renewed = oauth_renew(suite, app, http_text(tokens, "refresh_token"), "");

        check_person(tokens, rows[i].want);
        check_person(renewed, rows[i].want);
        free(behind);
    }
}

/* Nor has it more than its own scope, where a renewal asks for less; the next has it again. */
static void id_tokens_of_a_narrowed_renewal_have_less(void)
{
    static const char *const email[] = {"email", NULL}, *const both[] = {"name", "email", NULL};
    char *behind =
        claims_request("openid+profile+email", "{\"id_token\":{\"email\":null,\"name\":null}}");
    BROWSER browser = browser_open(suite);
    HTTP_ANSWER first = oauth_tokens(suite, browser, patient, app, behind);
    HTTP_ANSWER less =
        oauth_renew(suite, app, http_text(first, "refresh_token"), "&scope=openid+email");
    HTTP_ANSWER all = oauth_renew(suite, app, http_text(less, "refresh_token"), "");

    check_person(first, both);
    check_person(less, email);
    check_person(all, both);
    free(behind);
}

/* What a person has not consented to is in no token: the scope stands for its claims. */
static void claims_are_consented_to_by_their_scopes(void)
{
    static const char *const email[] = {"email", NULL};
    char *theirs = oauth_register(suite, admin, "{\"firstParty\":false}");
    char *behind = claims_request("openid+email", "{\"id_token\":{\"email\":null,\"name\":null}}");
    char *code;
    BROWSER browser = browser_open(suite);

    oauth_ask(browser, theirs, behind);
    oauth_follow(browser);
    oauth_sign_in(browser, patient->email, PASSWORD);
    CU_ASSERT_TRUE(browser_sees(browser, "Allow access?"));
    oauth_consent(browser, "allow"); /* the request went by two pages */
    code = oauth_parameter(browser, "code");
    HTTP_ANSWER tokens = oauth_exchange(suite, theirs, code);
    CHECK_STATUS(tokens, 200);
    check_person(tokens, email);
    free(code);
    free(behind);
    free(theirs);
}

/* Section 3.1.2.2: for this person, or there is no answer but an error. */
static void a_sub_that_is_named_is_the_one_that_signs_in(void)
{
#define OTHER "\"5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b\""
    static const struct {
        const char *before, *behind; /* the person's own id; NULL: it is not named */
        const char *error;
    } rows[] = {
        {"{\"value\":\"", "\"}", ""},
        {"{\"values\":[" OTHER ",\"", "\"]}", ""},
        {"{\"value\":" OTHER "}", NULL, "login_required"},
        {"{\"values\":[" OTHER ",\"x ", "\"]}", "login_required"},
        {"{\"value\":[\"", "\"]}", "login_required"},
        {"{\"values\":[]}", NULL, "login_required"},
        {"{\"essential\":true}", NULL, ""},
        {"null", NULL, ""},
    };
    BROWSER browser = browser_open(suite);
    HTTP_ANSWER tokens = oauth_tokens(suite, browser, patient, app, OAUTH_USUAL);
    json_auto_t *id = oauth_claims(suite, http_text(tokens, "id_token"), "JWT", "RS256");

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        char json[256], *behind, *error;

        snprintf(json, sizeof(json), "{\"id_token\":{\"sub\":%s%s%s}}", rows[i].before,
                 rows[i].behind ? jwt_text(id, "sub") : "", rows[i].behind ? rows[i].behind : "");
        behind = claims_request("openid", json);
        oauth_ask(browser, app, behind);
        error = oauth_parameter(browser, "error");
        UNIT_CHECK(strcmp(error, rows[i].error) == 0, "%s: %s", json, error);
        free(error);
        free(behind);
    }
}

static void enrol_passkey(const struct person *person)
{
    AUTHENTICATOR key = authenticator_new(AUTHENTICATOR_ES256, "https://patient.demo.example");
    HTTP_ANSWER made = person_enroll_passkey(suite, person, key);

    CHECK_STATUS(made, 200);
}

/* Whether a request of a browser that has signed in by the password alone is answered by a code, or
 * by asking the person again. */
static void check_asked(struct browser *browser, const char *behind, bool again)
{
    char *code;

    oauth_ask(browser, app, behind);
    code = oauth_parameter(browser, "code");
    UNIT_CHECK((*code == '\0') == again, "%s: %s", behind, code);
    free(code);
}

/* A passkey is a factor that a password alone is not asked for: where two factors are preferred,
 * the person can show it. Of the values that the issuer knows the first counts; nothing is asked
 * for where nothing may be, nor of an account without a factor. */
static void a_preferred_factor_is_asked_for(void)
{
    PERSON other = person_register(suite, NULL);
    BROWSER browser = browser_open(suite);
    BROWSER without = browser_open(suite);
    char *code;

    enrol_passkey(other);
    free(oauth_code(without, patient, app, OAUTH_USUAL));
    free(oauth_code(browser, other, app, OAUTH_USUAL));
    check_asked(without, OAUTH_USUAL ACR_VALUES(TWO), false);
    check_asked(browser, OAUTH_USUAL ACR_VALUES(ONE "+" TWO), false);
    check_asked(browser, OAUTH_USUAL ACR_VALUES("urn%3Amace%3Asilver"), false);
    check_asked(browser, OAUTH_USUAL ACR_VALUES(TWO) "&prompt=none", false);
    check_asked(browser, OAUTH_USUAL ACR_VALUES("urn%3Amace%3Asilver+" TWO "+" ONE), true);
    CU_ASSERT_EQUAL(oauth_follow(browser), 200);
    CU_ASSERT_TRUE(browser_sees(browser, "name=\"password\""));
    oauth_sign_in(browser, other->email, other->password); /* it is a wish */
    code = oauth_parameter(browser, "code");
    CU_ASSERT_STRING_NOT_EQUAL(code, "");
    free(code);
}

/* ---- the code ---- */

static void code_is_bound_to_its_request(void)
{
    char *other = oauth_register(suite, admin, "{\"name\":\"Other\"}");
    const struct {
        const char *label, *client, *redirect, *verifier, *error;
    } rows[] = {
        {"another client", other, OAUTH_REDIRECT, OAUTH_VERIFIER, "invalid_grant"},
        {"another redirect", app, OAUTH_REDIRECT "/", OAUTH_VERIFIER, "invalid_grant"},
        {"another verifier", app, OAUTH_REDIRECT, "wrong" OAUTH_VERIFIER, "invalid_grant"},
        {"no verifier", app, OAUTH_REDIRECT, "", "invalid_grant"},
        {"right", app, OAUTH_REDIRECT, OAUTH_VERIFIER, ""},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        BROWSER browser = browser_open(suite);
        char form[1024], *code = oauth_code(browser, patient, app, OAUTH_USUAL);

        snprintf(form, sizeof(form),
                 "grant_type=authorization_code&client_id=%s&code=%s&redirect_uri=%s"
                 "&code_verifier=%s",
                 rows[i].client, code, rows[i].redirect, rows[i].verifier);
        HTTP_ANSWER answer = oauth_post(suite, "token", form);
        UNIT_CHECK(answer->status == (*rows[i].error ? 400 : 200) &&
                       strcmp(http_text(answer, "error"), rows[i].error) == 0,
                   "%s: %d %s", rows[i].label, answer->status, answer->body);
        free(code);
    }
    free(other);
}

/* A wrong verifier spends the code: there is no second guess. */
static void wrong_verifier_spends_the_code(void)
{
    BROWSER browser = browser_open(suite);
    char form[1024], *code = oauth_code(browser, patient, app, OAUTH_USUAL);

    snprintf(form, sizeof(form),
             "grant_type=authorization_code&client_id=%s&code=%s&redirect_uri=" OAUTH_REDIRECT
             "&code_verifier=%s",
             app, code, "x" OAUTH_VERIFIER);
    HTTP_ANSWER wrong = oauth_post(suite, "token", form);
    HTTP_ANSWER right = oauth_exchange(suite, app, code);

    CHECK_STATUS(wrong, 400);
    CHECK_STATUS(right, 400);
    free(code);
}

static void codes_live_a_minute(void)
{
    BROWSER browser = browser_open(suite);
    char *code = oauth_code(browser, patient, app, OAUTH_USUAL);

    go_ahead(61);
    HTTP_ANSWER answer = oauth_exchange(suite, app, code);
    CHECK_STATUS(answer, 400);
    CU_ASSERT_STRING_EQUAL(http_text(answer, "error"), "invalid_grant");
    free(code);
}

/* One code and 64 redeemers: one at most gets a session, and it is over at the end, for the others
 * have shown that the code was seen by several. */
static void one_code_makes_one_session(void)
{
    enum { REDEEMERS = 64 };
    BROWSER browser = browser_open(suite);
    char *code = oauth_code(browser, patient, app, OAUTH_USUAL), form[1024];
    struct http_request requests[REDEEMERS];
    struct http_answer *answers[REDEEMERS];
    long made = suite_count(suite, "select count(*) from auth.oauth_grant");
    size_t good = 0;

    snprintf(form, sizeof(form),
             "grant_type=authorization_code&client_id=%s&code=%s&redirect_uri=" OAUTH_REDIRECT
             "&code_verifier=" OAUTH_VERIFIER,
             app, code);
    for (size_t i = 0; i < REDEEMERS; i++)
        requests[i] = (struct http_request){.method = "POST",
                                            .path = "/t/demo/token",
                                            .raw = form,
                                            .content_type = "application/x-www-form-urlencoded"};
    http_call_many(suite_url(suite), requests, REDEEMERS, REDEEMERS, answers);
    for (size_t i = 0; i < REDEEMERS; i++) {
        good += answers[i]->status == 200;
        UNIT_CHECK(answers[i]->status == 200 || answers[i]->status == 400, "%d %s",
                   answers[i]->status, answers[i]->body);
    }
    CU_ASSERT_EQUAL(good, 1);
    CU_ASSERT_EQUAL(suite_count(suite, "select count(*) from auth.oauth_grant"), made + 1);
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from auth.session s join auth.oauth_grant g "
                                "on g.session_id = s.id where s.end_reason is null and "
                                "s.created_at >= (select max(created_at) from "
                                "auth.oauth_grant)"),
                    0);
    http_answers_destroy(answers, REDEEMERS);
    free(code);
}

/* ---- what the token endpoint refuses ---- */

static void token_endpoint_says_what_is_wrong(void)
{
    char *bare = oauth_register(suite, admin, "{\"name\":\"Bare\",\"grantTypes\":[]}");
    const struct {
        const char *before, *client, *behind, *error;
        int status;
    } rows[] = {
        {"a=b", "", "", "invalid_client", 401},
        {"client_id=", "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b", "", "invalid_client", 401},
        {"client_id=", app, "", "invalid_request", 400},
        {"client_id=", app, "&grant_type=password&username=a&password=b", "unsupported_grant_type",
         400},
        {"client_id=", app, "&grant_type=implicit", "unsupported_grant_type", 400},
        {"client_id=", bare, "&grant_type=authorization_code&code=x", "unauthorized_client", 400},
        {"client_id=", app, "&grant_type=authorization_code", "invalid_request", 400},
        {"client_id=", app, "&grant_type=authorization_code&code=unknown", "invalid_grant", 400},
        {"client_id=", app, "&grant_type=authorization_code&code=x&code=y", "invalid_request", 400},
        {"client_id=", app, "&grant_type=refresh_token", "invalid_request", 400},
        {"client_id=", app, "&grant_type=refresh_token&refresh_token=x", "invalid_grant", 400},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        char form[512], *cache;

        snprintf(form, sizeof(form), "%s%s%s", rows[i].before, rows[i].client, rows[i].behind);
        HTTP_ANSWER answer = oauth_post(suite, "token", form);
        cache = http_header(answer, "Cache-Control");
        UNIT_CHECK(answer->status == rows[i].status &&
                       strcmp(http_text(answer, "error"), rows[i].error) == 0 &&
                       strcmp(cache, "no-store") == 0,
                   "%s: %d %s", form, answer->status, answer->body);
        free(cache);
    }
    HTTP_ANSWER get = http_get(suite_url(suite), "/t/demo/token", NULL);
    CHECK_STATUS(get, 405);
    CU_ASSERT_STRING_EQUAL(http_text(get, "error"), "invalid_request");
    HTTP_ANSWER json = http_post(suite_url(suite), "/t/demo/token", NULL, json_object());
    CHECK_STATUS(json, 415);
    HTTP_ANSWER nowhere =
        http_call(suite_url(suite),
                  &(struct http_request){.method = "POST", .path = "/t/demo/token?client_id=a"});
    CHECK_STATUS(nowhere, 400);
    free(bare);
}

/* ---- renewal ---- */

static void check_unnamed(const char *token, int status, const char *error)
{
    char form[512];

    snprintf(form, sizeof(form), "grant_type=refresh_token&refresh_token=%s", token);
    HTTP_ANSWER answer = oauth_post(suite, "token", form);
    CHECK_STATUS(answer, status);
    CU_ASSERT_STRING_EQUAL(http_text(answer, "error"), error);
}

/* RFC 6749, section 6; npm's fhirclient renews so. Who has a secret must show it. */
static void a_public_client_renews_without_its_id(void)
{
    BROWSER browser = browser_open(suite);
    BROWSER browser_of_server = browser_open(suite);
    char *server = oauth_register(suite, admin,
                                  "{\"type\":\"confidential\",\"authMethod\":"
                                  "\"client_secret_post\"}");
    char *secret = oauth_secret(suite, admin, server), form[1024];
    HTTP_ANSWER first = oauth_tokens(suite, browser, patient, app, OAUTH_USUAL);
    char *code = oauth_code(browser_of_server, patient, server, OAUTH_USUAL);

    snprintf(form, sizeof(form),
             "grant_type=authorization_code&client_id=%s&client_secret=%s&code=%s&redirect_uri="
             "https%%3A%%2F%%2Fapp.example%%2Fcb&code_verifier=" OAUTH_VERIFIER,
             server, secret, code);
    HTTP_ANSWER guarded = oauth_post(suite, "token", form);
    CHECK_STATUS(guarded, 200);
    check_unnamed(http_text(guarded, "refresh_token"), 401, "invalid_client");
    check_unnamed(http_text(first, "access_token"), 400, "invalid_grant");
    check_unnamed(patient->refresh, 400, "invalid_grant"); /* of a sign-in of the API */
    check_unnamed("x", 400, "invalid_grant");

    snprintf(form, sizeof(form), "grant_type=refresh_token&refresh_token=%s",
             http_text(first, "refresh_token"));
    HTTP_ANSWER next = oauth_post(suite, "token", form);
    CHECK_STATUS(next, 200);
    CU_ASSERT_STRING_EQUAL(http_text(next, "scope"), "openid profile email");
    browser_get(browser, "account");
    CU_ASSERT_EQUAL(browser_post(browser, "account", "do=sign-out"), 303);
    check_unnamed(http_text(next, "refresh_token"), 400, "invalid_grant"); /* it has ended */
    free(server);
    free(secret);
    free(code);
}

/* authd remembers whose signatures it has verified, by the whole text. */
static void a_token_that_was_taken_vouches_for_no_other(void)
{
    BROWSER browser = browser_open(suite);
    HTTP_ANSWER first = oauth_tokens(suite, browser, patient, app, OAUTH_USUAL);
    HTTP_ANSWER second = oauth_tokens(suite, browser, patient, app, OAUTH_USUAL);
    const char *one = http_text(first, "access_token"), *two = http_text(second, "access_token");
    const int unsigned_size = (int)(strrchr(one, '.') - one);
    char *foreign, *forged = strdup(two);

    if (asprintf(&foreign, "%.*s%s", unsigned_size, one, strrchr(two, '.')) < 0)
        abort();
    forged[strlen(forged) - 10] ^= 1;
    for (int i = 0; i < 8; i++) { /* both instances have taken both */
        HTTP_ANSWER good = oauth_userinfo(suite, "GET", i % 2 ? one : two, NULL);
        CHECK_STATUS(good, 200);
    }
    for (int i = 0; i < 8; i++) {
        HTTP_ANSWER bad = oauth_userinfo(suite, "GET", i % 2 ? foreign : forged, NULL);
        CHECK_STATUS(bad, 401);
    }
    free(foreign);
    free(forged);
}

/* OpenID Connect Core 1.0, section 12.2: nonce belongs to the request whose code was exchanged. */
static void id_tokens_of_renewals_have_no_nonce(void)
{
    BROWSER browser = browser_open(suite);
    HTTP_ANSWER first = oauth_tokens(suite, browser, patient, app, OAUTH_USUAL "&nonce=n1");
    HTTP_ANSWER next = oauth_renew(suite, app, http_text(first, "refresh_token"), "");
    json_auto_t *had = oauth_claims(suite, http_text(first, "id_token"), "JWT", "RS256");
    json_auto_t *has = oauth_claims(suite, http_text(next, "id_token"), "JWT", "RS256");

    CU_ASSERT_STRING_EQUAL(jwt_text(had, "nonce"), "n1");
    CU_ASSERT_STRING_EQUAL(jwt_text(has, "sub"), jwt_text(had, "sub"));
    CU_ASSERT_TRUE(
        json_equal(json_object_get(has, "auth_time"), json_object_get(had, "auth_time")));
    CU_ASSERT_PTR_NULL(json_object_get(has, "nonce"));
}

/* What a renewal leaves out is not shown by its token; the next one has it again. */
static void a_narrowed_token_shows_no_more_than_it_says(void)
{
    BROWSER browser = browser_open(suite);
    HTTP_ANSWER first = oauth_tokens(suite, browser, patient, app, OAUTH_USUAL);
    HTTP_ANSWER less =
        oauth_renew(suite, app, http_text(first, "refresh_token"), "&scope=openid+email");
    HTTP_ANSWER none = oauth_renew(suite, app, http_text(less, "refresh_token"), "&scope=profile");
    HTTP_ANSWER all = oauth_renew(suite, app, http_text(none, "refresh_token"), "");
    HTTP_ANSWER shown_less = oauth_userinfo(suite, "GET", http_text(less, "access_token"), NULL);
    HTTP_ANSWER shown_none = oauth_userinfo(suite, "GET", http_text(none, "access_token"), NULL);
    HTTP_ANSWER shown_all = oauth_userinfo(suite, "GET", http_text(all, "access_token"), NULL);

    CHECK_STATUS(shown_less, 200);
    CU_ASSERT_STRING_EQUAL(http_text(shown_less, "email"), patient->email);
    CU_ASSERT_PTR_NULL(http_member(shown_less, "name"));
    CU_ASSERT_PTR_NULL(http_member(shown_less, "family_name"));
    CHECK_STATUS(shown_none, 403);
    CU_ASSERT_STRING_EQUAL(http_text(shown_none, "error"), "insufficient_scope");
    CHECK_STATUS(shown_all, 200);
    CU_ASSERT_PTR_NOT_NULL(http_member(shown_all, "name"));
}

/* What the admin writes of a client that oauth_register() has made. */
static void rewrite(const char *client, const char *more)
{
    json_t *body =
        json_loads("{\"name\":\"Diary\",\"type\":\"public\",\"redirectUris\":[\"" OAUTH_REDIRECT
                   "\"],"
                   "\"grantTypes\":[\"authorization_code\",\"refresh_token\"],\"firstParty\":true,"
                   "\"scopes\":[\"openid\",\"profile\",\"email\"]}",
                   0, NULL);
    json_t *others = json_loads(more, 0, NULL);
    char path[128];

    json_object_update(body, others);
    json_decref(others);
    snprintf(path, sizeof(path), "/v1/project/clients/%s", client);
    HTTP_ANSWER written = http_put(suite_url(suite), path, admin->access, body);
    CHECK_STATUS(written, 200);
}

/* A renewal is refused, and the token stays, so that it is good again when the registration is. */
static void check_not_renewed(const char *client, const char *refresh, const char *more)
{
    rewrite(client, more);
    HTTP_ANSWER refused = oauth_renew(suite, client, refresh, "");
    UNIT_CHECK(refused->status == 400 && strcmp(http_text(refused, "error"), "invalid_grant") == 0,
               "%s: %d %s", more, refused->status, refused->body);
}

/* By its registration as it is then: scopes are left out, and a resource that it lost, as well as
 * being the tenant's own, which a consent would have to stand for, end what it can get. */
static void a_renewal_gives_what_the_client_may_have_now(void)
{
#define AUDIENCE "\"audiences\":[\"https://api.example\"]"
    char *client = oauth_register(suite, admin, "{" AUDIENCE "}"), own[512];
    BROWSER browser = browser_open(suite);
    HTTP_ANSWER first = oauth_tokens(suite, browser, patient, client, OAUTH_USUAL);
    HTTP_ANSWER target = oauth_tokens(suite, browser, patient, client,
                                      OAUTH_USUAL "&resource=https%3A%2F%2Fapi.example");

    snprintf(own, sizeof(own), "%s&resource=%s", OAUTH_USUAL, suite_text(suite, "publicUrl"));
    HTTP_ANSWER api = oauth_tokens(suite, browser, patient, client, own);

    rewrite(client, "{" AUDIENCE ",\"scopes\":[\"openid\",\"email\"]}");
    HTTP_ANSWER less = oauth_renew(suite, client, http_text(first, "refresh_token"), "");
    CHECK_STATUS(less, 200);
    CU_ASSERT_STRING_EQUAL(http_text(less, "scope"), "openid email");
    check_not_renewed(client, http_text(less, "refresh_token"), "{\"scopes\":[\"fhirUser\"]}");
    check_not_renewed(client, http_text(less, "refresh_token"), "{\"firstParty\":false}");
    check_not_renewed(client, http_text(target, "refresh_token"), "{}");
    check_not_renewed(client, http_text(api, "refresh_token"), "{\"firstParty\":false}");

    rewrite(client, "{" AUDIENCE "}");
    HTTP_ANSWER again = oauth_renew(suite, client, http_text(less, "refresh_token"), "");
    HTTP_ANSWER target_again = oauth_renew(suite, client, http_text(target, "refresh_token"), "");
    HTTP_ANSWER api_again = oauth_renew(suite, client, http_text(api, "refresh_token"), "");
    CHECK_STATUS(again, 200);
    CU_ASSERT_STRING_EQUAL(http_text(again, "scope"), "openid profile email");
    CHECK_STATUS(target_again, 200);
    CHECK_STATUS(api_again, 200);
    free(client);
}

/* ---- the browser's session and its grants ---- */

static void grants_end_with_the_browser_but_for_offline_access(void)
{
    static const char offline[] = "&response_type=code&redirect_uri=https%3A%2F%2Fapp.example%2Fcb"
                                  "&scope=openid+offline_access" OAUTH_PKCE;
    BROWSER browser = browser_open(suite);
    HTTP_ANSWER without = oauth_tokens(suite, browser, patient, app, OAUTH_USUAL);
    HTTP_ANSWER with = oauth_tokens(suite, browser, patient, app, offline);

    browser_get(browser, "account");
    CU_ASSERT_EQUAL(browser_post(browser, "account", "do=sign-out"), 303);
    HTTP_ANSWER ended = oauth_userinfo(suite, "GET", http_text(without, "access_token"), NULL);
    HTTP_ANSWER lives = oauth_userinfo(suite, "GET", http_text(with, "access_token"), NULL);
    HTTP_ANSWER renewed = oauth_renew(suite, app, http_text(without, "refresh_token"), "");
    HTTP_ANSWER again = oauth_renew(suite, app, http_text(with, "refresh_token"), "");
    CHECK_STATUS(ended, 401);
    CHECK_STATUS(lives, 200);
    CHECK_STATUS(renewed, 400);
    CHECK_STATUS(again, 200);
}

static size_t named_in(const struct http_answer *list, const char *member, const char *client)
{
    size_t named = 0, i;
    json_t *each;

    json_array_foreach(http_member(list, member), i, each)
    {
        json_t *of = json_object_get(each, "client");
        const char *id = json_string_value(json_object_get(of, "id"));

        UNIT_CHECK(!of || json_object_size(of) == 2, "client has id and name");
        if (id && strcmp(id, client) == 0 &&
            strcmp(json_string_value(json_object_get(of, "name")), "Growth <b>chart") == 0)
            named++;
    }
    return named;
}

/* The lists of the person and of the admin, and the page, name the client of a grant; a sign-in has
 * none, and /auth/me, which each page of an application asks for, does not look. */
static void a_grant_is_listed_by_its_client(void)
{
    char *client = oauth_register(suite, admin, "{\"name\":\"Growth <b>chart\"}");
    BROWSER browser = browser_open(suite);
    HTTP_ANSWER tokens = oauth_tokens(suite, browser, patient, client, OAUTH_USUAL);
    char *account, path[128], query[256];

    CHECK_STATUS(tokens, 200);
    snprintf(query, sizeof(query),
             "select s.account_id from auth.session s join auth.oauth_grant g on "
             "g.session_id = s.id where g.client_id = '%s'",
             client);
    account = suite_query(suite, query);
    snprintf(path, sizeof(path), "/v1/project/accounts/%s/sessions", account);
    HTTP_ANSWER own = http_get(suite_url(suite), "/auth/session", patient->access);
    HTTP_ANSWER me = http_get(suite_url(suite), "/auth/me", patient->access);
    HTTP_ANSWER all = http_get(suite_url(suite), path, admin->access);
    CHECK_STATUS(own, 200);
    CHECK_STATUS(me, 200);
    CHECK_STATUS(all, 200);
    CU_ASSERT_EQUAL(named_in(own, "sessions", client), 1);
    CU_ASSERT_EQUAL(named_in(all, "resources", client), 1);
    CU_ASSERT_TRUE(json_array_size(http_member(own, "sessions")) > 1);
    CU_ASSERT_PTR_NULL(strstr(me->body, "Growth"));
    browser_get(browser, "account");
    CU_ASSERT_TRUE(browser_sees(browser, "<bdi>Growth &lt;b&gt;chart</bdi>"));
    CU_ASSERT_TRUE(browser_sees(browser, "aria-label=\"End Growth &lt;b&gt;chart\""));
    free(account);
    free(client);
}

/* A code under way is worth nothing once the browser has signed out. */
static void signing_out_voids_the_code(void)
{
    BROWSER browser = browser_open(suite);
    char *code = oauth_code(browser, patient, app, OAUTH_USUAL);

    browser_get(browser, "account");
    CU_ASSERT_EQUAL(browser_post(browser, "account", "do=sign-out"), 303);
    HTTP_ANSWER answer = oauth_exchange(suite, app, code);
    CHECK_STATUS(answer, 400);
    free(code);
}

/* ---- pushed requests ---- */

static void pushed_requests_are_answered_once(void)
{
    BROWSER browser = browser_open(suite);
    BROWSER other = browser_open(suite);
    char form[1024], behind[256], *code, *error;

    snprintf(form, sizeof(form), "client_id=%s%s", app, OAUTH_USUAL);
    HTTP_ANSWER pushed = oauth_post(suite, "par", form);
    CHECK_STATUS(pushed, 201);
    CU_ASSERT_EQUAL(json_integer_value(http_member(pushed, "expires_in")), 60);
    snprintf(behind, sizeof(behind), "&request_uri=%s", http_text(pushed, "request_uri"));
    CU_ASSERT_EQUAL(oauth_ask(other, app, behind), 303); /* looking spends nothing */
    code = oauth_code(browser, patient, app, behind);
    CU_ASSERT_STRING_NOT_EQUAL(code, "");
    oauth_follow(other);
    oauth_sign_in(other, patient->email, PASSWORD); /* began before it was answered */
    error = oauth_parameter(other, "error");
    CU_ASSERT_STRING_EQUAL(error, "invalid_request_uri");
    CU_ASSERT_EQUAL(oauth_ask(browser, app, behind), 400);
    HTTP_ANSWER again = oauth_post(suite, "par", form);
    snprintf(behind, sizeof(behind), "&request_uri=%s", http_text(again, "request_uri"));
    go_ahead(61);
    CU_ASSERT_EQUAL(oauth_ask(browser, app, behind), 400);
    free(code);
    free(error);
}

static void pushing_refuses_what_authorize_would(void)
{
    const struct {
        const char *client, *behind, *error;
        int status;
    } rows[] = {
        {"5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b", OAUTH_USUAL, "invalid_client", 401},
        {app, "&response_type=code", "invalid_request", 400},
        {app, "&response_type=code&redirect_uri=https%3A%2F%2Fevil.example%2F", "invalid_request",
         400},
        {app, OAUTH_USUAL "&request_uri=urn%3Aietf%3Aparams%3Aoauth%3Arequest_uri%3Ax",
         "invalid_request", 400},
        {app, OAUTH_USUAL "&request=x", "request_not_supported", 400},
        {app, OAUTH_USUAL OAUTH_UNKNOWN_ACR, "unmet_authentication_requirements", 400},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        char form[1024];

        snprintf(form, sizeof(form), "client_id=%s%s", rows[i].client, rows[i].behind);
        HTTP_ANSWER answer = oauth_post(suite, "par", form);
        UNIT_CHECK(answer->status == rows[i].status &&
                       strcmp(http_text(answer, "error"), rows[i].error) == 0,
                   "%s: %d %s", form, answer->status, answer->body);
    }
}

/* ---- codes that are bound to a key (RFC 9449, sections 10 and 10.1) ---- */

/* Posts to an endpoint with a proof of a key, and again with the nonce that it asks for. key NULL:
 * without. */
static struct http_answer *post_proven(const char *endpoint, const char *form,
                                       const struct jose *key)
{
    char *path, *url, *proof, *nonce = NULL;
    struct http_answer *answer = NULL;

    if (!key)
        return oauth_post(suite, endpoint, form);
    if (asprintf(&path, "/t/demo/%s", endpoint) < 0 ||
        asprintf(&url, "%s%s", suite_text(suite, "publicUrl"), path) < 0)
        abort();
    for (int i = 0; i < 2; i++) {
        http_answer_destroy(&answer);
        proof = oauth_proof(key, &(struct oauth_proof){"POST", url, nonce, NULL, 0});
        answer =
            http_call(suite_url(suite),
                      &(struct http_request){.method = "POST",
                                             .path = path,
                                             .raw = form,
                                             .content_type = "application/x-www-form-urlencoded",
                                             .headers = {proof}});
        free(proof);
        free(nonce);
        nonce = http_header(answer, "DPoP-Nonce");
        if (!nonce)
            break;
    }
    free(nonce);
    free(url);
    free(path);
    return answer;
}

static struct http_answer *redeem_proven(const char *code, const struct jose *key)
{
    char form[1024];

    snprintf(form, sizeof(form),
             "grant_type=authorization_code&client_id=%s&code=%s&redirect_uri=" OAUTH_REDIRECT
             "&code_verifier=" OAUTH_VERIFIER,
             app, code);
    return post_proven("token", form, key);
}

/* The key's thumbprint (RFC 7638); the caller frees it. */
static char *thumbprint(const struct jose *key)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    json_auto_t *jwk = jose_jwk(key);

    return strdup(jwk_thumbprint(jwk, arena));
}

/* The code is of the key: another's, and none, get nothing and spend nothing. */
static void check_bound(const char *code, const struct jose *key, const struct jose *other)
{
    HTTP_ANSWER foreign = redeem_proven(code, other);
    HTTP_ANSWER bare = redeem_proven(code, NULL);
    HTTP_ANSWER own = redeem_proven(code, key);

    CHECK_STATUS(foreign, 400);
    CU_ASSERT_STRING_EQUAL(http_text(foreign, "error"), "invalid_grant");
    CHECK_STATUS(bare, 400);
    CU_ASSERT_STRING_EQUAL(http_text(bare, "error"), "invalid_dpop_proof");
    CHECK_STATUS(own, 200);
    CU_ASSERT_STRING_EQUAL(http_text(own, "token_type"), "DPoP");
}

static void a_code_is_redeemed_by_its_key_alone(void)
{
    BROWSER browser = browser_open(suite);
    JOSE key = jose_new("ES256", NULL);
    JOSE other = jose_new("ES256", NULL);
    char *jkt = thumbprint(key), behind[640], *code, *error;

    snprintf(behind, sizeof(behind), "%s&dpop_jkt=%s", OAUTH_USUAL, jkt);
    code = oauth_code(browser, patient, app, behind);
    check_bound(code, key, other);
    free(code);
    code = oauth_code(browser, patient, app, OAUTH_USUAL); /* bound to none: to any key */
    HTTP_ANSWER answer = redeem_proven(code, other);
    CHECK_STATUS(answer, 200);
    free(code);
    oauth_ask(browser, app, OAUTH_USUAL "&dpop_jkt=short");
    error = oauth_parameter(browser, "error");
    CU_ASSERT_STRING_EQUAL(error, "invalid_request");
    free(error);
    free(jkt);
}

static void the_proof_of_a_pushed_request_binds_its_code(void)
{
    BROWSER browser = browser_open(suite);
    JOSE key = jose_new("ES256", NULL);
    JOSE other = jose_new("ES256", NULL);
    char *jkt = thumbprint(key), form[1024], behind[256], *code;

    for (int named = 0; named < 2; named++) { /* by the proof, and by dpop_jkt, too */
        snprintf(form, sizeof(form), "client_id=%s%s%s%s", app, OAUTH_USUAL,
                 named ? "&dpop_jkt=" : "", named ? jkt : "");
        HTTP_ANSWER pushed = post_proven("par", form, key);
        CHECK_STATUS(pushed, 201);
        snprintf(behind, sizeof(behind), "&request_uri=%s", http_text(pushed, "request_uri"));
        code = oauth_code(browser, patient, app, behind);
        check_bound(code, key, other);
        free(code);
    }
    HTTP_ANSWER differs = post_proven("par", form, other);
    HTTP_ANSWER alone = oauth_post(suite, "par", form);
    CHECK_STATUS(differs, 400);
    CU_ASSERT_STRING_EQUAL(http_text(differs, "error"), "invalid_dpop_proof");
    CHECK_STATUS(alone, 201);
    snprintf(behind, sizeof(behind), "&request_uri=%s", http_text(alone, "request_uri"));
    code = oauth_code(browser, patient, app, behind);
    check_bound(code, key, other);
    free(code);
    free(jkt);
}

/* ---- consent ---- */

static void others_clients_are_consented_to(void)
{
    char *theirs = oauth_register(suite, admin, "{\"name\":\"<b>Theirs\",\"firstParty\":false}");
    BROWSER browser = browser_open(suite);
    char *code, *error, path[256];
    PERSON person = person_register(suite, NULL);

    oauth_ask(browser, theirs, OAUTH_USUAL);
    oauth_follow(browser);
    CU_ASSERT_EQUAL(oauth_sign_in(browser, person->email, PASSWORD), 200);
    CU_ASSERT_TRUE(browser_sees(browser, "Allow access?"));
    CU_ASSERT_TRUE(browser_sees(browser, "&lt;b&gt;Theirs"));
    CU_ASSERT_FALSE(browser_sees(browser, "<b>Theirs"));
    oauth_consent(browser, "deny");
    error = oauth_parameter(browser, "error");
    CU_ASSERT_STRING_EQUAL(error, "access_denied");
    free(error);

    oauth_ask(browser, theirs, OAUTH_USUAL "&prompt=none");
    error = oauth_parameter(browser, "error");
    CU_ASSERT_STRING_EQUAL(error, "consent_required");
    free(error);
    oauth_ask(browser, theirs, OAUTH_USUAL);
    oauth_follow(browser);
    oauth_consent(browser, "allow");
    code = oauth_parameter(browser, "code");
    CU_ASSERT_STRING_NOT_EQUAL(code, "");
    HTTP_ANSWER tokens = oauth_exchange(suite, theirs, code);
    CHECK_STATUS(tokens, 200);
    free(code);
    oauth_ask(browser, theirs, OAUTH_USUAL "&prompt=none"); /* what was given is known */
    code = oauth_parameter(browser, "code");
    CU_ASSERT_STRING_NOT_EQUAL(code, "");
    oauth_ask(browser, theirs,
              "&response_type=code&redirect_uri=https%3A%2F%2Fapp.example%2Fcb&prompt=none"
              "&scope=openid+fhirUser" OAUTH_PKCE); /* a new scope is not */
    error = oauth_parameter(browser, "error");
    CU_ASSERT_STRING_EQUAL(error, "consent_required");
    free(error);
    oauth_ask(browser, theirs, OAUTH_USUAL "&prompt=consent");
    CU_ASSERT_EQUAL(oauth_follow(browser), 200);
    CU_ASSERT_TRUE(browser_sees(browser, "Allow access?"));

    HTTP_ANSWER list = http_get(suite_url(suite), "/auth/consent", person->access);
    HTTP_ANSWER none = http_get(suite_url(suite), "/auth/consent", NULL);
    CHECK_STATUS(list, 200);
    CHECK_STATUS(none, 401);
    CU_ASSERT_STRING_EQUAL(http_text(list, "consents.0.clientId"), theirs);
    snprintf(path, sizeof(path), "/auth/consent?clientId=%s", theirs);
    HTTP_ANSWER withdrawn = http_delete(suite_url(suite), path, person->access);
    HTTP_ANSWER twice = http_delete(suite_url(suite), path, person->access);
    HTTP_ANSWER ended = oauth_userinfo(suite, "GET", http_text(tokens, "access_token"), NULL);
    HTTP_ANSWER voided = oauth_exchange(suite, theirs, code);
    CHECK_STATUS(withdrawn, 200);
    CHECK_STATUS(twice, 404);
    CHECK_STATUS(ended, 401);
    CHECK_STATUS(voided, 400);
    free(code);
    free(theirs);
}

/* The error that a request for this redirect address is answered by without a page, "" for a code;
 * the caller frees it. */
static char *silent_error(struct browser *browser, const char *client, const char *redirect_uri)
{
    char behind[512];

    snprintf(behind, sizeof(behind),
             "&response_type=code&scope=openid&prompt=none&redirect_uri=%s" OAUTH_PKCE,
             redirect_uri);
    oauth_ask(browser, client, behind);
    return oauth_parameter(browser, "error");
}

/* RFC 8252, section 8.6: any program of the device can have an address of a private scheme or of
 * the loopback interface. Who stands behind it is not known but by a secret, or by the name of a
 * host. */
static void a_client_that_others_can_pass_for_is_consented_to_each_time(void)
{
#define NATIVE                                                                                   \
    "\"redirectUris\":[\"https://app.example/cb\",\"http://127.0.0.1/cb\",\"example.app:/cb\"]," \
    "\"scopes\":[\"openid\"]"
    static const struct {
        const char *client, *redirect_uri, *error;
    } rows[] = {
        {"{" NATIVE ",\"firstParty\":false}", "https%3A%2F%2Fapp.example%2Fcb", ""},
        {"{" NATIVE ",\"firstParty\":false}", "http%3A%2F%2F127.0.0.1%3A4711%2Fcb",
         "consent_required"},
        {"{" NATIVE ",\"firstParty\":false}", "example.app%3A%2Fcb", "consent_required"},
        {"{" NATIVE ",\"firstParty\":false,\"type\":\"confidential\"}",
         "http%3A%2F%2F127.0.0.1%3A4711%2Fcb", ""},
        {"{" NATIVE "}", "http%3A%2F%2F127.0.0.1%3A4711%2Fcb", ""}, /* the tenant's own */
    };
    BROWSER browser = browser_open(suite);

    free(oauth_code(browser, patient, app, OAUTH_USUAL));
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        char *client = oauth_register(suite, admin, rows[i].client), behind[512], *code, *error;

        snprintf(behind, sizeof(behind),
                 "&response_type=code&scope=openid&redirect_uri=%s" OAUTH_PKCE,
                 rows[i].redirect_uri);
        oauth_ask(browser, client, behind);
        if (oauth_follow(browser) == 200)
            oauth_consent(browser, "allow");
        code = oauth_parameter(browser, "code");
        error = silent_error(browser, client, rows[i].redirect_uri);
        UNIT_CHECK(*code != '\0' && strcmp(error, rows[i].error) == 0, "%s at %s: \"%s\"",
                   rows[i].client, rows[i].redirect_uri, error);
        free(error);
        free(code);
        free(client);
    }
}

#define DIARY "https%3A%2F%2Fdiary.example"
#define SCALE "https%3A%2F%2Fscale.example"
#define TWO_RESOURCES \
    "\"firstParty\":false,\"audiences\":[\"https://diary.example\",\"https://scale.example\"]"

/* Asks for scopes at a resource ("": the issuer's own), without or with the person. */
static void ask_at(struct browser *browser, const char *client, const char *scope,
                   const char *resource, const char *prompt)
{
    char behind[512];

    snprintf(behind, sizeof(behind),
             "&response_type=code&redirect_uri=https%%3A%%2F%%2Fapp.example%%2Fcb" OAUTH_PKCE
             "&scope=%s&resource=%s%s",
             scope, resource, prompt);
    oauth_ask(browser, client, behind);
}

/* Whether that is open to the client without a question. */
static bool is_allowed(struct browser *browser, const char *client, const char *scope,
                       const char *resource)
{
    char *error, *code;
    bool allowed;

    ask_at(browser, client, scope, resource, "&prompt=none");
    error = oauth_parameter(browser, "error");
    code = oauth_parameter(browser, "code");
    allowed = *code != '\0';
    UNIT_CHECK(allowed || strcmp(error, "consent_required") == 0, "%s at %s: %s", scope, resource,
               error);
    free(code);
    free(error);
    return allowed;
}

/* The person is asked, and allows it. */
static void allow_at(struct browser *browser, const char *client, const char *scope,
                     const char *resource)
{
    ask_at(browser, client, scope, resource, "");
    CU_ASSERT_EQUAL(oauth_follow(browser), 200);
    CU_ASSERT_TRUE(browser_sees(browser, "Allow access?"));
    oauth_consent(browser, "allow");
}

static void each_pair_of_scope_and_resource_is_asked_for(void)
{
    char *theirs = oauth_register(suite, admin, "{" TWO_RESOURCES "}");
    BROWSER browser = browser_open(suite);
    PERSON person = person_register(suite, NULL);

    CU_ASSERT_TRUE(browser_signs_in(browser, person->email, PASSWORD));
    allow_at(browser, theirs, "profile", DIARY);
    CU_ASSERT_FALSE(is_allowed(browser, theirs, "profile", SCALE));
    CU_ASSERT_FALSE(is_allowed(browser, theirs, "profile", ""));
    allow_at(browser, theirs, "email", SCALE);
    CU_ASSERT_TRUE(is_allowed(browser, theirs, "profile", DIARY));
    CU_ASSERT_TRUE(is_allowed(browser, theirs, "email", SCALE));
    CU_ASSERT_FALSE(is_allowed(browser, theirs, "profile", SCALE));
    CU_ASSERT_FALSE(is_allowed(browser, theirs, "email", DIARY));
    allow_at(browser, theirs, "email", DIARY);
    CU_ASSERT_TRUE(is_allowed(browser, theirs, "profile+email", DIARY)); /* what was given stays */
    CU_ASSERT_FALSE(is_allowed(browser, theirs, "profile", SCALE));
    HTTP_ANSWER list = http_get(suite_url(suite), "/auth/consent", person->access);
    CU_ASSERT_EQUAL(json_array_size(http_member(list, "consents")), 1);
    CU_ASSERT_STRING_EQUAL(http_text(list, "consents.0.scope"), "profile email");
    free(theirs);
}

static void set_terms(const char *client, const char *version)
{
    char path[128], json[640];

    snprintf(path, sizeof(path), "/v1/project/clients/%s", client);
    snprintf(json, sizeof(json),
             "{\"name\":\"Diary\",\"type\":\"public\",\"redirectUris\":[\"" OAUTH_REDIRECT
             "\"],\"grantTypes\":[\"authorization_code\"],\"scopes\":[\"profile\"],"
             "\"tosVersion\":\"%s\"," TWO_RESOURCES "}",
             version);
    HTTP_ANSWER changed =
        http_put(suite_url(suite), path, admin->access, json_loads(json, 0, NULL));
    CHECK_STATUS(changed, 200);
}

static void new_terms_are_asked_for(void)
{
    char *theirs = oauth_register(suite, admin, "{" TWO_RESOURCES ",\"tosVersion\":\"1\"}");
    BROWSER browser = browser_open(suite);
    PERSON person = person_register(suite, NULL);

    CU_ASSERT_TRUE(browser_signs_in(browser, person->email, PASSWORD));
    allow_at(browser, theirs, "profile", DIARY);
    CU_ASSERT_TRUE(is_allowed(browser, theirs, "profile", DIARY));
    set_terms(theirs, "2");
    CU_ASSERT_FALSE(is_allowed(browser, theirs, "profile", DIARY));
    allow_at(browser, theirs, "profile", DIARY);
    CU_ASSERT_TRUE(is_allowed(browser, theirs, "profile", DIARY));
    free(theirs);
}

/* A consent is given by a form of this origin that the person was shown, in this browser. */
static void consent_is_not_given_by_other_sites(void)
{
    char *theirs = oauth_register(suite, admin, "{\"name\":\"Theirs\",\"firstParty\":false}");
    BROWSER browser = browser_open(suite);
    PERSON person = person_register(suite, NULL);
    char *next, *form;

    oauth_ask(browser, theirs, OAUTH_USUAL);
    oauth_follow(browser);
    oauth_sign_in(browser, person->email, PASSWORD);
    next = browser_value(browser, "next");
    if (asprintf(&form, "do=allow&next=%s", next) < 0)
        abort();
    browser->no_token = true;
    CU_ASSERT_EQUAL(browser_post(browser, "consent", form), 403);
    browser->no_token = false;
    free(browser->origin);
    browser->origin = strdup("https://evil.example");
    CU_ASSERT_EQUAL(browser_post(browser, "consent", form), 403);
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from auth.oauth_consent where client_id = "
                                "'%s'",
                                theirs),
                    0);
    free(next);
    free(form);
    free(theirs);
}

/* ---- switches and rules ---- */

static void check_code(struct browser *browser, const char *behind)
{
    check_asked(browser, behind, false);
}

static void closed_sign_in_gives_no_code(void)
{
    BROWSER browser = browser_open(suite);
    char *error;

    free(oauth_code(browser, patient, app, OAUTH_USUAL));
    suite_set_switch(suite, admin->access, "PATIENT_LOGIN_ENABLED", false);
    oauth_ask(browser, app, OAUTH_USUAL);
    error = oauth_parameter(browser, "error");
    CU_ASSERT_STRING_EQUAL(error, "access_denied");
    suite_set_switch(suite, admin->access, "PATIENT_LOGIN_ENABLED", true);
    free(error);
}

static void check_denied(struct browser *browser, const char *what)
{
    char *error;

    oauth_ask(browser, app, OAUTH_USUAL);
    error = oauth_parameter(browser, "error");
    UNIT_CHECK(strcmp(error, "access_denied") == 0, "%s: %s", what, error);
    free(error);
}

static void closed_sign_in_of_practitioners_gives_no_code(void)
{
    BROWSER browser = browser_open(suite);

    free(oauth_code(browser, admin, app, OAUTH_USUAL));
    suite_set_switch(suite, admin->access, "PRACTITIONER_LOGIN_ENABLED", false);
    check_denied(browser, "PRACTITIONER_LOGIN_ENABLED");
    suite_set_switch(suite, admin->access, "PRACTITIONER_LOGIN_ENABLED", true);
    check_code(browser, OAUTH_USUAL);
}

/* A session of before counts no more than a sign-in at that time does. */
static void a_network_that_is_not_allowed_gets_no_code(void)
{
    PERSON other = person_register(suite, NULL);
    BROWSER browser = browser_open(suite);
    HTTP_ANSWER strict = http_post(suite_url(suite), "/v1/project/access-policies", admin->access,
                                   json_pack("{s:s, s:[{s:s}], s:[{s:s, s:s}]}", "name", "Inside",
                                             "resource", "resourceType", "*", "ipAccessRule", "ip",
                                             "127.9.0.0/16", "action", "allow"));
    char sql[256];

    CHECK_STATUS(strict, 200);
    free(oauth_code(browser, other, app, OAUTH_USUAL));
    snprintf(sql, sizeof(sql),
             "update auth.membership set policy_id = '%s' where profile_id = '%s'",
             http_text(strict, "id"), strchr(other->profile, '/') + 1);
    free(suite_query(suite, sql));
    check_denied(browser, "ipAccessRule");
    free(browser->source);
    browser->source = strdup("127.9.0.7");
    check_code(browser, OAUTH_USUAL);
}

static void require_mfa(const char *whom)
{
    HTTP_ANSWER set = http_put(suite_url(suite), "/v1/project/account-policy", admin->access,
                               json_pack("{s:s}", "requireMfa", whom));

    CHECK_STATUS(set, 200);
}

/* An account without a factor has none after another sign-in either, so it is refused at once. */
static void a_demanded_factor_is_demanded_at_authorize(void)
{
    BROWSER browser = browser_open(suite);
    uint8_t secret[TOTP_SECRET];

    totp_enrol(suite, admin, time(NULL) + ahead, secret); /* so as to switch it off again */
    free(oauth_code(browser, patient, app, OAUTH_USUAL));
    require_mfa("everyone");
    check_denied(browser, "requireMfa");
    require_mfa("none");
    check_code(browser, OAUTH_USUAL);
}

/* ---- what dies ---- */

/* authd is killed between the code and its exchange, and behind it: nothing is half done. */
static void deaths_lose_no_code(void)
{
    BROWSER browser = browser_open(suite);
    char *code = oauth_code(browser, patient, app, OAUTH_USUAL);
    pid_t one = suite_pid(suite, "authd", "1"), other = suite_pid(suite, "authd", "2");

    suite_signal(suite, "authd", "1", 9);
    suite_signal(suite, "authd", "2", 9);
    HTTP_ANSWER keys = http_get(suite_url(suite), "/t/demo/jwks", NULL);
    UNIT_CHECK(keys->status == 200 || keys->status == 503, "%d", keys->status);
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, "authd", "1", one));
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, "authd", "2", other));
    CU_ASSERT_TRUE(suite_wait_ready(suite, 10000));
    HTTP_ANSWER tokens = oauth_exchange(suite, app, code);
    CHECK_STATUS(tokens, 200);
    HTTP_ANSWER who = oauth_userinfo(suite, "GET", http_text(tokens, "access_token"), NULL);
    CHECK_STATUS(who, 200);
    free(code);
}

/* ---- rotation ---- */

/* An ID token of the patient as hint: a code for the patient, none for another person. */
static void check_hint(const char *id_token)
{
    static const char *const errors[] = {"", "login_required"};
    PERSON other = person_register(suite, NULL);
    const struct person *people[] = {patient, other};
    char behind[2048], *error;

    snprintf(behind, sizeof(behind), "%s&prompt=none&id_token_hint=%s", OAUTH_USUAL, id_token);
    for (size_t i = 0; i < ARRAY_SIZE(people); i++) {
        BROWSER browser = browser_open(suite);

        free(oauth_code(browser, people[i], app, OAUTH_USUAL));
        oauth_ask(browser, app, behind);
        error = oauth_parameter(browser, "error");
        CU_ASSERT_STRING_EQUAL(error, errors[i]);
        free(error);
    }
}

/* A new pair is published a day before it signs; the former one a day after its last token. */
static void new_keys_are_published_before_they_sign(void)
{
    BROWSER before = browser_open(suite);
    BROWSER behind = browser_open(suite);
    PROGRAM rotated = ATRIUMCTL(suite, NULL, "keys", "rotate", "--issuer");
    json_t *claims;

    CU_ASSERT_EQUAL(rotated->code, 0);
    CU_ASSERT_TRUE(oauth_keys_come_to(suite, 4));
    HTTP_ANSWER first = oauth_tokens(suite, before, patient, app, OAUTH_USUAL);
    go_ahead(24 * HOUR + 60);
    HTTP_ANSWER second = oauth_tokens(suite, behind, patient, app, OAUTH_USUAL);
    claims = oauth_claims(suite, http_text(second, "id_token"), "JWT", "RS256");
    CU_ASSERT_PTR_NOT_NULL(claims);
    json_decref(claims);
    /* The headers hold the key's id: another one signs. */
    CU_ASSERT_NOT_EQUAL(strncmp(http_text(first, "id_token"), http_text(second, "id_token"), 60),
                        0);
    claims = oauth_claims(suite, http_text(first, "id_token"), "JWT", "RS256");
    CU_ASSERT_PTR_NOT_NULL(claims); /* still verifies */
    json_decref(claims);
    go_ahead(26 * HOUR);
    CU_ASSERT_TRUE(oauth_keys_come_to(suite, 2));
    check_hint(http_text(first, "id_token")); /* still says who it was */
}

enum { RENEWERS = 8, SIGNING_S = 3, PUBLISHING_S = 12 /* a gateway keeps a set for ten */ };

/* A client that renews and verifies what it gets, with the set of keys that it has. */
struct renewer {
    char *refresh;
    json_t *keys;
    char *kid; /* of its last ID token */
};

static json_t *fetch_keys(void)
{
    HTTP_ANSWER answer = http_get(suite_url(suite), "/t/demo/jwks", NULL);

    CHECK_STATUS(answer, 200);
    return json_incref(http_member(answer, "keys"));
}

static bool has_key(const json_t *keys, const char *kid)
{
    const json_t *each;
    size_t i;

    json_array_foreach(keys, i, each)
    {
        if (strcmp(jwt_text(each, "kid"), kid) == 0)
            return true;
    }
    return false;
}

/* The key id of a token; the caller frees it. */
static char *kid_of(const char *token)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    struct jwt jwt;
    char *kid;

    if (jwt_read(token, arena, &jwt) < 0)
        return strdup("");
    kid = strdup(jwt_text(jwt.header, "kid"));
    jwt_clear(&jwt);
    return kid;
}

/* A key id that it does not know makes it fetch the set, once. */
static void renewer_accept(struct renewer *self, const struct http_answer *answer)
{
    const char *token = http_text(answer, "id_token");
    json_t *claims;

    UNIT_CHECK(answer->status == 200, "%d %s", answer->status, answer->body);
    if (answer->status != 200)
        return;
    free(self->refresh);
    self->refresh = strdup(http_text(answer, "refresh_token"));
    free(self->kid);
    self->kid = kid_of(token);
    if (!has_key(self->keys, self->kid)) {
        json_decref(self->keys);
        self->keys = fetch_keys();
    }
    claims = oauth_claims_by(self->keys, token, "JWT", "RS256");
    UNIT_CHECK(claims != NULL, "not verified by the keys that are published: %s", self->kid);
    json_decref(claims);
}

static void renewers_open(struct renewer *self)
{
    static const char offline[] = "&response_type=code&redirect_uri=https%3A%2F%2Fapp.example%2Fcb"
                                  "&scope=openid+offline_access" OAUTH_PKCE;
    BROWSER browser = browser_open(suite);

    for (size_t i = 0; i < RENEWERS; i++) {
        HTTP_ANSWER tokens = oauth_tokens(suite, browser, patient, app, offline);

        self[i] = (struct renewer){NULL, fetch_keys(), NULL};
        renewer_accept(&self[i], tokens);
    }
}

static void renewers_close(struct renewer *self)
{
    for (size_t i = 0; i < RENEWERS; i++) {
        free(self[i].refresh);
        free(self[i].kid);
        json_decref(self[i].keys);
    }
}

/* All at once, over and over, for so long; the count of renewals. */
static long renewers_run(struct renewer *self, int seconds)
{
    char forms[RENEWERS][1024];
    struct http_request requests[RENEWERS];
    struct http_answer *answers[RENEWERS];
    int64_t end_ms = clock_mono_ms() + seconds * 1000;
    long count = 0;

    for (; clock_mono_ms() < end_ms; count += RENEWERS) {
        for (size_t i = 0; i < RENEWERS; i++) {
            snprintf(forms[i], sizeof(forms[i]),
                     "grant_type=refresh_token&client_id=%s&refresh_token=%s", app,
                     self[i].refresh);
            requests[i] =
                (struct http_request){.method = "POST",
                                      .path = "/t/demo/token",
                                      .raw = forms[i],
                                      .content_type = "application/x-www-form-urlencoded"};
        }
        http_call_many(suite_url(suite), requests, RENEWERS, RENEWERS, answers);
        for (size_t i = 0; i < RENEWERS; i++)
            renewer_accept(&self[i], answers[i]);
        http_answers_destroy(answers, RENEWERS);
    }
    return count;
}

/* Eight clients renew and verify while a new pair is made and published, and while it takes over:
 * none is refused, and each ID token is verified by the keys that a client has, or by those that it
 * fetches once for a key id that it does not know. The key that has retired is published on. */
static void keys_are_rotated_under_load(void)
{
    static const char *const rotate[] = {"keys", "rotate", "--issuer", NULL};
    struct renewer renewers[RENEWERS];
    char *former;
    long count;

    renewers_open(renewers);
    former = strdup(renewers[0].kid);
    PROGRAM rotated = suite_command_start(suite, rotate);
    count = renewers_run(renewers, PUBLISHING_S);
    CU_ASSERT_TRUE(program_wait_end(rotated, 70000));
    CHECK_EXIT(rotated, 0);
    CU_ASSERT_STRING_EQUAL(renewers[0].kid, former); /* the new one does not sign yet */
    go_ahead(24 * HOUR + 60);
    count += renewers_run(renewers, SIGNING_S);
    for (size_t i = 0; i < RENEWERS; i++) {
        UNIT_CHECK(strcmp(renewers[i].kid, former) != 0, "%zu still by the former key", i);
        CU_ASSERT_TRUE(has_key(renewers[i].keys, former));
    }
    fprintf(stderr, "%ld renewals while keys were rotated\n", count);
    CU_ASSERT_TRUE(count > 10 * RENEWERS);
    free(former);
    renewers_close(renewers);
}

static void the_scene_is_left(void)
{
    free(app);
    person_destroy(&admin);
    person_destroy(&patient);
    suite_stop(&suite);
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
    CASE(errors_go_to_the_redirect_address),
    CASE(scopes_of_fhir_servers_are_given_for_them_alone),
    CASE(continuations_are_sealed),
    CASE(a_redirect_to_an_ipv6_address_is_allowed),
    CASE(an_old_session_is_no_new_sign_in),
    CASE(an_acr_is_met_by_one_of_its_values),
    CASE(a_factor_enrolled_elsewhere_is_asked_for),
    CASE(an_essential_acr_is_answered_by_a_value_that_was_named),
    CASE(id_tokens_have_the_claims_that_are_named),
    CASE(id_tokens_of_a_narrowed_renewal_have_less),
    CASE(claims_are_consented_to_by_their_scopes),
    CASE(a_sub_that_is_named_is_the_one_that_signs_in),
    CASE(a_preferred_factor_is_asked_for),
    CASE(code_is_bound_to_its_request),
    CASE(wrong_verifier_spends_the_code),
    CASE(codes_live_a_minute),
    CASE(one_code_makes_one_session),
    CASE(token_endpoint_says_what_is_wrong),
    CASE(a_public_client_renews_without_its_id),
    CASE(a_token_that_was_taken_vouches_for_no_other),
    CASE(id_tokens_of_renewals_have_no_nonce),
    CASE(a_narrowed_token_shows_no_more_than_it_says),
    CASE(a_renewal_gives_what_the_client_may_have_now),
    CASE(grants_end_with_the_browser_but_for_offline_access),
    CASE(a_grant_is_listed_by_its_client),
    CASE(signing_out_voids_the_code),
    CASE(pushed_requests_are_answered_once),
    CASE(pushing_refuses_what_authorize_would),
    CASE(a_code_is_redeemed_by_its_key_alone),
    CASE(the_proof_of_a_pushed_request_binds_its_code),
    CASE(others_clients_are_consented_to),
    CASE(a_client_that_others_can_pass_for_is_consented_to_each_time),
    CASE(each_pair_of_scope_and_resource_is_asked_for),
    CASE(new_terms_are_asked_for),
    CASE(consent_is_not_given_by_other_sites),
    CASE(closed_sign_in_gives_no_code),
    CASE(closed_sign_in_of_practitioners_gives_no_code),
    CASE(a_network_that_is_not_allowed_gets_no_code),
    CASE(a_demanded_factor_is_demanded_at_authorize),
    CASE(deaths_lose_no_code),
    CASE(new_keys_are_published_before_they_sign),
    CASE(keys_are_rotated_under_load),
    CASE_ALWAYS(the_scene_is_left),
};

int main(void)
{
    return unit_run("oauth code", cases, ARRAY_SIZE(cases));
}
