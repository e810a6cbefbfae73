/*
 * test_federation.c - sign-in with a project's identity provider, by JSON and on pages: who may be
 * whom, what a provider of another project gets, and what ends the sessions.
 */
#include <CUnit/CUnit.h>
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/support/browser.h"
#include "tests/support/certificate.h"
#include "tests/support/factor.h"
#include "tests/support/federation.h"
#include "tests/support/members.h"
#include "tests/support/oauth.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

#define DOMAIN "patients.example" /* see person_address() */
#define PATIENT_APP "https://patient.demo.example/federated"

enum { MANY = 64 };

static struct suite *suite;
static struct unit_dir dir;
static struct identity_provider *clinic;
static struct person *admin, *child, *foreign;
static char provider[37], child_provider[37], foreign_provider[37];

/* ---- providers ---- */

static json_t *provider_body(const char *domain, const char *more)
{
    json_t *body = json_pack("{s:s, s:s, s:s, s:s, s:s, s:[s,s], s:[s], s:s}", "name", "Staff ID",
                             "preset", "oidc", "issuer", identity_provider_issuer(clinic),
                             "clientId", "atrium", "clientSecret", FEDERATION_SECRET, "roles",
                             "practitioners", "patients", "domains", domain, "state", "active");
    json_t *changes = json_loads(more, 0, NULL);

    UNIT_CHECK(changes != NULL, "%s", more);
    json_object_update(body, changes);
    json_decref(changes);
    return body;
}

/* Replaces the settings of the demo clinic's provider, with these members. */
static void set_provider(const char *more)
{
    char path[128];

    snprintf(path, sizeof(path), FEDERATION_PROVIDERS "/%s", provider);
    HTTP_ANSWER set = http_put(suite_url(suite), path, admin->access, provider_body(DOMAIN, more));
    CHECK_STATUS(set, 200);
}

static void sign_in_again(void)
{
    person_destroy(&admin);
    admin = person_admin(suite);
}

/* Lets an admin invite practitioners, and gives the project an application. */
static void equip(const struct person *who, const char *app)
{
    char value[64];
    HTTP_ANSWER policy =
        http_post(suite_url(suite), "/v1/project/access-policies", who->access,
                  json_pack("{s:s, s:[{s:s}]}", "name", "Staff", "resource", "resourceType", "*"));

    CHECK_STATUS(policy, 200);
    snprintf(value, sizeof(value), "AccessPolicy/%s", http_text(policy, "id"));
    suite_set_value(suite, who->access, "DEFAULT_PRACTITIONER_ACCESS_POLICY", value);
    suite_set_value(suite, who->access, "PRACTITIONER_APP_URL", app);
    member_map_template(suite, who->access, "INVITE_TO_PROJECT", MEMBER_INVITATION_TEXT);
}

/* ---- a person at the provider ---- */

static void person_is(const char *subject, const char *email)
{
    identity_provider_person(clinic, json_pack("{s:s, s:s, s:s, s:s}", "sub", subject, "email",
                                               email, "given_name", "Rui", "family_name", "Costa"));
}

/* Sets the provider's clock to the suite's. */
static void keep_time(enum identity_trouble token)
{
    const struct identity_bend bend = {.trouble[IDENTITY_TOKEN] = token,
                                       .shift_s = suite_clock_ahead(suite)};

    identity_provider_bend(clinic, &bend);
}

/* Starts a sign-in and goes through the provider. Returns the callback's URL, "" for none. The
 * caller frees it. */
static char *callback_at(const char *tenant, const char *id, const char *role, const char *redirect)
{
    HTTP_ANSWER started = federation_start(suite, role, tenant, id, redirect);
    char *callback = NULL;

    keep_time(IDENTITY_FINE);
    if (CHECK_STATUS(started, 200))
        callback = identity_provider_visit(clinic, http_text(started, "authorizeUrl"));
    return callback ? callback : strdup("");
}

static char *callback_of(const char *role)
{
    return callback_at("demo", provider, role,
                       strcmp(role, "Patient") == 0 ? PATIENT_APP : FEDERATION_STAFF_APP);
}

static char *arrive(const char *role)
{
    TEXT callback = callback_of(role);

    return federation_follow(suite, callback);
}

/* Signs in; the tokens are the caller's. */
static struct http_answer *sign_in(const char *role)
{
    TEXT location = arrive(role);

    UNIT_CHECK(*federation_parameter(location, "sessionCode") != '\0', "%s", location);
    return federation_redeem(suite, role, location, NULL);
}

static void check_refused(const char *role, const char *why)
{
    TEXT location = arrive(role);

    UNIT_CHECK(strcmp(federation_parameter(location, "error"), "access_denied") == 0 &&
                   *federation_parameter(location, "sessionCode") == '\0',
               "%s", location);
    UNIT_CHECK(suite_count(suite,
                           "select count(*) from auth.audit where event::text like '%%%s Staff "
                           "ID%%' and id = (select max(id) from auth.audit)",
                           why) == 1,
               "the audit log does not say %s", why);
}

static long links(const char *subject)
{
    return suite_count(suite, "select count(*) from auth.identity where subject = '%s'", subject);
}

/* ---- cases ---- */

static void the_scene_is_set(void)
{
    dir = unit_dir_make();
    certificate_make(&dir);
    clinic = identity_provider_start(&dir, "atrium", FEDERATION_SECRET);
    suite = federation_suite(&dir);
    child = person_admin_of_child(suite, "federation-child");
    admin = person_admin(suite);
    suite_make_open_project(suite, "neighbour");
    PROGRAM made = suite_create_admin(suite, "neighbour", "olga@neighbour.example",
                                      "a long enough password\n");
    UNIT_CHECK(made->code == 0, "%s", made->err);
    foreign = person_sign_in(suite, "Practitioner", "olga@neighbour.example",
                             "a long enough password", "neighbour");
    UNIT_REQUIRE(admin->access && child->access && foreign->access, "three admins");
    member_map_template(suite, admin->access, "INVITE_TO_PROJECT", MEMBER_INVITATION_TEXT);
    equip(child, "https://below.example");
    equip(foreign, "https://mallory.example");
    federation_verify_domain(suite, "demo", DOMAIN);
    federation_verify_domain(suite, "neighbour", "neighbour.example");
    federation_add(suite, admin, provider_body(DOMAIN, "{}"), provider);
}

static void strangers_are_refused(void)
{
    TEXT email = person_address();

    person_is("stranger", email);
    check_refused("Practitioner", "unknown");
    check_refused("Patient", "unknown");
    person_is("stranger", "rui@elsewhere.example");
    check_refused("Practitioner", "domain");
    CU_ASSERT_EQUAL(links("stranger"), 0);
    TEXT account = suite_account(suite, email);
    CU_ASSERT_STRING_EQUAL(account, "");
}

static void a_first_arrival_can_be_provisioned(void)
{
    TEXT email = person_address();
    char detail[128];

    set_provider("{\"provisioning\":\"both\"}");
    person_is("rui", email);
    TEXT location = arrive("Practitioner");
    UNIT_CHECK(strncmp(location, FEDERATION_STAFF_APP "?", strlen(FEDERATION_STAFF_APP "?")) == 0,
               "%s", location);
    CU_ASSERT_STRING_NOT_EQUAL(federation_parameter(location, "loginId"), "");
    snprintf(detail, sizeof(detail), "%s/t/demo", suite_text(suite, "publicUrl"));
    CU_ASSERT_STRING_EQUAL(federation_parameter(location, "iss"), detail);
    HTTP_ANSWER tokens = federation_redeem(suite, "Practitioner", location, NULL);
    CHECK_STATUS(tokens, 200);
    HTTP_ANSWER again = federation_redeem(suite, "Practitioner", location, NULL);
    CHECK_STATUS(again, 400);
    HTTP_ANSWER second = sign_in("Practitioner");
    HTTP_ANSWER me = http_get(suite_url(suite), "/auth/me", http_text(second, "accessToken"));
    CHECK_STATUS(me, 200);
    CU_ASSERT_EQUAL(links("rui"), 1);
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from auth.session s join auth.account a on a.id "
                                "= s.account_id where a.email = '%s' and s.auth_method = "
                                "'federated' and s.identity_id is not null",
                                email),
                    2);
    CU_ASSERT_EQUAL(suite_count(suite, "select count(*) from auth.audit where event::text like "
                                       "'%%federated Staff ID%%'"),
                    2);
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from auth.membership m join auth.account a on "
                                "a.id = m.account_id where a.email = '%s' and not m.admin",
                                email),
                    1);
    /* The address is only for the first arrival. */
    person_is("rui", "other@elsewhere.example");
    HTTP_ANSWER third = sign_in("Practitioner");
    CHECK_STATUS(third, 200);
    set_provider("{}");
}

static void patients_may_arrive_unverified(void)
{
    set_provider("{\"provisioning\":\"patients\"}");
    person_is("ana", "ana@elsewhere.example");
    HTTP_ANSWER tokens = sign_in("Patient");
    CHECK_STATUS(tokens, 200);
    CU_ASSERT_EQUAL(suite_count(suite, "select count(*) from auth.email_verified v join "
                                       "auth.account a on a.id = v.account_id where a.email = "
                                       "'ana@elsewhere.example'"),
                    0);
    person_is("bea", "ana@elsewhere.example");
    check_refused("Patient", "not-linked");
    person_is("carl", "carl@elsewhere.example");
    check_refused("Practitioner", "domain");
    set_provider("{}");
}

static void invitations_of_admins_are_accepted(void)
{
    TEXT email = person_address();
    TEXT chief = person_address();

    HTTP_ANSWER invited = member_invite(suite, admin->access, email, "Practitioner");
    CHECK_STATUS(invited, 200);
    person_is("invited", email);
    HTTP_ANSWER tokens = sign_in("Practitioner");
    CHECK_STATUS(tokens, 200);
    CU_ASSERT_EQUAL(member_pending_count(suite, email), 0);
    CU_ASSERT_EQUAL(member_count(suite, email), 1);
    HTTP_ANSWER top =
        member_call(suite, "POST", admin->access, "", "", member_body(chief, "Practitioner", true));
    CHECK_STATUS(top, 200);
    person_is("chief", chief);
    check_refused("Practitioner", "unknown");
    CU_ASSERT_EQUAL(member_pending_count(suite, chief), 1);
}

/* The mailbox beats who made the account. */
static void an_owned_account_is_linked(void)
{
    char id[37];
    PERSON squatter = person_register_settled(suite);
    PERSON member = member_join(suite, admin, "Practitioner", false, id);

    person_is("owner", squatter->email);
    HTTP_ANSWER tokens = sign_in("Patient");
    CHECK_STATUS(tokens, 200);
    CU_ASSERT_EQUAL(links("owner"), 1);
    CU_ASSERT_EQUAL(suite_status(suite, "/auth/me", squatter->access), 401);
    PERSON locked_out = person_sign_in(suite, "Patient", squatter->email, squatter->password, NULL);
    CU_ASSERT_EQUAL(locked_out->status, 400);
    /* A verified account keeps what it has. */
    person_is("member", member->email);
    HTTP_ANSWER staff = sign_in("Practitioner");
    CHECK_STATUS(staff, 200);
    CU_ASSERT_EQUAL(suite_status(suite, "/auth/me", member->access), 200);
    PERSON again = person_sign_in(suite, "Practitioner", member->email, MEMBER_PASSWORD, NULL);
    CU_ASSERT_EQUAL(again->status, 200);
    TEXT told = suite_mail(suite, member->email, 30000);
    UNIT_CHECK(told && strstr(told, "Staff ID"), "%s", told ? told : "");
}

/* A provider can assert any address of its domains, so a claim gives nothing of another project. */
static void a_claim_gets_no_account_of_others(void)
{
    char id[37];
    PERSON member = member_join(suite, admin, "Practitioner", false, id);

    /* The domain is another project's. */
    federation_add(suite, foreign, provider_body("neighbour.example", "{}"), foreign_provider);
    person_is("mallory", member->email);
    TEXT callback = callback_at("neighbour", foreign_provider, "Practitioner",
                                "https://mallory.example/federated");
    TEXT outside = federation_follow(suite, callback);
    CU_ASSERT_STRING_EQUAL(federation_parameter(outside, "error"), "access_denied");
    /* The domain is the attacker's, the account is not. */
    CU_ASSERT_EQUAL(suite_count(suite,
                                "with moved as (update auth.account set email = "
                                "'rui@neighbour.example' where email = '%s' returning 1) select "
                                "count(*) from moved",
                                member->email),
                    1);
    person_is("mallory", "rui@neighbour.example");
    TEXT mine = callback_at("neighbour", foreign_provider, "Practitioner",
                            "https://mallory.example/federated");
    TEXT inside = federation_follow(suite, mine);
    CU_ASSERT_STRING_EQUAL(federation_parameter(inside, "error"), "access_denied");
    /* Nor by an invitation, which would take the account from its owner. */
    HTTP_ANSWER invited =
        member_invite(suite, foreign->access, "rui@neighbour.example", "Practitioner");
    CHECK_STATUS(invited, 200);
    TEXT third = callback_at("neighbour", foreign_provider, "Practitioner",
                             "https://mallory.example/federated");
    TEXT lured = federation_follow(suite, third);
    CU_ASSERT_STRING_EQUAL(federation_parameter(lured, "error"), "access_denied");
    CU_ASSERT_EQUAL(links("mallory"), 0);
    CU_ASSERT_EQUAL(member_count(suite, "rui@neighbour.example"), 1);
    CU_ASSERT_EQUAL(suite_status(suite, "/auth/me", member->access), 200);
}

static void a_project_below_gets_no_account_of_its_parent(void)
{
    char id[37];
    PERSON member = member_join(suite, admin, "Practitioner", false, id);

    federation_verify_domain(suite, "federation-child", "below.example");
    federation_add(suite, child, provider_body("below.example", "{}"), child_provider);
    suite_count(suite,
                "with moved as (update auth.account set email = 'rui@below.example' where email = "
                "'%s' returning 1) select count(*) from moved",
                member->email);
    person_is("below", "rui@below.example");
    TEXT callback = callback_at("federation-child", child_provider, "Practitioner",
                                "https://below.example/federated");
    TEXT location = federation_follow(suite, callback);
    CU_ASSERT_STRING_EQUAL(federation_parameter(location, "error"), "access_denied");
    CU_ASSERT_EQUAL(links("below"), 0);
    /* The provider is not the parent's. */
    HTTP_ANSWER started =
        federation_start(suite, "Practitioner", "demo", child_provider, FEDERATION_STAFF_APP);
    CHECK_STATUS(started, 404);
}

static void admins_and_false_addresses_are_not_linked(void)
{
    char id[37];
    PERSON chief = member_join(suite, admin, "Practitioner", true, id);
    PERSON member = member_join(suite, admin, "Practitioner", false, id);

    person_is("chief", chief->email);
    check_refused("Practitioner", "not-linked");
    identity_provider_person(clinic, json_pack("{s:s, s:s, s:b}", "sub", "unsure", "email",
                                               member->email, "email_verified", 0));
    check_refused("Practitioner", "domain");
    identity_provider_person(clinic, json_pack("{s:s}", "sub", "unsure"));
    check_refused("Practitioner", "no-address");
    CU_ASSERT_EQUAL(links("chief") + links("unsure"), 0);
}

static void a_state_is_good_once(void)
{
    struct http_request requests[MANY];
    struct http_answer *answers[MANY];
    int codes = 0;
    long requests_before;
    TEXT callback = callback_of("Practitioner");

    person_is("rui", "rui@elsewhere.example");
    TEXT fresh = callback_of("Practitioner");
    for (int i = 0; i < MANY; i++)
        requests[i] = (struct http_request){.path = federation_path(fresh)};
    requests_before = identity_provider_count(clinic, IDENTITY_TOKEN);
    http_call_many(suite_url(suite), requests, MANY, 16, answers);
    for (int i = 0; i < MANY; i++) {
        TEXT location = http_header(answers[i], "Location");
        codes += location && *federation_parameter(location, "sessionCode") != '\0';
    }
    http_answers_destroy(answers, MANY);
    CU_ASSERT_EQUAL(codes, 1);
    /* The provider refuses a second use, too, so the others must not even ask. */
    CU_ASSERT_EQUAL(identity_provider_count(clinic, IDENTITY_TOKEN), requests_before + 1);
    TEXT twice = federation_follow(suite, fresh);
    UNIT_CHECK(*federation_parameter(twice, "sessionCode") == '\0', "%s", twice);
    suite_advance_clock(suite, 601);
    HTTP_ANSWER late = http_get(suite_url(suite), federation_path(callback), NULL);
    CHECK_STATUS(late, 400);
}

static void codes_lead_only_to_the_registered_address(void)
{
    HTTP_ANSWER other =
        federation_start(suite, "Practitioner", "demo", provider, FEDERATION_STAFF_APP "/");
    HTTP_ANSWER role = federation_start(suite, "Patient", "demo", provider, FEDERATION_STAFF_APP);
    HTTP_ANSWER query =
        federation_start(suite, "Practitioner", "demo", provider, FEDERATION_STAFF_APP "?x=1");

    CHECK_STATUS(other, 422);
    CHECK_STATUS(role, 422);
    CHECK_STATUS(query, 422);
    person_is("rui", "rui@elsewhere.example");
    TEXT location = arrive("Practitioner");
    HTTP_ANSWER thief = http_post(
        suite_url(suite), "/auth/tenant/Practitioner/login/token", NULL,
        json_pack("{s:s, s:s}", "sessionCode", federation_parameter(location, "sessionCode"),
                  "codeVerifier", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"));
    CHECK_STATUS(thief, 400);
}

/* A session code is not limited by a client's scopes, so only the project's own get one. */
static void own_clients_get_codes_at_their_redirect_uris(void)
{
    TEXT own = oauth_register(
        suite, admin, "{\"redirectUris\":[\"https://portal.example/cb\",\"http://127.0.0.1/cb\"]}");
    TEXT UNUSED third = oauth_register(
        suite, admin, "{\"redirectUris\":[\"https://third.example/cb\"],\"firstParty\":false}");
    static const char *const refused[] = {"https://portal.example/cb/", "https://PORTAL.example/cb",
                                          "https://portal.example/cb?x=1", "http://127.0.0.1/cb",
                                          "https://third.example/cb"};
    char path[96];

    person_is("rui", "rui@elsewhere.example");
    TEXT callback = callback_at("demo", provider, "Practitioner", "https://portal.example/cb");
    TEXT location = federation_follow(suite, callback);
    UNIT_CHECK(strncmp(location, "https://portal.example/cb?", 26) == 0, "%s", location);
    HTTP_ANSWER tokens = federation_redeem(suite, "Practitioner", location, NULL);
    CHECK_STATUS(tokens, 200);
    for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
        HTTP_ANSWER other = federation_start(suite, "Practitioner", "demo", provider, refused[i]);
        UNIT_CHECK(other->status == 422, "%s: %d", refused[i], other->status);
    }
    /* Another project's client is no one here. */
    HTTP_ANSWER beside =
        federation_start(suite, "Practitioner", "neighbour", provider, "https://portal.example/cb");
    CHECK_STATUS(beside, 422);
    snprintf(path, sizeof(path), "/v1/project/clients/%s", own);
    HTTP_ANSWER deleted = http_delete(suite_url(suite), path, admin->access);
    CHECK_STATUS(deleted, 204);
    HTTP_ANSWER late =
        federation_start(suite, "Practitioner", "demo", provider, "https://portal.example/cb");
    CHECK_STATUS(late, 422);
}

/* A callback at the path of another provider, even of the same issuer, is not the sign-in's. */
static void two_providers_are_not_mixed_up(void)
{
    char second[37], path[1024];
    TEXT callback = callback_of("Practitioner");
    const char *query = strchr(callback, '?');

    federation_add(suite, admin, provider_body(DOMAIN, "{}"), second);
    snprintf(path, sizeof(path), "/t/demo/idp/%s/callback%s", second, query ? query : "");
    HTTP_ANSWER mixed = http_get(suite_url(suite), path, NULL);
    CHECK_STATUS(mixed, 400);
    /* The sign-in can still end where it belongs. */
    TEXT location = federation_follow(suite, callback);
    CU_ASSERT_STRING_NOT_EQUAL(federation_parameter(location, "sessionCode"), "");
    snprintf(path, sizeof(path), FEDERATION_PROVIDERS "/%s", second);
    HTTP_ANSWER deleted = http_delete(suite_url(suite), path, admin->access);
    CHECK_STATUS(deleted, 204);
}

static void a_session_opens_nothing_beside_or_above(void)
{
    TEXT location = arrive("Practitioner");

    HTTP_ANSWER above = federation_redeem(suite, "Practitioner", location, "neighbour");
    CHECK_STATUS(above, 400);
}

/* ---- pages ---- */

/* Returns the displayed page's link to the provider, "" for none. The caller frees it. */
static char *outward(const struct browser *browser)
{
    const char *link, *end;
    char *url;

    link = browser->page->body ? strstr(browser->page->body, "href=\"https://127.0.0.1") : NULL;
    if (!UNIT_CHECK(link != NULL, "%s", browser->page->body))
        return strdup("");
    link += strlen("href=\"");
    end = strchr(link, '"');
    url = calloc(1, (size_t)(end - link) + 1);
    for (char *at = url; link < end;) { /* &amp; */
        *at++ = *link;
        link += strncmp(link, "&amp;", 5) == 0 ? 5 : 1;
    }
    return url;
}

/* Goes through the provider. Returns the callback's path, "" for none. The caller frees it. */
static char *pass(const struct browser *browser)
{
    TEXT url = outward(browser);
    char *callback;

    keep_time(IDENTITY_FINE);
    callback = identity_provider_visit(clinic, url);
    return callback ? callback : strdup("");
}

/* Presses the page's button, and goes through the provider. */
static char *press(struct browser *browser, const char *tenant, const char *role)
{
    char page[128], form[64];

    snprintf(page, sizeof(page), "/t/%s/sign-in", tenant);
    CU_ASSERT_EQUAL(browser_get(browser, page), 200);
    CU_ASSERT_TRUE(browser_sees(browser, "Continue with Staff ID"));
    snprintf(page, sizeof(page), "/t/%s/idp/%s/start", tenant, provider);
    snprintf(form, sizeof(form), "role=%s", role);
    CU_ASSERT_EQUAL(browser_post(browser, page, form), 200);
    return pass(browser);
}

static void a_page_signs_in_by_its_button(void)
{
    BROWSER staff = browser_open(suite);
    BROWSER patient = browser_open(suite);

    person_is("rui", "rui@elsewhere.example");
    TEXT callback = press(staff, "demo", "practitioner");
    CU_ASSERT_EQUAL(browser_get(staff, federation_path(callback)), 303);
    CU_ASSERT_TRUE(browser_goes_to(staff, "/t/demo/account"));
    CU_ASSERT_EQUAL(browser_follow(staff), 200);
    person_is("ana", "ana@elsewhere.example");
    TEXT other = press(patient, "demo", "patient");
    CU_ASSERT_EQUAL(browser_get(patient, federation_path(other)), 303);
    CU_ASSERT_EQUAL(browser_follow(patient), 200);
    CU_ASSERT_TRUE(browser_sees(patient, "ana@elsewhere.example"));
}

/* Asks for a code with a hint. Returns the status of the page where the browser ends up. */
static int ask_with_hint(struct browser *browser, const char *client, const char *hint)
{
    char behind[512];

    snprintf(behind, sizeof(behind), "%s&login_hint=rui%%40nurses.example&idp_hint=%s", OAUTH_USUAL,
             hint);
    (void)oauth_ask(browser, client, behind);
    return oauth_follow(browser);
}

static void a_clients_hint_leads_to_the_provider(void)
{
    BROWSER browser = browser_open(suite);
    TEXT client = oauth_register(suite, admin, "{}");
    char form[1024];

    set_provider("{\"roles\":[\"practitioners\"]}");
    person_is("rui", "rui@elsewhere.example");
    CU_ASSERT_EQUAL(ask_with_hint(browser, client, provider), 200);
    TEXT url = outward(browser);
    UNIT_CHECK(strstr(url, "login_hint=rui%40nurses.example") != NULL, "%s", url);
    TEXT callback = pass(browser);
    (void)browser_get(browser, federation_path(callback));
    (void)oauth_follow(browser);
    TEXT code = oauth_parameter(browser, "code");
    CU_ASSERT_STRING_NOT_EQUAL(code, "");
    /* It survives a push and a post. */
    snprintf(form, sizeof(form), "client_id=%s%s&idp_hint=%s", client, OAUTH_USUAL, provider);
    HTTP_ANSWER pushed = oauth_post(suite, "par", form);
    BROWSER other = browser_open(suite);
    CHECK_STATUS(pushed, 201);
    snprintf(form, sizeof(form), "&request_uri=%s", http_text(pushed, "request_uri"));
    (void)oauth_ask(other, client, form);
    CU_ASSERT_EQUAL(oauth_follow(other), 200);
    CU_ASSERT_TRUE(browser_sees(other, "Sign in with Staff ID"));
    snprintf(form, sizeof(form), "client_id=%s%s&idp_hint=%s", client, OAUTH_USUAL, provider);
    HTTP_ANSWER posted = oauth_post(suite, "authorize", form);
    TEXT location = http_header(posted, "Location");
    UNIT_CHECK(location && strstr(location, provider), "%s", location ? location : "");
    set_provider("{}");
}

static void an_unknown_hint_is_ignored(void)
{
    static const char *const hints[] = {"019a0b52-6e1d-7a34-9c87-5b2f1d8e6a09", "..%2F..%2Fx", ""};
    BROWSER browser = browser_open(suite);
    TEXT client = oauth_register(suite, admin, "{}");
    char page[128];

    for (size_t i = 0; i < ARRAY_SIZE(hints); i++) {
        CU_ASSERT_EQUAL(ask_with_hint(browser, client, hints[i]), 200);
        CU_ASSERT_TRUE(browser_sees(browser, "rui@nurses.example"));
    }
    /* The person chooses between two roles. */
    CU_ASSERT_EQUAL(ask_with_hint(browser, client, provider), 200);
    CU_ASSERT_TRUE(browser_sees(browser, "rui@nurses.example"));
    set_provider("{\"state\":\"disabled\"}");
    CU_ASSERT_EQUAL(ask_with_hint(browser, client, provider), 200);
    CU_ASSERT_TRUE(browser_sees(browser, "rui@nurses.example"));
    set_provider("{\"roles\":[\"practitioners\"]}");
    /* A link of another site has no request. */
    snprintf(page, sizeof(page), "/t/demo/idp/%s/start", provider);
    CU_ASSERT_EQUAL(browser_get(browser, page), 303);
    CU_ASSERT_TRUE(browser_goes_to(browser, "/t/demo/sign-in"));
    set_provider("{}");
}

/* Login CSRF: another browser does not end up in the attacker's account. */
static void another_browser_is_not_signed_in(void)
{
    BROWSER attacker = browser_open(suite);
    BROWSER victim = browser_open(suite);
    BROWSER blank = browser_open(suite);
    char page[128];

    person_is("rui", "rui@elsewhere.example");
    TEXT callback = press(attacker, "demo", "practitioner");
    CU_ASSERT_EQUAL(browser_get(victim, "sign-in"), 200);
    CU_ASSERT_EQUAL(browser_get(victim, federation_path(callback)), 400);
    CU_ASSERT_EQUAL(browser_get(victim, "account"), 303);
    CU_ASSERT_EQUAL(browser_get(blank, federation_path(callback)), 400);
    CU_ASSERT_TRUE(browser_sees(blank, "Sign-in failed"));
    CU_ASSERT_EQUAL(browser_get(attacker, federation_path(callback)), 303);
    /* Another site cannot press the button. */
    CU_ASSERT_EQUAL(browser_get(blank, "sign-in"), 200);
    snprintf(page, sizeof(page), "/t/demo/idp/%s/start", provider);
    blank->no_token = true;
    CU_ASSERT_EQUAL(browser_post(blank, page, "role=patient"), 303);
    CU_ASSERT_TRUE(browser_goes_to(blank, "/t/demo/sign-in"));
}

static void a_project_below_inherits_the_provider(void)
{
    BROWSER browser = browser_open(suite);
    PERSON again =
        person_sign_in(suite, "Practitioner", admin->email, admin->password, "federation-child");
    TEXT email = person_address();
    char *cookie;

    HTTP_ANSWER invited = member_invite(suite, again->access, email, "Practitioner");
    CHECK_STATUS(invited, 200);
    person_is("nurse", email);
    TEXT callback = press(browser, "federation-child", "practitioner");
    cookie = strdup(browser->cookie);
    CU_ASSERT_EQUAL(browser_get(browser, federation_path(callback)), 303);
    free(browser->cookie); /* demo's; browsers keep both */
    browser->cookie = cookie;
    CU_ASSERT_EQUAL(browser_follow(browser), 303);
    CU_ASSERT_TRUE(browser_goes_to(browser, "/t/federation-child/account"));
    /* It is no member of the project above. */
    check_refused("Practitioner", "not-a-member");
}

static void the_page_asks_for_the_address_first(void)
{
    BROWSER browser = browser_open(suite);
    char form[256];
    size_t known;

    CU_ASSERT_EQUAL(browser_get(browser, "sign-in"), 200);
    CU_ASSERT_FALSE(browser_sees(browser, "name=\"password\""));
    CU_ASSERT_TRUE(browser_sees(browser, "autocomplete=\"username webauthn\""));
    CU_ASSERT_EQUAL(browser_post(browser, "sign-in", "email=nobody"), 422);
    CU_ASSERT_FALSE(browser_sees(browser, "name=\"password\""));
    CU_ASSERT_TRUE(browser_sees(browser, "id=\"email-wrong\""));
    CU_ASSERT_EQUAL(browser_post(browser, "sign-in", "email=rui%40elsewhere.example"), 200);
    CU_ASSERT_TRUE(browser_sees(browser, "value=\"rui@elsewhere.example\""));
    CU_ASSERT_TRUE(browser_sees(browser, "autocomplete=\"username webauthn\""));
    CU_ASSERT_TRUE(browser_sees(browser, "autocomplete=\"current-password\" required autofocus"));
    CU_ASSERT_FALSE(browser_sees(browser, "Continue with Staff ID"));
    CU_ASSERT_FALSE(browser_sees(browser, "aria-invalid=\"true\""));
    CU_ASSERT_EQUAL(browser_post(browser, "sign-in", "email=rui%40elsewhere.example&password="),
                    422);
    CU_ASSERT_TRUE(browser_sees(browser, "id=\"password-wrong\""));
    CU_ASSERT_EQUAL(browser_post(browser, "sign-in", "email=rui%40PATIENTS.example"), 200);
    CU_ASSERT_TRUE(browser_sees(browser, "Continue with Staff ID"));
    CU_ASSERT_TRUE(browser_sees(browser, "name=\"password\""));
    /* The button tells the provider the address. */
    snprintf(form, sizeof(form), "/t/demo/idp/%s/start", provider);
    CU_ASSERT_EQUAL(browser_post(browser, form, "role=practitioner&email=rui%40patients.example"),
                    200);
    TEXT url = outward(browser);
    UNIT_CHECK(strstr(url, "login_hint=rui%40patients.example") != NULL, "%s", url);
    /* The page is the same for an unknown address, and no account is read. */
    PERSON someone = person_register_settled(suite);
    snprintf(form, sizeof(form), "email=%s", someone->email);
    CU_ASSERT_EQUAL(browser_get(browser, "sign-in"), 200);
    CU_ASSERT_EQUAL(browser_post(browser, "sign-in", form), 200);
    known = strlen(browser->page->body);
    form[strlen("email=")] = '0';
    CU_ASSERT_EQUAL(browser_post(browser, "sign-in", form), 200);
    CU_ASSERT_EQUAL(strlen(browser->page->body), known);
    PGconn *held = oauth_hold(suite, "account", "access exclusive");
    snprintf(form, sizeof(form), "email=%s", someone->email);
    CU_ASSERT_EQUAL(browser_post(browser, "sign-in", form), 200);
    PQfinish(held);
    CU_ASSERT_TRUE(browser_signs_in(browser, someone->email, FORM_PASSWORD));
}

/* ---- races ---- */

/* Sends all callbacks at the same time. Returns how many end with a session code. */
static int follow_all(char *const *callbacks, size_t count)
{
    struct http_request requests[MANY];
    struct http_answer *answers[MANY];
    int codes = 0;

    for (size_t i = 0; i < count; i++)
        requests[i] = (struct http_request){.path = federation_path(callbacks[i])};
    http_call_many(suite_url(suite), requests, count, count, answers);
    for (size_t i = 0; i < count; i++) {
        TEXT location = http_header(answers[i], "Location");
        codes += location && *federation_parameter(location, "sessionCode") != '\0';
    }
    http_answers_destroy(answers, count);
    return codes;
}

static long accounts(const char *email)
{
    return suite_count(suite, "select count(*) from auth.account where email = '%s'", email);
}

/* Both arrivals find no account: one makes it, the other is linked to it or told to try again. */
static void two_providers_make_one_account(void)
{
    char second[37], path[96];
    TEXT email = person_address();
    char *callbacks[2];

    sign_in_again();
    set_provider("{\"provisioning\":\"both\"}");
    HTTP_ANSWER made = http_post(suite_url(suite), FEDERATION_PROVIDERS, admin->access,
                                 provider_body(DOMAIN, "{\"provisioning\":\"both\"}"));
    CHECK_STATUS(made, 200);
    snprintf(second, sizeof(second), "%s", http_text(made, "id"));
    person_is("twofold", email);
    callbacks[0] = callback_of("Practitioner");
    callbacks[1] = callback_at("demo", second, "Practitioner", FEDERATION_STAFF_APP);
    UNIT_CHECK(follow_all(callbacks, 2) >= 1, "neither arrived");
    CU_ASSERT_EQUAL(accounts(email), 1);
    CU_ASSERT_EQUAL(member_count(suite, email), 1);
    for (int i = 0; i < 2; i++)
        free(callbacks[i]);
    HTTP_ANSWER first = sign_in("Practitioner");
    CHECK_STATUS(first, 200);
    TEXT other = callback_at("demo", second, "Practitioner", FEDERATION_STAFF_APP);
    TEXT location = federation_follow(suite, other);
    HTTP_ANSWER tokens = federation_redeem(suite, "Practitioner", location, NULL);
    CHECK_STATUS(tokens, 200);
    CU_ASSERT_EQUAL(accounts(email), 1);
    CU_ASSERT_EQUAL(links("twofold"), 2);
    snprintf(path, sizeof(path), FEDERATION_PROVIDERS "/%s", second);
    HTTP_ANSWER deleted = http_delete(suite_url(suite), path, admin->access);
    CHECK_STATUS(deleted, 204);
    CU_ASSERT_EQUAL(links("twofold"), 1);
    set_provider("{}");
}

/* An admin invites the person while their first sign-ins arrive. */
static void a_membership_made_during_a_link_is_one(void)
{
    TEXT email = person_address();
    struct http_request requests[9];
    struct http_answer *answers[9];
    char *callbacks[8];

    set_provider("{\"provisioning\":\"both\"}");
    person_is("raced", email);
    for (int i = 0; i < 8; i++) {
        callbacks[i] = callback_of("Practitioner");
        requests[i] = (struct http_request){.path = federation_path(callbacks[i])};
    }
    requests[8] = (struct http_request){.method = "POST",
                                        .path = MEMBER_PATH,
                                        .bearer = admin->access,
                                        .body = member_body(email, "Practitioner", false)};
    http_call_many(suite_url(suite), requests, 9, 9, answers);
    http_answers_destroy(answers, 9);
    for (int i = 0; i < 8; i++)
        free(callbacks[i]);
    HTTP_ANSWER tokens = sign_in("Practitioner");
    CHECK_STATUS(tokens, 200);
    CU_ASSERT_EQUAL(accounts(email), 1);
    CU_ASSERT_EQUAL(member_count(suite, email), 1);
    CU_ASSERT_EQUAL(links("raced"), 1);
    set_provider("{}");
}

/* ---- faults of other brokers ---- */

/* An address can be changed, or given to the next person. */
static void an_address_is_no_identity(void)
{
    char id[37];
    PERSON member = member_join(suite, admin, "Practitioner", false, id);

    person_is("first", member->email);
    HTTP_ANSWER tokens = sign_in("Practitioner");
    CHECK_STATUS(tokens, 200);
    person_is("next", member->email);
    check_refused("Practitioner", "not-linked");
    CU_ASSERT_EQUAL(links("next"), 0);
    /* A linked person stays the same, whatever address the provider states. */
    person_is("rui", member->email);
    HTTP_ANSWER own = sign_in("Practitioner");
    HTTP_ANSWER me = http_get(suite_url(suite), "/auth/me", http_text(own, "accessToken"));
    CHECK_STATUS(me, 200);
    UNIT_CHECK(me->body && !strstr(me->body, member->email), "%s", me->body);
    CU_ASSERT_EQUAL(suite_status(suite, "/auth/me", member->access), 200);
}

/* The same `sub` of another issuer is another person. */
static void a_changed_issuer_inherits_no_links(void)
{
    json_t *body = provider_body(DOMAIN, "{}");
    char path[96], issuer[128];

    person_is("rui", "rui@elsewhere.example");
    HTTP_ANSWER tokens = sign_in("Practitioner");
    CHECK_STATUS(tokens, 200);
    CU_ASSERT_EQUAL(links("rui"), 1);
    snprintf(path, sizeof(path), FEDERATION_PROVIDERS "/%s", provider);
    snprintf(issuer, sizeof(issuer), "%s/other", identity_provider_issuer(clinic));
    json_object_set_new(body, "issuer", json_string(issuer));
    HTTP_ANSWER moved = http_put(suite_url(suite), path, admin->access, body);
    CHECK_STATUS(moved, 200);
    CU_ASSERT_EQUAL(links("rui"), 0);
    CU_ASSERT_TRUE(suite_everywhere(suite, http_text(tokens, "accessToken"), 401));
    set_provider("{}"); /* nor does the old one when it comes back */
    CU_ASSERT_EQUAL(links("rui"), 0);
    check_refused("Practitioner", "domain");
}

/* A listener on an address that allow_networks does not have. */
static int listen_inside(char url[static 64])
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(0x7f000002)};
    socklen_t size = sizeof(at);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);

    UNIT_CHECK(fd >= 0 && bind(fd, (struct sockaddr *)&at, size) == 0 && listen(fd, 8) == 0 &&
                   getsockname(fd, (struct sockaddr *)&at, &size) == 0,
               "no listener");
    snprintf(url, 64, "https://127.0.0.2:%d", ntohs(at.sin_port));
    return fd;
}

/* Neither an issuer nor what its metadata name makes authd connect to the inside. */
static void a_provider_opens_no_connection_inside(void)
{
    static const char *const members[] = {"token_endpoint", "jwks_uri"};
    char inside[64], path[96], made[37];
    int fd = listen_inside(inside);
    json_t *body = provider_body(DOMAIN, "{}");

    json_object_set_new(body, "issuer", json_string(inside));
    HTTP_ANSWER added = http_post(suite_url(suite), FEDERATION_PROVIDERS, admin->access, body);
    CHECK_STATUS(added, 200);
    snprintf(made, sizeof(made), "%s", http_text(added, "id"));
    HTTP_ANSWER started =
        federation_start(suite, "Practitioner", "demo", made, FEDERATION_STAFF_APP);
    UNIT_CHECK(started->status >= 400, "%d", started->status);
    PROGRAM doctor = ATRIUMCTL(suite, NULL, "doctor", "--json");
    UNIT_CHECK(strstr(doctor->out, "Staff ID (discovery: ") != NULL, "%s", doctor->out);
    snprintf(path, sizeof(path), FEDERATION_PROVIDERS "/%s", made);
    HTTP_ANSWER deleted = http_delete(suite_url(suite), path, admin->access);
    CHECK_STATUS(deleted, 204);
    for (size_t i = 0; i < ARRAY_SIZE(members); i++) {
        suite_advance_clock(suite, 24 * 3600 + 1); /* the metadata's longest life */
        sign_in_again();
        const struct identity_bend bend = {.metadata = json_pack("{s:s}", members[i], inside),
                                           .shift_s = suite_clock_ahead(suite)};
        person_is("rui", "rui@elsewhere.example");
        identity_provider_bend(clinic, &bend);
        HTTP_ANSWER led =
            federation_start(suite, "Practitioner", "demo", provider, FEDERATION_STAFF_APP);
        TEXT callback = identity_provider_visit(clinic, http_text(led, "authorizeUrl"));
        TEXT location = federation_follow(suite, callback ? callback : "/");
        UNIT_CHECK(*federation_parameter(location, "sessionCode") == '\0', "%s", location);
    }
    CU_ASSERT_EQUAL(accept(fd, NULL, NULL), -1);
    close(fd);
    suite_advance_clock(suite, 24 * 3600 + 1);
    keep_time(IDENTITY_FINE);
    sign_in_again();
}

/* ---- operators ---- */

static void operators_learn_how_a_person_signs_in(void)
{
    char id[37];
    PERSON member = member_join(suite, admin, "Practitioner", false, id);

    person_is("explained", member->email);
    HTTP_ANSWER tokens = sign_in("Practitioner");
    CHECK_STATUS(tokens, 200);
    PROGRAM linked = ATRIUMCTL(suite, NULL, "explain", "sign-in", "--project", "demo", "--email",
                               member->email, "--role", "Practitioner");
    UNIT_CHECK(strstr(linked->out, "identity provider Staff ID") != NULL, "%s", linked->out);
    HTTP_ANSWER removed = member_withdraw(suite, admin->access, id);
    CHECK_STATUS(removed, 200);
    PROGRAM left = ATRIUMCTL(suite, NULL, "explain", "sign-in", "--project", "demo", "--email",
                             member->email, "--role", "Practitioner");
    UNIT_CHECK(strstr(left->out, "not a member of this project any more") != NULL, "%s", left->out);
    PROGRAM doctor = ATRIUMCTL(suite, NULL, "doctor", "--json");
    UNIT_CHECK(strstr(doctor->out, "are active\"") != NULL, "%s", doctor->out);
}

/* ---- the end ---- */

static void a_disabled_provider_ends_everything(void)
{
    sign_in_again();
    person_is("rui", "rui@elsewhere.example");
    TEXT waiting = callback_of("Practitioner");
    TEXT location = arrive("Practitioner");
    HTTP_ANSWER tokens = sign_in("Practitioner");
    CHECK_STATUS(tokens, 200);
    set_provider("{\"state\":\"disabled\"}");
    CU_ASSERT_TRUE(suite_everywhere(suite, http_text(tokens, "accessToken"), 401));
    CU_ASSERT_EQUAL(suite_refresh_status(suite, http_text(tokens, "refreshToken")), 401);
    HTTP_ANSWER unspent = federation_redeem(suite, "Practitioner", location, NULL);
    CHECK_STATUS(unspent, 400);
    TEXT late = federation_follow(suite, waiting);
    CU_ASSERT_STRING_EQUAL(federation_parameter(late, "sessionCode"), "");
    HTTP_ANSWER started =
        federation_start(suite, "Practitioner", "demo", provider, FEDERATION_STAFF_APP);
    CHECK_STATUS(started, 404);
    set_provider("{}");
    HTTP_ANSWER back = sign_in("Practitioner");
    CHECK_STATUS(back, 200);
}

static void an_ended_membership_stays_ended(void)
{
    char id[37];
    PERSON member = member_join(suite, admin, "Practitioner", false, id);

    set_provider("{\"provisioning\":\"both\"}");
    person_is("leaver", member->email);
    HTTP_ANSWER tokens = sign_in("Practitioner");
    CHECK_STATUS(tokens, 200);
    HTTP_ANSWER removed = member_withdraw(suite, admin->access, id);
    CHECK_STATUS(removed, 200);
    check_refused("Practitioner", "not-a-member");
    /* Nor by another identity with the address. */
    person_is("leaver-again", member->email);
    check_refused("Practitioner", "not-linked");
    /* A deleted account is not created again automatically. */
    person_is("deleted", "deleted@elsewhere.example");
    HTTP_ANSWER once = sign_in("Patient");
    CHECK_STATUS(once, 200);
    suite_count(suite, "with gone as (delete from auth.account where email = "
                       "'deleted@elsewhere.example' returning 1) select count(*) from gone");
    check_refused("Patient", "unknown");
    set_provider("{}");
}

static char *own_link(const struct person *who)
{
    HTTP_ANSWER list = http_get(suite_url(suite), "/auth/identities", who->access);

    CHECK_STATUS(list, 200);
    CU_ASSERT_STRING_EQUAL(http_text(list, "identities.0.provider"), "Staff ID");
    return strdup(http_text(list, "identities.0.id"));
}

static void an_own_link_can_be_removed(void)
{
    char id[37], path[128];
    PERSON member = member_join(suite, admin, "Practitioner", false, id);
    PERSON other = member_join(suite, admin, "Practitioner", false, id);

    person_is("unlinked", member->email);
    HTTP_ANSWER tokens = sign_in("Practitioner");
    CHECK_STATUS(tokens, 200);
    TEXT location = arrive("Practitioner");
    TEXT link = own_link(member);
    snprintf(path, sizeof(path), "/auth/identities/%s", link);
    HTTP_ANSWER itself = http_delete(suite_url(suite), path, http_text(tokens, "accessToken"));
    CHECK_STATUS(itself, 403);
    HTTP_ANSWER foreigner = http_delete(suite_url(suite), path, other->access);
    CHECK_STATUS(foreigner, 404);
    HTTP_ANSWER done = http_delete(suite_url(suite), path, member->access);
    CHECK_STATUS(done, 204);
    CU_ASSERT_TRUE(suite_everywhere(suite, http_text(tokens, "accessToken"), 401));
    CU_ASSERT_EQUAL(suite_status(suite, "/auth/me", member->access), 200);
    HTTP_ANSWER unspent = federation_redeem(suite, "Practitioner", location, NULL);
    CHECK_STATUS(unspent, 400);
    CU_ASSERT_EQUAL(links("unlinked"), 0);
}

static struct http_answer *unlink_by(const struct person *who, const char *account,
                                     const char *link)
{
    char path[160];

    snprintf(path, sizeof(path), "/v1/project/accounts/%s/identities/%s/unlink", account, link);
    return http_post(suite_url(suite), path, who->access,
                     json_pack("{s:s}", "reason", "wrong person"));
}

static void an_admin_removes_a_link(void)
{
    char id[37], path[128];
    PERSON member = member_join(suite, admin, "Practitioner", false, id);
    PERSON other = member_join(suite, admin, "Practitioner", false, id);

    person_is("by-admin", member->email);
    HTTP_ANSWER first = sign_in("Practitioner");
    CHECK_STATUS(first, 200);
    TEXT account = suite_account(suite, member->email);
    TEXT beside = suite_account(suite, other->email);
    snprintf(path, sizeof(path), "/v1/project/accounts/%s/identities", account);
    HTTP_ANSWER list = http_get(suite_url(suite), path, admin->access);
    CHECK_STATUS(list, 200);
    CU_ASSERT_STRING_EQUAL(http_text(list, "identities.0.provider"), "Staff ID");
    const char *link = http_text(list, "identities.0.id");
    HTTP_ANSWER no_admin = unlink_by(member, account, link);
    CHECK_STATUS(no_admin, 403);
    HTTP_ANSWER of_other = unlink_by(admin, beside, link);
    CHECK_STATUS(of_other, 404);
    HTTP_ANSWER no_member = unlink_by(admin, "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b", link);
    CHECK_STATUS(no_member, 404);
    TEXT own = suite_account(suite, admin->email);
    HTTP_ANSWER itself = unlink_by(admin, own, link);
    CHECK_STATUS(itself, 409);
    suite_advance_clock(suite, 901);
    HTTP_ANSWER stale = unlink_by(admin, account, link);
    CHECK_STATUS(stale, 401);
    CU_ASSERT_EQUAL(links("by-admin"), 1);
    sign_in_again();
    HTTP_ANSWER tokens = sign_in("Practitioner");
    CHECK_STATUS(tokens, 200);
    HTTP_ANSWER done = unlink_by(admin, account, link);
    CHECK_STATUS(done, 204);
    CU_ASSERT_TRUE(suite_everywhere(suite, http_text(tokens, "accessToken"), 401));
    CU_ASSERT_EQUAL(links("by-admin"), 0);
    HTTP_ANSWER again = unlink_by(admin, account, link);
    CHECK_STATUS(again, 404);
}

static void a_second_factor_is_asked_unless_trusted(void)
{
    char id[37], code[7];
    OWNER owner =
        factor_enroll(suite, member_join(suite, admin, "Practitioner", false, id), "Practitioner");
    json_t *two = json_pack("{s:s, s:s, s:[s,s]}", "sub", "careful", "email", owner.person->email,
                            "amr", "pwd", "otp");

    identity_provider_person(clinic, two);
    factor_move_on(suite);
    TEXT location = arrive("Practitioner");
    CU_ASSERT_STRING_EQUAL(federation_parameter(location, "sessionCode"), "");
    CU_ASSERT_STRING_EQUAL(federation_parameter(location, "nextStep"), "mfa");
    TEXT login = strdup(federation_parameter(location, "loginId"));
    HTTP_ANSWER shown = factor_show(&owner, login, factor_code_at(&owner, 0, code));
    CHECK_STATUS(shown, 200);
    HTTP_ANSWER tokens = http_post(suite_url(suite), "/auth/tenant/Practitioner/login/token", NULL,
                                   body_login_token(http_text(shown, "sessionCode"), NULL));
    CHECK_STATUS(tokens, 200);
    sign_in_again();
    set_provider("{\"trustedForMfa\":true}");
    HTTP_ANSWER trusted = sign_in("Practitioner");
    CHECK_STATUS(trusted, 200);
    CU_ASSERT_EQUAL(suite_count(suite, "select count(*) from auth.session where auth_method in "
                                       "('federated+totp', 'federated+mfa')"),
                    2);
    identity_provider_person(clinic, json_pack("{s:s, s:s, s:[s]}", "sub", "careful", "email",
                                               owner.person->email, "amr", "pwd"));
    TEXT one = arrive("Practitioner");
    CU_ASSERT_STRING_EQUAL(federation_parameter(one, "nextStep"), "mfa");
    set_provider("{}");
}

static void a_killed_authd_loses_no_sign_in(void)
{
    pid_t first = suite_pid(suite, "authd", "1"), second = suite_pid(suite, "authd", "2");

    person_is("rui", "rui@elsewhere.example");
    TEXT callback = callback_of("Practitioner");
    suite_signal(suite, "authd", "1", SIGKILL);
    suite_signal(suite, "authd", "2", SIGKILL);
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, "authd", "1", first));
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, "authd", "2", second));
    TEXT location = federation_follow(suite, callback);
    first = suite_pid(suite, "authd", "1");
    second = suite_pid(suite, "authd", "2");
    suite_signal(suite, "authd", "1", SIGKILL);
    suite_signal(suite, "authd", "2", SIGKILL);
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, "authd", "1", first));
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, "authd", "2", second));
    HTTP_ANSWER tokens = federation_redeem(suite, "Practitioner", location, NULL);
    CHECK_STATUS(tokens, 200);
}

static struct http_answer *start_test(const char *id)
{
    char path[128];

    snprintf(path, sizeof(path), FEDERATION_PROVIDERS "/%s/test", id);
    return http_post(suite_url(suite), path, admin->access, json_object());
}

static void a_draft_can_only_be_tested(void)
{
    const struct identity_bend bent = {.claims = json_pack("{s:s}", "nonce", "another"),
                                       .shift_s = suite_clock_ahead(suite)};
    BROWSER browser = browser_open(suite);
    char sub[64];

    sign_in_again();
    set_provider("{\"state\":\"draft\"}");
    snprintf(sub, sizeof(sub), "tester-%d", (int)getpid());
    person_is(sub, "tester@elsewhere.example");
    HTTP_ANSWER refused =
        federation_start(suite, "Practitioner", "demo", provider, FEDERATION_STAFF_APP);
    CHECK_STATUS(refused, 404);
    HTTP_ANSWER unknown = start_test("019a0b52-6e1d-7a34-9c87-5b2f1d8e6a09");
    CHECK_STATUS(unknown, 404);
    HTTP_ANSWER started = start_test(provider);
    CHECK_STATUS(started, 200);
    keep_time(IDENTITY_FINE);
    TEXT callback = identity_provider_visit(clinic, http_text(started, "authorizeUrl"));
    CU_ASSERT_EQUAL(browser_get(browser, federation_path(callback)), 200);
    CU_ASSERT_TRUE(browser_sees(browser, "The test succeeded."));
    CU_ASSERT_TRUE(browser_sees(browser, sub));
    CU_ASSERT_EQUAL(browser_get(browser, federation_path(callback)), 400);
    CU_ASSERT_EQUAL(browser_get(browser, "account"), 303);
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from auth.identity_provider where id = '%s' and "
                                "tested_at is not null",
                                provider),
                    1);
    HTTP_ANSWER again = start_test(provider);
    identity_provider_bend(clinic, &bent);
    TEXT bad = identity_provider_visit(clinic, http_text(again, "authorizeUrl"));
    CU_ASSERT_EQUAL(browser_get(browser, federation_path(bad)), 200);
    CU_ASSERT_TRUE(browser_sees(browser, "The test failed."));
    CU_ASSERT_TRUE(browser_sees(browser, "nonce"));
    CU_ASSERT_EQUAL(links(sub), 0);
    set_provider("{}");
}

static void a_silent_provider_is_said(void)
{
    BROWSER browser = browser_open(suite);
    TEXT callback = press(browser, "demo", "practitioner");

    keep_time(IDENTITY_FAILS);
    UNIT_CHECK(browser_get(browser, federation_path(callback)) >= 400, "%d", browser->page->status);
    CU_ASSERT_TRUE(browser_sees(browser, "Staff ID"));
    CU_ASSERT_TRUE(browser_sees(browser, "reference "));
    keep_time(IDENTITY_FINE);
}

static void the_scene_is_left(void)
{
    person_destroy(&admin);
    person_destroy(&child);
    person_destroy(&foreign);
    suite_stop(&suite);
    identity_provider_stop(&clinic);
    unit_dir_remove(&dir);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(the_scene_is_set),
    CASE(strangers_are_refused),
    CASE_ALWAYS(a_first_arrival_can_be_provisioned),
    CASE_ALWAYS(patients_may_arrive_unverified),
    CASE(invitations_of_admins_are_accepted),
    CASE(an_owned_account_is_linked),
    CASE(a_claim_gets_no_account_of_others),
    CASE(a_project_below_gets_no_account_of_its_parent),
    CASE(admins_and_false_addresses_are_not_linked),
    CASE(a_state_is_good_once),
    CASE(codes_lead_only_to_the_registered_address),
    CASE(own_clients_get_codes_at_their_redirect_uris),
    CASE(two_providers_are_not_mixed_up),
    CASE(a_session_opens_nothing_beside_or_above),
    CASE(a_page_signs_in_by_its_button),
    CASE(the_page_asks_for_the_address_first),
    CASE(a_clients_hint_leads_to_the_provider),
    CASE(an_unknown_hint_is_ignored),
    CASE(another_browser_is_not_signed_in),
    CASE(a_project_below_inherits_the_provider),
    CASE(a_disabled_provider_ends_everything),
    CASE(an_ended_membership_stays_ended),
    CASE(an_own_link_can_be_removed),
    CASE(an_admin_removes_a_link),
    CASE(a_second_factor_is_asked_unless_trusted),
    CASE(a_killed_authd_loses_no_sign_in),
    CASE(a_draft_can_only_be_tested),
    CASE(a_silent_provider_is_said),
    CASE(two_providers_make_one_account),
    CASE(a_membership_made_during_a_link_is_one),
    CASE(an_address_is_no_identity),
    CASE(operators_learn_how_a_person_signs_in),
    CASE(a_provider_opens_no_connection_inside),
    CASE(a_changed_issuer_inherits_no_links),
    CASE_ALWAYS(the_scene_is_left),
};

int main(void)
{
    return unit_run("federation", cases, ARRAY_SIZE(cases));
}
