/*
 * test_mfa.c - sign-in with a second factor: codes and recovery codes that work once, limits,
 * one-step routes, races. See test_mfa_enrolment.c for enabling. Each case moves to a time step
 * without used codes.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "tests/support/factor.h"
#include "tests/support/suite.h"
#include "tests/support/unit.h"

#define NOBODY "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"

enum { MANY = 20 };

static struct suite *suite;

static int me(const char *access)
{
    return suite_status(suite, "/auth/me", access);
}

static void a_patient_signs_in_with_a_code(void)
{
    OWNER owner = factor_patient(suite);
    char code[7];

    factor_sign_in(&owner, factor_code_at(&owner, 0, code), "password+totp");
}

static void clocks_may_differ_by_a_step(void)
{
    static const struct {
        int steps, want;
    } rows[] = {{-2, 400}, {2, 400}, {-1, 200}, {1, 200}};
    OWNER owner = factor_patient(suite);
    char code[7];

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct factor_login login = factor_start(&owner);
        HTTP_ANSWER answer =
            factor_show(&owner, login.id, factor_code_at(&owner, rows[i].steps, code));

        UNIT_CHECK(answer->status == rows[i].want, "%d steps: %d", rows[i].steps, answer->status);
    }
}

static void a_code_is_good_once(void)
{
    struct factor_owner owner = {.suite = suite, .role = "Patient"};
    PERSON patient = person_register(suite, NULL);
    char code[7];

    owner.person = patient;
    HTTP_ANSWER status = http_get(suite_url(suite), FACTOR_STATUS, patient->access);
    totp_read(http_text(status, "otpauthUrl"), owner.secret);
    factor_move_on(suite);
    factor_code_at(&owner, 0, code);
    HTTP_ANSWER enrolled = factor_post(suite, FACTOR_ENROLL, patient->access, code);
    CHECK_STATUS(enrolled, 200);
    struct factor_login first = factor_start(&owner);
    HTTP_ANSWER replay = factor_show(&owner, first.id, code);
    CHECK_ERROR(replay, 400, FACTOR_BAD_CODE);
    HTTP_ANSWER older = factor_show(&owner, first.id, factor_code_at(&owner, -1, code));
    CHECK_ERROR(older, 400, FACTOR_BAD_CODE);
    HTTP_ANSWER newer = factor_show(&owner, first.id, factor_code_at(&owner, 1, code));
    CHECK_STATUS(newer, 200);
    struct factor_login second = factor_start(&owner);
    HTTP_ANSWER again = factor_show(&owner, second.id, code);
    CHECK_ERROR(again, 400, FACTOR_BAD_CODE);
}

static int race(const struct factor_owner *owner, const struct factor_login logins[static MANY],
                const char *token)
{
    struct http_request requests[MANY];
    struct http_answer *answers[MANY];
    int won = 0;

    for (int i = 0; i < MANY; i++)
        requests[i] = (struct http_request){.method = "POST",
                                            .path = "/auth/tenant/Patient/login/mfa",
                                            .body = factor_body(logins[i].id, token)};
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
    OWNER owner = factor_patient(suite);
    struct factor_login many[MANY], one[MANY];
    char code[7];

    for (int i = 0; i < MANY; i++)
        many[i] = factor_start(&owner);
    CU_ASSERT_EQUAL(race(&owner, many, factor_code_at(&owner, 0, code)), 1);
    /* 19 wrong codes leave one attempt, so wait for the end of the limit's window */
    suite_advance_clock(suite, 15 * 60 + 1);
    for (int i = 0; i < MANY; i++)
        many[i] = factor_start(&owner);
    CU_ASSERT_EQUAL(race(&owner, many, owner.recovery[0]), 1);
    one[0] = factor_start(&owner);
    for (int i = 1; i < MANY; i++)
        one[i] = one[0];
    CU_ASSERT_EQUAL(race(&owner, one, factor_code_at(&owner, 0, code)), 1);
}

static void a_login_is_spent_by_its_first_right_code(void)
{
    OWNER owner = factor_patient(suite);
    char code[7], wrong[7];
    struct factor_login login = factor_start(&owner);
    HTTP_ANSWER right = factor_show(&owner, login.id, factor_code_at(&owner, 0, code));
    CHECK_STATUS(right, 200);
    for (int i = 0; i < 25; i++) {
        HTTP_ANSWER late =
            factor_show(&owner, login.id,
                        i % 2 ? factor_wrong_code(&owner, wrong) : factor_code_at(&owner, 1, code));
        CHECK_ERROR(late, 400, FACTOR_BAD_LOGIN);
    }
    HTTP_ANSWER tokens = factor_step(suite, "Patient", "token",
                                     body_login_token(http_text(right, "sessionCode"), NULL));
    CHECK_STATUS(tokens, 200);
    factor_sign_in(&owner, factor_code_at(&owner, 1, code), "password+totp");
}

static void the_fifth_wrong_code_ends_the_login(void)
{
    OWNER owner = factor_patient(suite);
    struct factor_login login = factor_start(&owner);
    char code[7];

    for (int i = 0; i < 5; i++) {
        HTTP_ANSWER wrong = factor_show(&owner, login.id, factor_wrong_code(&owner, code));
        CHECK_ERROR(wrong, 400, FACTOR_BAD_CODE);
    }
    HTTP_ANSWER dead = factor_show(&owner, login.id, factor_code_at(&owner, 0, code));
    CHECK_ERROR(dead, 400, FACTOR_BAD_LOGIN);
    factor_sign_in(&owner, code, "password+totp");
}

static void the_twentieth_wrong_code_locks_the_account(void)
{
    OWNER owner = factor_patient(suite);
    char code[7];

    for (int i = 0; i < 4; i++) {
        struct factor_login login = factor_start(&owner);

        for (int j = 0; j < 5; j++) {
            HTTP_ANSWER wrong = factor_show(&owner, login.id, factor_wrong_code(&owner, code));
            CHECK_ERROR(wrong, 400, FACTOR_BAD_CODE);
        }
    }
    struct factor_login login = factor_start(&owner);
    HTTP_ANSWER locked = factor_show(&owner, login.id, factor_code_at(&owner, 0, code));
    CHECK_STATUS(locked, 429);
    CU_ASSERT_TRUE(http_retry_after(locked) > 0 && http_retry_after(locked) <= 900);
    HTTP_ANSWER recovery = factor_show(&owner, login.id, owner.recovery[0]);
    CHECK_STATUS(recovery, 429);
    HTTP_ANSWER disable = factor_post(suite, FACTOR_DISABLE, owner.person->access, code);
    CHECK_STATUS(disable, 429);
    suite_advance_clock(suite, 15 * 60 + 1);
    factor_sign_in(&owner, factor_code_at(&owner, 0, code), "password+totp");
}

static void guesses_cannot_race_past_the_limit(void)
{
    enum { GUESSES = 60 };
    struct http_request requests[GUESSES];
    struct http_answer *answers[GUESSES];
    OWNER owner = factor_patient(suite);
    struct factor_login logins[12];
    char code[7];
    int told = 0;

    for (size_t i = 0; i < ARRAY_SIZE(logins); i++)
        logins[i] = factor_start(&owner);
    factor_wrong_code(&owner, code);
    for (int i = 0; i < GUESSES; i++)
        requests[i] = (struct http_request){
            .method = "POST",
            .path = "/auth/tenant/Patient/login/mfa",
            .body = factor_body(logins[i % (int)ARRAY_SIZE(logins)].id, code)};
    http_call_many(suite_url(suite), requests, GUESSES, GUESSES, answers);
    for (int i = 0; i < GUESSES; i++) {
        CU_ASSERT_TRUE(answers[i]->status == 400 || answers[i]->status == 429);
        told += strcmp(http_text(answers[i], "message"), FACTOR_BAD_CODE) == 0;
    }
    CU_ASSERT_EQUAL(told, 20);
    http_answers_destroy(answers, GUESSES);
}

static void a_recovery_code_is_good_once(void)
{
    OWNER owner = factor_patient(suite);
    char upper[11];

    factor_sign_in(&owner, owner.recovery[3], "password+recovery");
    struct factor_login login = factor_start(&owner);
    HTTP_ANSWER again = factor_show(&owner, login.id, owner.recovery[3]);
    CHECK_ERROR(again, 400, FACTOR_BAD_CODE);
    HTTP_ANSWER unknown = factor_show(&owner, login.id, "zzzzzzzzzz");
    CHECK_ERROR(unknown, 400, FACTOR_BAD_CODE);
    for (size_t i = 0; i < sizeof(upper); i++)
        upper[i] = owner.recovery[4][i] >= 'a' ? (char)(owner.recovery[4][i] - 'a' + 'A')
                                               : owner.recovery[4][i];
    HTTP_ANSWER capitals = factor_show(&owner, login.id, upper);
    CHECK_STATUS(capitals, 200);
}

static void other_logins_are_refused(void)
{
    OWNER owner = factor_patient(suite);
    struct factor_login login = factor_start(&owner);
    char code[7];

    factor_code_at(&owner, 0, code);
    HTTP_ANSWER unknown = factor_show(&owner, NOBODY, code);
    CHECK_ERROR(unknown, 400, FACTOR_BAD_LOGIN);
    HTTP_ANSWER role = factor_step(suite, "Practitioner", "mfa", factor_body(login.id, code));
    CHECK_ERROR(role, 400, FACTOR_BAD_LOGIN);
    HTTP_ANSWER text = factor_show(&owner, "1", code);
    CHECK_PROBLEM(text, "loginId");
    HTTP_ANSWER brief = factor_show(&owner, login.id, "12345");
    CHECK_PROBLEM(brief, "mfaToken");
    HTTP_ANSWER lengthy = factor_show(&owner, login.id, "12345678901");
    CHECK_PROBLEM(lengthy, "mfaToken");
    suite_advance_clock(suite, 5 * 60);
    HTTP_ANSWER expired = factor_show(&owner, login.id, factor_code_at(&owner, 0, code));
    CHECK_ERROR(expired, 400, FACTOR_BAD_LOGIN);
    factor_sign_in(&owner, code, "password+totp");
}

static json_t *body_one_step(const struct factor_owner *owner, const char *challenge, bool business)
{
    return json_pack("{s:s, s:s, s:s, s:s*, s:s*}", "email", owner->person->email, "password",
                     owner->person->password, "clientId", suite_text(suite, "demo.clientId"),
                     "codeChallenge", challenge, "tenantId",
                     business ? suite_text(suite, "demo.projectId") : NULL);
}

/* Refused without a challenge. With one, it continues at the role's routes. */
static void check_one_step(const struct factor_owner *owner, const char *path, const char *token)
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
    HTTP_ANSWER mfa = factor_show(owner, http_text(more, "loginId"), token);
    CHECK_STATUS(mfa, 200);
    HTTP_ANSWER tokens = factor_step(suite, owner->role, "token",
                                     body_login_token(http_text(mfa, "sessionCode"), NULL));
    CHECK_STATUS(tokens, 200);
}

static void a_practitioner_chooses_a_tenant_after_the_code(void)
{
    OWNER owner = factor_enroll(suite, person_admin(suite), "Practitioner");
    char code[7];
    HTTP_ANSWER begun =
        factor_step(suite, "Practitioner", "start",
                    body_login_start(owner.person->email, owner.person->password, NULL));
    CU_ASSERT_STRING_EQUAL(http_text(begun, "nextStep"), "mfa");
    CU_ASSERT_PTR_NULL(http_member(begun, "tenants"));
    HTTP_ANSWER mfa =
        factor_show(&owner, http_text(begun, "loginId"), factor_code_at(&owner, 0, code));
    CHECK_STATUS(mfa, 200);
    CU_ASSERT_STRING_EQUAL(http_text(mfa, "tenants.0.tenantCode"), "demo");
    CU_ASSERT_STRING_EQUAL(http_text(mfa, "tenants.0.profile.reference"), owner.person->profile);
    HTTP_ANSWER tokens = factor_step(suite, "Practitioner", "token",
                                     body_login_token(http_text(mfa, "sessionCode"), "demo"));
    CHECK_STATUS(tokens, 200);
    check_one_step(&owner, "/auth/b2b/login", owner.recovery[0]);
    check_one_step(&owner, "/v2/auth/login", owner.recovery[1]);
    HTTP_ANSWER off = factor_post(suite, FACTOR_DISABLE, owner.person->access, owner.recovery[2]);
    CHECK_STATUS(off, 200);
}

static void one_step_asks_for_the_factor(void)
{
    OWNER owner = factor_patient(suite);
    char code[7];

    check_one_step(&owner, "/v2/auth/login", factor_code_at(&owner, 0, code));
}

static void each_recovery_code_wins_once(void)
{
    OWNER owner = factor_patient(suite);
    struct http_request requests[MANY];
    struct http_answer *answers[MANY];
    struct factor_login logins[MANY];
    int won[10] = {0};
    pid_t holder;

    for (int i = 0; i < MANY; i++) {
        logins[i] = factor_start(&owner);
        requests[i] =
            (struct http_request){.method = "POST",
                                  .path = "/auth/tenant/Patient/login/mfa",
                                  .body = factor_body(logins[i].id, owner.recovery[i % 10])};
    }
    holder = suite_hold(suite, "select 1 from auth.mfa_factor for update");
    http_call_many(suite_url(suite), requests, MANY, MANY, answers);
    waitpid(holder, NULL, 0);
    for (int i = 0; i < MANY; i++) {
        won[i % 10] += answers[i]->status == 200;
        if (answers[i]->status != 200)
            CHECK_ERROR(answers[i], 400, FACTOR_BAD_CODE);
    }
    for (int i = 0; i < 10; i++)
        UNIT_CHECK(won[i] == 1, "code %d won %d times", i, won[i]);
    http_answers_destroy(answers, MANY);
}

static void suite_shuts_down_cleanly(void)
{
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
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
    CASE(each_recovery_code_wins_once),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite =
        suite_start(&(struct suite_options){.instances = "authd=2,gateway=2", .test_clock = true});
    return unit_run("second factor", cases, ARRAY_SIZE(cases));
}
