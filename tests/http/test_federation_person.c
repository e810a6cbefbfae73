/*
 * test_federation_person.c - what an identity provider and its people do after the first sign-in:
 * logout tokens (OpenID Connect Back-Channel Logout 1.0), links by a signed-in person, and fresh
 * proofs at the provider.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/browser.h"
#include "tests/support/certificate.h"
#include "tests/support/factor.h"
#include "tests/support/federation.h"
#include "tests/support/members.h"
#include "tests/support/oauth.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

#define DOMAIN "patients.example" /* see person_address() */
#define OFFLINE                                                       \
    "&response_type=code&redirect_uri=https%3A%2F%2Fapp.example%2Fcb" \
    "&scope=openid+offline_access" OAUTH_PKCE

static struct suite *suite;
static struct unit_dir dir;
static struct identity_provider *clinic, *other;
static struct person *admin, *foreign;
static char provider[37], foreign_provider[37], second_provider[37];
static bool trusted; /* the provider's second factor */

/* ---- providers ---- */

static json_t *provider_body(struct identity_provider *at, const char *domain, const char *state)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:[s,s], s:[s], s:s, s:s, s:b}", "name", "Staff ID",
                     "preset", "oidc", "issuer", identity_provider_issuer(at), "clientId", "atrium",
                     "clientSecret", FEDERATION_SECRET, "roles", "practitioners", "patients",
                     "domains", domain, "provisioning", "both", "state", state, "trustedForMfa",
                     trusted);
}

static void set_state(const char *state)
{
    char path[128];

    snprintf(path, sizeof(path), FEDERATION_PROVIDERS "/%s", provider);
    HTTP_ANSWER set =
        http_put(suite_url(suite), path, admin->access, provider_body(clinic, DOMAIN, state));
    CHECK_STATUS(set, 200);
}

/* ---- a person at the provider ---- */

/* sid NULL: the provider names no session of its own. */
static void person_is(const char *subject, const char *email, const char *sid)
{
    identity_provider_person(clinic,
                             json_pack("{s:s, s:s, s:s, s:s, s:s*}", "sub", subject, "email", email,
                                       "given_name", "Rui", "family_name", "Costa", "sid", sid));
}

/* Bends what the provider answers, with its clock set to the suite's. */
static void bend(struct identity_bend how)
{
    how.shift_s = suite_clock_ahead(suite);
    identity_provider_bend(clinic, &how);
    identity_provider_bend(other, &(struct identity_bend){.shift_s = how.shift_s});
}

/* Goes through the provider and its callback. Returns where that leads, "" for nowhere. The caller
 * frees it. */
static char *go_on(const char *authorize_url)
{
    TEXT callback = identity_provider_visit(clinic, authorize_url);

    return federation_follow(suite, callback ? callback : "");
}

static char *go(const char *authorize_url)
{
    bend((struct identity_bend){.alg = NULL});
    return go_on(authorize_url);
}

static char *arrive(void)
{
    HTTP_ANSWER started =
        federation_start(suite, "Practitioner", "demo", provider, FEDERATION_STAFF_APP);

    CHECK_STATUS(started, 200);
    return go(http_text(started, "authorizeUrl"));
}

static struct http_answer *sign_in(void)
{
    TEXT location = arrive();
    struct http_answer *tokens = federation_redeem(suite, "Practitioner", location, NULL);

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

/* Their proof ages with the clock. */
static void renew_admins(void)
{
    person_destroy(&admin);
    admin = person_admin(suite);
}

/* ---- cases ---- */

static void the_scene_is_set(void)
{
    dir = unit_dir_make();
    certificate_make(&dir);
    clinic = identity_provider_start(&dir, "atrium", FEDERATION_SECRET);
    other = identity_provider_start(&dir, "atrium", FEDERATION_SECRET);
    suite = federation_suite(&dir);
    admin = person_admin(suite);
    suite_make_open_project(suite, "neighbour");
    PROGRAM made = suite_create_admin(suite, "neighbour", "olga@neighbour.example",
                                      "a long enough password\n");
    UNIT_CHECK(made->code == 0, "%s", made->err);
    foreign = person_sign_in(suite, "Practitioner", "olga@neighbour.example",
                             "a long enough password", "neighbour");
    UNIT_REQUIRE(admin->access && foreign->access, "two admins");
    member_map_template(suite, admin->access, "INVITE_TO_PROJECT", MEMBER_INVITATION_TEXT);
    federation_verify_domain(suite, "demo", DOMAIN);
    federation_verify_domain(suite, "neighbour", "neighbour.example");
    federation_add(suite, admin, provider_body(clinic, DOMAIN, "active"), provider);
    federation_add(suite, admin, provider_body(other, DOMAIN, "active"), second_provider);
    federation_add(suite, foreign, provider_body(clinic, "neighbour.example", "active"),
                   foreign_provider);
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
    HTTP_ANSWER unspent = federation_redeem(suite, "Practitioner", waiting, NULL);
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
    HTTP_ANSWER unspent = federation_redeem(suite, "Practitioner", waiting, NULL);
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
    PERSON below = person_admin_of_child(suite, "logout-child");

    CU_ASSERT_PTR_NOT_NULL(below->access);
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
    HTTP_ANSWER inherited = send_token("logout-child", provider, own);
    check_refused(inherited);
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
    CU_ASSERT_EQUAL(browser_get(browser, federation_path(callback ? callback : "")), 303);
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

/* ---- links ---- */

static struct http_answer *start_link(const char *access, const char *id, const char *redirect)
{
    return http_post(suite_url(suite), "/auth/identities/link/start", access,
                     json_pack("{s:s, s:s, s:s}", "providerId", id, "codeChallenge", pkce_challenge,
                               "redirectUri", redirect));
}

/* Returns where the round leads, with the session code. The caller frees it. */
static char *round_of(const char *access)
{
    HTTP_ANSWER started = start_link(access, provider, FEDERATION_STAFF_APP);

    CHECK_STATUS(started, 200);
    return go(http_text(started, "authorizeUrl"));
}

static struct http_answer *finish_by(const char *access, const char *location, const char *verifier)
{
    return http_post(suite_url(suite), "/auth/identities/link", access,
                     json_pack("{s:s, s:s}", "sessionCode",
                               federation_parameter(location, "sessionCode"), "codeVerifier",
                               verifier));
}

static struct http_answer *finish(const char *access, const char *location)
{
    return finish_by(access, location, pkce_verifier);
}

static long links(const char *subject)
{
    return suite_count(suite, "select count(*) from auth.identity where subject = '%s'", subject);
}

static struct person *join(void)
{
    char id[37];

    renew_admins();
    return member_join(suite, admin, "Practitioner", false, id);
}

static void a_signed_in_person_links_an_identity(void)
{
    PERSON member = join();
    PERSON another = join();

    person_is("lena", "lena@elsewhere.example", NULL);
    TEXT location = round_of(member->access);
    UNIT_CHECK(strncmp(location, FEDERATION_STAFF_APP "?", strlen(FEDERATION_STAFF_APP "?")) == 0,
               "%s", location);
    CU_ASSERT_EQUAL(links("lena"), 0); /* the callback alone links no one */
    HTTP_ANSWER linked = finish(member->access, location);
    CHECK_STATUS(linked, 200);
    CU_ASSERT_STRING_EQUAL(http_text(linked, "provider"), "Staff ID");
    CU_ASSERT_STRING_EQUAL(http_text(linked, "providerId"), provider);
    suite_mails_settle(suite);
    TEXT told = suite_mail(suite, member->email, 30000);
    UNIT_CHECK(told && strstr(told, "Staff ID"), "%s", told ? told : "");
    HTTP_ANSWER tokens = sign_in();
    HTTP_ANSWER me = http_get(suite_url(suite), "/auth/me", http_text(tokens, "accessToken"));
    UNIT_CHECK(me->body && strstr(me->body, member->email), "%s", me->body ? me->body : "");
    /* The same person of the provider can't have a second account. */
    TEXT again = round_of(another->access);
    HTTP_ANSWER taken = finish(another->access, again);
    CHECK_STATUS(taken, 409);
    CU_ASSERT_EQUAL(links("lena"), 1);
    /* A session that the provider made links nothing. */
    HTTP_ANSWER itself =
        start_link(http_text(tokens, "accessToken"), provider, FEDERATION_STAFF_APP);
    CHECK_STATUS(itself, 403);
}

static void links_start_only_at_the_projects_own_provider(void)
{
    PERSON member = join();
    PERSON below = person_admin_of_child(suite, "links-child");

    HTTP_ANSWER theirs = start_link(member->access, foreign_provider, FEDERATION_STAFF_APP);
    CHECK_STATUS(theirs, 404);
    suite_set_value(suite, below->access, "PRACTITIONER_APP_URL", "https://below.example");
    HTTP_ANSWER above = start_link(below->access, provider, "https://below.example/federated");
    CHECK_STATUS(above, 404);
    HTTP_ANSWER astray = start_link(member->access, provider, FEDERATION_STAFF_APP "/");
    CHECK_STATUS(astray, 422);
    HTTP_ANSWER no_one = start_link(NULL, provider, FEDERATION_STAFF_APP);
    CHECK_STATUS(no_one, 401);
}

/* Public fault of another broker: a link proof that stays valid can link another person. */
static void a_link_proof_is_not_reused_for_another_identity(void)
{
    PERSON member = join();

    person_is("first", "first@elsewhere.example", NULL);
    HTTP_ANSWER started = start_link(member->access, provider, FEDERATION_STAFF_APP);
    bend((struct identity_bend){.alg = NULL});
    TEXT callback = identity_provider_visit(clinic, http_text(started, "authorizeUrl"));
    HTTP_ANSWER once = http_get(suite_url(suite), federation_path(callback), NULL);
    TEXT location = http_header(once, "Location");
    person_is("second", "second@elsewhere.example", NULL);
    TEXT other_callback = identity_provider_visit(clinic, http_text(started, "authorizeUrl"));
    HTTP_ANSWER twice = http_get(suite_url(suite), federation_path(other_callback), NULL);
    CHECK_STATUS(twice, 400);
    HTTP_ANSWER linked = finish(member->access, location);
    CHECK_STATUS(linked, 200);
    CU_ASSERT_EQUAL(links("first"), 1);
    CU_ASSERT_EQUAL(links("second"), 0);
    HTTP_ANSWER again = finish(member->access, location);
    CHECK_STATUS(again, 400);
    CU_ASSERT_EQUAL(links("second"), 0);
}

/* Public fault of another broker: a link proof survives success or the removal of the link. */
static void a_link_proof_dies_with_an_unlink(void)
{
    PERSON member = join();
    char path[128];

    person_is("kept", "kept@elsewhere.example", NULL);
    TEXT one = round_of(member->access);
    person_is("spare", "spare@elsewhere.example", NULL);
    TEXT spare = round_of(member->access);
    HTTP_ANSWER linked = finish(member->access, one);
    CHECK_STATUS(linked, 200);
    snprintf(path, sizeof(path), "/auth/identities/%s", http_text(linked, "id"));
    HTTP_ANSWER removed = http_delete(suite_url(suite), path, member->access);
    CHECK_STATUS(removed, 204);
    HTTP_ANSWER late = finish(member->access, spare);
    CHECK_STATUS(late, 400);
    HTTP_ANSWER again = finish(member->access, one);
    CHECK_STATUS(again, 400);
    CU_ASSERT_EQUAL(links("kept") + links("spare"), 0);
}

/* Public fault of another broker: the state of a link can be computed. */
static void the_state_of_a_link_is_random(void)
{
    PERSON member = join();
    HTTP_ANSWER one = start_link(member->access, provider, FEDERATION_STAFF_APP);
    HTTP_ANSWER other_one = start_link(member->access, provider, FEDERATION_STAFF_APP);
    TEXT state = strdup(federation_parameter(http_text(one, "authorizeUrl"), "state"));
    TEXT nonce = strdup(federation_parameter(http_text(one, "authorizeUrl"), "nonce"));
    char path[200];

    UNIT_CHECK(strlen(state) == 32 && strlen(nonce) == 32, "%s, %s", state, nonce);
    CU_ASSERT_STRING_NOT_EQUAL(state, nonce);
    CU_ASSERT_STRING_NOT_EQUAL(state,
                               federation_parameter(http_text(other_one, "authorizeUrl"), "state"));
    CU_ASSERT_STRING_NOT_EQUAL(nonce,
                               federation_parameter(http_text(other_one, "authorizeUrl"), "nonce"));
    snprintf(path, sizeof(path), "/t/demo/idp/%s/callback?code=c&state=%s", provider,
             http_text(one, "loginId"));
    HTTP_ANSWER guessed = http_get(suite_url(suite), path, NULL);
    CHECK_STATUS(guessed, 400);
}

/* Login CSRF: a round that another account, session or application started links no one. */
static void a_link_needs_the_session_that_started(void)
{
    PERSON attacker = join();
    PERSON victim = join();
    PERSON elsewhere =
        person_sign_in(suite, "Practitioner", attacker->email, MEMBER_PASSWORD, "demo");

    person_is("mallory", "mallory@elsewhere.example", NULL);
    TEXT location = round_of(attacker->access);
    HTTP_ANSWER lured = finish(victim->access, location);
    CHECK_STATUS(lured, 400);
    HTTP_ANSWER beside = finish(elsewhere->access, location);
    CHECK_STATUS(beside, 400);
    HTTP_ANSWER no_sign_in = federation_redeem(suite, "Practitioner", location, NULL);
    CHECK_STATUS(no_sign_in, 400);
    /* The code of a sign-in is no answer for a link. */
    TEXT email = person_address();
    person_is("victim", email, NULL);
    TEXT theirs = arrive();
    HTTP_ANSWER of_sign_in = finish(attacker->access, theirs);
    CHECK_STATUS(of_sign_in, 400);
    HTTP_ANSWER guess =
        finish_by(attacker->access, location, "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA");
    CHECK_STATUS(guess, 400);
    HTTP_ANSWER spent = finish(attacker->access, location);
    CHECK_STATUS(spent, 400);
    CU_ASSERT_EQUAL(links("mallory"), 0);
}

static void a_link_needs_a_fresh_proof(void)
{
    PERSON member = join();

    person_is("nora", "nora@elsewhere.example", NULL);
    suite_advance_clock(suite, 870);
    TEXT location = round_of(member->access);
    suite_advance_clock(suite, 40);
    HTTP_ANSWER late = finish(member->access, location);
    CHECK_STATUS(late, 401);
    CU_ASSERT_STRING_EQUAL(http_text(late, "code"), "STEP_UP_REQUIRED");
    HTTP_ANSWER stale = start_link(member->access, provider, FEDERATION_STAFF_APP);
    CHECK_STATUS(stale, 401);
    HTTP_ANSWER proof = http_post(suite_url(suite), "/auth/step-up", member->access,
                                  json_pack("{s:s}", "password", MEMBER_PASSWORD));
    CHECK_STATUS(proof, 204);
    HTTP_ANSWER linked = finish(member->access, location);
    CHECK_STATUS(linked, 200);
    renew_admins();
    TEXT expired = round_of(member->access);
    suite_advance_clock(suite, 601);
    HTTP_ANSWER gone = finish(member->access, expired);
    CHECK_STATUS(gone, 400);
}

static void another_issuer_inherits_no_link_proof(void)
{
    PERSON member = join();
    char path[128];

    person_is("otto", "otto@elsewhere.example", NULL);
    renew_admins();
    TEXT location = round_of(member->access);
    snprintf(path, sizeof(path), FEDERATION_PROVIDERS "/%s", provider);
    HTTP_ANSWER moved =
        http_put(suite_url(suite), path, admin->access, provider_body(other, DOMAIN, "active"));
    CHECK_STATUS(moved, 200);
    HTTP_ANSWER late = finish(member->access, location);
    CHECK_STATUS(late, 400);
    set_state("active");
    CU_ASSERT_EQUAL(links("otto"), 0);
}

/* Presses the account page's button of the first link. Returns the status. */
static int press_unlink(struct browser *browser)
{
    char form[80];

    CU_ASSERT_EQUAL(browser_get(browser, "account"), 200);
    CU_ASSERT_TRUE(browser_sees(browser, "Staff ID"));
    TEXT id = browser_value(browser, "identity");
    snprintf(form, sizeof(form), "do=unlink&identity=%s", id);
    return browser_post(browser, "account", form);
}

static void the_account_page_shows_and_removes_links(void)
{
    PERSON member = join();
    BROWSER local = browser_open(suite);
    BROWSER at_provider = browser_open(suite);

    person_is("sara", member->email, NULL);
    TEXT location = round_of(member->access);
    HTTP_ANSWER linked = finish(member->access, location);
    CHECK_STATUS(linked, 200);
    sign_in_page(at_provider);
    CU_ASSERT_EQUAL(press_unlink(at_provider), 303);
    CU_ASSERT_TRUE(browser_goes_to(at_provider, "/t/demo/account?note=unlink-first"));
    CU_ASSERT_EQUAL(links("sara"), 1);
    CU_ASSERT_TRUE(browser_signs_in(local, member->email, "chosen+by+the+invited"));
    suite_advance_clock(suite, 901);
    CU_ASSERT_EQUAL(press_unlink(local), 303);
    CU_ASSERT_TRUE(browser_goes_to(local, "/t/demo/step-up?goal=account"));
    CU_ASSERT_EQUAL(browser_follow(local), 200);
    CU_ASSERT_EQUAL(browser_post(local, "step-up", "goal=account&password=chosen+by+the+invited"),
                    303);
    CU_ASSERT_EQUAL(press_unlink(local), 303);
    CU_ASSERT_TRUE(browser_goes_to(local, "/t/demo/account?note=unlinked"));
    CU_ASSERT_EQUAL(browser_follow(local), 200);
    CU_ASSERT_FALSE(browser_sees(local, "Staff ID"));
    CU_ASSERT_EQUAL(links("sara"), 0);
    CU_ASSERT_EQUAL(browser_get(at_provider, "account"), 303);
}

/* ---- fresh proofs ---- */

static struct http_answer *start_proof(const char *access)
{
    return http_post(suite_url(suite), "/auth/step-up/federated/start", access,
                     json_pack("{s:s, s:s}", "codeChallenge", pkce_challenge, "redirectUri",
                               FEDERATION_STAFF_APP));
}

static char *proof_of(const char *access, const struct identity_bend *how)
{
    HTTP_ANSWER started = start_proof(access);

    CHECK_STATUS(started, 200);
    bend(how ? *how : (struct identity_bend){.alg = NULL});
    return go_on(http_text(started, "authorizeUrl"));
}

static struct http_answer *show_proof(const char *access, const char *location)
{
    return http_post(suite_url(suite), "/auth/step-up", access,
                     json_pack("{s:s, s:s}", "sessionCode",
                               federation_parameter(location, "sessionCode"), "codeVerifier",
                               pkce_verifier));
}

/* True if the session has a fresh proof. */
static bool is_fresh(const char *access)
{
    HTTP_ANSWER answer =
        http_post(suite_url(suite), "/auth/passkey/enroll/start", access, json_object());

    UNIT_CHECK(answer->status == 200 || answer->status == 401, "%d", answer->status);
    return answer->status == 200;
}

static void a_new_sign_in_at_the_provider_is_a_fresh_proof(void)
{
    TEXT email = person_address();

    person_is("pia", email, NULL);
    HTTP_ANSWER tokens = sign_in();
    const char *access = http_text(tokens, "accessToken");
    CU_ASSERT_TRUE(is_fresh(access));
    suite_advance_clock(suite, 901);
    CU_ASSERT_FALSE(is_fresh(access));
    TEXT location = proof_of(access, NULL);
    CU_ASSERT_FALSE(is_fresh(access));
    HTTP_ANSWER incomplete =
        http_post(suite_url(suite), "/auth/step-up", access,
                  json_pack("{s:s}", "sessionCode", federation_parameter(location, "sessionCode")));
    CHECK_STATUS(incomplete, 422);
    HTTP_ANSWER shown = show_proof(access, location);
    CHECK_STATUS(shown, 204);
    CU_ASSERT_TRUE(is_fresh(access));
    CU_ASSERT_EQUAL(suite_count(suite, "select count(*) from auth.audit where event::text like "
                                       "'%%session.step-up%%federated%%'"),
                    1);
    suite_advance_clock(suite, 901);
    HTTP_ANSWER again = show_proof(access, location);
    CHECK_STATUS(again, 400);
    CU_ASSERT_FALSE(is_fresh(access));
}

static void an_old_or_other_sign_in_is_no_fresh_proof(void)
{
    TEXT email = person_address();
    PERSON member = join();

    person_is("quim", email, NULL);
    HTTP_ANSWER tokens = sign_in();
    HTTP_ANSWER beside = sign_in();
    const char *access = http_text(tokens, "accessToken");
    suite_advance_clock(suite, 901);
    TEXT old = proof_of(
        access, &(struct identity_bend){
                    .claims = json_pack("{s:I}", "auth_time", (json_int_t)suite_now(suite) - 60)});
    CU_ASSERT_STRING_EQUAL(federation_parameter(old, "error"), "access_denied");
    TEXT absent =
        proof_of(access, &(struct identity_bend){.claims = json_pack("{s:n}", "auth_time")});
    CU_ASSERT_STRING_EQUAL(federation_parameter(absent, "error"), "access_denied");
    person_is("rita", email, NULL);
    TEXT another = proof_of(access, NULL);
    HTTP_ANSWER other_person = show_proof(access, another);
    CHECK_STATUS(other_person, 400);
    person_is("quim", email, NULL);
    TEXT mine = proof_of(access, NULL);
    HTTP_ANSWER other_session = show_proof(http_text(beside, "accessToken"), mine);
    CHECK_STATUS(other_session, 400);
    HTTP_ANSWER as_link = finish(access, mine);
    CHECK_STATUS(as_link, 400);
    CU_ASSERT_FALSE(is_fresh(access));
    HTTP_ANSWER local = start_proof(member->access);
    CHECK_STATUS(local, 400);
    HTTP_ANSWER right = show_proof(access, mine);
    CHECK_STATUS(right, 204);
}

/* As in a sign-in, the provider's second factor counts only if it is trusted for that. */
static void a_second_factor_is_not_replaced_by_one(void)
{
    OWNER owner = factor_enroll(suite, join(), "Practitioner");
    json_t *two = json_pack("{s:s, s:[s,s]}", "sub", "tess", "amr", "pwd", "otp");

    identity_provider_person(clinic, json_incref(two));
    TEXT location = round_of(owner.person->access);
    HTTP_ANSWER linked = finish(owner.person->access, location);
    CHECK_STATUS(linked, 200);
    trusted = true;
    renew_admins();
    set_state("active");
    HTTP_ANSWER tokens = sign_in();
    const char *access = http_text(tokens, "accessToken");
    identity_provider_person(clinic, json_pack("{s:s, s:[s]}", "sub", "tess", "amr", "pwd"));
    suite_advance_clock(suite, 901);
    TEXT one = proof_of(access, NULL);
    HTTP_ANSWER refused = show_proof(access, one);
    CHECK_STATUS(refused, 400);
    identity_provider_person(clinic, two);
    TEXT both = proof_of(access, NULL);
    HTTP_ANSWER shown = show_proof(access, both);
    CHECK_STATUS(shown, 204);
    trusted = false;
    renew_admins();
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
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(the_scene_is_set),
    CASE(a_logout_by_sid_ends_that_session),
    CASE(a_logout_by_subject_ends_all_its_sessions),
    CASE(a_logout_token_is_good_once),
    CASE(bad_logout_tokens_end_nothing),
    CASE(another_providers_logout_ends_nothing),
    CASE(a_logout_spares_offline_access),
    CASE(a_signed_in_person_links_an_identity),
    CASE(links_start_only_at_the_projects_own_provider),
    CASE(a_link_proof_is_not_reused_for_another_identity),
    CASE(a_link_proof_dies_with_an_unlink),
    CASE(the_state_of_a_link_is_random),
    CASE(a_link_needs_the_session_that_started),
    CASE(a_link_needs_a_fresh_proof),
    CASE(another_issuer_inherits_no_link_proof),
    CASE(the_account_page_shows_and_removes_links),
    CASE(a_new_sign_in_at_the_provider_is_a_fresh_proof),
    CASE(an_old_or_other_sign_in_is_no_fresh_proof),
    CASE(a_second_factor_is_not_replaced_by_one),
    CASE_ALWAYS(the_scene_is_left),
};

int main(void)
{
    return unit_run("federation_person", cases, ARRAY_SIZE(cases));
}
