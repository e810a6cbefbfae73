/*
 * test_email_change.c - changing an account's email address: verification, notification and undo.
 */
#include <CUnit/CUnit.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/suite.h"
#include "tests/support/totp.h"
#include "tests/support/unit.h"

#define CHANGE "/auth/change-email"
#define VERIFY "/auth/verify-email"
#define UNDO "/auth/undo-email"
#define PATIENT_APP "https://patient.demo.example"

enum { MINUTE = 60, DAY = 86400 };

static const char bad_link[] = "The link is invalid or has expired.";
static const char wrong_password[] = "Username or password is incorrect.";

static struct suite *suite;

static struct http_answer *change(const char *access, const char *email)
{
    return http_post(suite_url(suite), CHANGE, access, json_pack("{s:s}", "email", email));
}

static struct mail_link link_to(const char *email, const char *page)
{
    char text[128];

    snprintf(text, sizeof(text), PATIENT_APP "/%s", page);
    return suite_mail_link(suite, email, text);
}

/* Returns the undo link, which is on the installation's page, out of any tenant's reach. */
static struct mail_link undo_to(const char *email)
{
    char text[256];

    snprintf(text, sizeof(text), "%s/t/-/undo-email", suite_text(suite, "publicUrl"));
    return suite_mail_link(suite, email, text);
}

static void verify(const struct person *person)
{
    CU_ASSERT_EQUAL(suite_count(suite,
                                "with own as (insert into auth.email_verified (account_id, "
                                "organization_id, verified_at) select id, project_id, 0 from "
                                "auth.account where email = '%s' returning 1) select count(*) "
                                "from own",
                                person->email),
                    1);
}

static bool is_verified(const struct person *person)
{
    HTTP_ANSWER me = http_get(suite_url(suite), "/auth/me", person->access);

    CHECK_STATUS(me, 200);
    return json_is_true(http_member(me, "security.emailVerified"));
}

/* Requests a change to an address that has received no emails yet, and returns the emailed link. */
static struct mail_link ask(const struct person *person, const char *email)
{
    HTTP_ANSWER requested = change(person->access, email);

    CHECK_STATUS(requested, 200);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, email, 1));
    return link_to(email, "verify-email");
}

static void check_sign_in(const char *email, const char *password, int status)
{
    HTTP_ANSWER answer = suite_post_fresh(suite, "/auth/tenant/Patient/login/start",
                                          body_login_start(email, password, "demo"));

    if (status == 400)
        CHECK_ERROR(answer, 400, wrong_password);
    else
        CHECK_STATUS(answer, status);
}

static void the_new_mailbox_confirms_and_the_old_is_notified(void)
{
    PERSON patient = person_register_settled(suite);
    PERSON elsewhere = person_sign_in(suite, "Patient", patient->email, patient->password, NULL);
    char *email = person_address();
    struct mail_link link = ask(patient, email);

    check_sign_in(patient->email, patient->password, 200);
    HTTP_ANSWER click = suite_post_link(suite, VERIFY, &link, NULL, NULL);
    CHECK_STATUS(click, 401);
    CU_ASSERT_STRING_EQUAL(http_text(click, "code"), "SIGN_IN_REQUIRED");
    HTTP_ANSWER good = suite_post_link(suite, VERIFY, &link, patient->access, NULL);
    CHECK_STATUS(good, 204);
    HTTP_ANSWER again = suite_post_link(suite, VERIFY, &link, patient->access, NULL);
    CHECK_ERROR(again, 400, bad_link);

    HTTP_ANSWER me = http_get(suite_url(suite), "/auth/me", patient->access);
    CHECK_STATUS(me, 200);
    CU_ASSERT_STRING_EQUAL(http_text(me, "profile.telecom.0.value"), email);
    CU_ASSERT_FALSE(is_verified(patient)); /* unchanged: the link does not show who requested it */
    CU_ASSERT_TRUE(suite_everywhere(suite, elsewhere->access, 401));
    check_sign_in(patient->email, patient->password, 400);
    check_sign_in(email, patient->password, 200);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, patient->email, 2));

    /* The old mailbox's owner undoes the change. Another person knew the password, so a new one
     * must be set. */
    struct mail_link undo = undo_to(patient->email);
    HTTP_ANSWER get = http_get(suite_url(suite), UNDO, NULL);
    CHECK_STATUS(get, 405);
    HTTP_ANSWER back = suite_post_link(suite, UNDO, &undo, NULL, NULL);
    CHECK_STATUS(back, 204);
    HTTP_ANSWER twice = suite_post_link(suite, UNDO, &undo, NULL, NULL);
    CHECK_ERROR(twice, 400, bad_link);
    CU_ASSERT_TRUE(suite_everywhere(suite, patient->access, 401));
    check_sign_in(email, patient->password, 400);
    check_sign_in(patient->email, patient->password, 400);
    HTTP_ANSWER requested =
        suite_post_fresh(suite, "/auth/reset-password",
                         json_pack("{s:s, s:s}", "email", patient->email, "tenantCode", "demo"));
    CHECK_STATUS(requested, 200);
    CU_ASSERT_TRUE(
        suite_mails_arrive(suite, patient->email, 4)); /* including the notice of the change */
    struct mail_link reset = link_to(patient->email, "set-password");
    HTTP_ANSWER set = suite_post_fresh(suite, "/auth/set-password",
                                       json_pack("{s:s, s:s, s:s}", "id", reset.id, "secret",
                                                 reset.secret, "password", "mine"));
    CHECK_STATUS(set, 204);
    check_sign_in(patient->email, "mine", 200);
    free(email);
}

static void a_change_of_address_needs_a_fresh_proof(void)
{
    PERSON patient = person_register_settled(suite);
    char *email = person_address();

    HTTP_ANSWER nobody = change(NULL, email);
    CHECK_STATUS(nobody, 401);
    HTTP_ANSWER bad = change(patient->access, "no address");
    CHECK_PROBLEM(bad, "email");
    suite_set_clock(suite, 16 * MINUTE);
    HTTP_ANSWER stale = change(patient->access, email);
    CHECK_STATUS(stale, 401);
    CU_ASSERT_STRING_EQUAL(http_text(stale, "code"), "STEP_UP_REQUIRED");
    suite_set_clock(suite, 0);
    suite_mails_settle(suite);
    CU_ASSERT_EQUAL(suite_mail_count(suite, email), 0);
    free(email);
}

/* A taken address gets the response and time of a free one. Accounts are never merged. */
static void a_taken_address_is_not_revealed(void)
{
    PERSON patient = person_register_settled(suite);
    PERSON other = person_register_settled(suite);
    char *email = person_address();
    HTTP_ANSWER one = change(patient->access, other->email);
    HTTP_ANSWER two = change(patient->access, email);

    CHECK_STATUS(one, 200);
    CHECK_STATUS(two, 200);
    CU_ASSERT_STRING_EQUAL(one->body, two->body);
    CU_ASSERT_TRUE(http_took(one, 250) && http_took(two, 250));
    CU_ASSERT_TRUE(suite_mails_arrive(suite, email, 1));
    CU_ASSERT_EQUAL(suite_mail_count(suite, other->email), 1);

    struct mail_link link = link_to(email, "verify-email");
    PERSON faster = person_register(suite, email);
    CU_ASSERT_EQUAL(faster->status, 200);
    HTTP_ANSWER late = suite_post_link(suite, VERIFY, &link, patient->access, NULL);
    CHECK_ERROR(late, 400, bad_link);
    CU_ASSERT_TRUE(suite_everywhere(suite, patient->access, 200));
    check_sign_in(patient->email, patient->password, 200);
    free(email);
}

static void the_old_address_is_reserved_for_a_week(void)
{
    PERSON patient = person_register_settled(suite);
    char *email = person_address();
    struct mail_link link = ask(patient, email);

    HTTP_ANSWER good = suite_post_link(suite, VERIFY, &link, patient->access, NULL);
    CHECK_STATUS(good, 204);
    PERSON squatter = person_register(suite, patient->email);
    CU_ASSERT_EQUAL(squatter->status, 400);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, patient->email, 2));
    struct mail_link undo = undo_to(patient->email);
    suite_set_clock(suite, 7 * DAY + MINUTE);
    HTTP_ANSWER over = suite_post_link(suite, UNDO, &undo, NULL, NULL);
    CHECK_ERROR(over, 400, bad_link);
    CU_ASSERT_TRUE(suite_comes_to(suite, 0, 10000,
                                  "select count(*) from auth.email_undo where email = '%s'",
                                  patient->email));
    PERSON later = person_register(suite, patient->email);
    CU_ASSERT_EQUAL(later->status, 200);
    suite_set_clock(suite, 0);
    free(email);
}

static void a_verified_account_stays_so(void)
{
    PERSON patient = person_register_settled(suite);
    char *email = person_address();

    verify(patient);
    CU_ASSERT_TRUE(is_verified(patient));
    struct mail_link link = ask(patient, email);
    HTTP_ANSWER good = suite_post_link(suite, VERIFY, &link, patient->access, NULL);
    CHECK_STATUS(good, 204);
    CU_ASSERT_TRUE(is_verified(patient));
    CU_ASSERT_TRUE(suite_mails_arrive(suite, patient->email, 2));
    struct mail_link undo = undo_to(patient->email);
    HTTP_ANSWER back = suite_post_link(suite, UNDO, &undo, NULL, NULL);
    CHECK_STATUS(back, 204);
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from auth.email_verified v join auth.account a on "
                                "a.id = v.account_id where a.email = '%s' and v.organization_id = "
                                "a.project_id",
                                patient->email),
                    1);
    free(email);
}

static void the_first_address_takes_every_change_back(void)
{
    PERSON patient = person_register_settled(suite);
    char *second = person_address(), *third = person_address();
    struct mail_link link = ask(patient, second);
    uint8_t secret[TOTP_SECRET];

    HTTP_ANSWER one = suite_post_link(suite, VERIFY, &link, patient->access, NULL);
    CHECK_STATUS(one, 204);
    link = ask(patient, third);
    HTTP_ANSWER two = suite_post_link(suite, VERIFY, &link, patient->access, NULL);
    CHECK_STATUS(two, 204);
    totp_enrol(suite, patient, suite_now(suite), secret);
    HTTP_ANSWER doomed = http_delete(suite_url(suite), "/auth/delete", patient->access);
    CHECK_STATUS(doomed, 200);

    CU_ASSERT_TRUE(suite_mails_arrive(suite, patient->email, 2));
    CU_ASSERT_TRUE(
        suite_mails_arrive(suite, second, 3)); /* verification, notice of the change, undo */
    struct mail_link later = undo_to(second);
    struct mail_link first = undo_to(patient->email);
    HTTP_ANSWER back = suite_post_link(suite, UNDO, &first, NULL, NULL);
    CHECK_STATUS(back, 204);
    HTTP_ANSWER dead = suite_post_link(suite, UNDO, &later, NULL, NULL);
    CHECK_ERROR(dead, 400, bad_link);
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from auth.account a where email = '%s' and "
                                "delete_at is null and not exists (select from auth.mfa_factor f "
                                "where f.account_id = a.id and enrolled_at is not null)",
                                patient->email),
                    1);
    free(second);
    free(third);
}

/* Adds a passkey and a consent, dated `days` ago. */
static void add_leftovers(const char *email, int days)
{
    char sql[2048];

    snprintf(
        sql, sizeof(sql),
        "with owner as (select id, project_id, (extract(epoch from now()) * 1000)::int8 + "
        "(%lld - %d * 86400) * 1000::int8 as at from auth.account where email = '%s'), passkey "
        "as (insert into auth.passkey (id, account_id, rp_id, credential_id, user_handle, "
        "algorithm, public_key, sign_count, backed_up, name, created_at) select "
        "gen_random_uuid(), id, 'demo.example', sha256('%s%d'), 'u', -7, 'k', 0, false, '%d', "
        "at from owner returning 1), consent as (insert into auth.oauth_consent (project_id, "
        "account_id, client_id, client_name, scope, resource, tos_version, created_at, "
        "updated_at) select project_id, id, '%d', 'A', 'openid', '', '', at, at from owner "
        "returning 1) select (select count(*) from passkey) + (select count(*) from consent)",
        (long long)suite_clock_ahead(suite), days, email, email, days, days, days);
    CU_ASSERT_EQUAL(suite_count(suite, "%s", sql), 2);
}

static char *leftovers(const char *email, const char *table, const char *column)
{
    char sql[256];

    snprintf(sql, sizeof(sql),
             "select string_agg(%s, ',' order by created_at) from auth.%s where account_id = "
             "(select id from auth.account where email = '%s')",
             column, table, email);
    return suite_query(suite, sql);
}

/* An attacker who changes an address could come back with credentials added shortly before. Older
 * ones are the owner's. */
static void what_was_added_before_a_change_goes_with_it(void)
{
    PERSON patient = person_register_settled(suite);
    char *second = person_address();
    uint8_t secret[TOTP_SECRET];
    char *passkeys, *consents;

    add_leftovers(patient->email, 31);
    add_leftovers(patient->email, 29);
    add_leftovers(patient->email, 0);
    totp_enrol(suite, patient, suite_now(suite), secret);
    struct mail_link link = ask(patient, second);
    HTTP_ANSWER confirmed = suite_post_link(suite, VERIFY, &link, patient->access, NULL);
    CHECK_STATUS(confirmed, 204);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, patient->email, 3)); /* welcome, factor and change */
    struct mail_link undo = undo_to(patient->email);
    HTTP_ANSWER back = suite_post_link(suite, UNDO, &undo, NULL, NULL);
    CHECK_STATUS(back, 204);
    passkeys = leftovers(patient->email, "passkey", "name");
    consents = leftovers(patient->email, "oauth_consent", "client_id");
    CU_ASSERT_STRING_EQUAL(passkeys, "31");
    CU_ASSERT_STRING_EQUAL(consents, "31");
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from auth.mfa_factor f join auth.account a on "
                                "a.id = f.account_id where a.email = '%s' and enrolled_at is not "
                                "null",
                                patient->email),
                    0);
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from auth.audit u join auth.account a on "
                                "u.event->>'account' = a.id::text where a.email = '%s' and "
                                "u.event->>'action' in ('mfa.reset', 'passkey.reset', "
                                "'consent.reset')",
                                patient->email),
                    3);
    free(passkeys);
    free(consents);
    free(second);
}

static void one_of_many_changes_it(void)
{
    enum { MANY = 64 };
    struct http_request requests[MANY];
    struct http_answer *answers[MANY];
    PERSON patient = person_register_settled(suite);
    char *email = person_address();
    struct mail_link link = ask(patient, email);
    int won = 0;

    for (int i = 0; i < MANY; i++)
        requests[i] = (struct http_request){.method = "POST",
                                            .path = VERIFY,
                                            .bearer = patient->access,
                                            .body = json_pack("{s:s, s:s}", "id", link.id, "secret",
                                                              link.secret)};
    http_call_many(suite_url(suite), requests, MANY, MANY, answers);
    for (int i = 0; i < MANY; i++) {
        won += answers[i]->status == 204;
        if (answers[i]->status != 204)
            CHECK_ERROR(answers[i], 400, bad_link);
    }
    CU_ASSERT_EQUAL(won, 1);
    CU_ASSERT_EQUAL(suite_count(suite, "select count(*) from auth.email_undo where email = '%s'",
                                patient->email),
                    1);
    http_answers_destroy(answers, MANY);
    free(email);
}

static void a_kill_leaves_no_half_change(void)
{
    for (int round = 0; round < 4; round++) {
        PERSON patient = person_register_settled(suite);
        char *email = person_address();
        verify(patient);
        struct mail_link link = ask(patient, email);
        pid_t first = suite_pid(suite, "authd", "1");
        pid_t killer = suite_kill_both_later(suite, "authd", 5 * round);
        HTTP_ANSWER used = suite_post_link(suite, VERIFY, &link, patient->access, NULL);

        waitpid(killer, NULL, 0);
        CU_ASSERT_TRUE(suite_wait_new_pid(suite, "authd", "1", first));
        bool changed =
            suite_count(suite, "select count(*) from auth.account where email = '%s'", email) == 1;
        CU_ASSERT_TRUE(changed || used->status != 204);
        CU_ASSERT_EQUAL(
            suite_count(suite,
                        "select (select count(*) from auth.email_undo where email = '%s') + "
                        "(select count(*) from auth.email_verified v join auth.account a on a.id = "
                        "v.account_id where a.email = '%s')",
                        patient->email, email),
            changed ? 2 : 0);
        CU_ASSERT_TRUE(suite_mails_arrive(suite, patient->email, changed ? 2 : 1));
        free(email);
    }
}

static void suite_shuts_down_cleanly(void)
{
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(the_new_mailbox_confirms_and_the_old_is_notified),
    CASE(a_change_of_address_needs_a_fresh_proof),
    CASE(a_taken_address_is_not_revealed),
    CASE(the_old_address_is_reserved_for_a_week),
    CASE(a_verified_account_stays_so),
    CASE(the_first_address_takes_every_change_back),
    CASE(what_was_added_before_a_change_goes_with_it),
    CASE(one_of_many_changes_it),
    CASE(a_kill_leaves_no_half_change),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite =
        suite_start(&(struct suite_options){.instances = "authd=2,gateway=2", .test_clock = true});
    return unit_run("email change", cases, ARRAY_SIZE(cases));
}
