/*
 * test_account_commands.c - `atriumctl account`, with which an operator helps practitioners of
 * several organizations, and doctor's row about them.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/passkeys.h"
#include "tests/support/suite_command.h"
#include "tests/support/totp.h"
#include "tests/support/unit.h"

#define PASSWORD "correct horse battery staple"
#define OTHER_PASSWORD "another horse battery staple"
#define OTHER "clinic-b" /* in another organization */
#define POLICY "/v1/project/account-policy"
#define REASON "Ticket 4711: seen in person"
#define ROW "shared accounts"

enum { DAY = 86400 };

static struct suite *suite;

static void run_command(struct program *run)
{
    CHECK_EXIT(run, DONE);
    program_destroy(&run);
}

static struct person *sign_in(const char *email, const char *tenant)
{
    return person_sign_in(suite, "Practitioner", email, PASSWORD, tenant);
}

/* Makes a new admin of the tenant by an operator's command, with a verified address. */
static struct person *make_admin(const char *tenant)
{
    TEXT email = person_address();

    run_command(suite_create_admin(suite, tenant, email, PASSWORD "\n"));
    return sign_in(email, tenant);
}

static struct person *join(const struct person *who, const char *tenant)
{
    run_command(ATRIUMCTL(suite, NULL, "user", "create-admin", "--project", tenant, "--email",
                          who->email, "--name", "Olga", "--surname", "Petrova", "--existing"));
    return sign_in(who->email, tenant);
}

static void the_other_tenant_is_made(void)
{
    suite_make_open_project(suite, OTHER);
}

static struct program *account(const char *command, const char *email, const char *option,
                               const char *value)
{
    return ATRIUMCTL(suite, NULL, "account", command, "--email", email, "--reason", REASON, option,
                     value);
}

/* Returns the number of audit rows of this action by an operator on the account, with REASON. */
static long audited(const char *email, const char *action)
{
    return suite_count(suite,
                       "select count(*) from auth.audit u join auth.account a on "
                       "u.event->'agent'->>'service' = 'ctl' where a.email = '%s' and "
                       "u.event->>'action' = '%s' and u.event->>'reason' = '" REASON "' and "
                       "u.event::text like '%%' || a.id || '%%'",
                       email, action);
}

static void check_mail(const char *email, const char *text)
{
    suite_mails_settle(suite);
    TEXT mail = suite_mail(suite, email, 10000);

    UNIT_CHECK(mail && strstr(mail, text), "\"%s\" in %s", text, mail ? mail : "no mail");
}

static void check_shared(const struct http_answer *answer)
{
    CHECK_STATUS(answer, 403);
    CU_ASSERT_STRING_EQUAL(http_text(answer, "code"), "ACCOUNT_SHARED");
    CU_ASSERT_PTR_NOT_NULL(strstr(http_text(answer, "message"), "atriumctl account"));
    CU_ASSERT_PTR_NULL(http_member(answer, "details"));
}

static struct http_answer *enroll(const char *access, const char *code)
{
    return http_post(suite_url(suite), "/auth/mfa/enroll", access,
                     json_pack("{s:s}", "token", code));
}

static struct http_answer *require_mfa(const struct person *admin, const char *scope)
{
    return http_put(suite_url(suite), POLICY, admin->access,
                    json_pack("{s:s}", "requireMfa", scope));
}

static void shared_practitioners_are_told_to_ask_the_operator(void)
{
    PERSON here = make_admin("demo");
    PERSON there = join(here, OTHER);
    HTTP_ANSWER refused = enroll(here->access, "123456");
    HTTP_ANSWER moved = http_post(suite_url(suite), "/auth/change-email", there->access,
                                  json_pack("{s:s}", "email", "new@elsewhere.example"));

    check_shared(refused);
    check_shared(moved);
}

static void read_word(const char *email, const char *label, size_t size, char *ret)
{
    suite_mails_settle(suite);
    TEXT mail = suite_mail(suite, email, 10000);
    const char *at = mail ? strstr(mail, label) : NULL;
    size_t length = at ? strcspn(at + strlen(label), " \r\n<") : 0;

    UNIT_CHECK(at && length < size, "\"%s\" in %s", label, mail ? mail : "no mail");
    snprintf(ret, size, "%.*s", (int)length, at ? at + strlen(label) : "");
}

static void a_reset_is_mailed_with_a_code(void)
{
    PERSON here = make_admin("demo");
    PERSON there = join(here, OTHER);
    struct mail_link code;

    run_command(account("send-reset", here->email, NULL, NULL));
    CU_ASSERT_EQUAL(audited(here->email, "password.link"), 1);
    read_word(here->email, "id: ", sizeof(code.id), code.id);
    read_word(here->email, "secret: ", sizeof(code.secret), code.secret);
    check_mail(here->email, "ask an administrator");
    HTTP_ANSWER wrong = suite_post_fresh(suite, "/auth/set-password",
                                         json_pack("{s:s, s:s, s:s}", "id", code.id, "secret",
                                                   "guessed", "password", OTHER_PASSWORD));
    CHECK_STATUS(wrong, 400);
    HTTP_ANSWER set = suite_post_link(suite, "/auth/set-password", &code, NULL, OTHER_PASSWORD);
    CHECK_STATUS(set, 204);
    CU_ASSERT_TRUE(suite_everywhere(suite, there->access, 401));
    PERSON again = person_sign_in(suite, "Practitioner", here->email, OTHER_PASSWORD, OTHER);
    CU_ASSERT_PTR_NOT_NULL(again->access);
    HTTP_ANSWER twice = suite_post_link(suite, "/auth/set-password", &code, NULL, PASSWORD);
    CHECK_STATUS(twice, 400);
}

static void resets_are_limited(void)
{
    PERSON here = make_admin("demo");

    for (int i = 0; i < 10; i++)
        run_command(account("send-reset", here->email, NULL, NULL));
    PROGRAM more = account("send-reset", here->email, NULL, NULL);
    CHECK_REFUSED(more, FAILED,
                  "Too many emails were sent to this address. Please try again later.");
    run_command(ATRIUMCTL(suite, NULL, "user", "lock", here->email));
    PROGRAM locked = account("send-reset", here->email, NULL, NULL);
    CHECK_REFUSED(locked, FAILED, "The account is locked.");
}

static void a_lost_factor_is_taken_away_and_set_up_anew(void)
{
    PERSON here = make_admin("demo");
    uint8_t secret[TOTP_SECRET];
    char code[7];

    totp_enrol(suite, here, suite_now(suite), secret);
    PERSON there = join(here, OTHER);
    CU_ASSERT_PTR_NULL(there->access);
    run_command(account("reset-mfa", here->email, NULL, NULL));
    CU_ASSERT_EQUAL(audited(here->email, "mfa.reset"), 1);
    CU_ASSERT_EQUAL(audited(here->email, "mfa.admit"), 1);
    check_mail(here->email, "Two-step verification");
    CU_ASSERT_TRUE(suite_everywhere(suite, here->access, 401));

    PERSON fresh = sign_in(here->email, OTHER);
    HTTP_ANSWER status = http_get(suite_url(suite), "/auth/mfa/status", fresh->access);
    totp_read(http_text(status, "otpauthUrl"), secret);
    HTTP_ANSWER moved = http_post(suite_url(suite), "/auth/change-email", fresh->access,
                                  json_pack("{s:s}", "email", "new@elsewhere.example"));
    check_shared(moved);
    HTTP_ANSWER set = enroll(fresh->access, totp_code(secret, suite_now(suite), code));
    CHECK_STATUS(set, 200);
    check_mail(here->email, "Atrium");
    HTTP_ANSWER off = http_post(suite_url(suite), "/auth/mfa/disable", fresh->access,
                                json_pack("{s:s}", "token", "123456"));
    check_shared(off);
}

static void a_factor_is_admitted_for_a_day(void)
{
    PERSON here = make_admin("demo");
    PERSON there = join(here, OTHER);

    CU_ASSERT_PTR_NOT_NULL(there->access); /* without a factor, so `user reset-mfa` works here */
    run_command(
        ATRIUMCTL(suite, NULL, "user", "reset-mfa", "--project", OTHER, "--email", here->email));
    PERSON early = sign_in(here->email, "demo");
    HTTP_ANSWER in_time = http_get(suite_url(suite), "/auth/mfa/status", early->access);
    CU_ASSERT_PTR_NOT_NULL(http_member(in_time, "otpauthUrl"));
    suite_advance_clock(suite, DAY + 60);
    PERSON late = sign_in(here->email, "demo");
    HTTP_ANSWER over = http_get(suite_url(suite), "/auth/mfa/status", late->access);
    CU_ASSERT_PTR_NULL(http_member(over, "otpauthUrl"));
    HTTP_ANSWER refused = enroll(late->access, "123456");
    check_shared(refused);
}

static void a_passkey_is_listed_and_removed(void)
{
    AUTHENTICATOR key = authenticator_new(AUTHENTICATOR_ES256, PASSKEY_PRACTITIONER_ORIGIN);
    PERSON here = make_admin("demo");
    HTTP_ANSWER made = passkey_enroll(suite, here->access, key);
    CHECK_STATUS(made, 200);
    const char *id = http_text(made, "id");
    PERSON there = join(here, OTHER);
    HTTP_ANSWER refused =
        http_call(suite_url(suite), &(struct http_request){.method = "DELETE",
                                                           .path = "/auth/passkey/x",
                                                           .bearer = there->access,
                                                           .body = json_object()});

    CU_ASSERT_NOT_EQUAL(refused->status, 200);
    PROGRAM list = ATRIUMCTL(suite, NULL, "account", "passkey-remove", "--email", here->email,
                             "--reason", REASON);
    CHECK_EXIT(list, DONE);
    CU_ASSERT_PTR_NOT_NULL(strstr(list->out, id));
    CU_ASSERT_PTR_NOT_NULL(strstr(list->out, "My phone"));
    CU_ASSERT_EQUAL(audited(here->email, "passkey.remove"), 0);
    PROGRAM unknown =
        account("passkey-remove", here->email, "--id", "11111111-1111-4111-8111-111111111111");
    CHECK_REFUSED(unknown, FAILED, "Passkey not found.");
    run_command(account("passkey-remove", here->email, "--id", id));
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from auth.audit where event->>'action' = "
                                "'passkey.remove' and event->>'reason' = '" REASON "' and entity "
                                "= 'Passkey/%s'",
                                id),
                    1);
    check_mail(here->email, "Passkey");
    CU_ASSERT_TRUE(suite_everywhere(suite, there->access, 401));
    HTTP_ANSWER opened = passkey_sign_in(suite, "Practitioner", "demo", NULL, key);
    passkey_check_refused(opened);
}

static void a_membership_ends_at_once(void)
{
    PERSON here = make_admin("demo");
    PERSON there = join(here, OTHER);

    run_command(account("leave", here->email, "--tenant", OTHER));
    CU_ASSERT_EQUAL(audited(here->email, "membership.delete"), 1);
    check_mail(here->email, "Your access to Clinic has ended");
    check_mail(here->email, "You keep your account");
    CU_ASSERT_TRUE(suite_everywhere(suite, there->access, 401));
    CU_ASSERT_TRUE(suite_everywhere(suite, here->access, 200));
    HTTP_ANSWER status = http_get(suite_url(suite), "/auth/mfa/status", here->access);
    CU_ASSERT_PTR_NOT_NULL(http_member(
        status, "otpauthUrl")); /* no longer shared, so the account can enroll a factor */
    PROGRAM gone = account("leave", here->email, "--tenant", OTHER);
    CHECK_REFUSED(gone, FAILED, "Member not found.");
    PROGRAM nowhere = account("leave", here->email, "--tenant", "nowhere");
    CHECK_REFUSED(nowhere, FAILED, "Tenant not found.");
}

static void the_last_admin_stays(void)
{
    suite_make_project(suite, "Single", "single");
    PERSON last = make_admin("single");
    PERSON here = join(last, "demo");
    PROGRAM left = account("leave", last->email, "--tenant", "single");
    PROGRAM deleted = account("schedule-deletion", last->email, "--days", "3");

    CHECK_REFUSED(left, FAILED, "The project needs at least one admin");
    CHECK_REFUSED(deleted, FAILED, "The project needs at least one admin");
    CU_ASSERT_TRUE(suite_everywhere(suite, last->access, 200));
    CU_ASSERT_TRUE(suite_everywhere(suite, here->access, 200));
    CU_ASSERT_EQUAL(audited(last->email, "membership.delete"), 0);
    CU_ASSERT_EQUAL(audited(last->email, "deletion.schedule"), 0);
}

static void a_deletion_is_scheduled(void)
{
    PERSON here = make_admin("demo");
    PERSON there = join(here, OTHER);

    CU_ASSERT_PTR_NOT_NULL(there->access);
    run_command(account("schedule-deletion", here->email, "--days", "5"));
    CU_ASSERT_EQUAL(audited(here->email, "deletion.schedule"), 1);
    check_mail(here->email, "will be deleted on");
    PROGRAM shown = ATRIUMCTL(suite, NULL, "user", "show", here->email, "--json");
    CU_ASSERT_TRUE(*program_text(shown, "deletedFrom") != '\0');
    PROGRAM too_far = account("schedule-deletion", here->email, "--days", "91");
    CHECK_REFUSED(too_far, FAILED, "days");
    suite_advance_clock(suite, 6L * DAY);
    CU_ASSERT_TRUE(suite_comes_to(
        suite, 0, 30000, "select count(*) from auth.account where email = '%s'", here->email));
}

static void each_command_wants_an_account_and_a_reason(void)
{
    static const struct {
        const char *command, *option, *value;
    } commands[] = {{"send-reset", NULL, NULL},
                    {"reset-mfa", NULL, NULL},
                    {"passkey-remove", NULL, NULL},
                    {"leave", "--tenant", "demo"},
                    {"schedule-deletion", "--days", "3"}};
    PERSON patient = person_register_settled(suite);
    PERSON here = make_admin("demo");

    for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
        const char *name = commands[i].command;
        PROGRAM none = account(name, "no@body.example", commands[i].option, commands[i].value);
        PROGRAM other = account(name, patient->email, commands[i].option, commands[i].value);
        PROGRAM silent = ATRIUMCTL(suite, NULL, "account", name, "--email", here->email,
                                   commands[i].option, commands[i].value);
        PROGRAM empty = ATRIUMCTL(suite, NULL, "account", name, "--email", here->email, "--reason",
                                  "", commands[i].option, commands[i].value);

        CHECK_REFUSED(none, FAILED, "Account not found.");
        CHECK_REFUSED(other, FAILED,
                      "Account not found."); /* a patient account belongs to its project */
        CHECK_REFUSED(silent, USAGE, "--reason");
        CHECK_REFUSED(empty, FAILED, "reason");
    }
    CU_ASSERT_TRUE(suite_everywhere(suite, here->access, 200));
}

static const char *row_text(const struct program *doctor, const char *member)
{
    size_t i;
    json_t *row;

    json_array_foreach(doctor->json, i, row)
    {
        const char *check = json_string_value(json_object_get(row, "check"));

        if (check && strcmp(check, ROW) == 0)
            return json_string_value(json_object_get(row, member));
    }
    return "";
}

static long counted(void)
{
    PROGRAM doctor = ATRIUMCTL(suite, NULL, "doctor", "--json");
    long count = strtol(row_text(doctor, "seen"), NULL, 10);

    CU_ASSERT_STRING_EQUAL(row_text(doctor, "state"), count > 0 ? "warn" : "ok");
    UNIT_CHECK(count == 0 || strstr(row_text(doctor, "mend"), "public_url"), "%s", doctor->out);
    return count;
}

static void doctor_counts_who_has_no_page(void)
{
    long before = counted();
    PERSON here = make_admin("demo");
    PERSON child = person_admin_of_child(suite, "below-demo");

    CU_ASSERT_PTR_NOT_NULL(child->access);
    CU_ASSERT_EQUAL(counted(), before); /* not counted: the account belongs to demo */
    PERSON there = join(here, OTHER);
    CU_ASSERT_PTR_NOT_NULL(there->access);
    CU_ASSERT_EQUAL(counted(), before + 1);
    run_command(account("leave", here->email, "--tenant", OTHER));
    CU_ASSERT_EQUAL(counted(), before);

    /* a member of two branches of one organization, but not of their parent */
    PERSON beside = person_admin_of_child(suite, "beside-demo");
    CU_ASSERT_PTR_NOT_NULL(beside->access);
    PERSON one = make_admin("below-demo");
    PERSON both = join(one, "beside-demo");
    CU_ASSERT_PTR_NOT_NULL(both->access);
    CU_ASSERT_EQUAL(counted(), before + 1);
    run_command(account("leave", one->email, "--tenant", "beside-demo"));
    CU_ASSERT_EQUAL(counted(), before);
}

static void no_factor_is_demanded_of_who_cannot_set_one_up(void)
{
    suite_make_project(suite, "West", "west");
    PERSON admin = make_admin("west");
    PERSON other = make_admin("west");

    HTTP_ANSWER first = require_mfa(admin, "everyone");
    CHECK_STATUS(first, 200);
    run_command(ATRIUMCTL(suite, NULL, "project", "policy", "west", "requireMfa", "none"));
    PERSON there = join(other, OTHER);
    CU_ASSERT_PTR_NOT_NULL(there->access);
    HTTP_ANSWER refused = require_mfa(admin, "practitioners");
    CHECK_STATUS(refused, 409);
    CU_ASSERT_PTR_NOT_NULL(strstr(http_text(refused, "message"), "several organizations"));
    CU_ASSERT_PTR_NOT_NULL(strstr(http_text(refused, "message"), "public_url"));
    PROGRAM by_operator =
        ATRIUMCTL(suite, NULL, "project", "policy", "west", "requireMfa", "admins");
    CHECK_REFUSED(by_operator, FAILED, "several organizations");
    HTTP_ANSWER rest =
        http_put(suite_url(suite), POLICY, admin->access,
                 json_pack("{s:s, s:i}", "requireMfa", "none", "passwordMinLength", 8));
    CHECK_STATUS(rest, 200);
    run_command(account("leave", other->email, "--tenant", OTHER));
    HTTP_ANSWER done = require_mfa(admin, "admins");
    CHECK_STATUS(done, 200);
}

/* The operator can admit a person who joined a second organization after requireMfa was set. */
static void a_membership_that_comes_later_locks_no_one_out(void)
{
    suite_make_project(suite, "East", "east");
    PERSON admin = make_admin("east");
    PERSON late = make_admin("east");
    uint8_t secret[TOTP_SECRET];
    char code[7];

    HTTP_ANSWER required = require_mfa(admin, "admins");
    CHECK_STATUS(required, 200);
    PERSON there = join(late, OTHER);
    CU_ASSERT_PTR_NOT_NULL(there->access);
    HTTP_ANSWER closed = http_get(suite_url(suite), POLICY, late->access);
    CHECK_STATUS(closed, 403);
    CU_ASSERT_STRING_EQUAL(http_text(closed, "code"), "MFA_ENROLLMENT_REQUIRED");
    HTTP_ANSWER alone = enroll(late->access, "123456");
    check_shared(alone);

    run_command(account("reset-mfa", late->email, NULL, NULL));
    PERSON again = sign_in(late->email, "east");
    HTTP_ANSWER status = http_get(suite_url(suite), "/auth/mfa/status", again->access);
    totp_read(http_text(status, "otpauthUrl"), secret);
    HTTP_ANSWER set = enroll(again->access, totp_code(secret, suite_now(suite), code));
    CHECK_STATUS(set, 200);
    HTTP_ANSWER open = http_get(suite_url(suite), POLICY, again->access);
    CHECK_STATUS(open, 200);
    HTTP_ANSWER narrower = http_put(suite_url(suite), POLICY, again->access,
                                    json_pack("{s:s}", "requireMfa", "admins"));
    CHECK_STATUS(narrower, 200);
}

static void with_pages_nothing_of_this_is_needed(void)
{
    PERSON here = make_admin(OTHER);
    PERSON there = join(here, "demo");

    CU_ASSERT_PTR_NOT_NULL(there->access);
    CU_ASSERT_TRUE(counted() > 0);
    suite_reconfigure(suite, "common.public_url=https://id.example.org");
    CU_ASSERT_EQUAL(counted(), 0);
    PERSON again = sign_in(here->email, OTHER);
    HTTP_ANSWER required = require_mfa(again, "practitioners");
    CHECK_STATUS(required, 200);
    PROGRAM none = account("reset-mfa", here->email, NULL, NULL);
    CHECK_REFUSED(none, FAILED, "You have no second factor.");
    run_command(account("send-reset", here->email, NULL, NULL));
    check_mail(here->email, "https://id.example.org/t/-/set-password?id=");
}

static void suite_shuts_down_cleanly(void)
{
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(the_other_tenant_is_made),
    CASE(shared_practitioners_are_told_to_ask_the_operator),
    CASE(a_reset_is_mailed_with_a_code),
    CASE(resets_are_limited),
    CASE(a_lost_factor_is_taken_away_and_set_up_anew),
    CASE(a_passkey_is_listed_and_removed),
    CASE(a_membership_ends_at_once),
    CASE(the_last_admin_stays),
    CASE(each_command_wants_an_account_and_a_reason),
    CASE(doctor_counts_who_has_no_page),
    CASE(no_factor_is_demanded_of_who_cannot_set_one_up),
    CASE(a_membership_that_comes_later_locks_no_one_out),
    CASE(a_factor_is_admitted_for_a_day),
    CASE(a_deletion_is_scheduled),
    CASE(with_pages_nothing_of_this_is_needed),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite = suite_start(&(struct suite_options){
        .instances = "authd=2,gateway=2", .set = "common.public_url=", .test_clock = true});
    return unit_run("account commands", cases, ARRAY_SIZE(cases));
}
