/*
 * test_mfa_enrolment.c - enabling and disabling the second factor, by owner and operator, also
 * concurrently. Each case moves to a time step without used codes.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "tests/support/factor.h"
#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

enum { MANY = 20 };

static struct suite *suite;

static int me(const char *access)
{
    return suite_status(suite, "/auth/me", access);
}

static void enrolment_takes_a_code(void)
{
    struct factor_owner owner = {.suite = suite, .role = "Patient"};
    PERSON patient = person_register(suite, NULL);
    PERSON other = person_sign_in(suite, "Patient", patient->email, patient->password, NULL);
    char code[7];

    factor_move_on(suite);
    HTTP_ANSWER early = factor_post(suite, FACTOR_ENROLL, patient->access, "123456");
    CHECK_ERROR(early, 400, FACTOR_BAD_CODE);
    HTTP_ANSWER status = http_get(suite_url(suite), FACTOR_STATUS, patient->access);
    CHECK_STATUS(status, 200);
    CU_ASSERT_TRUE(json_is_false(http_member(status, "enrolled")));
    CU_ASSERT_TRUE(strncmp(http_text(status, "otpauthUrl"), "otpauth://totp/", 15) == 0);
    CU_ASSERT_TRUE(
        strncmp(http_text(status, "qrCodeDataUrl"), "data:image/png;base64,iVBORw0KGgo", 33) == 0);
    HTTP_ANSWER same = http_get(suite_url(suite), FACTOR_STATUS, patient->access);
    CU_ASSERT_STRING_EQUAL(http_text(same, "otpauthUrl"), http_text(status, "otpauthUrl"));
    HTTP_ANSWER theirs = http_get(suite_url(suite), FACTOR_STATUS, other->access);
    CU_ASSERT_STRING_NOT_EQUAL(http_text(theirs, "otpauthUrl"), http_text(status, "otpauthUrl"));
    totp_read(http_text(status, "otpauthUrl"), owner.secret);

    HTTP_ANSWER wrong =
        factor_post(suite, FACTOR_ENROLL, patient->access, factor_wrong_code(&owner, code));
    CHECK_ERROR(wrong, 400, FACTOR_BAD_CODE);
    HTTP_ANSWER brief = factor_post(suite, FACTOR_ENROLL, patient->access, "12345");
    CHECK_PROBLEM(brief, "token");
    HTTP_ANSWER not_yet = http_get(suite_url(suite), "/auth/me", patient->access);
    CU_ASSERT_TRUE(json_is_false(http_member(not_yet, "security.mfaEnrolled")));

    HTTP_ANSWER right =
        factor_post(suite, FACTOR_ENROLL, patient->access, factor_code_at(&owner, 0, code));
    CHECK_STATUS(right, 200);
    HTTP_ANSWER again =
        factor_post(suite, FACTOR_ENROLL, patient->access, factor_code_at(&owner, 1, code));
    CHECK_ERROR(again, 409, "You already have a second factor.");
    HTTP_ANSWER on = http_get(suite_url(suite), FACTOR_STATUS, patient->access);
    CU_ASSERT_TRUE(json_is_true(http_member(on, "enrolled")));
    CU_ASSERT_PTR_NULL(http_member(on, "otpauthUrl"));
    CU_ASSERT_PTR_NULL(http_member(on, "qrCodeDataUrl"));
    HTTP_ANSWER profile = http_get(suite_url(suite), "/auth/me", patient->access);
    CU_ASSERT_TRUE(json_is_true(http_member(profile, "security.mfaEnrolled")));
    CU_ASSERT_TRUE(suite_everywhere(suite, other->access, 401));
    CU_ASSERT_TRUE(suite_everywhere(suite, patient->access, 200));
}

static void changes_are_mailed(void)
{
    OWNER owner = factor_patient(suite);
    char code[7], *mail;

    CU_ASSERT_TRUE(suite_mails_arrive(suite, owner.person->email, 2));
    mail = suite_mail(suite, owner.person->email, 1000);
    CU_ASSERT_TRUE(mail && strstr(mail, "Two-step verification"));
    HTTP_ANSWER off =
        factor_post(suite, FACTOR_DISABLE, owner.person->access, factor_code_at(&owner, 0, code));
    CHECK_STATUS(off, 200);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, owner.person->email, 3));
    free(mail);
}

static void read_secret(const char *access, uint8_t ret[static TOTP_SECRET])
{
    HTTP_ANSWER status = http_get(suite_url(suite), FACTOR_STATUS, access);

    totp_read(http_text(status, "otpauthUrl"), ret);
}

/* Checks that an earlier secret's code enrolls nothing and the session gets a new secret. */
static void check_secret_is_void(const struct factor_owner *owner, const char *access)
{
    uint8_t now[TOTP_SECRET];
    char code[7];
    HTTP_ANSWER late = factor_post(suite, FACTOR_ENROLL, access, factor_code_at(owner, 0, code));

    CHECK_ERROR(late, 400, FACTOR_BAD_CODE);
    read_secret(access, now);
    CU_ASSERT_NOT_EQUAL(memcmp(owner->secret, now, sizeof(now)), 0);
    HTTP_ANSWER other = factor_post(suite, FACTOR_ENROLL, access, factor_code_at(owner, 0, code));
    CHECK_ERROR(other, 400, FACTOR_BAD_CODE);
}

/* An earlier holder of the token knows the secret, so it must not become a factor later. */
static void a_pending_secret_dies_with_a_change_of_password(void)
{
    struct factor_owner owner = {.suite = suite, .role = "Patient"};
    PERSON patient = person_register(suite, NULL);

    read_secret(patient->access, owner.secret);
    HTTP_ANSWER changed = http_post(suite_url(suite), "/auth/change-password", patient->access,
                                    json_pack("{s:s, s:s}", "oldPassword", patient->password,
                                              "newPassword", "another one"));
    CHECK_STATUS(changed, 204);
    check_secret_is_void(&owner, patient->access);
}

static void a_pending_secret_lives_15_minutes(void)
{
    struct factor_owner owner = {.suite = suite, .role = "Patient"};
    PERSON patient = person_register(suite, NULL);
    uint8_t same[TOTP_SECRET];

    read_secret(patient->access, owner.secret);
    suite_advance_clock(suite, 14 * 60);
    read_secret(patient->access, same);
    CU_ASSERT_EQUAL(memcmp(owner.secret, same, sizeof(same)), 0);
    suite_advance_clock(suite, 60);
    check_secret_is_void(&owner, patient->access);
}

static void a_pending_secret_belongs_to_its_session(void)
{
    struct factor_owner one = {.suite = suite, .role = "Patient"},
                        two = {.suite = suite, .role = "Patient"};
    PERSON patient = person_register(suite, NULL);
    PERSON other = person_sign_in(suite, "Patient", patient->email, patient->password, NULL);
    char code[7];

    read_secret(patient->access, one.secret);
    HTTP_ANSWER before =
        factor_post(suite, FACTOR_ENROLL, other->access, factor_code_at(&one, 0, code));
    CHECK_ERROR(before, 400, FACTOR_BAD_CODE);
    read_secret(other->access, two.secret);
    HTTP_ANSWER foreign =
        factor_post(suite, FACTOR_ENROLL, other->access, factor_code_at(&one, 0, code));
    CHECK_ERROR(foreign, 400, FACTOR_BAD_CODE);
    HTTP_ANSWER own =
        factor_post(suite, FACTOR_ENROLL, patient->access, factor_code_at(&one, 0, code));
    CHECK_STATUS(own, 200);
    CU_ASSERT_EQUAL(me(other->access), 401);
}

static void one_of_two_sessions_enrols(void)
{
    struct factor_owner owners[2] = {{.suite = suite, .role = "Patient"},
                                     {.suite = suite, .role = "Patient"}};
    PERSON patient = person_register(suite, NULL);
    PERSON other = person_sign_in(suite, "Patient", patient->email, patient->password, NULL);
    const char *const access[] = {patient->access, other->access};
    struct http_request requests[2];
    struct http_answer *answers[2];
    char code[7];
    pid_t holder;
    int won = 0;

    for (int i = 0; i < 2; i++) {
        read_secret(access[i], owners[i].secret);
        requests[i] = (struct http_request){.method = "POST",
                                            .path = FACTOR_ENROLL,
                                            .bearer = access[i],
                                            .body = json_pack("{s:s}", "token",
                                                              factor_code_at(&owners[i], 0, code))};
    }
    holder = suite_hold(suite, "select 1 from auth.credential for update");
    http_call_many(suite_url(suite), requests, 2, 2, answers);
    waitpid(holder, NULL, 0);
    for (int i = 0; i < 2; i++) {
        won += answers[i]->status == 200;
        if (answers[i]->status != 200) /* the account's row is locked first: the second sees it */
            CHECK_ERROR(answers[i], 409, "You already have a second factor.");
    }
    CU_ASSERT_EQUAL(won, 1);
    http_answers_destroy(answers, 2);
}

static void one_secret_is_made_in_a_race(void)
{
    struct http_request requests[MANY];
    struct http_answer *answers[MANY];
    PERSON patient = person_register(suite, NULL);

    for (int i = 0; i < MANY; i++)
        requests[i] = (struct http_request){.path = FACTOR_STATUS, .bearer = patient->access};
    http_call_many(suite_url(suite), requests, MANY, MANY, answers);
    for (int i = 0; i < MANY; i++) {
        CHECK_STATUS(answers[i], 200);
        CU_ASSERT_STRING_EQUAL(http_text(answers[i], "otpauthUrl"),
                               http_text(answers[0], "otpauthUrl"));
    }
    http_answers_destroy(answers, MANY);
}

static void enrolment_voids_sign_ins_under_way(void)
{
    PERSON patient = person_register(suite, NULL);
    HTTP_ANSWER begun = factor_step(suite, "Patient", "start",
                                    body_login_start(patient->email, patient->password, "demo"));
    CU_ASSERT_STRING_EQUAL(http_text(begun, "nextStep"), "token");
    struct factor_owner owner = factor_enroll(suite, patient, "Patient");
    HTTP_ANSWER late = factor_step(suite, "Patient", "token",
                                   body_login_token(http_text(begun, "sessionCode"), NULL));
    CHECK_ERROR(late, 400, FACTOR_BAD_LOGIN);
    CU_ASSERT_EQUAL(me(owner.person->access), 200);
}

static void secrets_are_sealed(void)
{
    OWNER owner = factor_patient(suite);
    char hex[41], sql[512], *found;

    for (int i = 0; i < 20; i++)
        snprintf(hex + 2 * i, 3, "%02x", owner.secret[i]);
    snprintf(sql, sizeof(sql),
             "select count(*) filter (where octet_length(secret_sealed) = 20 + 24 + 16) || ' ' || "
             "count(*) filter (where position('\\x%s'::bytea in secret_sealed) > 0 or "
             "f::text ~* '%s') from auth.mfa_factor f join auth.account a on a.id = f.account_id "
             "where a.email = '%s'",
             hex, hex, owner.person->email);
    found = suite_query(suite, sql);
    CU_ASSERT_STRING_EQUAL(found, "1 0");
    free(found);
    snprintf(sql, sizeof(sql),
             "select count(*) || ' ' || count(*) filter (where octet_length(code_hash) <> 32 or "
             "code_hash = sha256('%s')) from auth.mfa_recovery r join auth.account a "
             "on a.id = r.account_id where a.email = '%s'",
             owner.recovery[0], owner.person->email);
    found = suite_query(suite, sql);
    CU_ASSERT_STRING_EQUAL(found, "10 0");
    free(found);
}

static void disabling_takes_a_code(void)
{
    OWNER owner = factor_patient(suite);
    char code[7];
    struct factor_login login = factor_start(&owner);
    PERSON stranger = person_register(suite, NULL);
    HTTP_ANSWER none = factor_post(suite, FACTOR_DISABLE, stranger->access, "123456");
    CHECK_ERROR(none, 400, "You have no second factor.");
    HTTP_ANSWER wrong =
        factor_post(suite, FACTOR_DISABLE, owner.person->access, factor_wrong_code(&owner, code));
    CHECK_ERROR(wrong, 400, FACTOR_BAD_CODE);
    struct factor_login to_other = factor_start(&owner);
    HTTP_ANSWER mfa = factor_show(&owner, to_other.id, owner.recovery[0]);
    HTTP_ANSWER other = factor_step(suite, "Patient", "token",
                                    body_login_token(http_text(mfa, "sessionCode"), NULL));
    HTTP_ANSWER right =
        factor_post(suite, FACTOR_DISABLE, owner.person->access, factor_code_at(&owner, 0, code));
    CHECK_STATUS(right, 200);
    CU_ASSERT_TRUE(json_is_true(http_member(right, "ok")));
    CU_ASSERT_TRUE(suite_everywhere(suite, http_text(other, "accessToken"), 401));
    CU_ASSERT_TRUE(suite_everywhere(suite, owner.person->access, 200));
    HTTP_ANSWER waiting = factor_show(&owner, login.id, owner.recovery[1]);
    CHECK_ERROR(waiting, 400, FACTOR_BAD_LOGIN);
    PERSON plain =
        person_sign_in(suite, "Patient", owner.person->email, owner.person->password, NULL);
    CU_ASSERT_EQUAL(plain->status, 200);
    HTTP_ANSWER status = http_get(suite_url(suite), FACTOR_STATUS, owner.person->access);
    CU_ASSERT_TRUE(json_is_false(http_member(status, "enrolled")));
    uint8_t secret[TOTP_SECRET];
    totp_read(http_text(status, "otpauthUrl"), secret);
    CU_ASSERT_NOT_EQUAL(memcmp(secret, owner.secret, sizeof(secret)), 0);
}

/* Repeats the proof of identity, because the sign-in is too old by now: with a code if the factor
 * is enabled, otherwise with the password. */
static void prove_again(const struct factor_owner *owner)
{
    bool on = owner->recovery[9][0] != '\0';
    HTTP_ANSWER answer = http_post(suite_url(suite), "/auth/step-up", owner->person->access,
                                   json_pack("{s:s}", on ? "mfaToken" : "password",
                                             on ? owner->recovery[9] : owner->person->password));

    CHECK_STATUS(answer, 204);
}

/* Checks that twenty wrong codes are answered as wrong, and that then even the right one is refused
 * for fifteen minutes. */
static void check_locks(struct factor_owner *owner, const char *path)
{
    const char *access = owner->person->access;
    char code[7];

    for (int i = 0; i < 20; i++) {
        HTTP_ANSWER wrong = factor_post(suite, path, access, factor_wrong_code(owner, code));
        CHECK_ERROR(wrong, 400, FACTOR_BAD_CODE);
    }
    HTTP_ANSWER right = factor_post(suite, path, access, factor_code_at(owner, 0, code));
    CHECK_ERROR(right, 429, "Too many requests. Try again later.");
    CU_ASSERT_TRUE(http_retry_after(right) > 800 && http_retry_after(right) <= 900);
    HTTP_ANSWER recovery = factor_post(suite, path, access, "0123456789");
    CHECK_STATUS(recovery, 429);
    suite_advance_clock(suite, 15 * 60 + 1);
    prove_again(owner);
    HTTP_ANSWER status = http_get(suite_url(suite), FACTOR_STATUS, access);
    if (json_is_false(http_member(
            status, "enrolled"))) /* the offered secret has expired too, so read the new one */
        totp_read(http_text(status, "otpauthUrl"), owner->secret);
    HTTP_ANSWER later = factor_post(suite, path, access, factor_code_at(owner, 0, code));
    CHECK_STATUS(later, 200);
}

static void enrolment_is_limited(void)
{
    struct factor_owner owner = {.suite = suite, .role = "Patient"};
    PERSON patient = person_register(suite, NULL);
    HTTP_ANSWER status = http_get(suite_url(suite), FACTOR_STATUS, patient->access);

    owner.person = patient;
    totp_read(http_text(status, "otpauthUrl"), owner.secret);
    check_locks(&owner, FACTOR_ENROLL);
}

static void disabling_is_limited(void)
{
    OWNER owner = factor_patient(suite);

    check_locks(&owner, FACTOR_DISABLE);
}

/* Posts one token many times concurrently; a lock holds all requests until they have arrived.
 * Returns the number of successes; the others get `otherwise`. *ret, if wanted, is the successful
 * response. */
static int race_at(const char *path, const char *access, const char *token, int otherwise,
                   const char *why, struct http_answer **ret)
{
    struct http_request requests[MANY];
    struct http_answer *answers[MANY];
    pid_t holder = suite_hold(suite, strcmp(path, FACTOR_ENROLL) == 0
                                         ? "select 1 from auth.mfa_pending for update"
                                         : "select 1 from auth.mfa_factor for update");
    int won = 0;

    for (int i = 0; i < MANY; i++)
        requests[i] = (struct http_request){.method = "POST",
                                            .path = path,
                                            .bearer = access,
                                            .body = json_pack("{s:s}", "token", token)};
    http_call_many(suite_url(suite), requests, MANY, MANY, answers);
    waitpid(holder, NULL, 0);
    for (int i = 0; i < MANY; i++) {
        if (answers[i]->status != 200)
            CHECK_ERROR(answers[i], otherwise, why);
        else if (won++ == 0 && ret)
            *ret = TAKE_PTR(answers[i]);
    }
    http_answers_destroy(answers, MANY);
    return won;
}

static void one_enrolment_wins(void)
{
    struct factor_owner owner = {.suite = suite, .role = "Patient"};
    PERSON patient = person_register(suite, NULL);
    PERSON elsewhere = person_sign_in(suite, "Patient", patient->email, patient->password, NULL);
    HTTP_ANSWER status = http_get(suite_url(suite), FACTOR_STATUS, patient->access);
    HTTP_ANSWER won = NULL;
    char code[7];

    owner.person = patient;
    totp_read(http_text(status, "otpauthUrl"), owner.secret);
    factor_move_on(suite);
    CU_ASSERT_EQUAL(race_at(FACTOR_ENROLL, patient->access, factor_code_at(&owner, 0, code), 409,
                            "You already have a second factor.", &won),
                    1);
    CU_ASSERT_PTR_NOT_NULL_FATAL(won);
    CU_ASSERT_TRUE(suite_everywhere(suite, elsewhere->access, 401));
    for (int i = 0; i < 2; i++)
        factor_sign_in(&owner, http_text(won, i ? "recoveryCodes.9" : "recoveryCodes.0"),
                       "password+recovery");
    CU_ASSERT_TRUE(suite_mails_arrive(suite, patient->email, 2)); /* including the welcome */
}

static void one_disabling_wins(void)
{
    OWNER owner = factor_patient(suite);

    CU_ASSERT_EQUAL(race_at(FACTOR_DISABLE, owner.person->access, owner.recovery[4], 400,
                            "You have no second factor.", NULL),
                    1);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, owner.person->email, 3));
}

static struct program *reset_mfa(const char *email, const char *role)
{
    return ATRIUMCTL(suite, NULL, "user", "reset-mfa", "--project", "demo", "--email", email,
                     role ? "--role" : NULL, role);
}

static void explain_says_that_it_is_on(void)
{
    OWNER owner = factor_patient(suite);
    PERSON plain = person_register(suite, NULL);
    PROGRAM on = ATRIUMCTL(suite, NULL, "explain", "sign-in", "--project", "demo", "--email",
                           owner.person->email);
    CHECK_EXIT(on, 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(on->out, "second factor"));
    CU_ASSERT_PTR_NOT_NULL(strstr(on->out, "Enabled: a code is required after the password."));
    CU_ASSERT_PTR_NOT_NULL(strstr(
        on->out, "With the right password and a code of the second factor the sign-in succeeds."));
    PROGRAM off = ATRIUMCTL(suite, NULL, "explain", "sign-in", "--project", "demo", "--email",
                            plain->email, "--json");
    CHECK_EXIT(off, 0);
    CU_ASSERT_TRUE(json_is_false(json_object_get(off->json, "secondFactor")));
}

static void an_operator_takes_a_lost_factor_away(void)
{
    OWNER owner = factor_patient(suite);
    struct factor_login waiting = factor_start(&owner);
    char sql[512], *audited;
    PROGRAM done = reset_mfa(owner.person->email, NULL);
    CHECK_EXIT(done, 0);
    CU_ASSERT_TRUE(suite_everywhere(suite, owner.person->access, 401));
    HTTP_ANSWER late = factor_show(&owner, waiting.id, owner.recovery[0]);
    CHECK_ERROR(late, 400, FACTOR_BAD_LOGIN);
    PERSON in = person_sign_in(suite, "Patient", owner.person->email, owner.person->password, NULL);
    CU_ASSERT_EQUAL(in->status, 200);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, owner.person->email, 3));
    snprintf(sql, sizeof(sql),
             "select count(*) || ' ' || max(u.event->'agent'->>'service') || ' ' || "
             "max(u.event->>'outcome') from auth.audit u join auth.account a "
             "on a.id = (u.event->>'account')::uuid "
             "where a.email = '%s' and u.event->>'action' = 'mfa.reset'",
             owner.person->email);
    audited = suite_query(suite, sql);
    CU_ASSERT_STRING_EQUAL(audited, "1 ctl success");
    free(audited);
    PROGRAM again = reset_mfa(owner.person->email, NULL);
    CHECK_REFUSED(again, 1, "You have no second factor.");
    HTTP_ANSWER status = http_get(suite_url(suite), FACTOR_STATUS, in->access);
    CU_ASSERT_TRUE(json_is_false(http_member(status, "enrolled")));
    PROGRAM pending = reset_mfa(owner.person->email, NULL); /* shown, not enrolled */
    CHECK_REFUSED(pending, 1, "You have no second factor.");
}

static void an_operator_must_name_one_account(void)
{
    const char *email = suite_text(suite, "demo.adminEmail");
    PERSON patient = person_register(suite, email);
    OWNER boss = factor_enroll(suite, person_admin(suite), "Practitioner");
    PROGRAM nobody = reset_mfa("no@body.example", NULL);
    CHECK_REFUSED(nobody, 1, "Account not found.");
    PROGRAM either = reset_mfa(email, NULL);
    CHECK_REFUSED(either, 1, "role");
    PROGRAM other = reset_mfa(email, "Patient");
    CHECK_REFUSED(other, 1, "You have no second factor.");
    PROGRAM nurse = reset_mfa(email, "Nurse");
    CHECK_REFUSED(nurse, 2, "--role: must be Patient|Practitioner");
    PROGRAM unknown =
        ATRIUMCTL(suite, NULL, "user", "reset-mfa", "--project", "nobody", "--email", email);
    CHECK_REFUSED(unknown, 1, "Tenant not found.");
    CU_ASSERT_EQUAL(me(boss.person->access), 200);
    CU_ASSERT_EQUAL(me(patient->access), 200);
    PROGRAM right = reset_mfa(email, "Practitioner");
    CHECK_EXIT(right, 0);
    CU_ASSERT_TRUE(suite_everywhere(suite, boss.person->access, 401));
    CU_ASSERT_EQUAL(me(patient->access), 200);
    PERSON admin = person_admin(suite);
    CU_ASSERT_EQUAL(admin->status, 200);
}

static void suite_shuts_down_cleanly(void)
{
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(enrolment_takes_a_code),
    CASE(changes_are_mailed),
    CASE(one_secret_is_made_in_a_race),
    CASE(a_pending_secret_dies_with_a_change_of_password),
    CASE(a_pending_secret_lives_15_minutes),
    CASE(a_pending_secret_belongs_to_its_session),
    CASE(one_of_two_sessions_enrols),
    CASE(enrolment_voids_sign_ins_under_way),
    CASE(secrets_are_sealed),
    CASE(disabling_takes_a_code),
    CASE(enrolment_is_limited),
    CASE(disabling_is_limited),
    CASE(one_enrolment_wins),
    CASE(one_disabling_wins),
    CASE(explain_says_that_it_is_on),
    CASE(an_operator_takes_a_lost_factor_away),
    CASE(an_operator_must_name_one_account),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite =
        suite_start(&(struct suite_options){.instances = "authd=2,gateway=2", .test_clock = true});
    return unit_run("second factor, on and off", cases, ARRAY_SIZE(cases));
}
