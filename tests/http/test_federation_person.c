/*
 * test_federation_person.c - what an identity provider and its people do after the first sign-in:
 * logout tokens (OpenID Connect Back-Channel Logout 1.0).
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/browser.h"
#include "tests/support/certificate.h"
#include "tests/support/identity_provider.h"
#include "tests/support/members.h"
#include "tests/support/oauth.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

#define PROVIDERS "/v1/project/identity-providers"
#define SECRET "the secret of both"
#define DOMAIN "patients.example" /* see person_address() */
#define STAFF_APP "https://practitioner.demo.example/federated"
#define OFFLINE                                                           \
    "&response_type=code&redirect_uri=https%3A%2F%2Fapp.example%2Fcb"     \
    "&scope=openid+offline_access" OAUTH_PKCE

static struct suite *suite;
static struct unit_dir dir, other_dir;
static struct identity_provider *clinic, *other;
static struct person *admin, *foreign;
static char provider[37], foreign_provider[37], second_provider[37];

/* ---- providers ---- */

static json_t *provider_body(struct identity_provider *at, const char *domain, const char *state)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:[s,s], s:[s], s:s, s:s}", "name", "Staff ID",
                     "preset", "oidc", "issuer", identity_provider_issuer(at), "clientId", "atrium",
                     "clientSecret", SECRET, "roles", "practitioners", "patients", "domains", domain,
                     "provisioning", "both", "state", state);
}

static void add_provider(const struct person *who, struct identity_provider *at, const char *domain,
                         char ret[static 37])
{
    HTTP_ANSWER made =
        http_post(suite_url(suite), PROVIDERS, who->access, provider_body(at, domain, "active"));

    CHECK_STATUS(made, 200);
    snprintf(ret, 37, "%s", http_text(made, "id"));
}

static void set_state(const char *state)
{
    char path[128];

    snprintf(path, sizeof(path), PROVIDERS "/%s", provider);
    HTTP_ANSWER set = http_put(suite_url(suite), path, admin->access,
                               provider_body(clinic, DOMAIN, state));
    CHECK_STATUS(set, 200);
}

static void verify_domain(const char *project, const char *domain)
{
    PROGRAM done =
        ATRIUMCTL(suite, NULL, "domain", "verify", domain, "--project", project, "--json");

    UNIT_CHECK(done->code == 0, "%s", done->err);
}

/* ---- a person at the provider ---- */

/* sid NULL: the provider names no session of its own. */
static void person_is(const char *subject, const char *email, const char *sid)
{
    identity_provider_person(clinic, json_pack("{s:s, s:s, s:s, s:s, s:s*}", "sub", subject, "email",
                                               email, "given_name", "Rui", "family_name", "Costa",
                                               "sid", sid));
}

/* Bends what the provider answers, with its clock set to the suite's. */
static void bend(struct identity_bend how)
{
    how.shift_s = suite_clock_ahead(suite);
    identity_provider_bend(clinic, &how);
    identity_provider_bend(other, &(struct identity_bend){.shift_s = how.shift_s});
}

static const char *path_of(const char *url)
{
    const char *host = strstr(url, "://"), *path = host ? strchr(host + 3, '/') : NULL;

    return path ? path : "/";
}

/* The value of a parameter, "" for none. Valid until the next call. */
static const char *parameter(const char *url, const char *name)
{
    static char kept[512];
    TEXT value = identity_provider_parameter(url, name);

    snprintf(kept, sizeof(kept), "%s", value ? value : "");
    return kept;
}

/* Goes through the provider and its callback. Returns where that leads, "" for nowhere. The caller
 * frees it. */
static char *go(const char *authorize_url)
{
    TEXT callback = NULL;
    char *location = NULL;

    bend((struct identity_bend){.alg = NULL});
    callback = identity_provider_visit(clinic, authorize_url);
    HTTP_ANSWER answer = http_get(suite_url(suite), path_of(callback ? callback : ""), NULL);
    location = http_header(answer, "Location");
    return location ? location : strdup("");
}

static char *arrive(void)
{
    HTTP_ANSWER started =
        http_post(suite_url(suite), "/auth/tenant/Practitioner/federated/start", NULL,
                  json_pack("{s:s, s:s, s:s, s:s}", "tenantCode", "demo", "providerId", provider,
                            "codeChallenge", pkce_challenge, "redirectUri", STAFF_APP));

    CHECK_STATUS(started, 200);
    return go(http_text(started, "authorizeUrl"));
}

static struct http_answer *redeem(const char *location)
{
    return http_post(suite_url(suite), "/auth/tenant/Practitioner/login/token", NULL,
                     body_login_token(parameter(location, "sessionCode"), NULL));
}

static struct http_answer *sign_in(void)
{
    TEXT location = arrive();
    struct http_answer *tokens = redeem(location);

    CHECK_STATUS(tokens, 200);
    return tokens;
}

static bool lives(const struct http_answer *tokens)
{
    return suite_status(suite, "/auth/me", http_text(tokens, "accessToken")) == 200;
}

/* ---- logout tokens ---- */

static struct http_answer *send_token(const char *tenant, const char *id, const char *token)
{
    char path[128], form[8300];

    snprintf(path, sizeof(path), "/t/%s/idp/%s/backchannel-logout", tenant, id);
    snprintf(form, sizeof(form), "logout_token=%s", token);
    return http_call(suite_url(suite),
                     &(struct http_request){.method = "POST",
                                            .path = path,
                                            .raw = form,
                                            .content_type = "application/x-www-form-urlencoded"});
}

static struct http_answer *log_out(json_t *claims)
{
    TEXT token = identity_provider_logout_token(clinic, claims);

    return send_token("demo", provider, token);
}

/* Section 2.8. */
static void check_refused(const struct http_answer *answer)
{
    TEXT cache = http_header(answer, "Cache-Control");

    CHECK_STATUS(answer, 400);
    CU_ASSERT_STRING_EQUAL(http_text(answer, "error"), "invalid_request");
    UNIT_CHECK(cache && strstr(cache, "no-store"), "%s", cache ? cache : "none");
}

static void check_accepted(const struct http_answer *answer)
{
    TEXT cache = http_header(answer, "Cache-Control");

    CHECK_STATUS(answer, 200);
    UNIT_CHECK(cache && strstr(cache, "no-store"), "%s", cache ? cache : "none");
}

/* ---- cases ---- */

static void the_scene_is_set(void)
{
    char set[300];

    dir = unit_dir_make();
    other_dir = unit_dir_make();
    certificate_make(&dir);
    certificate_make(&other_dir);
    clinic = identity_provider_start(&dir, "atrium", SECRET);
    other = identity_provider_start(&other_dir, "atrium", SECRET);
    snprintf(set, sizeof(set),
             "cat %s/cert.pem %s/cert.pem > %s/both.pem", dir.path, other_dir.path, dir.path);
    UNIT_REQUIRE(system(set) == 0, "certificates");
    snprintf(set, sizeof(set), "authd.allow_networks=127.0.0.1/32,authd.client_ca_file=%s/both.pem",
             dir.path);
    suite = suite_start(
        &(struct suite_options){.instances = "authd=2,gateway=2", .test_clock = true, .set = set});
    admin = person_admin(suite);
    suite_make_open_project(suite, "neighbour");
    PROGRAM made = suite_create_admin(suite, "neighbour", "olga@neighbour.example",
                                      "a long enough password\n");
    UNIT_CHECK(made->code == 0, "%s", made->err);
    foreign = person_sign_in(suite, "Practitioner", "olga@neighbour.example",
                             "a long enough password", "neighbour");
    UNIT_REQUIRE(admin->access && foreign->access, "two admins");
    verify_domain("demo", DOMAIN);
    verify_domain("neighbour", "neighbour.example");
    add_provider(admin, clinic, DOMAIN, provider);
    add_provider(admin, other, DOMAIN, second_provider);
    add_provider(foreign, clinic, "neighbour.example", foreign_provider);
}

static void a_logout_by_sid_ends_that_session(void)
{
    TEXT email = person_address();

    person_is("rui", email, "one");
    HTTP_ANSWER first = sign_in();
    person_is("rui", email, "two");
    HTTP_ANSWER second = sign_in();
    TEXT waiting = arrive();
    HTTP_ANSWER done = log_out(json_pack("{s:s, s:n}", "sid", "two", "sub"));
    check_accepted(done);
    CU_ASSERT_TRUE(suite_everywhere(suite, http_text(second, "accessToken"), 401));
    CU_ASSERT_EQUAL(suite_refresh_status(suite, http_text(second, "refreshToken")), 401);
    HTTP_ANSWER unspent = redeem(waiting);
    CHECK_STATUS(unspent, 400);
    CU_ASSERT_TRUE(lives(first));
    /* Another person's subject with this session. */
    HTTP_ANSWER none = log_out(json_pack("{s:s, s:s}", "sid", "one", "sub", "someone"));
    check_accepted(none);
    CU_ASSERT_TRUE(lives(first));
    HTTP_ANSWER both = log_out(json_pack("{s:s}", "sid", "one"));
    check_accepted(both);
    CU_ASSERT_FALSE(lives(first));
}

static void a_logout_by_subject_ends_all_its_sessions(void)
{
    TEXT email = person_address();
    TEXT another = person_address();

    person_is("bea", another, NULL);
    HTTP_ANSWER bystander = sign_in();
    person_is("ana", email, "one");
    HTTP_ANSWER first = sign_in();
    person_is("ana", email, NULL);
    HTTP_ANSWER second = sign_in();
    TEXT waiting = arrive();
    HTTP_ANSWER done = log_out(NULL);
    check_accepted(done);
    CU_ASSERT_TRUE(suite_everywhere(suite, http_text(first, "accessToken"), 401));
    CU_ASSERT_TRUE(suite_everywhere(suite, http_text(second, "accessToken"), 401));
    HTTP_ANSWER unspent = redeem(waiting);
    CHECK_STATUS(unspent, 400);
    CU_ASSERT_TRUE(lives(bystander));
    HTTP_ANSWER back = sign_in();
    CU_ASSERT_TRUE(lives(back));
}

static void a_logout_token_is_good_once(void)
{
    TEXT email = person_address();

    person_is("carl", email, NULL);
    TEXT token = identity_provider_logout_token(clinic, NULL);
    HTTP_ANSWER done = send_token("demo", provider, token);
    check_accepted(done);
    HTTP_ANSWER tokens = sign_in();
    HTTP_ANSWER again = send_token("demo", provider, token);
    check_refused(again);
    CU_ASSERT_TRUE(lives(tokens));
}

static void check_bent(json_t *claims, const char *alg)
{
    bend((struct identity_bend){.alg = alg});
    HTTP_ANSWER answer = log_out(claims);
    check_refused(answer);
    bend((struct identity_bend){.alg = NULL});
}

static void bad_logout_tokens_end_nothing(void)
{
    TEXT email = person_address();

    person_is("dora", email, NULL);
    HTTP_ANSWER tokens = sign_in();
    check_bent(json_pack("{s:s}", "iss", "https://elsewhere.example"), NULL);
    check_bent(json_pack("{s:s}", "aud", "another"), NULL);
    check_bent(json_pack("{s:n}", "jti"), NULL);
    check_bent(json_pack("{s:n}", "sub"), NULL);
    check_bent(json_pack("{s:i}", "exp", 1), NULL);
    check_bent(NULL, "none");
    check_bent(NULL, "HS256");
    /* An ID token has no event, but a nonce. */
    check_bent(json_pack("{s:n, s:s}", "events", "nonce", "n"), NULL);
    check_bent(json_pack("{s:s}", "nonce", "n"), NULL);
    HTTP_ANSWER none = send_token("demo", provider, "");
    check_refused(none);
    CU_ASSERT_TRUE(lives(tokens));
}

/* A provider's word counts for its own people at its own address. */
static void another_providers_logout_ends_nothing(void)
{
    TEXT email = person_address();

    person_is("emil", email, "one");
    identity_provider_person(other, json_pack("{s:s}", "sub", "emil"));
    HTTP_ANSWER tokens = sign_in();
    TEXT own = identity_provider_logout_token(clinic, json_pack("{s:s}", "sid", "one"));
    TEXT strange = identity_provider_logout_token(other, json_pack("{s:s}", "sid", "one"));
    HTTP_ANSWER mixed = send_token("demo", provider, strange);
    check_refused(mixed);
    HTTP_ANSWER theirs = send_token("demo", second_provider, strange);
    check_accepted(theirs);
    /* The neighbor's provider has the same issuer and client. */
    HTTP_ANSWER beside = send_token("neighbour", foreign_provider, own);
    check_accepted(beside);
    HTTP_ANSWER wrong = send_token("demo", foreign_provider, own);
    check_refused(wrong);
    HTTP_ANSWER crossed = send_token("neighbour", provider, own);
    check_refused(crossed);
    HTTP_ANSWER unknown = send_token("demo", "019a0b52-6e1d-7a34-9c87-5b2f1d8e6a09", own);
    check_refused(unknown);
    CU_ASSERT_TRUE(lives(tokens));
    set_state("draft");
    HTTP_ANSWER draft = send_token("demo", provider, own);
    check_refused(draft);
    set_state("active");
    HTTP_ANSWER done = send_token("demo", provider, own);
    check_accepted(done);
}

/* Presses the button of the sign-in page, and follows to the account. */
static void sign_in_page(struct browser *browser)
{
    char page[128];
    const char *link;
    char *url, *to;

    CU_ASSERT_EQUAL(browser_get(browser, "sign-in"), 200);
    snprintf(page, sizeof(page), "/t/demo/idp/%s/start", provider);
    CU_ASSERT_EQUAL(browser_post(browser, page, "role=practitioner"), 200);
    link = browser->page->body ? strstr(browser->page->body, "href=\"https://127.0.0.1") : NULL;
    if (!UNIT_CHECK(link != NULL, "%s", browser->page->body))
        return;
    url = to = strdup(link + strlen("href=\""));
    for (const char *at = url; *at != '"' && *at != '\0'; to++) { /* &amp; */
        *to = *at;
        at += strncmp(at, "&amp;", 5) == 0 ? 5 : 1;
    }
    *to = '\0';
    bend((struct identity_bend){.alg = NULL});
    TEXT callback = identity_provider_visit(clinic, url);
    free(url);
    CU_ASSERT_EQUAL(browser_get(browser, path_of(callback ? callback : "")), 303);
    CU_ASSERT_EQUAL(browser_follow(browser), 200);
}

static struct http_answer *grant(struct browser *browser, const char *app, const char *request)
{
    CU_ASSERT_EQUAL(oauth_ask(browser, app, request), 303);
    TEXT code = oauth_parameter(browser, "code");
    return oauth_exchange(suite, app, code);
}

/* Section 2.7: offline_access outlives the session. */
static void a_logout_spares_offline_access(void)
{
    BROWSER browser = browser_open(suite);
    TEXT email = person_address();
    TEXT app = oauth_register(suite, admin, NULL);

    person_is("fay", email, "one");
    sign_in_page(browser);
    HTTP_ANSWER online = grant(browser, app, OAUTH_USUAL);
    HTTP_ANSWER offline = grant(browser, app, OFFLINE);
    CHECK_STATUS(online, 200);
    CHECK_STATUS(offline, 200);
    HTTP_ANSWER done = log_out(json_pack("{s:s, s:n}", "sid", "one", "sub"));
    check_accepted(done);
    CU_ASSERT_EQUAL(browser_get(browser, "account"), 303);
    HTTP_ANSWER ended = oauth_renew(suite, app, http_text(online, "refresh_token"), "");
    CHECK_STATUS(ended, 400);
    HTTP_ANSWER kept = oauth_renew(suite, app, http_text(offline, "refresh_token"), "");
    CHECK_STATUS(kept, 200);
    /* A disabled provider ends that, too. */
    set_state("disabled");
    HTTP_ANSWER gone = oauth_renew(suite, app, http_text(kept, "refresh_token"), "");
    CHECK_STATUS(gone, 400);
    TEXT token = identity_provider_logout_token(clinic, NULL);
    HTTP_ANSWER disabled = send_token("demo", provider, token);
    check_refused(disabled);
    set_state("active");
}

static void the_scene_is_left(void)
{
    person_destroy(&admin);
    person_destroy(&foreign);
    suite_stop(&suite);
    identity_provider_stop(&clinic);
    identity_provider_stop(&other);
    unit_dir_remove(&dir);
    unit_dir_remove(&other_dir);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(the_scene_is_set),
    CASE(a_logout_by_sid_ends_that_session),
    CASE(a_logout_by_subject_ends_all_its_sessions),
    CASE(a_logout_token_is_good_once),
    CASE(bad_logout_tokens_end_nothing),
    CASE(another_providers_logout_ends_nothing),
    CASE(a_logout_spares_offline_access),
    CASE_ALWAYS(the_scene_is_left),
};

int main(void)
{
    return unit_run("federation_person", cases, ARRAY_SIZE(cases));
}
