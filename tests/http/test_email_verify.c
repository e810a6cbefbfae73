/*
 * test_email_verify.c - proven e-mail addresses: what proves them, and that an account belongs to
 * the owner of its mailbox, whoever registered it first. Over two gateways and two authd, on the
 * test clock.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/http/program.h"
#include "tests/http/suite.h"
#include "tests/http/totp.h"
#include "tests/unit/unit.h"

#define RESET "/auth/reset-password"
#define SET "/auth/set-password"
#define PATIENT_APP "https://patient.demo.example"

#define PAGES "authd.account_app_url=https://account.example"

enum { DAY = 86400 };

static struct suite *suite;
static int64_t ahead; /* of the test clock, seconds */

static void set_clock(int64_t seconds)
{
    ahead = seconds;
    suite_set_clock(suite, seconds);
}

/* ---- calls ---- */

/* What /auth/me says of the address: 1 proven, 0 not, -1 no such session. */
static int verified(const char *access)
{
    HTTP_ANSWER answer = http_get(suite_url(suite), "/auth/me", access);

    if (answer->status != 200)
        return -1;
    return json_is_true(http_member(answer, "security.emailVerified"));
}

/* Sets the password by a link that is asked for now; mails to the address are `number` then. */
static void reset_by_link(const char *email, size_t number, const char *password)
{
    HTTP_ANSWER asked = suite_post_fresh(
        suite, RESET, json_pack("{s:s, s:s}", "email", email, "tenantCode", "demo"));

    CHECK_STATUS(asked, 200);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, email, number));
    struct mail_link link = suite_mail_link(suite, email, PATIENT_APP "/set-password");
    HTTP_ANSWER set = suite_post_fresh(suite, SET,
                                       json_pack("{s:s, s:s, s:s}", "id", link.id, "secret",
                                                 link.secret, "password", password));
    CHECK_STATUS(set, 204);
}

static struct person *settled_patient(void)
{
    struct person *self = person_register(suite, NULL);

    CU_ASSERT_TRUE(suite_mails_arrive(suite, self->email, 1));
    return self;
}

/* Turns a second factor on. */
static void enroll(const struct person *person)
{
    uint8_t secret[TOTP_SECRET];
    char code[7];
    HTTP_ANSWER status = http_get(suite_url(suite), "/auth/mfa/status", person->access);

    totp_read(http_text(status, "otpauthUrl"), secret);
    HTTP_ANSWER enrolled =
        http_post(suite_url(suite), "/auth/mfa/enroll", person->access,
                  json_pack("{s:s}", "token", totp_code(secret, time(NULL) + ahead, code)));
    CHECK_STATUS(enrolled, 200);
}

/* The first step of a sign-in: "token", "mfa", or "" when it was refused. */
static void check_next_step(const char *email, const char *password, const char *want)
{
    HTTP_ANSWER start = suite_post_fresh(suite, "/auth/tenant/Patient/login/start",
                                         body_login_start(email, password, "demo"));

    CU_ASSERT_STRING_EQUAL(http_text(start, "nextStep"), want);
}

/* ---- cases ---- */

static void a_reset_link_proves_the_address(void)
{
    PERSON patient = settled_patient();

    CU_ASSERT_EQUAL(verified(patient->access), 0);
    reset_by_link(patient->email, 2, "from the link");
    PERSON again = person_sign_in(suite, "Patient", patient->email, "from the link", NULL);
    CU_ASSERT_EQUAL(verified(again->access), 1);
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from auth.audit where event->>'action' = "
                                "'email.verify' and event->>'account' = (select id::text from "
                                "auth.account where email = '%s')",
                                patient->email),
                    1);
}

/* Somebody has registered the owner's address first, turned a second factor on and scheduled the
 * deletion. */
static void the_mailbox_beats_the_squatter(void)
{
    PERSON squatter = settled_patient();

    enroll(squatter);
    HTTP_ANSWER doomed = http_delete(suite_url(suite), "/auth/delete", squatter->access);
    CHECK_STATUS(doomed, 200);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, squatter->email, 3)); /* factor, deletion */
    reset_by_link(squatter->email, 4, "the owner's own");
    CU_ASSERT_TRUE(suite_everywhere(suite, squatter->access, 401));
    check_next_step(squatter->email, squatter->password, "");
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from auth.account where email = '%s' and "
                                "delete_at is null",
                                squatter->email),
                    1);
    PERSON owner = person_sign_in(suite, "Patient", squatter->email, "the owner's own", NULL);
    CU_ASSERT_EQUAL(owner->status, 200);
    CU_ASSERT_TRUE(suite_everywhere(suite, owner->access, 200));
    CU_ASSERT_EQUAL(verified(owner->access), 1);
}

/* Of a proven account a reset is what it says: the second factor and a scheduled deletion stay. */
static void a_reset_of_a_proven_account_keeps_the_factor(void)
{
    PERSON patient = settled_patient();

    reset_by_link(patient->email, 2, "once");
    CU_ASSERT_TRUE(suite_mails_arrive(suite, patient->email, 3));
    PERSON owner = person_sign_in(suite, "Patient", patient->email, "once", NULL);
    enroll(owner);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, patient->email, 4));
    reset_by_link(patient->email, 5, "twice");
    CU_ASSERT_TRUE(suite_everywhere(suite, owner->access, 401));
    check_next_step(patient->email, "twice", "mfa");
}

/* Whoever holds the mailbox need not hold the device. */
static void a_factor_of_thirty_days_stays(void)
{
    PERSON old = settled_patient();

    enroll(old);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, old->email, 2));
    set_clock(ahead + DAY);
    PERSON young = settled_patient();
    enroll(young);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, young->email, 2));
    set_clock(ahead + 29 * DAY + DAY / 2);
    reset_by_link(old->email, 3, "by mail");
    reset_by_link(young->email, 3, "by mail");
    check_next_step(old->email, "by mail", "mfa");
    check_next_step(young->email, "by mail", "token");
    set_clock(0);
}

/* As after an upgrade: nothing is recorded but the audit trail. */
static void the_audit_trail_proves_what_was_before(void)
{
    PERSON proven = settled_patient();
    PERSON other = settled_patient();

    reset_by_link(proven->email, 2, "by link");
    PERSON again = person_sign_in(suite, "Patient", proven->email, "by link", NULL);
    CU_ASSERT_TRUE(
        suite_comes_to(suite, 0, 10000, "select count(*) from auth.audit where sequence is null"));
    free(suite_query(suite, "delete from auth.email_verified"));
    CU_ASSERT_EQUAL(verified(again->access), 0);
    free(suite_query(suite, "update auth.email_scan set sequence = 0, done = false"));
    suite_halt(suite);
    suite_restart(suite);
    suite_set_clock(suite, ahead);
    CU_ASSERT_TRUE(
        suite_comes_to(suite, 1, 10000, "select count(*) from auth.email_scan where done"));
    CU_ASSERT_EQUAL(verified(again->access), 1);
    CU_ASSERT_EQUAL(verified(other->access), 0);
}

/* ---- whose template, whose pages ---- */

/* A project of its own with an admin, signed in. */
static struct person *make_tenant(const char *code)
{
    char *email = person_address();
    PROGRAM made = ATRIUMCTL(suite, NULL, "project", "create", code, "--code", code);
    PROGRAM admin = ATRIUMCTL(suite, "correct horse\n", "user", "create-admin", "--project", code,
                              "--email", email, "--name", "Olga", "--surname", "Petrova");
    struct person *self;

    CU_ASSERT_EQUAL(made->code, 0);
    CU_ASSERT_EQUAL(admin->code, 0);
    self = person_sign_in(suite, "Practitioner", email, "correct horse", code);
    CU_ASSERT_EQUAL(self->status, 200);
    free(email);
    return self;
}

/* Makes the practitioner a member of the project, however that came about. */
static void add_member(const char *email, const char *project)
{
    CU_ASSERT_EQUAL(
        suite_count(
            suite,
            "with made as (insert into auth.membership (project_id, id, account_id, "
            "profile_id, created_at) select '%s', gen_random_uuid(), id, gen_random_uuid(), "
            "0 from auth.account where email = '%s' and role = 'Practitioner' returning 1) "
            "select count(*) from made",
            strchr(project, '/') ? strchr(project, '/') + 1 : project, email),
        1);
}

/* Its admin wants to read the links that are mailed in its name. */
static void set_trap(const struct person *admin, const char *template, const char *variable)
{
    char path[96], html[128];

    snprintf(path, sizeof path, "/v1/project/email-templates/%s", template);
    snprintf(html, sizeof html, "<p><a href=\"{{%s}}\">trap</a></p>", variable);
    HTTP_ANSWER put =
        http_put(suite_url(suite), path, admin->access,
                 json_pack("{s:s, s:s, s:s}", "subject", "trap", "text", "trap", "html", html));
    CHECK_STATUS(put, 200);
    suite_set_value(suite, admin->access, "PRACTITIONER_APP_URL", "https://trap.example");
}

static void ask_reset(const char *email, const char *tenant, size_t number)
{
    HTTP_ANSWER asked = suite_post_fresh(suite, RESET,
                                         json_pack("{s:s, s:s, s:s}", "email", email, "tenantCode",
                                                   tenant, "type", "Practitioner"));

    CHECK_STATUS(asked, 200);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, email, number));
}

static bool mail_has(const char *email, const char *text)
{
    char *mail = suite_mail(suite, email, 0);
    bool has = mail != NULL && strstr(mail, text) != NULL;

    free(mail);
    return has;
}

static void no_tenant_reads_the_link_of_anothers_member(void)
{
    PERSON victim = make_tenant("victims");
    PERSON attacker = make_tenant("attackers");

    set_trap(attacker, "PASSWORD_RESET", "resetUrl");
    add_member(victim->email, attacker->project);
    ask_reset(victim->email, "attackers", 1);
    CU_ASSERT_FALSE(mail_has(victim->email, "trap"));
    struct mail_link link =
        suite_mail_link(suite, victim->email, "https://account.example/set-password");
    HTTP_ANSWER set = suite_post_fresh(suite, SET,
                                       json_pack("{s:s, s:s, s:s}", "id", link.id, "secret",
                                                 link.secret, "password", "mine again"));
    CHECK_STATUS(set, 204);
    PERSON there = person_sign_in(suite, "Practitioner", victim->email, "mine again", "attackers");
    CU_ASSERT_EQUAL(verified(there->access), 1); /* it proves for all */
}

/* All memberships lie in the project that is named, or below it. */
static void a_tenant_mails_its_own_members(void)
{
    PERSON admin = make_tenant("owners");
    HTTP_ANSWER child =
        http_post(suite_url(suite), "/v1/slim/project/child", admin->access,
                  json_pack("{s:s, s:s}", "name", "Child", "tenantCode", "owners-child"));
    CHECK_STATUS(child, 200);
    PERSON below =
        person_sign_in(suite, "Practitioner", admin->email, admin->password, "owners-child");
    HTTP_ANSWER grandchild =
        http_post(suite_url(suite), "/v1/slim/project/child", below->access,
                  json_pack("{s:s, s:s}", "name", "Grandchild", "tenantCode", "owners-grandchild"));
    CHECK_STATUS(grandchild, 200);
    set_trap(admin, "PASSWORD_RESET", "resetUrl");
    ask_reset(admin->email, "owners", 1);
    CU_ASSERT_TRUE(mail_has(admin->email, "https://trap.example/set-password"));

    /* Asked for in the child, which its parent's other members do not belong to. */
    set_trap(below, "PASSWORD_RESET", "resetUrl");
    ask_reset(admin->email, "owners-child", 2);
    CU_ASSERT_FALSE(mail_has(admin->email, "trap"));
    CU_ASSERT_TRUE(mail_has(admin->email, "https://account.example/set-password"));
}

static void without_pages_the_installation_mails_no_link(void)
{
    PERSON victim = make_tenant("victims-two");
    PERSON attacker = make_tenant("attackers-two");

    suite_reconfigure(suite, NULL);
    set_trap(attacker, "PASSWORD_RESET", "resetUrl");
    add_member(victim->email, attacker->project);
    ask_reset(victim->email, "attackers-two", 1);
    CU_ASSERT_FALSE(mail_has(victim->email, "trap"));
    CU_ASSERT_FALSE(mail_has(victim->email, "set-password"));
    CU_ASSERT_TRUE(mail_has(victim->email, "ask an administrator"));
    suite_reconfigure(suite, PAGES);
}

static void it_ends_without_a_trace(void)
{
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    {"a reset link proves the address", a_reset_link_proves_the_address},
    {"the mailbox beats the squatter", the_mailbox_beats_the_squatter},
    {"a reset of a proven account keeps the factor", a_reset_of_a_proven_account_keeps_the_factor},
    {"a factor of thirty days stays", a_factor_of_thirty_days_stays},
    {"the audit trail proves what was before", the_audit_trail_proves_what_was_before},
    {"no tenant reads the link of another's member", no_tenant_reads_the_link_of_anothers_member},
    {"a tenant mails its own members", a_tenant_mails_its_own_members},
    {"without pages of its own the installation mails no link",
     without_pages_the_installation_mails_no_link},
    {"it ends without a trace", it_ends_without_a_trace},
};

int main(void)
{
    suite = suite_start(&(
        struct suite_options){.instances = "authd=2,gateway=2", .set = PAGES, .test_clock = true});
    return unit_run("email verification", cases, ARRAY_SIZE(cases));
}
