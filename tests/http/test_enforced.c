/*
 * test_enforced.c - a project whose people sign in only with its identity provider: a table of
 * people and ways in, what switching it on needs and ends, and the admins who stay able to undo it.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "tests/support/browser.h"
#include "tests/support/certificate.h"
#include "tests/support/factor.h"
#include "tests/support/federation.h"
#include "tests/support/members.h"
#include "tests/support/passkeys.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

#define DOMAIN "patients.example" /* see person_address() */
#define ENFORCED "{\"enforced\":[\"practitioners\"]}"

enum { MANY = 32 };

static struct suite *suite;
static struct unit_dir dir;
static struct identity_provider *clinic;
static struct person *child;
static struct factor_owner owner; /* demo's admin, with local sign-in */
static char provider[37], owner_member[37];

/* Why a provider covers the person of each row, if it does. */
enum who { ADDRESSED, LINKED, DIRECTORY, BELOW, FREE, PATIENT, PEOPLE };

static struct somebody {
    const char *label;
    bool covered;
    const char *role, *tenant;
    struct person *person;
    struct authenticator *key;
    char member[37];
} people[PEOPLE] = {
    [ADDRESSED] = {.label = "by address",
                   .covered = true,
                   .role = "Practitioner",
                   .tenant = "demo"},
    [LINKED] = {.label = "by link", .covered = true, .role = "Practitioner", .tenant = "demo"},
    [DIRECTORY] = {.label = "by SCIM", .covered = true, .role = "Practitioner", .tenant = "demo"},
    [BELOW] = {.label = "in a project below",
               .covered = true,
               .role = "Practitioner",
               .tenant = "enforced-child"},
    [FREE] = {.label = "not covered", .covered = false, .role = "Practitioner", .tenant = "demo"},
    [PATIENT] = {.label = "of another role", .covered = false, .role = "Patient", .tenant = "demo"},
};

static const char *access_of_admin(void)
{
    return owner.person->access;
}

/* ---- the provider ---- */

static json_t *provider_body(const char *more)
{
    json_t *body =
        json_pack("{s:s, s:s, s:s, s:s, s:[s,s], s:[s], s:s}", "name", "Staff ID", "preset", "oidc",
                  "issuer", identity_provider_issuer(clinic), "clientId", "atrium", "roles",
                  "practitioners", "patients", "domains", DOMAIN, "state", "active");
    json_t *changes = json_loads(more, 0, NULL);

    UNIT_CHECK(changes != NULL, "%s", more);
    json_object_update(body, changes);
    json_decref(changes);
    return body;
}

static struct http_answer *put_provider(const char *more)
{
    char path[128];

    snprintf(path, sizeof(path), FEDERATION_PROVIDERS "/%s", provider);
    return http_put(suite_url(suite), path, access_of_admin(), provider_body(more));
}

static void set_provider(const char *more)
{
    HTTP_ANSWER set = put_provider(more);

    CHECK_STATUS(set, 200);
}

static void check_not_set(const char *more, const char *why)
{
    HTTP_ANSWER set = put_provider(more);

    CHECK_STATUS(set, 409);
    UNIT_CHECK(strstr(http_text(set, "message"), why) != NULL, "%s", http_text(set, "message"));
}

static void keep_time(void)
{
    const struct identity_bend bend = {.shift_s = suite_clock_ahead(suite)};

    identity_provider_bend(clinic, &bend);
}

static void person_is(const char *subject, const char *email)
{
    identity_provider_person(clinic, json_pack("{s:s, s:s, s:s, s:s}", "sub", subject, "email",
                                               email, "given_name", "Rui", "family_name", "Costa"));
}

static void test_provider(void)
{
    BROWSER browser = browser_open(suite);
    char path[128];

    snprintf(path, sizeof(path), FEDERATION_PROVIDERS "/%s/test", provider);
    HTTP_ANSWER started = http_post(suite_url(suite), path, access_of_admin(), json_object());
    CHECK_STATUS(started, 200);
    keep_time();
    person_is("tester", "tester@elsewhere.example");
    TEXT callback = identity_provider_visit(clinic, http_text(started, "authorizeUrl"));
    CU_ASSERT_EQUAL(browser_get(browser, federation_path(callback)), 200);
    CU_ASSERT_TRUE(browser_sees(browser, "The test succeeded."));
}

/* Signs in at the provider. Returns the answer with tokens, or the refusal. */
static struct http_answer *federated(const char *tenant)
{
    HTTP_ANSWER started =
        federation_start(suite, "Practitioner", tenant, provider, FEDERATION_STAFF_APP);

    CHECK_STATUS(started, 200);
    keep_time();
    TEXT callback = identity_provider_visit(clinic, http_text(started, "authorizeUrl"));
    TEXT location = federation_follow(suite, callback ? callback : "");
    return federation_redeem(suite, "Practitioner", location, NULL);
}

/* ---- the people ---- */

/* Moves an account to an address outside of the provider's domains. */
static void move_away(struct person *person)
{
    char *email = NULL;

    CU_ASSERT_TRUE(asprintf(&email, "%.*s@elsewhere.example", (int)strcspn(person->email, "@"),
                            person->email) > 0);
    CU_ASSERT_EQUAL(suite_count(suite,
                                "with moved as (update auth.account set email = '%s' where email = "
                                "'%s' returning 1) select count(*) from moved",
                                email, person->email),
                    1);
    free(person->email);
    person->email = email;
}

/* As a directory writes it that finds a member. */
static void mark_directory(const char *member)
{
    CU_ASSERT_EQUAL(suite_count(suite,
                                "with marked as (insert into auth.scim_user (project_id, id, "
                                "membership_id) select project_id, id, id from auth.membership "
                                "where id = '%s' returning 1) select count(*) from marked",
                                member),
                    1);
}

static struct person *join_child(void)
{
    char *email = person_address();
    HTTP_ANSWER invited = member_invite(suite, child->access, email, "Practitioner");
    struct person *person;

    CHECK_STATUS(invited, 200);
    const struct mail_link link = suite_mail_link(suite, email, "invitation");
    HTTP_ANSWER accepted = member_accept(suite, link, MEMBER_PASSWORD);
    CHECK_STATUS(accepted, 204);
    person = person_sign_in(suite, "Practitioner", email, MEMBER_PASSWORD, "enforced-child");
    free(email);
    return person;
}

static void fill_people(void)
{
    struct person *admin = owner.person;

    people[ADDRESSED].person =
        member_join(suite, admin, "Practitioner", false, people[ADDRESSED].member);
    people[LINKED].person = member_join(suite, admin, "Practitioner", false, people[LINKED].member);
    people[DIRECTORY].person =
        member_join(suite, admin, "Practitioner", false, people[DIRECTORY].member);
    people[FREE].person = member_join(suite, admin, "Practitioner", false, people[FREE].member);
    people[PATIENT].person = person_register_settled(suite);
    for (size_t i = 0; i < PEOPLE; i++) {
        people[i].key =
            authenticator_new(AUTHENTICATOR_ES256,
                              i == PATIENT ? PASSKEY_PATIENT_ORIGIN : PASSKEY_PRACTITIONER_ORIGIN);
        HTTP_ANSWER enrolled = passkey_enroll(suite, people[i].person->access, people[i].key);
        CHECK_STATUS(enrolled, 200);
    }
    person_is("linked", people[LINKED].person->email);
    HTTP_ANSWER linked = federated("demo");
    CHECK_STATUS(linked, 200);
    move_away(people[LINKED].person);
    move_away(people[DIRECTORY].person);
    move_away(people[FREE].person);
    mark_directory(people[DIRECTORY].member);
}

static void the_scene_is_set(void)
{
    dir = unit_dir_make();
    certificate_make(&dir);
    clinic = identity_provider_start(&dir, "atrium", FEDERATION_SECRET);
    suite = federation_suite(&dir);
    child = member_equipped_child(suite, "enforced-child");
    suite_set_value(suite, child->access, "PRACTITIONER_APP_URL", PASSKEY_PRACTITIONER_ORIGIN);
    suite_set_switch(suite, child->access, "inheritProviders", false);
    people[BELOW].person = join_child();
    owner = factor_enroll(suite, person_admin(suite), "Practitioner");
    UNIT_REQUIRE(access_of_admin() && child->access, "two admins");
    member_map_template(suite, access_of_admin(), "INVITE_TO_PROJECT", MEMBER_INVITATION_TEXT);
    suite_set_value(suite, access_of_admin(), "PATIENT_APP_URL", PASSKEY_PATIENT_ORIGIN);
    suite_set_value(suite, access_of_admin(), "PRACTITIONER_APP_URL", PASSKEY_PRACTITIONER_ORIGIN);
    PROGRAM codes = ATRIUMCTL(suite, NULL, "project", "policy", "demo", "mailCode", "true");
    CU_ASSERT_EQUAL(codes->code, 0);
    PROGRAM below =
        ATRIUMCTL(suite, NULL, "project", "policy", "enforced-child", "mailCode", "true");
    CU_ASSERT_EQUAL(below->code, 0);
    federation_verify_domain(suite, "demo", DOMAIN);
    federation_add(suite, owner.person,
                   provider_body("{\"clientSecret\":\"" FEDERATION_SECRET "\"}"), provider);
    fill_people();
}

/* ---- switching it on ---- */

static struct http_answer *set_local(const char *member, bool as_admin, bool local)
{
    return member_call(suite, "PATCH", access_of_admin(), member, "",
                       json_pack("{s:b, s:b}", "admin", as_admin, "localSignIn", local));
}

static void find_owner_member(void)
{
    json_t *entry = member_listed(suite, access_of_admin(), owner.person->email);

    snprintf(owner_member, sizeof(owner_member), "%s", member_text(entry, "id"));
    json_decref(entry);
}

static void it_needs_a_test_and_a_local_admin(void)
{
    find_owner_member();
    check_not_set(ENFORCED, "successful test");
    HTTP_ANSWER new = http_post(suite_url(suite), FEDERATION_PROVIDERS, access_of_admin(),
                                provider_body("{\"clientSecret\":\"" FEDERATION_SECRET
                                              "\",\"enforced\":[\"practitioners\"]}"));
    CHECK_STATUS(new, 409);
    test_provider();
    check_not_set("{\"enforced\":[\"practitioners\"],\"state\":\"draft\"}", "Activate");
    check_not_set(ENFORCED, "local sign-in");
    HTTP_ANSWER member = set_local(people[FREE].member, false, true);
    CHECK_STATUS(member, 409);
    HTTP_ANSWER local = set_local(owner_member, true, true);
    CHECK_STATUS(local, 200);
    CU_ASSERT_TRUE(json_is_true(http_member(local, "localSignIn")));
    HTTP_ANSWER accounts =
        http_get(suite_url(suite), "/v1/project/accounts?admin=true", access_of_admin());
    CHECK_STATUS(accounts, 200);
    CU_ASSERT_PTR_NOT_NULL(strstr(accounts->body, "\"localSignIn\":true"));
    CU_ASSERT_EQUAL(suite_count(suite,
                                "with old as (update auth.identity_provider set tested_at = "
                                "tested_at - 86400000 - 600000 returning 1) select count(*) from "
                                "old"),
                    1);
    check_not_set(ENFORCED, "24 hours");
    test_provider();
    /* The test was of other settings. */
    check_not_set("{\"enforced\":[\"practitioners\"],\"scopes\":\"openid email\"}",
                  "successful test");
}

static void switching_it_on_ends_other_sessions(void)
{
    person_is("linked", people[LINKED].person->email);
    HTTP_ANSWER by_provider = federated("demo");
    CHECK_STATUS(by_provider, 200);
    set_provider(ENFORCED);
    for (size_t i = 0; i < PEOPLE; i++) {
        int want = people[i].covered ? 401 : 200;

        UNIT_CHECK(suite_everywhere(suite, people[i].person->access, want), "%s", people[i].label);
        UNIT_CHECK(suite_refresh_status(suite, people[i].person->refresh) == want, "%s",
                   people[i].label);
    }
    CU_ASSERT_TRUE(suite_everywhere(suite, http_text(by_provider, "accessToken"), 200));
    CU_ASSERT_TRUE(suite_everywhere(suite, access_of_admin(), 200));
}

/* ---- the ways in ---- */

static bool is_on;

static bool is_refused(const struct somebody *who)
{
    return is_on && who->covered;
}

static struct http_answer *by_password(const struct somebody *who)
{
    char path[96];

    snprintf(path, sizeof(path), "/auth/tenant/%s/login/start", who->role);
    return suite_post_fresh(
        suite, path, body_login_start(who->person->email, who->person->password, who->tenant));
}

static struct http_answer *by_password_anywhere(const struct somebody *who)
{
    if (strcmp(who->role, "Patient") == 0)
        return by_password(who);
    return suite_post_fresh(suite, "/auth/tenant/Practitioner/login/start",
                            json_pack("{s:s, s:s, s:s}", "email", who->person->email, "password",
                                      who->person->password, "codeChallenge", pkce_challenge));
}

static struct http_answer *by_one_step(const struct somebody *who)
{
    return suite_post_fresh(suite, "/v2/auth/login",
                            json_pack("{s:s, s:s, s:s}", "email", who->person->email, "password",
                                      who->person->password, "clientId",
                                      suite_text(suite, "demo.clientId")));
}

/* Leads people who are members only below to that project. */
static struct http_answer *by_business(const struct somebody *who)
{
    return suite_post_fresh(suite, "/auth/b2b/login",
                            json_pack("{s:s, s:s, s:s, s:s}", "email", who->person->email,
                                      "password", who->person->password, "clientId",
                                      suite_text(suite, "demo.clientId"), "tenantId",
                                      suite_text(suite, "demo.projectId")));
}

static struct http_answer *by_code(const struct somebody *who)
{
    char path[96];
    size_t before = suite_mail_count(suite, who->person->email);

    snprintf(path, sizeof(path), "/auth/tenant/%s/code/start", who->role);
    HTTP_ANSWER started =
        suite_post_fresh(suite, path,
                         json_pack("{s:s, s:s, s:s}", "email", who->person->email, "tenantCode",
                                   who->tenant, "codeChallenge", pkce_challenge));
    CHECK_STATUS(started, 200);
    suite_mails_settle(suite);
    UNIT_CHECK((suite_mail_count(suite, who->person->email) > before) != is_refused(who), "%s",
               who->label);
    snprintf(path, sizeof(path), "/auth/tenant/%s/login/code", who->role);
    return suite_post_fresh(
        suite, path,
        json_pack("{s:s, s:s}", "loginId", http_text(started, "loginId"), "code",
                  is_refused(who) ? "123456" : suite_mail_code(suite, who->person->email)));
}

static struct http_answer *by_passkey(const struct somebody *who)
{
    return passkey_sign_in(suite, who->role, who->tenant, NULL, who->key);
}

/* At an address of the provider's domains. */
static struct http_answer *by_new_account(const struct somebody *who)
{
    char path[96];
    TEXT new = person_address();

    snprintf(path, sizeof(path), "/auth/tenant/%s/register", who->role);
    return suite_post_fresh(suite, path, body_register(new, who->tenant));
}

struct way {
    const char *label;
    struct http_answer *(*enter)(const struct somebody *who);
    const char *message; /* the refusal's, as for a wrong password */
    unsigned people;     /* for whom it is a way, as bits */
};

#define ALL ((1u << PEOPLE) - 1)

static const struct way ways[] = {
    {"password", by_password, "Username or password is incorrect.", ALL},
    {"password, no tenant", by_password_anywhere, "Username or password is incorrect.", ALL},
    {"/v2/auth/login", by_one_step, "Username or password is incorrect.", ALL & ~(1u << BELOW)},
    {"/auth/b2b/login", by_business, "Username or password is incorrect.", ALL & ~(1u << PATIENT)},
    /* A patient's first verification would end what the table needs. */
    {"email code", by_code, "The code is incorrect.", ALL & ~(1u << PATIENT)},
    {"passkey", by_passkey, "The passkey was not accepted.", ALL},
    {"registration", by_new_account, "Registration failed.", 1u << ADDRESSED | 1u << PATIENT},
};

static void check_ways(bool enforced)
{
    is_on = enforced;
    for (size_t w = 0; w < ARRAY_SIZE(ways); w++) {
        for (size_t p = 0; p < PEOPLE; p++) {
            bool refused = is_refused(&people[p]);

            if (!(ways[w].people & 1u << p))
                continue;
            HTTP_ANSWER answer = ways[w].enter(&people[p]);
            UNIT_CHECK(answer->status == (refused ? 400 : 200), "%s, %s: %d %s", ways[w].label,
                       people[p].label, answer->status, answer->body);
            UNIT_CHECK(!refused || strcmp(http_text(answer, "message"), ways[w].message) == 0,
                       "%s, %s: %s", ways[w].label, people[p].label, answer->body);
        }
    }
}

static void every_other_way_is_refused(void)
{
    char policy[64];
    HTTP_ANSWER made =
        http_post(suite_url(suite), "/v1/project/access-policies", access_of_admin(),
                  json_pack("{s:s, s:[{s:s}]}", "name", "Staff", "resource", "resourceType", "*"));

    CHECK_STATUS(made, 200);
    snprintf(policy, sizeof(policy), "AccessPolicy/%s", http_text(made, "id"));
    suite_set_value(suite, access_of_admin(), "DEFAULT_PRACTITIONER_ACCESS_POLICY", policy);
    suite_set_switch(suite, access_of_admin(), "PRACTITIONER_REGISTRATION_ENABLED", true);
    check_ways(true);
    CU_ASSERT_TRUE(suite_count(suite, "select count(*) from auth.audit where event::text like "
                                      "'%%identity-provider%%'") > 0);
    person_is("linked", "whatever@elsewhere.example");
    HTTP_ANSWER tokens = federated("demo");
    CHECK_STATUS(tokens, 200);
}

/* The statement that makes the session is the last to refuse: a login that was started before. */
static void a_started_login_is_refused(void)
{
    const struct somebody *who = &people[ADDRESSED];

    set_provider("{}");
    HTTP_ANSWER started = by_password(who);
    CHECK_STATUS(started, 200);
    HTTP_ANSWER passkey = by_passkey(who);
    CHECK_STATUS(passkey, 200);
    set_provider(ENFORCED);
    HTTP_ANSWER token = http_post(suite_url(suite), "/auth/tenant/Practitioner/login/token", NULL,
                                  body_login_token(http_text(started, "sessionCode"), NULL));
    CHECK_STATUS(token, 400);
    HTTP_ANSWER other = http_post(suite_url(suite), "/auth/tenant/Practitioner/login/token", NULL,
                                  body_login_token(http_text(passkey, "sessionCode"), "demo"));
    CHECK_STATUS(other, 400);
}

/* Switching it on waits for the sign-in, whose session it could not find before, and ends it. */
static void no_sign_in_slips_through(void)
{
    const struct somebody *who = &people[ADDRESSED];
    struct http_request requests[MANY];
    struct http_answer *answers[MANY];
    char path[128];
    pid_t holder;

    set_provider("{}");
    HTTP_ANSWER started = by_password(who);
    snprintf(path, sizeof(path), FEDERATION_PROVIDERS "/%s", provider);
    for (int i = 0; i < MANY; i++) /* delay the last request */
        requests[i] = (struct http_request){.path = "/auth/me", .bearer = access_of_admin()};
    requests[0] =
        (struct http_request){.method = "POST",
                              .path = "/auth/tenant/Practitioner/login/token",
                              .body = body_login_token(http_text(started, "sessionCode"), NULL)};
    requests[MANY - 1] = (struct http_request){.method = "PUT",
                                               .path = path,
                                               .bearer = access_of_admin(),
                                               .body = provider_body(ENFORCED)};
    holder = suite_hold_sign_ins(suite);
    http_call_many(suite_url(suite), requests, MANY, 2, answers);
    waitpid(holder, NULL, 0);
    CHECK_STATUS(answers[0], 200);
    CHECK_STATUS(answers[MANY - 1], 200);
    http_answers_destroy(answers, MANY);
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from auth.session s join auth.account a on a.id "
                                "= s.account_id where a.email = '%s' and s.end_reason is null",
                                who->person->email),
                    0);
}

static void passwords_and_addresses_are_managed(void)
{
    const struct somebody *who = &people[ADDRESSED];
    size_t before = suite_mail_count(suite, who->person->email);
    TEXT invited = person_address();

    HTTP_ANSWER reset = suite_post_fresh(suite, "/auth/reset-password",
                                         json_pack("{s:s, s:s, s:s}", "email", who->person->email,
                                                   "tenantCode", "demo", "type", "Practitioner"));
    CHECK_STATUS(reset, 200);
    suite_mails_settle(suite);
    CU_ASSERT_EQUAL(suite_mail_count(suite, who->person->email), before);
    /* An invitation is accepted at the provider only. */
    HTTP_ANSWER sent = member_invite(suite, access_of_admin(), invited, "Practitioner");
    CHECK_STATUS(sent, 200);
    const struct mail_link link = suite_mail_link(suite, invited, "invitation");
    HTTP_ANSWER accepted = member_accept(suite, link, MEMBER_PASSWORD);
    CHECK_STATUS(accepted, 400);
    person_is("invited", invited);
    HTTP_ANSWER tokens = federated("demo");
    CHECK_STATUS(tokens, 200);
    HTTP_ANSWER change =
        http_post(suite_url(suite), "/auth/change-email", http_text(tokens, "accessToken"),
                  json_pack("{s:s}", "email", "other@elsewhere.example"));
    CHECK_STATUS(change, 403);
    CU_ASSERT_STRING_EQUAL(http_text(change, "code"), "ACCOUNT_MANAGED");
    HTTP_ANSWER proof =
        http_post(suite_url(suite), "/auth/step-up", http_text(tokens, "accessToken"),
                  json_pack("{s:s}", "password", MEMBER_PASSWORD));
    CHECK_STATUS(proof, 403);
    HTTP_ANSWER free = http_post(suite_url(suite), "/auth/step-up", people[FREE].person->access,
                                 json_pack("{s:s}", "password", MEMBER_PASSWORD));
    CHECK_STATUS(free, 204);
}

static void the_page_leads_to_the_provider(void)
{
    BROWSER browser = browser_open(suite);
    char form[200];

    CU_ASSERT_EQUAL(browser_get(browser, "sign-in"), 200);
    CU_ASSERT_FALSE(browser_sees(browser, "Your organization requires"));
    snprintf(form, sizeof(form), "email=nobody@" DOMAIN "&password=whatever+it+is");
    browser_post(browser, "sign-in", form);
    CU_ASSERT_TRUE(
        browser_sees(browser, "Your organization requires you to sign in with Staff ID."));
    snprintf(form, sizeof(form), "email=nobody@elsewhere.example&password=whatever+it+is");
    browser_post(browser, "sign-in", form);
    CU_ASSERT_FALSE(browser_sees(browser, "Your organization requires"));
}

static void an_operator_is_told_why(void)
{
    PROGRAM why = ATRIUMCTL(suite, NULL, "explain", "sign-in", "--project", "demo", "--email",
                            people[LINKED].person->email, "--role", "Practitioner");
    PROGRAM free = ATRIUMCTL(suite, NULL, "explain", "sign-in", "--project", "demo", "--email",
                             people[FREE].person->email, "--role", "Practitioner");

    UNIT_CHECK(strstr(why->out, "first check that fails: identity provider") != NULL, "%s",
               why->out);
    CU_ASSERT_PTR_NULL(strstr(free->out, "identity provider"));
}

/* A session of before the directory knew the person. */
static void a_person_who_is_covered_later_gives_no_proof(void)
{
    mark_directory(people[FREE].member);
    HTTP_ANSWER proof = http_post(suite_url(suite), "/auth/step-up", people[FREE].person->access,
                                  json_pack("{s:s}", "password", MEMBER_PASSWORD));
    CHECK_STATUS(proof, 403);
    HTTP_ANSWER passkey = passkey_step_up(suite, people[FREE].person->access, people[FREE].key);
    CHECK_STATUS(passkey, 403);
    suite_count(suite,
                "with gone as (delete from auth.scim_user where id = '%s' returning 1) select "
                "count(*) from gone",
                people[FREE].member);
}

/* ---- what does not open passwords again ---- */

static void a_disabled_provider_or_a_restart_opens_nothing(void)
{
    pid_t first = suite_pid(suite, "authd", "1"), second = suite_pid(suite, "authd", "2");

    set_provider("{\"enforced\":[\"practitioners\"],\"state\":\"disabled\"}");
    HTTP_ANSWER disabled = by_password(&people[LINKED]);
    CHECK_STATUS(disabled, 400);
    set_provider(ENFORCED);
    suite_count(suite, "with lost as (update auth.project_domain set verified_at = null returning "
                       "1) select count(*) from lost");
    HTTP_ANSWER lost = by_password(&people[ADDRESSED]);
    CHECK_STATUS(lost, 400);
    federation_verify_domain(suite, "demo", DOMAIN);
    /* A project below that does not inherit providers. */
    HTTP_ANSWER below = by_password(&people[BELOW]);
    CHECK_STATUS(below, 400);
    suite_signal(suite, "authd", "1", SIGKILL);
    suite_signal(suite, "authd", "2", SIGKILL);
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, "authd", "1", first));
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, "authd", "2", second));
    for (int i = 0; i < 8; i++) { /* each instance */
        HTTP_ANSWER again = by_password(&people[LINKED]);
        CHECK_STATUS(again, 400);
    }
}

/* ---- the local admins ---- */

static void the_last_local_admin_stays(void)
{
    char path[128], code[7];

    HTTP_ANSWER flag = set_local(owner_member, true, false);
    CHECK_STATUS(flag, 409);
    HTTP_ANSWER demoted = member_set_admin(suite, access_of_admin(), owner_member, false);
    CHECK_STATUS(demoted, 409);
    factor_move_on(suite);
    HTTP_ANSWER factor =
        factor_post(suite, FACTOR_DISABLE, access_of_admin(), factor_code_at(&owner, 0, code));
    CHECK_STATUS(factor, 409);
    HTTP_ANSWER gone =
        http_call(suite_url(suite), &(struct http_request){.method = "DELETE",
                                                           .path = "/auth/delete",
                                                           .bearer = access_of_admin(),
                                                           .body = json_pack("{s:i}", "days", 7)});
    CHECK_STATUS(gone, 409);
    snprintf(path, sizeof(path), FEDERATION_PROVIDERS "/%s", provider);
    HTTP_ANSWER deleted = http_delete(suite_url(suite), path, access_of_admin());
    CHECK_STATUS(deleted, 409);
    factor_move_on(suite);
    factor_sign_in(&owner, factor_code_at(&owner, 0, code), "password+totp");
}

/* Two local admins remove each other at the same time: one stays. */
static void two_demotions_leave_one(void)
{
    struct http_request requests[2];
    struct http_answer *answers[2];
    char id[37], paths[2][128];
    PERSON second_person = NULL;

    set_provider("{}");
    second_person = member_join(suite, owner.person, "Practitioner", true, id);
    OWNER second = factor_enroll(suite, second_person, "Practitioner");
    second_person = NULL;
    HTTP_ANSWER local = set_local(id, true, true);
    CHECK_STATUS(local, 200);
    set_provider(ENFORCED);
    CU_ASSERT_TRUE(suite_everywhere(suite, second.person->access, 200));
    for (int i = 0; i < 2; i++) {
        snprintf(paths[i], sizeof(paths[i]), MEMBER_PATH "/%s", i == 0 ? owner_member : id);
        requests[i] =
            (struct http_request){.method = "PATCH",
                                  .path = paths[i],
                                  .bearer = i == 0 ? second.person->access : access_of_admin(),
                                  .body = json_pack("{s:b, s:b}", "admin", 1, "localSignIn", 0)};
    }
    http_call_many(suite_url(suite), requests, 2, 2, answers);
    UNIT_CHECK(answers[0]->status + answers[1]->status == 200 + 409, "%d %d", answers[0]->status,
               answers[1]->status);
    http_answers_destroy(answers, 2);
    CU_ASSERT_EQUAL(suite_count(suite, "select count(*) from auth.membership where local_sign_in"),
                    1);
}

static void switching_it_off_opens_passwords(void)
{
    set_provider("{}");
    check_ways(false);
}

static void the_scene_is_left(void)
{
    for (size_t i = 0; i < PEOPLE; i++) {
        person_destroy(&people[i].person);
        authenticator_destroy(&people[i].key);
    }
    person_destroy(&child);
    factor_owner_free(&owner);
    suite_stop(&suite);
    identity_provider_stop(&clinic);
    unit_dir_remove(&dir);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(the_scene_is_set),
    CASE_ALWAYS(it_needs_a_test_and_a_local_admin),
    CASE_ALWAYS(switching_it_on_ends_other_sessions),
    CASE(every_other_way_is_refused),
    CASE(passwords_and_addresses_are_managed),
    CASE(the_page_leads_to_the_provider),
    CASE(an_operator_is_told_why),
    CASE(a_person_who_is_covered_later_gives_no_proof),
    CASE(a_started_login_is_refused),
    CASE(no_sign_in_slips_through),
    CASE(a_disabled_provider_or_a_restart_opens_nothing),
    CASE(the_last_local_admin_stays),
    CASE(two_demotions_leave_one),
    CASE(switching_it_off_opens_passwords),
    CASE_ALWAYS(the_scene_is_left),
};

int main(void)
{
    return unit_run("enforced", cases, ARRAY_SIZE(cases));
}
