/*
 * test_mfa.c - the second factor: enrolment, sign-in with codes and recovery codes, each good once,
 * limits, one-step routes, races. Over two gateways and two authd, on the test clock: each case
 * that needs a code moves on to a time step of which no code was used.
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

#define STATUS "/auth/mfa/status"
#define ENROLL "/auth/mfa/enroll"
#define DISABLE "/auth/mfa/disable"
#define NOBODY "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"

enum { STEP = TOTP_STEP, MANY = 20 };

static const char bad_login[] = "Login session is invalid or has expired.";
static const char bad_code[] = "The code is incorrect.";

static struct suite *suite;

/* Whose factor it is, with what is needed to show it. */
struct owner {
    struct person *person;
    const char *role;
    uint8_t secret[TOTP_SECRET];
    char recovery[10][11];
};

/* ---- time and codes ---- */

/* Five seconds into a step that is out of reach of every code so far. */
static void move_on(void)
{
    int64_t now = suite_now(suite);

    suite_advance_clock(suite, 4 * STEP + 5 - now % STEP);
}

/* The code of the step that is `steps` from now. */
static const char *code_at(const struct owner *owner, int steps, char ret[static 7])
{
    return totp_code(owner->secret, suite_now(suite) + (int64_t)steps * STEP, ret);
}

/* A code that is none of those in reach. */
static const char *wrong_code(const struct owner *owner, char ret[static 7])
{
    char near[7];

    for (unsigned guess = 0;; guess++) {
        bool hit = false;

        snprintf(ret, 7, "%06u", guess);
        for (int steps = -3; steps <= 3; steps++)
            hit = hit || strcmp(code_at(owner, steps, near), ret) == 0;
        if (!hit)
            return ret;
    }
}

/* ---- calls ---- */

static struct http_answer *post_token(const char *path, const char *access, const char *token)
{
    return http_post(suite_url(suite), path, access, json_pack("{s:s}", "token", token));
}

static json_t *body_mfa(const char *login, const char *token)
{
    return json_pack("{s:s, s:s}", "loginId", login, "mfaToken", token);
}

static struct http_answer *step(const char *role, const char *name, json_t *body)
{
    char path[96];

    snprintf(path, sizeof(path), "/auth/tenant/%s/login/%s", role, name);
    return suite_post_fresh(suite, path, body);
}

static struct http_answer *show(const struct owner *owner, const char *login, const char *token)
{
    return step(owner->role, "mfa", body_mfa(login, token));
}

/* Starts a sign-in, which must ask for the factor and give nothing away. The login's id, empty when
 * it does not. */
struct login {
    char id[37];
};

static struct login start(const struct owner *owner)
{
    struct login self = {""};
    HTTP_ANSWER answer =
        step(owner->role, "start",
             body_login_start(owner->person->email, owner->person->password, "demo"));

    CHECK_STATUS(answer, 200);
    CU_ASSERT_STRING_EQUAL(http_text(answer, "nextStep"), "mfa");
    CU_ASSERT_PTR_NULL(http_member(answer, "sessionCode"));
    CU_ASSERT_PTR_NULL(http_member(answer, "tenants"));
    snprintf(self.id, sizeof(self.id), "%s", http_text(answer, "loginId"));
    return self;
}

static int me(const char *access)
{
    return suite_status(suite, "/auth/me", access);
}

/* Turns the factor of a signed-in person on. */
static struct owner enroll(struct person *person, const char *role)
{
    struct owner self = {.person = person, .role = role};
    char code[7];
    HTTP_ANSWER status = http_get(suite_url(suite), STATUS, person->access);

    totp_read(http_text(status, "otpauthUrl"), self.secret);
    HTTP_ANSWER enrolled = post_token(ENROLL, person->access, code_at(&self, 0, code));
    CHECK_STATUS(enrolled, 200);
    CU_ASSERT_TRUE(json_is_true(http_member(enrolled, "ok")));
    CU_ASSERT_EQUAL(json_array_size(http_member(enrolled, "recoveryCodes")), 10);
    for (size_t i = 0; i < 10; i++) {
        const char *text =
            json_string_value(json_array_get(http_member(enrolled, "recoveryCodes"), i));

        snprintf(self.recovery[i], sizeof(self.recovery[i]), "%s", text ? text : "");
        CU_ASSERT_EQUAL(strlen(self.recovery[i]), 10);
        for (size_t j = 0; j < i; j++)
            CU_ASSERT_STRING_NOT_EQUAL(self.recovery[i], self.recovery[j]);
    }
    move_on();
    return self;
}

static struct owner enrolled_patient(void)
{
    return enroll(person_register(suite, NULL), "Patient");
}

static void owner_free(struct owner *self)
{
    person_destroy(&self->person);
}
#define OWNER CLEANUP(owner_free) struct owner

/* Signs in with a code and checks how the session says that it was made. */
static void sign_in(const struct owner *owner, const char *token, const char *method)
{
    struct login login = start(owner);
    HTTP_ANSWER mfa = show(owner, login.id, token);
    CHECK_STATUS(mfa, 200);
    CU_ASSERT_STRING_EQUAL(http_text(mfa, "nextStep"), "token");
    CU_ASSERT_EQUAL(strlen(http_text(mfa, "sessionCode")), 32);
    HTTP_ANSWER token_answer =
        step(owner->role, "token", body_login_token(http_text(mfa, "sessionCode"), NULL));
    CHECK_STATUS(token_answer, 200);
    HTTP_ANSWER list =
        http_get(suite_url(suite), "/auth/session", http_text(token_answer, "accessToken"));
    CU_ASSERT_STRING_EQUAL(http_text(list, "sessions.0.authMethod"), method);
}

/* ---- enrolment ---- */

static void enrolment_takes_a_code(void)
{
    struct owner owner = {.role = "Patient"};
    PERSON patient = person_register(suite, NULL);
    PERSON other = person_sign_in(suite, "Patient", patient->email, patient->password, NULL);
    char code[7];

    move_on();
    HTTP_ANSWER early = post_token(ENROLL, patient->access, "123456");
    CHECK_ERROR(early, 400, bad_code);
    HTTP_ANSWER status = http_get(suite_url(suite), STATUS, patient->access);
    CHECK_STATUS(status, 200);
    CU_ASSERT_TRUE(json_is_false(http_member(status, "enrolled")));
    CU_ASSERT_TRUE(strncmp(http_text(status, "otpauthUrl"), "otpauth://totp/", 15) == 0);
    CU_ASSERT_TRUE(
        strncmp(http_text(status, "qrCodeDataUrl"), "data:image/png;base64,iVBORw0KGgo", 33) == 0);
    HTTP_ANSWER same = http_get(suite_url(suite), STATUS, patient->access);
    CU_ASSERT_STRING_EQUAL(http_text(same, "otpauthUrl"), http_text(status, "otpauthUrl"));
    HTTP_ANSWER theirs = http_get(suite_url(suite), STATUS, other->access);
    CU_ASSERT_STRING_NOT_EQUAL(http_text(theirs, "otpauthUrl"), http_text(status, "otpauthUrl"));
    totp_read(http_text(status, "otpauthUrl"), owner.secret);

    HTTP_ANSWER wrong = post_token(ENROLL, patient->access, wrong_code(&owner, code));
    CHECK_ERROR(wrong, 400, bad_code);
    HTTP_ANSWER brief = post_token(ENROLL, patient->access, "12345");
    CHECK_PROBLEM(brief, "token");
    HTTP_ANSWER not_yet = http_get(suite_url(suite), "/auth/me", patient->access);
    CU_ASSERT_TRUE(json_is_false(http_member(not_yet, "security.mfaEnrolled")));

    HTTP_ANSWER right = post_token(ENROLL, patient->access, code_at(&owner, 0, code));
    CHECK_STATUS(right, 200);
    HTTP_ANSWER again = post_token(ENROLL, patient->access, code_at(&owner, 1, code));
    CHECK_ERROR(again, 409, "A second factor is already enrolled.");
    HTTP_ANSWER on = http_get(suite_url(suite), STATUS, patient->access);
    CU_ASSERT_TRUE(json_is_true(http_member(on, "enrolled")));
    CU_ASSERT_PTR_NULL(http_member(on, "otpauthUrl"));
    CU_ASSERT_PTR_NULL(http_member(on, "qrCodeDataUrl"));
    HTTP_ANSWER profile = http_get(suite_url(suite), "/auth/me", patient->access);
    CU_ASSERT_TRUE(json_is_true(http_member(profile, "security.mfaEnrolled")));
    CU_ASSERT_TRUE(suite_everywhere(suite, other->access, 401));
    CU_ASSERT_TRUE(suite_everywhere(suite, patient->access, 200));
}

/* The owner hears of it: a welcome, then one mail for each change. */
static void changes_are_mailed(void)
{
    OWNER owner = enrolled_patient();
    char code[7], *mail;

    for (int i = 0; i < 500 && suite_mail_count(suite, owner.person->email) < 2; i++)
        usleep(20000);
    CU_ASSERT_EQUAL(suite_mail_count(suite, owner.person->email), 2);
    mail = suite_mail(suite, owner.person->email, 1000);
    CU_ASSERT_TRUE(mail && strstr(mail, "Two-step sign-in"));
    HTTP_ANSWER off = post_token(DISABLE, owner.person->access, code_at(&owner, 0, code));
    CHECK_STATUS(off, 200);
    for (int i = 0; i < 500 && suite_mail_count(suite, owner.person->email) < 3; i++)
        usleep(20000);
    CU_ASSERT_EQUAL(suite_mail_count(suite, owner.person->email), 3);
    free(mail);
}

/* The secret that the session of this token may enrol. */
static void read_secret(const char *access, uint8_t ret[static TOTP_SECRET])
{
    HTTP_ANSWER status = http_get(suite_url(suite), STATUS, access);

    totp_read(http_text(status, "otpauthUrl"), ret);
}

/* The code of a secret that was read earlier enrols nothing, and the session is given another
 * secret. */
static void check_secret_is_void(const struct owner *owner, const char *access)
{
    uint8_t now[TOTP_SECRET];
    char code[7];
    HTTP_ANSWER late = post_token(ENROLL, access, code_at(owner, 0, code));

    CHECK_ERROR(late, 400, bad_code);
    read_secret(access, now);
    CU_ASSERT_NOT_EQUAL(memcmp(owner->secret, now, sizeof(now)), 0);
    HTTP_ANSWER other = post_token(ENROLL, access, code_at(owner, 0, code));
    CHECK_ERROR(other, 400, bad_code);
}

/* Who once held the token knows the secret that it showed: it is good for no factor of later. */
static void a_pending_secret_dies_with_a_change_of_password(void)
{
    struct owner owner = {.role = "Patient"};
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
    struct owner owner = {.role = "Patient"};
    PERSON patient = person_register(suite, NULL);
    uint8_t same[TOTP_SECRET];

    read_secret(patient->access, owner.secret);
    suite_advance_clock(suite, 14 * 60);
    read_secret(patient->access, same);
    CU_ASSERT_EQUAL(memcmp(owner.secret, same, sizeof(same)), 0);
    suite_advance_clock(suite, 60);
    check_secret_is_void(&owner, patient->access);
}

/* Nor does the secret of one session enrol a factor at another, which has its own. */
static void a_pending_secret_belongs_to_its_session(void)
{
    struct owner one = {.role = "Patient"}, two = {.role = "Patient"};
    PERSON patient = person_register(suite, NULL);
    PERSON other = person_sign_in(suite, "Patient", patient->email, patient->password, NULL);
    char code[7];

    read_secret(patient->access, one.secret);
    HTTP_ANSWER before = post_token(ENROLL, other->access, code_at(&one, 0, code));
    CHECK_ERROR(before, 400, bad_code);
    read_secret(other->access, two.secret);
    HTTP_ANSWER foreign = post_token(ENROLL, other->access, code_at(&one, 0, code));
    CHECK_ERROR(foreign, 400, bad_code);
    HTTP_ANSWER own = post_token(ENROLL, patient->access, code_at(&one, 0, code));
    CHECK_STATUS(own, 200);
    CU_ASSERT_EQUAL(me(other->access), 401);
}

/* Two sessions with a secret each, at once: the account gets one factor. */
static void one_of_two_sessions_enrols(void)
{
    struct owner owners[2] = {{.role = "Patient"}, {.role = "Patient"}};
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
                                            .path = ENROLL,
                                            .bearer = access[i],
                                            .body = json_pack("{s:s}", "token",
                                                              code_at(&owners[i], 0, code))};
    }
    holder = suite_hold(suite, "select 1 from auth.credential for update");
    http_call_many(suite_url(suite), requests, 2, 2, answers);
    waitpid(holder, NULL, 0);
    for (int i = 0; i < 2; i++) {
        won += answers[i]->status == 200;
        UNIT_CHECK(answers[i]->status == 200 || answers[i]->status == 400, "%d",
                   answers[i]->status);
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
        requests[i] = (struct http_request){.path = STATUS, .bearer = patient->access};
    http_call_many(suite_url(suite), requests, MANY, MANY, answers);
    for (int i = 0; i < MANY; i++) {
        CHECK_STATUS(answers[i], 200);
        CU_ASSERT_STRING_EQUAL(http_text(answers[i], "otpauthUrl"),
                               http_text(answers[0], "otpauthUrl"));
    }
    http_answers_destroy(answers, MANY);
}

/* A sign-in that began without the factor does not end without it. */
static void enrolment_voids_sign_ins_under_way(void)
{
    PERSON patient = person_register(suite, NULL);
    HTTP_ANSWER begun =
        step("Patient", "start", body_login_start(patient->email, patient->password, "demo"));
    CU_ASSERT_STRING_EQUAL(http_text(begun, "nextStep"), "token");
    struct owner owner = enroll(patient, "Patient");
    HTTP_ANSWER late =
        step("Patient", "token", body_login_token(http_text(begun, "sessionCode"), NULL));
    CHECK_ERROR(late, 400, bad_login);
    CU_ASSERT_EQUAL(me(owner.person->access), 200);
}

static void secrets_are_sealed(void)
{
    OWNER owner = enrolled_patient();
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

/* ---- sign-in ---- */

static void a_patient_signs_in_with_a_code(void)
{
    OWNER owner = enrolled_patient();
    char code[7];

    sign_in(&owner, code_at(&owner, 0, code), "password+totp");
}

static void clocks_may_differ_by_a_step(void)
{
    static const struct {
        int steps, want;
    } rows[] = {{-2, 400}, {2, 400}, {-1, 200}, {1, 200}};
    OWNER owner = enrolled_patient();
    char code[7];

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct login login = start(&owner);
        HTTP_ANSWER answer = show(&owner, login.id, code_at(&owner, rows[i].steps, code));

        UNIT_CHECK(answer->status == rows[i].want, "%d steps: %d", rows[i].steps, answer->status);
    }
}

/* Nor is an older one good once a newer one was used, nor the one that enrolled. */
static void a_code_is_good_once(void)
{
    struct owner owner = {.role = "Patient"};
    PERSON patient = person_register(suite, NULL);
    char code[7];

    owner.person = patient;
    HTTP_ANSWER status = http_get(suite_url(suite), STATUS, patient->access);
    totp_read(http_text(status, "otpauthUrl"), owner.secret);
    move_on();
    code_at(&owner, 0, code);
    HTTP_ANSWER enrolled = post_token(ENROLL, patient->access, code);
    CHECK_STATUS(enrolled, 200);
    struct login first = start(&owner);
    HTTP_ANSWER replay = show(&owner, first.id, code);
    CHECK_ERROR(replay, 400, bad_code);
    HTTP_ANSWER older = show(&owner, first.id, code_at(&owner, -1, code));
    CHECK_ERROR(older, 400, bad_code);
    HTTP_ANSWER newer = show(&owner, first.id, code_at(&owner, 1, code));
    CHECK_STATUS(newer, 200);
    struct login second = start(&owner);
    HTTP_ANSWER again = show(&owner, second.id, code);
    CHECK_ERROR(again, 400, bad_code);
}

/* Posts one token for each of the logins at once; how many won. */
static int race(const struct owner *owner, const struct login logins[static MANY],
                const char *token)
{
    struct http_request requests[MANY];
    struct http_answer *answers[MANY];
    int won = 0;

    for (int i = 0; i < MANY; i++)
        requests[i] = (struct http_request){.method = "POST",
                                            .path = "/auth/tenant/Patient/login/mfa",
                                            .body = body_mfa(logins[i].id, token)};
    http_call_many(suite_url(suite), requests, MANY, MANY, answers);
    for (int i = 0; i < MANY; i++) {
        won += answers[i]->status == 200;
        if (answers[i]->status != 200)
            CU_ASSERT_EQUAL(answers[i]->status, 400);
    }
    http_answers_destroy(answers, MANY);
    CU_ASSERT_EQUAL(me(owner->person->access), 200);
    return won;
}

static void one_wins_a_race(void)
{
    OWNER owner = enrolled_patient();
    struct login many[MANY], one[MANY];
    char code[7];

    for (int i = 0; i < MANY; i++)
        many[i] = start(&owner);
    CU_ASSERT_EQUAL(race(&owner, many, code_at(&owner, 0, code)), 1);
    /* those 19 wrong codes leave room for one */
    suite_advance_clock(suite, 15 * 60 + 1);
    for (int i = 0; i < MANY; i++)
        many[i] = start(&owner);
    CU_ASSERT_EQUAL(race(&owner, many, owner.recovery[0]), 1);
    one[0] = start(&owner);
    for (int i = 1; i < MANY; i++)
        one[i] = one[0];
    CU_ASSERT_EQUAL(race(&owner, one, code_at(&owner, 0, code)), 1);
}

static void a_login_is_spent_by_its_first_right_code(void)
{
    OWNER owner = enrolled_patient();
    char code[7], wrong[7];
    struct login login = start(&owner);
    HTTP_ANSWER right = show(&owner, login.id, code_at(&owner, 0, code));
    CHECK_STATUS(right, 200);
    for (int i = 0; i < 25; i++) {
        HTTP_ANSWER late =
            show(&owner, login.id, i % 2 ? wrong_code(&owner, wrong) : code_at(&owner, 1, code));
        CHECK_ERROR(late, 400, bad_login);
    }
    HTTP_ANSWER tokens =
        step("Patient", "token", body_login_token(http_text(right, "sessionCode"), NULL));
    CHECK_STATUS(tokens, 200);
    sign_in(&owner, code_at(&owner, 1, code), "password+totp");
}

static void the_fifth_wrong_code_ends_the_login(void)
{
    OWNER owner = enrolled_patient();
    struct login login = start(&owner);
    char code[7];

    for (int i = 0; i < 5; i++) {
        HTTP_ANSWER wrong = show(&owner, login.id, wrong_code(&owner, code));
        CHECK_ERROR(wrong, 400, bad_code);
    }
    HTTP_ANSWER dead = show(&owner, login.id, code_at(&owner, 0, code));
    CHECK_ERROR(dead, 400, bad_login);
    sign_in(&owner, code, "password+totp");
}

static void the_twentieth_wrong_code_locks_the_account(void)
{
    OWNER owner = enrolled_patient();
    char code[7];

    for (int i = 0; i < 4; i++) {
        struct login login = start(&owner);

        for (int j = 0; j < 5; j++) {
            HTTP_ANSWER wrong = show(&owner, login.id, wrong_code(&owner, code));
            CHECK_ERROR(wrong, 400, bad_code);
        }
    }
    struct login login = start(&owner);
    HTTP_ANSWER locked = show(&owner, login.id, code_at(&owner, 0, code));
    CHECK_STATUS(locked, 429);
    CU_ASSERT_TRUE(http_retry_after(locked) > 0 && http_retry_after(locked) <= 900);
    HTTP_ANSWER recovery = show(&owner, login.id, owner.recovery[0]);
    CHECK_STATUS(recovery, 429);
    HTTP_ANSWER disable = post_token(DISABLE, owner.person->access, code);
    CHECK_STATUS(disable, 429);
    suite_advance_clock(suite, 15 * 60 + 1);
    sign_in(&owner, code_at(&owner, 0, code), "password+totp");
}

/* Sixty wrong ones at once: at most twenty are answered as wrong. */
static void guesses_cannot_race_past_the_limit(void)
{
    enum { GUESSES = 60 };
    struct http_request requests[GUESSES];
    struct http_answer *answers[GUESSES];
    OWNER owner = enrolled_patient();
    struct login logins[12];
    char code[7];
    int told = 0;

    for (size_t i = 0; i < ARRAY_SIZE(logins); i++)
        logins[i] = start(&owner);
    wrong_code(&owner, code);
    for (int i = 0; i < GUESSES; i++)
        requests[i] =
            (struct http_request){.method = "POST",
                                  .path = "/auth/tenant/Patient/login/mfa",
                                  .body = body_mfa(logins[i % (int)ARRAY_SIZE(logins)].id, code)};
    http_call_many(suite_url(suite), requests, GUESSES, GUESSES, answers);
    for (int i = 0; i < GUESSES; i++) {
        CU_ASSERT_TRUE(answers[i]->status == 400 || answers[i]->status == 429);
        told += strcmp(http_text(answers[i], "message"), bad_code) == 0;
    }
    CU_ASSERT_EQUAL(told, 20);
    http_answers_destroy(answers, GUESSES);
}

static void a_recovery_code_is_good_once(void)
{
    OWNER owner = enrolled_patient();
    char upper[11];

    sign_in(&owner, owner.recovery[3], "password+recovery");
    struct login login = start(&owner);
    HTTP_ANSWER again = show(&owner, login.id, owner.recovery[3]);
    CHECK_ERROR(again, 400, bad_code);
    HTTP_ANSWER unknown = show(&owner, login.id, "zzzzzzzzzz");
    CHECK_ERROR(unknown, 400, bad_code);
    for (size_t i = 0; i < sizeof(upper); i++)
        upper[i] = owner.recovery[4][i] >= 'a' ? (char)(owner.recovery[4][i] - 'a' + 'A')
                                               : owner.recovery[4][i];
    HTTP_ANSWER capitals = show(&owner, login.id, upper);
    CHECK_STATUS(capitals, 200);
}

static void other_logins_are_refused(void)
{
    OWNER owner = enrolled_patient();
    struct login login = start(&owner);
    char code[7];

    code_at(&owner, 0, code);
    HTTP_ANSWER unknown = show(&owner, NOBODY, code);
    CHECK_ERROR(unknown, 400, bad_login);
    HTTP_ANSWER role = step("Practitioner", "mfa", body_mfa(login.id, code));
    CHECK_ERROR(role, 400, bad_login);
    HTTP_ANSWER text = show(&owner, "1", code);
    CHECK_PROBLEM(text, "loginId");
    HTTP_ANSWER brief = show(&owner, login.id, "12345");
    CHECK_PROBLEM(brief, "mfaToken");
    HTTP_ANSWER lengthy = show(&owner, login.id, "12345678901");
    CHECK_PROBLEM(lengthy, "mfaToken");
    suite_advance_clock(suite, 5 * 60);
    HTTP_ANSWER expired = show(&owner, login.id, code_at(&owner, 0, code));
    CHECK_ERROR(expired, 400, bad_login);
    sign_in(&owner, code, "password+totp");
}

/* ---- one-step routes ---- */

static json_t *body_one_step(const struct owner *owner, const char *challenge, bool business)
{
    return json_pack("{s:s, s:s, s:s, s:s*, s:s*}", "email", owner->person->email, "password",
                     owner->person->password, "clientId", suite_text(suite, "demo.clientId"),
                     "codeChallenge", challenge, "tenantId",
                     business ? suite_text(suite, "demo.projectId") : NULL);
}

/* Refused without a challenge; with one it goes on at the role's routes. */
static void check_one_step(const struct owner *owner, const char *path, const char *token)
{
    bool business = strstr(path, "b2b") != NULL;
    HTTP_ANSWER bare = suite_post_fresh(suite, path, body_one_step(owner, NULL, business));
    CHECK_ERROR(bare, 401, "Use the tenant sign-in.");
    CU_ASSERT_STRING_EQUAL(http_text(bare, "code"), "MFA_REQUIRED");
    CU_ASSERT_PTR_NULL(http_member(bare, "loginId"));
    HTTP_ANSWER plain = suite_post_fresh(suite, path, body_one_step(owner, "short", business));
    CHECK_PROBLEM(plain, "codeChallenge");
    HTTP_ANSWER more =
        suite_post_fresh(suite, path, body_one_step(owner, pkce_challenge, business));
    CHECK_STATUS(more, 401);
    CU_ASSERT_STRING_EQUAL(http_text(more, "code"), "MFA_REQUIRED");
    HTTP_ANSWER mfa = show(owner, http_text(more, "loginId"), token);
    CHECK_STATUS(mfa, 200);
    HTTP_ANSWER tokens =
        step(owner->role, "token", body_login_token(http_text(mfa, "sessionCode"), NULL));
    CHECK_STATUS(tokens, 200);
}

static void a_practitioner_chooses_a_tenant_after_the_code(void)
{
    OWNER owner = enroll(person_admin(suite), "Practitioner");
    char code[7];
    HTTP_ANSWER begun = step("Practitioner", "start",
                             body_login_start(owner.person->email, owner.person->password, NULL));
    CU_ASSERT_STRING_EQUAL(http_text(begun, "nextStep"), "mfa");
    CU_ASSERT_PTR_NULL(http_member(begun, "tenants"));
    HTTP_ANSWER mfa = show(&owner, http_text(begun, "loginId"), code_at(&owner, 0, code));
    CHECK_STATUS(mfa, 200);
    CU_ASSERT_STRING_EQUAL(http_text(mfa, "tenants.0.tenantCode"), "demo");
    CU_ASSERT_STRING_EQUAL(http_text(mfa, "tenants.0.profile.reference"), owner.person->profile);
    HTTP_ANSWER tokens =
        step("Practitioner", "token", body_login_token(http_text(mfa, "sessionCode"), "demo"));
    CHECK_STATUS(tokens, 200);
    check_one_step(&owner, "/auth/b2b/login", owner.recovery[0]);
    check_one_step(&owner, "/v2/auth/login", owner.recovery[1]);
    HTTP_ANSWER off = post_token(DISABLE, owner.person->access, owner.recovery[2]);
    CHECK_STATUS(off, 200);
}

static void one_step_asks_for_the_factor(void)
{
    OWNER owner = enrolled_patient();
    char code[7];

    check_one_step(&owner, "/v2/auth/login", code_at(&owner, 0, code));
}

/* ---- disabling ---- */

static void disabling_takes_a_code(void)
{
    OWNER owner = enrolled_patient();
    char code[7];
    struct login login = start(&owner);
    PERSON stranger = person_register(suite, NULL);
    HTTP_ANSWER none = post_token(DISABLE, stranger->access, "123456");
    CHECK_ERROR(none, 400, "No second factor is enrolled.");
    HTTP_ANSWER wrong = post_token(DISABLE, owner.person->access, wrong_code(&owner, code));
    CHECK_ERROR(wrong, 400, bad_code);
    struct login to_other = start(&owner);
    HTTP_ANSWER mfa = show(&owner, to_other.id, owner.recovery[0]);
    HTTP_ANSWER other =
        step("Patient", "token", body_login_token(http_text(mfa, "sessionCode"), NULL));
    HTTP_ANSWER right = post_token(DISABLE, owner.person->access, code_at(&owner, 0, code));
    CHECK_STATUS(right, 200);
    CU_ASSERT_TRUE(json_is_true(http_member(right, "ok")));
    CU_ASSERT_TRUE(suite_everywhere(suite, http_text(other, "accessToken"), 401));
    CU_ASSERT_TRUE(suite_everywhere(suite, owner.person->access, 200));
    HTTP_ANSWER waiting = show(&owner, login.id, owner.recovery[1]);
    CHECK_ERROR(waiting, 400, bad_login);
    PERSON plain =
        person_sign_in(suite, "Patient", owner.person->email, owner.person->password, NULL);
    CU_ASSERT_EQUAL(plain->status, 200);
    HTTP_ANSWER status = http_get(suite_url(suite), STATUS, owner.person->access);
    CU_ASSERT_TRUE(json_is_false(http_member(status, "enrolled")));
    uint8_t secret[TOTP_SECRET];
    totp_read(http_text(status, "otpauthUrl"), secret);
    CU_ASSERT_NOT_EQUAL(memcmp(secret, owner.secret, sizeof(secret)), 0);
}

/* ---- the account's own routes ---- */

/* The sign-in is too old by now: its owner proves again who they are, as far as the factor is on
 * with a code of it. */
static void prove_again(const struct owner *owner)
{
    bool on = owner->recovery[9][0] != '\0';
    HTTP_ANSWER answer = http_post(suite_url(suite), "/auth/step-up", owner->person->access,
                                   json_pack("{s:s}", on ? "mfaToken" : "password",
                                             on ? owner->recovery[9] : owner->person->password));

    CHECK_STATUS(answer, 204);
}

/* Twenty wrong codes are each answered as wrong; then the right one is refused too, for fifteen
 * minutes. */
static void check_locks(struct owner *owner, const char *path)
{
    const char *access = owner->person->access;
    char code[7];

    for (int i = 0; i < 20; i++) {
        HTTP_ANSWER wrong = post_token(path, access, wrong_code(owner, code));
        CHECK_ERROR(wrong, 400, bad_code);
    }
    HTTP_ANSWER right = post_token(path, access, code_at(owner, 0, code));
    CHECK_ERROR(right, 429, "Too many requests. Try again later.");
    CU_ASSERT_TRUE(http_retry_after(right) > 800 && http_retry_after(right) <= 900);
    HTTP_ANSWER recovery = post_token(path, access, "0123456789");
    CHECK_STATUS(recovery, 429);
    suite_advance_clock(suite, 15 * 60 + 1);
    prove_again(owner);
    HTTP_ANSWER status = http_get(suite_url(suite), STATUS, access);
    if (json_is_false(http_member(status, "enrolled"))) /* the secret was too old, too */
        totp_read(http_text(status, "otpauthUrl"), owner->secret);
    HTTP_ANSWER later = post_token(path, access, code_at(owner, 0, code));
    CHECK_STATUS(later, 200);
}

static void enrolment_is_limited(void)
{
    struct owner owner = {.role = "Patient"};
    PERSON patient = person_register(suite, NULL);
    HTTP_ANSWER status = http_get(suite_url(suite), STATUS, patient->access);

    owner.person = patient;
    totp_read(http_text(status, "otpauthUrl"), owner.secret);
    check_locks(&owner, ENROLL);
}

static void disabling_is_limited(void)
{
    OWNER owner = enrolled_patient();

    check_locks(&owner, DISABLE);
}

/* Posts one token many times at once, while nothing can go on until all are there; how many won.
 * The others get `otherwise`. The answer of the winner in *ret (NULL: not wanted). */
static int race_at(const char *path, const char *access, const char *token, int otherwise,
                   const char *why, struct http_answer **ret)
{
    struct http_request requests[MANY];
    struct http_answer *answers[MANY];
    pid_t holder =
        suite_hold(suite, strcmp(path, ENROLL) == 0 ? "select 1 from auth.mfa_pending for update"
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

/* The codes that the winner got are the valid ones. */
static void one_enrolment_wins(void)
{
    struct owner owner = {.role = "Patient"};
    PERSON patient = person_register(suite, NULL);
    PERSON elsewhere = person_sign_in(suite, "Patient", patient->email, patient->password, NULL);
    HTTP_ANSWER status = http_get(suite_url(suite), STATUS, patient->access);
    HTTP_ANSWER won = NULL;
    char code[7];

    owner.person = patient;
    totp_read(http_text(status, "otpauthUrl"), owner.secret);
    move_on();
    CU_ASSERT_EQUAL(race_at(ENROLL, patient->access, code_at(&owner, 0, code), 409,
                            "A second factor is already enrolled.", &won),
                    1);
    CU_ASSERT_PTR_NOT_NULL_FATAL(won);
    CU_ASSERT_TRUE(suite_everywhere(suite, elsewhere->access, 401));
    for (int i = 0; i < 2; i++)
        sign_in(&owner, http_text(won, i ? "recoveryCodes.9" : "recoveryCodes.0"),
                "password+recovery");
    CU_ASSERT_TRUE(suite_mails_arrive(suite, patient->email, 2)); /* with the welcome */
}

static void one_disabling_wins(void)
{
    OWNER owner = enrolled_patient();

    CU_ASSERT_EQUAL(race_at(DISABLE, owner.person->access, owner.recovery[4], 400,
                            "No second factor is enrolled.", NULL),
                    1);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, owner.person->email, 3));
}

/* Ten codes at once, each twice, at whatever instances: each opens one login. */
static void each_recovery_code_wins_once(void)
{
    OWNER owner = enrolled_patient();
    struct http_request requests[MANY];
    struct http_answer *answers[MANY];
    struct login logins[MANY];
    int won[10] = {0};
    pid_t holder;

    for (int i = 0; i < MANY; i++) {
        logins[i] = start(&owner);
        requests[i] = (struct http_request){.method = "POST",
                                            .path = "/auth/tenant/Patient/login/mfa",
                                            .body = body_mfa(logins[i].id, owner.recovery[i % 10])};
    }
    holder = suite_hold(suite, "select 1 from auth.mfa_factor for update");
    http_call_many(suite_url(suite), requests, MANY, MANY, answers);
    waitpid(holder, NULL, 0);
    for (int i = 0; i < MANY; i++) {
        won[i % 10] += answers[i]->status == 200;
        if (answers[i]->status != 200)
            CHECK_ERROR(answers[i], 400, bad_code);
    }
    for (int i = 0; i < 10; i++)
        UNIT_CHECK(won[i] == 1, "code %d won %d times", i, won[i]);
    http_answers_destroy(answers, MANY);
}

/* ---- operators ---- */

static struct program *reset_mfa(const char *email, const char *role)
{
    return ATRIUMCTL(suite, NULL, "user", "reset-mfa", "--project", "demo", "--email", email,
                     role ? "--role" : NULL, role);
}

static void explain_says_that_it_is_on(void)
{
    OWNER owner = enrolled_patient();
    PERSON plain = person_register(suite, NULL);
    PROGRAM on = ATRIUMCTL(suite, NULL, "explain", "sign-in", "--project", "demo", "--email",
                           owner.person->email);
    CHECK_EXIT(on, 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(on->out, "second factor"));
    CU_ASSERT_PTR_NOT_NULL(strstr(on->out, "It is on: a code is asked for after the password."));
    CU_ASSERT_PTR_NOT_NULL(strstr(
        on->out, "With the right password and a code of the second factor the sign-in succeeds."));
    PROGRAM off = ATRIUMCTL(suite, NULL, "explain", "sign-in", "--project", "demo", "--email",
                            plain->email, "--json");
    CHECK_EXIT(off, 0);
    CU_ASSERT_TRUE(json_is_false(json_object_get(off->json, "secondFactor")));
}

/* All that the owner's own way would do: sessions end, sign-ins under way too, a mail says so. */
static void an_operator_takes_a_lost_factor_away(void)
{
    OWNER owner = enrolled_patient();
    struct login waiting = start(&owner);
    char sql[512], *audited;
    PROGRAM done = reset_mfa(owner.person->email, NULL);
    CHECK_EXIT(done, 0);
    CU_ASSERT_TRUE(suite_everywhere(suite, owner.person->access, 401));
    HTTP_ANSWER late = show(&owner, waiting.id, owner.recovery[0]);
    CHECK_ERROR(late, 400, bad_login);
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
    CHECK_REFUSED(again, 1, "No second factor is enrolled.");
    HTTP_ANSWER status = http_get(suite_url(suite), STATUS, in->access);
    CU_ASSERT_TRUE(json_is_false(http_member(status, "enrolled")));
    PROGRAM pending = reset_mfa(owner.person->email, NULL); /* shown, not enrolled */
    CHECK_REFUSED(pending, 1, "No second factor is enrolled.");
}

static void an_operator_must_name_one_account(void)
{
    const char *email = suite_text(suite, "demo.adminEmail");
    PERSON patient = person_register(suite, email);
    OWNER boss = enroll(person_admin(suite), "Practitioner");
    PROGRAM nobody = reset_mfa("no@body.example", NULL);
    CHECK_REFUSED(nobody, 1, "Account not found.");
    PROGRAM either = reset_mfa(email, NULL);
    CHECK_REFUSED(either, 1, "role");
    PROGRAM other = reset_mfa(email, "Patient");
    CHECK_REFUSED(other, 1, "No second factor is enrolled.");
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
    CASE(a_patient_signs_in_with_a_code),
    CASE(clocks_may_differ_by_a_step),
    CASE(a_code_is_good_once),
    CASE(one_wins_a_race),
    CASE(a_login_is_spent_by_its_first_right_code),
    CASE(the_fifth_wrong_code_ends_the_login),
    CASE(the_twentieth_wrong_code_locks_the_account),
    CASE(guesses_cannot_race_past_the_limit),
    CASE(a_recovery_code_is_good_once),
    CASE(other_logins_are_refused),
    CASE(a_practitioner_chooses_a_tenant_after_the_code),
    CASE(one_step_asks_for_the_factor),
    CASE(disabling_takes_a_code),
    CASE(enrolment_is_limited),
    CASE(disabling_is_limited),
    CASE(one_enrolment_wins),
    CASE(one_disabling_wins),
    CASE(each_recovery_code_wins_once),
    CASE(explain_says_that_it_is_on),
    CASE(an_operator_takes_a_lost_factor_away),
    CASE(an_operator_must_name_one_account),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite =
        suite_start(&(struct suite_options){.instances = "authd=2,gateway=2", .test_clock = true});
    return unit_run("second factor", cases, ARRAY_SIZE(cases));
}
