/*
 * factor.c - see factor.h.
 */
#include "tests/support/factor.h"

#include <stdio.h>
#include <string.h>

#include "tests/support/unit.h"

void factor_move_on(struct suite *suite)
{
    int64_t now = suite_now(suite);

    suite_advance_clock(suite, 4 * TOTP_STEP + 5 - now % TOTP_STEP);
}

const char *factor_code_at(const struct factor_owner *owner, int steps, char ret[static 7])
{
    return totp_code(owner->secret, suite_now(owner->suite) + (int64_t)steps * TOTP_STEP, ret);
}

const char *factor_wrong_code(const struct factor_owner *owner, char ret[static 7])
{
    char near[7];

    for (unsigned guess = 0;; guess++) {
        bool hit = false;

        snprintf(ret, 7, "%06u", guess);
        for (int steps = -3; steps <= 3; steps++)
            hit = hit || strcmp(factor_code_at(owner, steps, near), ret) == 0;
        if (!hit)
            return ret;
    }
}

struct http_answer *factor_post(struct suite *suite, const char *path, const char *access,
                                const char *token)
{
    return http_post(suite_url(suite), path, access, json_pack("{s:s}", "token", token));
}

json_t *factor_body(const char *login, const char *token)
{
    return json_pack("{s:s, s:s}", "loginId", login, "mfaToken", token);
}

struct http_answer *factor_step(struct suite *suite, const char *role, const char *name,
                                json_t *body)
{
    char path[96];

    snprintf(path, sizeof(path), "/auth/tenant/%s/login/%s", role, name);
    return suite_post_fresh(suite, path, body);
}

struct http_answer *factor_show(const struct factor_owner *owner, const char *login,
                                const char *token)
{
    return factor_step(owner->suite, owner->role, "mfa", factor_body(login, token));
}

struct factor_login factor_start(const struct factor_owner *owner)
{
    struct factor_login self = {""};
    HTTP_ANSWER answer =
        factor_step(owner->suite, owner->role, "start",
                    body_login_start(owner->person->email, owner->person->password, "demo"));

    CHECK_STATUS(answer, 200);
    CU_ASSERT_STRING_EQUAL(http_text(answer, "nextStep"), "mfa");
    CU_ASSERT_PTR_NULL(http_member(answer, "sessionCode"));
    CU_ASSERT_PTR_NULL(http_member(answer, "tenants"));
    snprintf(self.id, sizeof(self.id), "%s", http_text(answer, "loginId"));
    return self;
}

struct factor_owner factor_enroll(struct suite *suite, struct person *person, const char *role)
{
    struct factor_owner self = {.suite = suite, .person = person, .role = role};
    char code[7];
    HTTP_ANSWER status = http_get(suite_url(suite), FACTOR_STATUS, person->access);

    totp_read(http_text(status, "otpauthUrl"), self.secret);
    HTTP_ANSWER enrolled =
        factor_post(suite, FACTOR_ENROLL, person->access, factor_code_at(&self, 0, code));
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
    factor_move_on(suite);
    return self;
}

struct factor_owner factor_patient(struct suite *suite)
{
    return factor_enroll(suite, person_register(suite, NULL), "Patient");
}

void factor_owner_free(struct factor_owner *self)
{
    person_destroy(&self->person);
}

void factor_sign_in(const struct factor_owner *owner, const char *token, const char *method)
{
    struct factor_login login = factor_start(owner);
    HTTP_ANSWER mfa = factor_show(owner, login.id, token);
    CHECK_STATUS(mfa, 200);
    CU_ASSERT_STRING_EQUAL(http_text(mfa, "nextStep"), "token");
    CU_ASSERT_EQUAL(strlen(http_text(mfa, "sessionCode")), 32);
    HTTP_ANSWER token_answer = factor_step(owner->suite, owner->role, "token",
                                           body_login_token(http_text(mfa, "sessionCode"), NULL));
    CHECK_STATUS(token_answer, 200);
    HTTP_ANSWER list =
        http_get(suite_url(owner->suite), "/auth/session", http_text(token_answer, "accessToken"));
    CU_ASSERT_STRING_EQUAL(http_text(list, "sessions.0.authMethod"), method);
}
