/*
 * test_shared_accounts.c - a tenant cannot take over an account that also belongs to another
 * tenant: attacks end to end, and every account row with all kinds of sessions.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/domain/request.h"
#include "tests/support/browser.h"
#include "tests/support/oauth.h"
#include "tests/support/passkeys.h"
#include "tests/support/rows.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

#define PASSWORD "correct horse battery staple"
#define OTHER_PASSWORD "another horse battery staple"
#define OWN_SIGN_IN "/t/-/sign-in"
#define OWN_ACCOUNT "/t/-/account"
#define VICTIM "clinic-b" /* the attacked tenant, of another organization */

static struct suite *suite;

static void run_command(struct program *run)
{
    CHECK_EXIT(run, 0);
    program_destroy(&run);
}

/* Makes an operator's new admin of the tenant, with a verified address. */
static struct person *make_admin(const char *tenant)
{
    TEXT email = person_address();

    run_command(ATRIUMCTL(suite, PASSWORD "\n", "user", "create-admin", "--project", tenant,
                          "--email", email, "--name", "Vera", "--surname", "Victor"));
    return person_sign_in(suite, "Practitioner", email, PASSWORD, tenant);
}

/* Makes the person an admin of another tenant, and signs in there. */
static struct person *join(const struct person *who, const char *tenant)
{
    run_command(ATRIUMCTL(suite, NULL, "user", "create-admin", "--project", tenant, "--email",
                          who->email, "--name", "Vera", "--surname", "Victor", "--existing"));
    return person_sign_in(suite, "Practitioner", who->email, PASSWORD, tenant);
}

static bool signs_in(const struct person *who, const char *tenant, const char *password)
{
    PERSON again = person_sign_in(suite, "Practitioner", who->email, password, tenant);

    return again->access != NULL;
}

static void tenants_are_made(void)
{
    PERSON admin = person_admin(suite);

    suite_make_open_project(suite, VICTIM);
    for (int i = 1; i <= 2; i++) {
        char name[16];

        snprintf(name, sizeof(name), "child-%d", i);
        HTTP_ANSWER child = http_post(suite_url(suite), "/v1/slim/project/child", admin->access,
                                      json_pack("{s:s, s:s}", "name", name, "tenantCode", name));
        CHECK_STATUS(child, 200);
    }
}

static const char *const id = "00000000-0000-4000-8000-000000000000";

static json_t *body_of(const char *operation)
{
    if (strcmp(operation, "change_password") == 0)
        return json_pack("{s:s, s:s}", "oldPassword", "x", "newPassword", "y");
    if (strcmp(operation, "email_change") == 0)
        return json_pack("{s:s}", "email", "moved@elsewhere.example");
    if (strncmp(operation, "mfa_", 4) == 0)
        return json_pack("{s:s}", "token", "000000");
    if (strcmp(operation, "passkey_enroll_start") == 0 || strcmp(operation, "passkey_delete") == 0)
        return json_object();
    if (strcmp(operation, "passkey_rename") == 0)
        return json_pack("{s:s}", "name", "Key");
    if (strcmp(operation, "passkey_enroll_finish") == 0)
        return json_pack("{s:s, s:{s:s, s:s, s:s, s:{s:s, s:s}}}", "enrollmentId", id, "credential",
                         "id", "AAAA", "rawId", "AAAA", "type", "public-key", "response",
                         "clientDataJSON", "AAAA", "attestationObject", "AAAA");
    CU_FAIL("a row of REACH_ACCOUNT needs a body here");
    return json_object();
}

/* True when the row refuses the token because the account is shared. */
static bool is_shared(const struct route *row, const char *access)
{
    char path[256];
    const char *parameter = strchr(row->path, '{');
    bool bare = strcmp(row->method, "GET") == 0;
    struct http_request request = {.method = row->method, .path = path, .bearer = access};

    snprintf(path, sizeof(path), "%.*s%s",
             parameter ? (int)(parameter - row->path) : (int)strlen(row->path), row->path,
             parameter ? id : "");
    if (!bare)
        request.body = row->reach == REACH_ACCOUNT ? body_of(row->operation) : json_object();
    HTTP_ANSWER answer = http_call(suite_url(suite), &request);
    bool shared = answer->status == 403 && strcmp(http_text(answer, "code"), "ACCOUNT_SHARED") == 0;
    UNIT_CHECK(!shared || strstr(http_text(answer, "details.url"), OWN_ACCOUNT),
               "%s %s names no page", row->method, row->path);
    return shared;
}

/* Calls every account row with this session. Rows that only read never refuse it because the
 * account is shared. */
static void walk(const char *label, const char *access, bool owns)
{
    size_t rows = 0;

    for (const struct route *row = test_routes; row->method; row++) {
        bool account = row->reach == REACH_ACCOUNT;
        bool read = strcmp(row->method, "GET") == 0 && row->access == ACCESS_USER &&
                    !strchr(row->path, '{');

        if (!account && !read)
            continue;
        rows += account;
        UNIT_CHECK(is_shared(row, access) == (account && !owns), "%s: %s %s", label, row->method,
                   row->path);
    }
    CU_ASSERT_TRUE(rows >= 8);
}

static void each_row_asks_who_owns_the_account(void)
{
    PERSON own = make_admin("demo");
    walk("the only tenant", own->access, true);
    PERSON low = join(own, "child-1");
    walk("above", own->access, true);
    walk("below", low->access, false);
    PERSON one = make_admin("child-1");
    PERSON two = join(one, "child-2");
    walk("a sibling", one->access, false);
    walk("the other sibling", two->access, false);
    PERSON left = make_admin("demo");
    PERSON right = join(left, VICTIM);
    walk("another organization", left->access, false);
    walk("the other one", right->access, false);
}

static void tokens_of_applications_ask_too(void)
{
    PERSON own = make_admin("demo");
    PERSON shared = make_admin("demo");
    PERSON there = join(shared, VICTIM);
    TEXT client = oauth_register(suite, own, NULL);
    BROWSER browser = browser_open(suite);
    BROWSER other = browser_open(suite);
    char behind[512];

    CU_ASSERT_PTR_NOT_NULL(there->access);
    snprintf(behind, sizeof(behind), "%s&resource=%s", OAUTH_USUAL, suite_text(suite, "publicUrl"));
    HTTP_ANSWER owned = oauth_tokens(suite, browser, own, client, behind);
    walk("an application of the only tenant", http_text(owned, "access_token"), true);
    HTTP_ANSWER tokens = oauth_tokens(suite, other, shared, client, behind);
    walk("an application", http_text(tokens, "access_token"), false);
}

static void suspended_and_locked_memberships_count(void)
{
    suite_make_open_project(suite, "sleeping");
    PERSON first = make_admin("sleeping"); /* the project still has an admin */
    PERSON here = make_admin("demo");
    PERSON there = join(here, "sleeping");
    CU_ASSERT_PTR_NOT_NULL(there->access);
    CU_ASSERT_PTR_NOT_NULL(first->access);
    run_command(ATRIUMCTL(suite, NULL, "project", "suspend", "sleeping"));
    walk("beside a suspended project", here->access, false);
    run_command(ATRIUMCTL(suite, NULL, "project", "suspend", "sleeping", "--resume"));
    CU_ASSERT_EQUAL(suite_count(suite,
                                "with locked as (update auth.membership set locked_at = 1 where "
                                "profile_id = '%s' returning 1) select count(*) from locked",
                                strchr(there->profile, '/') + 1),
                    1);
    walk("beside a locked membership", here->access, false);
}

static void pages_lead_to_the_installations(void)
{
    static const char *const pages[] = {"change-email", "account/password", "account/factor",
                                        "account/passkeys"};
    PERSON here = make_admin("demo");
    PERSON there = join(here, VICTIM);
    BROWSER browser = browser_open(suite);

    CU_ASSERT_PTR_NOT_NULL(there->access);
    CU_ASSERT_TRUE(browser_signs_in(browser, here->email, FORM_PASSWORD));
    for (size_t i = 0; i < ARRAY_SIZE(pages); i++) {
        browser_get(browser, pages[i]);
        UNIT_CHECK(browser_goes_to(browser, OWN_ACCOUNT), "GET %s", pages[i]);
        browser_get(browser, "account");
        browser_post(browser, pages[i], "do=off&code=123456&old=x&new=y&email=a@b.example");
        UNIT_CHECK(browser_goes_to(browser, OWN_ACCOUNT), "POST %s", pages[i]);
    }
}

/* A tenant's application uses a practitioner's session to enter another tenant that the
 * practitioner administers. */
static void a_session_of_one_tenant_takes_no_account_over(void)
{
    AUTHENTICATOR key = authenticator_new(AUTHENTICATOR_ES256, PASSKEY_PRACTITIONER_ORIGIN);
    PERSON there = make_admin(VICTIM);
    PERSON here = join(there, "demo");

    HTTP_ANSWER enrolled = passkey_enroll(suite, here->access, key);
    CHECK_STATUS(enrolled, 403);
    HTTP_ANSWER moved = http_post(suite_url(suite), "/auth/change-email", here->access,
                                  json_pack("{s:s}", "email", "mine@attacker.example"));
    CHECK_STATUS(moved, 403);
    HTTP_ANSWER status = http_get(suite_url(suite), "/auth/mfa/status", here->access);
    CHECK_STATUS(status, 200);
    CU_ASSERT_PTR_NULL(http_member(status, "otpauthUrl"));
    HTTP_ANSWER gone =
        http_call(suite_url(suite),
                  &(struct http_request){.method = "DELETE",
                                         .path = "/auth/delete",
                                         .bearer = here->access,
                                         .body = json_pack("{s:i, s:b}", "days", 0, "wipe", 1)});
    CHECK_STATUS(gone, 200);
    CU_ASSERT_TRUE(suite_comes_to(suite, 1, 10000,
                                  "select count(*) from auth.membership m join auth.account a on "
                                  "a.id = m.account_id where a.email = '%s'",
                                  there->email));
    CU_ASSERT_TRUE(suite_everywhere(suite, here->access, 401));
    CU_ASSERT_TRUE(suite_everywhere(suite, there->access, 200));
    CU_ASSERT_TRUE(signs_in(there, VICTIM, PASSWORD));
}

static void a_passkey_made_in_one_tenant_opens_no_other(void)
{
    AUTHENTICATOR key = authenticator_new(AUTHENTICATOR_ES256, PASSKEY_PRACTITIONER_ORIGIN);
    PERSON here = make_admin("demo");
    HTTP_ANSWER enrolled = passkey_enroll(suite, here->access, key);
    CHECK_STATUS(enrolled, 200);
    PERSON there = join(here, VICTIM);
    PERSON victim = make_admin(VICTIM);

    suite_set_value(suite, victim->access, "PRACTITIONER_APP_URL", PASSKEY_PRACTITIONER_ORIGIN);
    HTTP_ANSWER mine = passkey_sign_in(suite, "Practitioner", "demo", NULL, key);
    CHECK_STATUS(mine, 200);
    HTTP_ANSWER other = passkey_sign_in(suite, "Practitioner", VICTIM, NULL, key);
    passkey_check_refused(other);
    HTTP_ANSWER proven =
        http_post(suite_url(suite), "/auth/step-up/start", there->access, json_object());
    CHECK_ERROR(proven, 400,
                "The account has no passkey for this application. Send a code instead.");
    HTTP_ANSWER shown = http_get(suite_url(suite), "/auth/passkey", there->access);
    CU_ASSERT_EQUAL(json_array_size(http_member(shown, "passkeys")), 0);
    HTTP_ANSWER listed = http_get(suite_url(suite), "/auth/passkey", here->access);
    CU_ASSERT_EQUAL(json_array_size(http_member(listed, "passkeys")), 1);
}

/* An older build did not store where a passkey was made, so its passkeys open only the common
 * parent of all memberships, or nothing. */
static void passkeys_of_before_open_what_is_above_all(void)
{
    AUTHENTICATOR one = authenticator_new(AUTHENTICATOR_ES256, PASSKEY_PRACTITIONER_ORIGIN);
    AUTHENTICATOR two = authenticator_new(AUTHENTICATOR_ES256, PASSKEY_PRACTITIONER_ORIGIN);
    PERSON own = make_admin("demo");
    PERSON shared = make_admin("demo");
    HTTP_ANSWER first = passkey_enroll(suite, own->access, one);
    CHECK_STATUS(first, 200);
    HTTP_ANSWER second = passkey_enroll(suite, shared->access, two);
    CHECK_STATUS(second, 200);
    PERSON low = join(own, "child-1");
    PERSON far = join(shared, VICTIM);
    const char *accounts[] = {own->email, shared->email};
    const char *want[] = {"demo", "none"};

    CU_ASSERT_TRUE(low->access && far->access);
    for (size_t i = 0; i < 2; i++)
        CU_ASSERT_EQUAL(suite_count(suite,
                                    "with old as (update auth.passkey p set opens_id = null from "
                                    "auth.account a where a.id = p.account_id and a.email = '%s' "
                                    "returning 1) select count(*) from old",
                                    accounts[i]),
                        1);
    for (size_t i = 0; i < 2; i++)
        UNIT_CHECK(suite_comes_to(
                       suite, 1, 15000,
                       "select count(*) from auth.passkey p join auth.account a on a.id = "
                       "p.account_id left join settings.tenant_code t on t.project_id = p.opens_id "
                       "where a.email = '%s' and (t.code = '%s' or t.code is null and p.opens_id "
                       "= 'ffffffff-ffff-ffff-ffff-ffffffffffff')",
                       accounts[i], want[i]),
                   "%s", accounts[i]);
    suite_mails_settle(suite); /* the newest email is checked */
    TEXT mail = suite_mail(suite, shared->email, 10000);
    CU_ASSERT_TRUE(mail && strstr(mail, "add a new passkey"));
    HTTP_ANSWER opened = passkey_sign_in(suite, "Practitioner", "demo", NULL, one);
    CHECK_STATUS(opened, 200);
    HTTP_ANSWER closed = passkey_sign_in(suite, "Practitioner", "demo", NULL, two);
    passkey_check_refused(closed);
}

static void verify_for(const struct person *who, const char *tenant)
{
    CU_ASSERT_EQUAL(suite_count(suite,
                                "with own as (update auth.email_verified v set organization_id = "
                                "t.project_id from auth.account a, settings.tenant_code t where "
                                "a.id = v.account_id and a.email = '%s' and t.code = '%s' "
                                "returning 1) select count(*) from own",
                                who->email, tenant),
                    1);
}

static struct mail_link invite(const struct person *admin, const char *email)
{
    HTTP_ANSWER invited =
        http_post(suite_url(suite), "/v1/projects/me/members", admin->access,
                  json_pack("{s:s, s:s, s:s}", "email", email, "firstName", "V", "lastName", "V"));

    CHECK_STATUS(invited, 200);
    return suite_mail_link(suite, email, "https://practitioner.demo.example/invitation");
}

/* A tenant invites another organization's practitioner, and its application sees the link. */
static void an_invitation_takes_no_account_over(void)
{
    PERSON admin = person_admin(suite);
    PERSON there = make_admin(VICTIM);
    verify_for(there, VICTIM);
    struct mail_link link = invite(admin, there->email);

    HTTP_ANSWER shown = suite_post_link(suite, "/auth/invitation", &link, NULL, NULL);
    CU_ASSERT_STRING_EQUAL(http_text(shown, "accept"), "sign-in");
    HTTP_ANSWER set = suite_post_link(suite, "/auth/set-password", &link, NULL, OTHER_PASSWORD);
    CHECK_STATUS(set, 409);
    CU_ASSERT_STRING_EQUAL(http_text(set, "code"), "ACCEPT_SIGNED_IN");
    HTTP_ANSWER early =
        suite_post_link(suite, "/auth/invitation/accept", &link, there->access, NULL);
    CHECK_STATUS(early, 403);
    CU_ASSERT_STRING_EQUAL(http_text(early, "code"), "EMAIL_NOT_VERIFIED");
    CU_ASSERT_PTR_NOT_NULL(strstr(http_text(early, "details.url"), "/t/-/reset-password"));
    CU_ASSERT_TRUE(suite_everywhere(suite, there->access, 200));
    CU_ASSERT_FALSE(signs_in(there, VICTIM, OTHER_PASSWORD));
}

static void a_changed_address_is_verified_for_no_one_else(void)
{
    PERSON there = make_admin(VICTIM);
    verify_for(there, VICTIM);
    TEXT address = person_address();
    HTTP_ANSWER sent = http_post(suite_url(suite), "/auth/change-email", there->access,
                                 json_pack("{s:s}", "email", address));
    CHECK_STATUS(sent, 200);
    struct mail_link link = suite_mail_link(suite, address, "verify-email");
    HTTP_ANSWER done = suite_post_link(suite, "/auth/verify-email", &link, there->access, NULL);
    CHECK_STATUS(done, 204);
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from auth.email_verified v join auth.account a on "
                                "a.id = v.account_id join settings.tenant_code t on t.project_id = "
                                "v.organization_id where a.email = '%s' and t.code = '" VICTIM "'",
                                address),
                    1);
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from auth.email_verified v join auth.account a on "
                                "a.id = v.account_id where a.email = '%s'",
                                address),
                    1);
}

static void links_of_a_former_owner_are_dead(void)
{
    PERSON here = make_admin("demo");
    HTTP_ANSWER reset =
        suite_post_fresh(suite, "/auth/reset-password",
                         json_pack("{s:s, s:s}", "email", here->email, "tenantCode", "demo"));
    CHECK_STATUS(reset, 200);
    struct mail_link link =
        suite_mail_link(suite, here->email, "https://practitioner.demo.example/set-password");
    PERSON there = join(here, VICTIM);
    HTTP_ANSWER set = suite_post_link(suite, "/auth/set-password", &link, NULL, OTHER_PASSWORD);
    CHECK_ERROR(set, 400, "The link is invalid or has expired.");
    CU_ASSERT_TRUE(suite_everywhere(suite, there->access, 200));

    /* The statement that redeems a link checks too, because an older build may have added
     * memberships. */
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from auth.password_reset r join auth.account a on "
                                "a.id = r.account_id where a.email = '%s'",
                                here->email),
                    0);
    PERSON other = make_admin("demo");
    HTTP_ANSWER again =
        suite_post_fresh(suite, "/auth/reset-password",
                         json_pack("{s:s, s:s}", "email", other->email, "tenantCode", "demo"));
    CHECK_STATUS(again, 200);
    link = suite_mail_link(suite, other->email, "https://practitioner.demo.example/set-password");
    CU_ASSERT_EQUAL(suite_count(suite,
                                "with joined as (insert into auth.membership (project_id, id, "
                                "account_id, profile_id, created_at) select t.project_id, "
                                "gen_random_uuid(), a.id, gen_random_uuid(), 0 from "
                                "settings.tenant_code t, auth.account a where t.code = '" VICTIM
                                "' and a.email = '%s' returning 1) select count(*) from joined",
                                other->email),
                    1);
    HTTP_ANSWER late = suite_post_link(suite, "/auth/set-password", &link, NULL, OTHER_PASSWORD);
    CHECK_ERROR(late, 400, "The link is invalid or has expired.");
    /* the installation emails the next link, to its own page */
    HTTP_ANSWER fresh =
        suite_post_fresh(suite, "/auth/reset-password",
                         json_pack("{s:s, s:s}", "email", other->email, "tenantCode", "demo"));
    CHECK_STATUS(fresh, 200);
    link = suite_mail_link(suite, other->email, "/t/-/set-password");
    HTTP_ANSWER done = suite_post_link(suite, "/auth/set-password", &link, NULL, OTHER_PASSWORD);
    CHECK_STATUS(done, 204);
}

static void the_help_desk_learns_nothing_of_other_projects(void)
{
    static const char *const acts[] = {"reset-mfa", "send-reset", "schedule-deletion",
                                       "cancel-deletion"};
    suite_make_open_project(suite, "single");
    PERSON last = make_admin("single"); /* its only admin */
    PERSON here = join(last, "demo");
    PERSON admin = person_admin(suite);
    TEXT account = suite_account(suite, last->email);

    CU_ASSERT_PTR_NOT_NULL(here->access);
    for (size_t i = 0; i < ARRAY_SIZE(acts); i++) {
        char path[128];

        snprintf(path, sizeof(path), "/v1/project/accounts/%s/%s", account, acts[i]);
        HTTP_ANSWER refused =
            http_post(suite_url(suite), path, admin->access, json_pack("{s:s}", "reason", "sent"));
        UNIT_CHECK(refused->status == 403 &&
                       strcmp(http_text(refused, "code"), "ACCOUNT_SHARED") == 0,
                   "%s: %d", acts[i], refused->status);
    }
}

static void a_lock_ends_nothing_elsewhere(void)
{
    PERSON there = make_admin(VICTIM);
    PERSON here = join(there, "demo");
    PERSON admin = person_admin(suite);
    TEXT account = suite_account(suite, there->email);
    char path[128];
    HTTP_ANSWER begun = suite_post_fresh(suite, "/auth/tenant/Practitioner/login/start",
                                         body_login_start(there->email, PASSWORD, VICTIM));
    CHECK_STATUS(begun, 200);

    snprintf(path, sizeof(path), "/v1/project/accounts/%s/lock", account);
    HTTP_ANSWER locked =
        http_post(suite_url(suite), path, admin->access, json_pack("{s:s}", "reason", "sent"));
    CHECK_STATUS(locked, 204);
    CU_ASSERT_TRUE(suite_everywhere(suite, here->access, 401));
    HTTP_ANSWER tokens =
        suite_post_fresh(suite, "/auth/tenant/Practitioner/login/token",
                         body_login_token(http_text(begun, "sessionCode"), VICTIM));
    CHECK_STATUS(tokens, 200);
    CU_ASSERT_TRUE(suite_everywhere(suite, there->access, 200));
}

static void a_scheduled_end_is_taken_back_by_a_sign_in(void)
{
    PERSON there = make_admin(VICTIM);
    PERSON here = join(there, "demo");
    HTTP_ANSWER sent =
        http_call(suite_url(suite), &(struct http_request){.method = "DELETE",
                                                           .path = "/auth/delete",
                                                           .bearer = here->access,
                                                           .body = json_pack("{s:i}", "days", 1)});
    CHECK_STATUS(sent, 200);
    CU_ASSERT_TRUE(*http_text(sent, "scheduled") != '\0');
    TEXT mail = suite_mail(suite, there->email, 10000);
    CU_ASSERT_TRUE(mail && strstr(mail, "You keep your account"));
    CU_ASSERT_TRUE(signs_in(there, "demo", PASSWORD));
    suite_advance_clock(suite, 2L * 24 * 3600);
    CU_ASSERT_TRUE(signs_in(there, "demo", PASSWORD));

    PERSON once = person_sign_in(suite, "Practitioner", there->email, PASSWORD, "demo");
    HTTP_ANSWER again =
        http_call(suite_url(suite), &(struct http_request){.method = "DELETE",
                                                           .path = "/auth/delete",
                                                           .bearer = once->access,
                                                           .body = json_pack("{s:i}", "days", 1)});
    CHECK_STATUS(again, 200);
    suite_advance_clock(suite, 2L * 24 * 3600);
    CU_ASSERT_TRUE(suite_comes_to(suite, 1, 15000,
                                  "select count(*) from auth.membership m join auth.account a on "
                                  "a.id = m.account_id where a.email = '%s'",
                                  there->email));
    CU_ASSERT_FALSE(signs_in(there, "demo", PASSWORD));
    CU_ASSERT_TRUE(signs_in(there, VICTIM, PASSWORD));
}

static void suite_shuts_down_cleanly(void)
{
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(tenants_are_made),
    CASE(each_row_asks_who_owns_the_account),
    CASE(tokens_of_applications_ask_too),
    CASE(suspended_and_locked_memberships_count),
    CASE(pages_lead_to_the_installations),
    CASE(a_session_of_one_tenant_takes_no_account_over),
    CASE(a_passkey_made_in_one_tenant_opens_no_other),
    CASE(passkeys_of_before_open_what_is_above_all),
    CASE(an_invitation_takes_no_account_over),
    CASE(a_changed_address_is_verified_for_no_one_else),
    CASE(links_of_a_former_owner_are_dead),
    CASE(the_help_desk_learns_nothing_of_other_projects),
    CASE(a_lock_ends_nothing_elsewhere),
    CASE(a_scheduled_end_is_taken_back_by_a_sign_in),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite =
        suite_start(&(struct suite_options){.instances = "authd=2,gateway=2", .test_clock = true});
    return unit_run("shared accounts", cases, ARRAY_SIZE(cases));
}
