/*
 * test_oauth_code.c - the issuers' code flow: authorize's checks, pushed requests, single use of
 * codes, faults and crashes. See test_oidcc.c for the modules of the OpenID Connect Basic plan.
 */
#include <CUnit/CUnit.h>
#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/domain/jwt.h"
#include "tests/support/oauth.h"
#include "tests/support/unit.h"

static struct suite *suite;
static struct person *admin, *patient;
static char *app; /* a first-party client */

static void the_scene_is_set(void)
{
    oauth_scene_set(&suite, &admin, &patient, &app, NULL);
}

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
    char *own = oauth_issuer(suite);

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

/* Sends by GET and as a form, and checks the error that the client gets, "" for a page. state NULL:
 * none. */
static void check_repeated(const char *label, const char *parameters, bool posted,
                           const char *error, const char *state)
{
    BROWSER browser = browser_open(suite);
    char path[1024], *given, *brought, *location;
    int status;

    snprintf(path, sizeof(path), "/t/demo/authorize?%s", parameters);
    if (posted) {
        browser_get(browser, "sign-in");
        status = browser_post(browser, "authorize", parameters);
        if (status == 303)
            status = browser_follow(browser);
    } else {
        status = browser_get(browser, path);
    }
    given = oauth_parameter(browser, "error");
    brought = oauth_parameter(browser, "state");
    location = http_header(browser->page, "Location");
    UNIT_CHECK(status == (*error ? 303 : 400) && strcmp(given, error) == 0 &&
                   strcmp(brought, state) == 0 && !location == !*error,
               "%s%s: %d %s %s %s", label, posted ? ", posted" : "", status, given, brought,
               location ? location : "");
    free(location);
    free(brought);
    free(given);
}

/* RFC 6749, sections 3.1 and 4.1.2.1: the client gets the error, unless client_id or redirect_uri
 * is repeated. */
static void a_repeated_parameter_goes_back_to_the_client(void)
{
#define BACK "redirect_uri=https%3A%2F%2Fapp.example%2Fcb"
    static const struct {
        const char *label, *behind, *error, *state;
    } rows[] = {
        {"scope", "&" BACK "&response_type=code&state=st8&scope=openid&scope=email" OAUTH_PKCE,
         "invalid_request", "st8"},
        {"the same twice",
         "&" BACK "&response_type=code&state=st8&scope=openid&nonce=1&nonce=1" OAUTH_PKCE,
         "invalid_request", "st8"},
        {"three times", OAUTH_USUAL "&prompt=none&prompt=login&prompt=none", "invalid_request",
         "st8"},
        {"an encoded name", OAUTH_USUAL "&no%6Ece=1&nonce=2", "invalid_request", "st8"},
        {"without values", OAUTH_USUAL "&prompt=&prompt=", "invalid_request", "st8"},
        {"one that is not known", OAUTH_USUAL "&x=1&x=2", "invalid_request", "st8"},
        {"state", OAUTH_USUAL "&state=other", "invalid_request", ""},
        {"response_type", OAUTH_USUAL "&response_type=token", "invalid_request", "st8"},
        {"code_challenge", OAUTH_USUAL "&code_challenge=" OAUTH_CHALLENGE, "invalid_request",
         "st8"},
        {"request_uri", OAUTH_USUAL "&request_uri=a&request_uri=b", "invalid_request", "st8"},
        {"next", OAUTH_USUAL "&next=a&next=b", "invalid_request", "st8"},
        {"redirect_uri", OAUTH_USUAL "&" BACK, "", ""},
        {"redirect_uri and scope", OAUTH_USUAL "&" BACK "&scope=a", "", ""},
        {"another redirect_uri", OAUTH_USUAL "&redirect_uri=https%3A%2F%2Fevil.example%2F", "", ""},
        {"one that is not registered",
         "&redirect_uri=https%3A%2F%2Fevil.example%2F&response_type=code&scope=a&scope=b", "", ""},
        {"client_id", OAUTH_USUAL "&client_id=console", "", ""},
    };
    char parameters[1024];

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        snprintf(parameters, sizeof(parameters), "client_id=%s%s", app, rows[i].behind);
        check_repeated(rows[i].label, parameters, false, rows[i].error, rows[i].state);
        check_repeated(rows[i].label, parameters, true, rows[i].error, rows[i].state);
    }
    snprintf(parameters, sizeof(parameters), "client_id=%s%s&client_id=%s", app, OAUTH_USUAL, app);
    check_repeated("the same client_id", parameters, false, "", "");
}

/* The error comes after the pushed request was found, so it consumes that request. */
static void a_repeated_parameter_spends_a_pushed_request(void)
{
    char form[1024], parameters[512];

    snprintf(form, sizeof(form), "client_id=%s%s", app, OAUTH_USUAL);

    HTTP_ANSWER pushed = oauth_post(suite, "par", form);

    CHECK_STATUS(pushed, 201);
    snprintf(parameters, sizeof(parameters), "client_id=%s&request_uri=%s&x=1&x=2", app,
             http_text(pushed, "request_uri"));
    check_repeated("pushed", parameters, false, "invalid_request", "st8");
    check_repeated("pushed", parameters, false, "", "");
}

static void endpoints_of_clients_refuse_a_repeated_parameter(void)
{
    static const char *const names[] = {"client_id", "scope", "redirect_uri", "x"};
    static const char *const endpoints[] = {"par", "token", "introspect", "revoke",
                                            "device_authorization"};
    char form[1024];

    for (size_t i = 0; i < ARRAY_SIZE(names) * ARRAY_SIZE(endpoints); i++) {
        const char *endpoint = endpoints[i % ARRAY_SIZE(endpoints)];
        const char *name = names[i / ARRAY_SIZE(endpoints)];

        snprintf(form, sizeof(form), "client_id=%s&grant_type=authorization_code%s&%s=1&%s=1", app,
                 OAUTH_USUAL, name, name);

        HTTP_ANSWER answer = oauth_post(suite, endpoint, form);
        char *location = http_header(answer, "Location");

        UNIT_CHECK(answer->status == 400 && !location &&
                       strcmp(http_text(answer, "error"), "invalid_request") == 0,
                   "%s at %s: %d %s", name, endpoint, answer->status, answer->body);
        free(location);
    }
}

/* A FHIR server's scopes are left out without its resource, so that no other server accepts them as
 * narrowed to a role and patient. */
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

/* CSP cannot name an IPv6 host, so it allows the scheme; otherwise browsers would block the
 * redirect. */
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

static void an_old_session_is_no_new_sign_in(void)
{
    BROWSER browser = browser_open(suite);
    BROWSER other = browser_open(suite);
    char *before = oauth_code(browser, patient, app, OAUTH_USUAL), *next, *path, *code;

    suite_advance_clock(suite, 61);
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
    oauth_sign_in(browser, patient->email, FORM_PASSWORD);
    code = oauth_parameter(browser, "code");
    CU_ASSERT_STRING_NOT_EQUAL(code, "");
    free(before);
    free(next);
    free(path);
    free(code);
}

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

/* RFC 7636, section 4.1: such a verifier is refused even if the challenge matches, as at
 * login/token. */
static void verifiers_outside_the_grammar_are_wrong(void)
{
    static const struct {
        const char *verifier, *challenge; /* form-encoded verifier */
    } rows[] = {
        {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
         "elOGB_2quSlplZKfRRVlu7gULhhEEXMiqv0rPXawGv8"},
        {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
         "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
         "wSywJKLlVRzKDgj86PHF4xRVXMP-9jKe6ZSj23UhZq4"},
        {"dBjftJeZ4CVP%2BmB92K27uhbUJU1p1r_wW1gFWFOEjXk",
         "rIuAzvG1S9I4oQcr5j9HXgJA4ycvBd9rNF3bOwc1MG0"},
    };
    BROWSER browser = browser_open(suite);

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        char behind[512], form[1024], *code;

        snprintf(behind, sizeof(behind),
                 "&response_type=code&redirect_uri=https%%3A%%2F%%2Fapp.example%%2Fcb&scope=openid"
                 "&code_challenge=%s&code_challenge_method=S256",
                 rows[i].challenge);
        code = oauth_code(browser, patient, app, behind);
        snprintf(form, sizeof(form),
                 "grant_type=authorization_code&client_id=%s&code=%s&redirect_uri=" OAUTH_REDIRECT
                 "&code_verifier=%s",
                 app, code, rows[i].verifier);

        HTTP_ANSWER answer = oauth_post(suite, "token", form);

        UNIT_CHECK(*code && answer->status == 400 &&
                       strcmp(http_text(answer, "error"), "invalid_grant") == 0,
                   "%s: %d %s", rows[i].verifier, answer->status, answer->body);
        free(code);
    }
}

static void a_browser_has_a_hundred_codes(void)
{
    BROWSER browser = browser_open(suite);
    char *first = oauth_code(browser, patient, app, OAUTH_USUAL), *last = NULL;

    for (int i = 0; i < 105; i++) {
        oauth_ask(browser, app, OAUTH_USUAL);
        free(last);
        last = oauth_parameter(browser, "code");
    }
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select max(count) from (select count(*) from "
                                "auth.oauth_code where used_at is null group by parent_id) c"),
                    100);
    HTTP_ANSWER early = oauth_exchange(suite, app, first);
    CHECK_STATUS(early, 400);
    CU_ASSERT_STRING_EQUAL(http_text(early, "error"), "invalid_grant");
    HTTP_ANSWER late = oauth_exchange(suite, app, last);
    CHECK_STATUS(late, 200);
    free(first);
    free(last);
}

static void codes_live_a_minute(void)
{
    BROWSER browser = browser_open(suite);
    char *code = oauth_code(browser, patient, app, OAUTH_USUAL);

    suite_advance_clock(suite, 61);
    HTTP_ANSWER answer = oauth_exchange(suite, app, code);
    CHECK_STATUS(answer, 400);
    CU_ASSERT_STRING_EQUAL(http_text(answer, "error"), "invalid_grant");
    free(code);
}

/* At most one of 64 clients with one code gets a session, which then ends, because several clients
 * have the code. */
static void one_code_makes_one_session(void)
{
    enum { REDEEMERS = 64 };
    BROWSER browser = browser_open(suite);
    char *code = oauth_code(browser, patient, app, OAUTH_USUAL);
    struct http_request requests[REDEEMERS];
    struct http_answer *answers[REDEEMERS];
    long made = suite_count(suite, "select count(*) from auth.oauth_grant");
    size_t good = 0;

    for (size_t i = 0; i < REDEEMERS; i++)
        requests[i] = (struct http_request){.method = "POST",
                                            .path = "/t/demo/token",
                                            .raw = oauth_redeeming(app, code),
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
    CU_ASSERT_EQUAL(oauth_ask(other, app, behind),
                    303); /* authorize does not consume the pushed request */
    code = oauth_code(browser, patient, app, behind);
    CU_ASSERT_STRING_NOT_EQUAL(code, "");
    oauth_follow(other);
    oauth_sign_in(other, patient->email,
                  FORM_PASSWORD); /* its page was open before the code was issued */
    error = oauth_parameter(other, "error");
    CU_ASSERT_STRING_EQUAL(error, "invalid_request_uri");
    CU_ASSERT_EQUAL(oauth_ask(browser, app, behind), 400);
    HTTP_ANSWER again = oauth_post(suite, "par", form);
    snprintf(behind, sizeof(behind), "&request_uri=%s", http_text(again, "request_uri"));
    suite_advance_clock(suite, 61);
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

#define EMAIL_IN_ID_TOKEN "&claims=%7B%22id_token%22%3A%7B%22email%22%3Anull%7D%7D"

/* Repeats a token request that failed because of the server: the code still gives a session and
 * refresh token. proof NULL: none. */
static void check_fault(const char *proof)
{
    BROWSER browser = browser_open(suite);
    char *code = oauth_code(browser, patient, app, OAUTH_USUAL EMAIL_IN_ID_TOKEN);
    PGconn *holder = oauth_hold(suite, "email_verified",
                                "access exclusive"); /* authd reads it for the ID token */
    HTTP_ANSWER failed = oauth_post_with(suite, "token", oauth_redeeming(app, code), proof);
    PQfinish(holder);
    HTTP_ANSWER tokens = oauth_post_with(suite, "token", oauth_redeeming(app, code), proof);
    json_t *claims = oauth_claims(suite, http_text(tokens, "id_token"), "JWT", "RS256");

    CHECK_STATUS(failed, 503);
    CHECK_STATUS(tokens, 200);
    CU_ASSERT_STRING_EQUAL(jwt_text(claims, "email"), patient->email);
    json_decref(claims);
    if (!proof) {
        HTTP_ANSWER who = oauth_userinfo(suite, "GET", http_text(tokens, "access_token"), NULL);
        HTTP_ANSWER renewed = oauth_renew(suite, app, http_text(tokens, "refresh_token"), "");

        CHECK_STATUS(who, 200);
        CHECK_STATUS(renewed, 200);
    }
    free(code);
}

static void a_fault_spends_no_code(void)
{
    JOSE key = jose_new("ES256", NULL);
    char *nonce = oauth_nonce(suite, app, key),
         *proof = oauth_proof_for(suite, "token", key, nonce);

    check_fault(NULL);
    check_fault(proof);
    free(proof);
    free(nonce);
}

static void sign_out(void *browser)
{
    CU_ASSERT_EQUAL(browser_post(browser, "account", "do=sign-out"), 303);
}

static void prove_factor(void *arg UNUSED)
{
    free(suite_query(suite, "update auth.session set second_factor = true where id = (select "
                            "parent_id from auth.oauth_code order by created_at desc limit 1)"));
}

static void a_session_that_ends_meanwhile_gives_no_tokens(void)
{
    BROWSER browser = browser_open(suite);
    char *code = oauth_code(browser, patient, app, OAUTH_USUAL);
    long made = suite_count(suite, "select count(*) from auth.oauth_grant");

    browser_get(browser, "account");
    HTTP_ANSWER answer =
        oauth_token_during(suite, oauth_redeeming(app, code), "oauth_code", sign_out, browser);
    CHECK_STATUS(answer, 400);
    CU_ASSERT_STRING_EQUAL(http_text(answer, "error"), "invalid_grant");
    CU_ASSERT_EQUAL(suite_count(suite, "select count(*) from auth.oauth_grant"), made);
    free(code);
}

static void tokens_say_what_is_so_when_the_code_is_spent(void)
{
    BROWSER browser = browser_open(suite);
    char *code = oauth_code(browser, patient, app, OAUTH_USUAL);
    HTTP_ANSWER tokens =
        oauth_token_during(suite, oauth_redeeming(app, code), "oauth_code", prove_factor, NULL);
    json_t *claims = oauth_claims(suite, http_text(tokens, "id_token"), "JWT", "RS256");

    CHECK_STATUS(tokens, 200);
    CU_ASSERT_STRING_EQUAL(jwt_text(claims, "acr"), "urn:atrium:acr:two-factors");
    json_decref(claims);
    free(code);
}

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

static void the_scene_is_left(void)
{
    oauth_scene_leave(&suite, &admin, &patient, &app);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(the_scene_is_set),
    CASE(errors_go_to_the_redirect_address),
    CASE(a_repeated_parameter_goes_back_to_the_client),
    CASE(a_repeated_parameter_spends_a_pushed_request),
    CASE(endpoints_of_clients_refuse_a_repeated_parameter),
    CASE(scopes_of_fhir_servers_are_given_for_them_alone),
    CASE(continuations_are_sealed),
    CASE(a_redirect_to_an_ipv6_address_is_allowed),
    CASE(an_old_session_is_no_new_sign_in),
    CASE(code_is_bound_to_its_request),
    CASE(wrong_verifier_spends_the_code),
    CASE(verifiers_outside_the_grammar_are_wrong),
    CASE(codes_live_a_minute),
    CASE(a_browser_has_a_hundred_codes),
    CASE(one_code_makes_one_session),
    CASE(token_endpoint_says_what_is_wrong),
    CASE(pushed_requests_are_answered_once),
    CASE(pushing_refuses_what_authorize_would),
    CASE(a_fault_spends_no_code),
    CASE(a_session_that_ends_meanwhile_gives_no_tokens),
    CASE(tokens_say_what_is_so_when_the_code_is_spent),
    CASE(deaths_lose_no_code),
    CASE_ALWAYS(the_scene_is_left),
};

int main(void)
{
    return unit_run("oauth code", cases, ARRAY_SIZE(cases));
}
