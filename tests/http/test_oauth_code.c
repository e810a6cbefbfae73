/*
 * test_oauth_code.c - the code flow of the issuers: what authorize takes and refuses, pushed
 * requests, codes and their one use, userinfo and renewal. What the modules of the OpenID Connect
 * Basic plan show is in test_oidcc.c. Over two gateways and two authd, on the test clock.
 */
#include <CUnit/CUnit.h>
#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/domain/jwt.h"
#include "tests/support/oauth.h"
#include "tests/support/totp.h"
#include "tests/support/unit.h"

static struct suite *suite;
static struct person *admin, *patient;
static char *app; /* a client of the tenant itself */

static void the_scene_is_set(void)
{
    oauth_scene_set(&suite, &admin, &patient, &app, NULL);
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

    suite_advance_clock(suite, 61);
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
    oauth_sign_in(other, patient->email, FORM_PASSWORD); /* began before it was answered */
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

/* ---- codes that are bound to a key (RFC 9449, sections 10 and 10.1) ---- */

static struct http_answer *post_with(const char *endpoint, const char *form, const char *proof)
{
    char path[64];

    snprintf(path, sizeof(path), "/t/demo/%s", endpoint);
    return http_call(suite_url(suite),
                     &(struct http_request){.method = "POST",
                                            .path = path,
                                            .raw = form,
                                            .content_type = "application/x-www-form-urlencoded",
                                            .headers = {proof}});
}

/* The header of a proof for an endpoint; the caller frees it. */
static char *proof_for(const char *endpoint, const struct jose *key, const char *nonce)
{
    char *url, *proof;

    if (asprintf(&url, "%s/t/demo/%s", suite_text(suite, "publicUrl"), endpoint) < 0)
        abort();
    proof = oauth_proof(key, &(struct oauth_proof){"POST", url, nonce, NULL, 0});
    free(url);
    return proof;
}

/* A nonce of the issuer; the caller frees it. */
static char *fresh_nonce(const struct jose *key)
{
    char form[128], *proof = proof_for("token", key, NULL);

    snprintf(form, sizeof(form), "grant_type=authorization_code&client_id=%s&code=x", app);
    HTTP_ANSWER answer = post_with("token", form, proof);
    free(proof);
    CU_ASSERT_STRING_EQUAL(http_text(answer, "error"), "use_dpop_nonce");
    return http_header(answer, "DPoP-Nonce");
}

/* Posts to an endpoint with a proof of a key. key NULL: without. */
static struct http_answer *post_proven(const char *endpoint, const char *form,
                                       const struct jose *key)
{
    char *nonce, *proof;
    struct http_answer *answer;

    if (!key)
        return oauth_post(suite, endpoint, form);
    nonce = fresh_nonce(key);
    proof = proof_for(endpoint, key, nonce);
    answer = post_with(endpoint, form, proof);
    free(proof);
    free(nonce);
    return answer;
}

/* The form that redeems a code of the usual request; static. */
static const char *redeeming(const char *code)
{
    static char form[1024];

    snprintf(form, sizeof(form),
             "grant_type=authorization_code&client_id=%s&code=%s&redirect_uri=" OAUTH_REDIRECT
             "&code_verifier=" OAUTH_VERIFIER,
             app, code);
    return form;
}

static struct http_answer *redeem_proven(const char *code, const struct jose *key)
{
    return post_proven("token", redeeming(code), key);
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

/* ---- proofs that count once ---- */

static long proofs_noted(void)
{
    return suite_count(suite, "select count(*) from auth.oauth_once");
}

/* A key that was made up proves nothing: its proofs leave no rows, whatever they come with. The id
 * of a public client is no secret, and a device code is given to anyone. */
static void proofs_of_what_is_not_valid_leave_no_rows(void)
{
    enum { PROOFS = 8 };
    BROWSER browser = browser_open(suite);
    char *tv = oauth_register(suite, admin,
                              "{\"name\":\"Television\",\"grantTypes\":[\"urn:ietf:params:oauth:"
                              "grant-type:device_code\"],\"redirectUris\":[]}");
    char *code = oauth_code(browser, patient, app, OAUTH_USUAL), form[1024];
    long before = proofs_noted();

    snprintf(form, sizeof(form), "client_id=%s&scope=openid", tv);
    HTTP_ANSWER device = oauth_post(suite, "device_authorization", form);
    const struct {
        const char *label, *endpoint, *client, *more, *value, *word;
    } rows[] = {
        {"no code", "token", app, "&grant_type=authorization_code&code=x", "", "invalid_grant"},
        {"another address", "token", app,
         "&grant_type=authorization_code&redirect_uri=x&code=", code, "invalid_grant"},
        {"no refresh token", "token", app, "&grant_type=refresh_token&refresh_token=x", "",
         "invalid_grant"},
        {"no device code", "token", tv,
         "&grant_type=urn:ietf:params:oauth:grant-type:device_code&device_code=x", "",
         "invalid_grant"},
        {"a device that waits", "token", tv,
         "&grant_type=urn:ietf:params:oauth:grant-type:device_code&device_code=",
         http_text(device, "device_code"), NULL},
        {"no grant", "token", app, "&grant_type=x", "", "unsupported_grant_type"},
        {"a request that is refused", "par", app, "&response_type=code", "", "invalid_request"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        snprintf(form, sizeof(form), "client_id=%s%s%s", rows[i].client, rows[i].more,
                 rows[i].value);
        for (size_t n = 0; n < PROOFS; n++) {
            JOSE made_up = jose_new("ES256", NULL);
            HTTP_ANSWER answer = post_proven(rows[i].endpoint, form, made_up);
            const char *word = http_text(answer, "error");

            UNIT_CHECK(answer->status == 400 &&
                           (rows[i].word ? strcmp(word, rows[i].word) == 0
                                         : strcmp(word, "authorization_pending") == 0 ||
                                               strcmp(word, "slow_down") == 0),
                       "%s: %d %s", rows[i].label, answer->status, answer->body);
        }
        UNIT_CHECK(proofs_noted() <= before, "%s: %ld rows", rows[i].label,
                   proofs_noted() - before);
    }
    free(code);
    free(tv);
}

/* Userinfo with a bound token and a proof of a key for it; the clock of the issuer is ahead. */
static struct http_answer *userinfo_proven(const char *token, const struct jose *key)
{
    char *url, *nonce = fresh_nonce(key), *proof, line[6000];
    struct http_answer *answer;

    if (asprintf(&url, "%s/t/demo/userinfo", suite_text(suite, "publicUrl")) < 0)
        abort();
    snprintf(line, sizeof(line), "Authorization: DPoP %s", token);
    proof = oauth_proof(key, &(struct oauth_proof){"GET", url, nonce, token, 0});
    answer = http_call(suite_url(suite), &(struct http_request){.path = "/t/demo/userinfo",
                                                                .headers = {line, proof}});
    free(proof);
    free(nonce);
    free(url);
    return answer;
}

/* Nor do those that come with a token of another key, or with one whose grant has ended. */
static void proofs_without_a_valid_token_leave_no_rows(void)
{
    enum { PROOFS = 8 };
    BROWSER browser = browser_open(suite);
    JOSE key = jose_new("ES256", NULL);
    char *code = oauth_code(browser, patient, app, OAUTH_USUAL);
    HTTP_ANSWER tokens = redeem_proven(code, key);
    const char *access = http_text(tokens, "access_token");
    long before = proofs_noted();

    for (size_t n = 0; n < PROOFS; n++) {
        JOSE made_up = jose_new("ES256", NULL);
        HTTP_ANSWER answer = userinfo_proven(access, made_up);

        CHECK_STATUS(answer, 401);
    }
    UNIT_CHECK(proofs_noted() <= before, "%ld rows", proofs_noted() - before);
    HTTP_ANSWER good = userinfo_proven(access, key);
    CHECK_STATUS(good, 200);
    before = proofs_noted();
    browser_get(browser, "account");
    CU_ASSERT_EQUAL(browser_post(browser, "account", "do=sign-out"), 303);
    for (size_t n = 0; n < PROOFS; n++) {
        HTTP_ANSWER answer = userinfo_proven(access, key);

        CHECK_STATUS(answer, 401);
    }
    UNIT_CHECK(proofs_noted() <= before, "%ld rows", proofs_noted() - before);
    free(code);
}

/* Of many codes at once with one proof a single one is redeemed, and the others are not spent. */
static void a_proof_redeems_one_code(void)
{
    enum { CODES = 16 };
    BROWSER browser = browser_open(suite);
    JOSE key = jose_new("ES256", NULL);
    char *nonce = fresh_nonce(key), *proof = proof_for("token", key, nonce);
    char *codes[CODES], *forms[CODES];
    struct http_request requests[CODES];
    struct http_answer *answers[CODES];
    size_t good = 0, loser = 0;

    for (size_t i = 0; i < CODES; i++) {
        codes[i] = oauth_code(browser, patient, app, OAUTH_USUAL);
        forms[i] = strdup(redeeming(codes[i]));
        requests[i] = (struct http_request){.method = "POST",
                                            .path = "/t/demo/token",
                                            .raw = forms[i],
                                            .content_type = "application/x-www-form-urlencoded",
                                            .headers = {proof}};
    }
    http_call_many(suite_url(suite), requests, CODES, CODES, answers);
    for (size_t i = 0; i < CODES; i++) {
        bool won = answers[i]->status == 200;

        good += won;
        loser = won ? loser : i;
        UNIT_CHECK(won || strcmp(http_text(answers[i], "error"), "invalid_dpop_proof") == 0,
                   "%d %s", answers[i]->status, answers[i]->body);
    }
    CU_ASSERT_EQUAL(good, 1);
    HTTP_ANSWER later = redeem_proven(codes[loser], key);
    CHECK_STATUS(later, 200);
    http_answers_destroy(answers, CODES);
    for (size_t i = 0; i < CODES; i++) {
        free(codes[i]);
        free(forms[i]);
    }
    free(proof);
    free(nonce);
}

/* Who sends a request that was seen once more, proof and all, is refused for the proof before what
 * it has is looked at: neither its code nor its refresh token ends the session, at any instance. */
static void a_request_with_a_used_proof_ends_nothing(void)
{
    BROWSER browser = browser_open(suite);
    JOSE key = jose_new("ES256", NULL);
    char *code = oauth_code(browser, patient, app, OAUTH_USUAL), *nonce = fresh_nonce(key);
    char *first = proof_for("token", key, nonce), *second = proof_for("token", key, nonce);
    char form[1024], used[1024];
    HTTP_ANSWER tokens = post_with("token", redeeming(code), first);

    CHECK_STATUS(tokens, 200);
    snprintf(used, sizeof(used), "grant_type=refresh_token&client_id=%s&refresh_token=%s", app,
             http_text(tokens, "refresh_token"));
    HTTP_ANSWER renewed = post_with("token", used, second);
    CHECK_STATUS(renewed, 200);
    snprintf(form, sizeof(form), "grant_type=refresh_token&client_id=%s&refresh_token=%s", app,
             http_text(renewed, "refresh_token"));
    HTTP_ANSWER again = post_proven("token", form, key);
    CHECK_STATUS(again, 200);
    for (int i = 0; i < 4; i++) {
        HTTP_ANSWER of_code = post_with("token", redeeming(code), first);
        HTTP_ANSWER of_renewal = post_with("token", used, second);

        CU_ASSERT_STRING_EQUAL(http_text(of_code, "error"), "invalid_dpop_proof");
        CU_ASSERT_STRING_EQUAL(http_text(of_renewal, "error"), "invalid_dpop_proof");
    }
    HTTP_ANSWER who = userinfo_proven(http_text(again, "access_token"), key);
    CHECK_STATUS(who, 200);
    free(second);
    free(first);
    free(nonce);
    free(code);
}

/* ---- faults ---- */

#define EMAIL_IN_ID_TOKEN "&claims=%7B%22id_token%22%3A%7B%22email%22%3Anull%7D%7D"

/* A request that failed by our fault is sent again as it was: the code is there, and so are session
 * and renewal. proof NULL: without. */
static void check_fault(const char *proof)
{
    BROWSER browser = browser_open(suite);
    char *code = oauth_code(browser, patient, app, OAUTH_USUAL EMAIL_IN_ID_TOKEN);
    PGconn *holder =
        oauth_hold(suite, "email_verified", "access exclusive"); /* read for the ID token */
    HTTP_ANSWER failed = post_with("token", redeeming(code), proof);
    PQfinish(holder);
    HTTP_ANSWER tokens = post_with("token", redeeming(code), proof);
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
    char *nonce = fresh_nonce(key), *proof = proof_for("token", key, nonce);

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

/* What was signed for a session that ends meanwhile is not given out. */
static void a_session_that_ends_meanwhile_gives_no_tokens(void)
{
    BROWSER browser = browser_open(suite);
    char *code = oauth_code(browser, patient, app, OAUTH_USUAL);
    long made = suite_count(suite, "select count(*) from auth.oauth_grant");

    browser_get(browser, "account");
    HTTP_ANSWER answer =
        oauth_token_during(suite, redeeming(code), "oauth_code", sign_out, browser);
    CHECK_STATUS(answer, 400);
    CU_ASSERT_STRING_EQUAL(http_text(answer, "error"), "invalid_grant");
    CU_ASSERT_EQUAL(suite_count(suite, "select count(*) from auth.oauth_grant"), made);
    free(code);
}

/* Nor are tokens that say what is no longer so: they are signed once more. */
static void tokens_say_what_is_so_when_the_code_is_spent(void)
{
    BROWSER browser = browser_open(suite);
    char *code = oauth_code(browser, patient, app, OAUTH_USUAL);
    HTTP_ANSWER tokens =
        oauth_token_during(suite, redeeming(code), "oauth_code", prove_factor, NULL);
    json_t *claims = oauth_claims(suite, http_text(tokens, "id_token"), "JWT", "RS256");

    CHECK_STATUS(tokens, 200);
    CU_ASSERT_STRING_EQUAL(jwt_text(claims, "acr"), "urn:atrium:acr:two-factors");
    json_decref(claims);
    free(code);
}

/* ---- switches and rules ---- */

static void check_code(struct browser *browser, const char *behind)
{
    oauth_check_asked(browser, app, behind, false);
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

    totp_enrol(suite, admin, suite_now(suite), secret); /* so as to switch it off again */
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

static void the_scene_is_left(void)
{
    oauth_scene_leave(&suite, &admin, &patient, &app);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(the_scene_is_set),
    CASE(errors_go_to_the_redirect_address),
    CASE(scopes_of_fhir_servers_are_given_for_them_alone),
    CASE(continuations_are_sealed),
    CASE(a_redirect_to_an_ipv6_address_is_allowed),
    CASE(an_old_session_is_no_new_sign_in),
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
    CASE(proofs_of_what_is_not_valid_leave_no_rows),
    CASE(proofs_without_a_valid_token_leave_no_rows),
    CASE(a_proof_redeems_one_code),
    CASE(a_request_with_a_used_proof_ends_nothing),
    CASE(a_fault_spends_no_code),
    CASE(a_session_that_ends_meanwhile_gives_no_tokens),
    CASE(tokens_say_what_is_so_when_the_code_is_spent),
    CASE(closed_sign_in_gives_no_code),
    CASE(closed_sign_in_of_practitioners_gives_no_code),
    CASE(a_network_that_is_not_allowed_gets_no_code),
    CASE(a_demanded_factor_is_demanded_at_authorize),
    CASE(deaths_lose_no_code),
    CASE_ALWAYS(the_scene_is_left),
};

int main(void)
{
    return unit_run("oauth code", cases, ARRAY_SIZE(cases));
}
