/*
 * passkeys.c - see passkeys.h.
 */
#include "tests/support/passkeys.h"

#include <CUnit/CUnit.h>
#include <stdio.h>

#include "tests/support/unit.h"

struct http_answer *passkey_enroll_start(struct suite *suite, const char *access)
{
    return http_post(suite_url(suite), "/auth/passkey/enroll/start", access, json_object());
}

struct http_answer *passkey_enroll_finish(struct suite *suite, const char *access, const char *id,
                                          json_t *credential)
{
    return http_post(suite_url(suite), "/auth/passkey/enroll/finish", access,
                     json_pack("{s:s, s:s, s:o}", "enrollmentId", id, "name", "My phone",
                               "credential", credential));
}

struct http_answer *passkey_enroll(struct suite *suite, const char *access,
                                   struct authenticator *key)
{
    struct http_answer *start = passkey_enroll_start(suite, access), *finish;

    if (start->status != 200)
        return start;
    finish = passkey_enroll_finish(suite, access, http_text(start, "enrollmentId"),
                                   authenticator_create(key, http_member(start, "options")));
    http_answer_destroy(&start);
    return finish;
}

struct person *passkey_patient(struct suite *suite, struct authenticator *key)
{
    struct person *self = person_register(suite, NULL);
    HTTP_ANSWER added = passkey_enroll(suite, self->access, key);

    CHECK_STATUS(added, 200);
    return self;
}

static json_t *start_body(const char *tenant, const char *email)
{
    return json_pack("{s:s*, s:s*, s:s}", "tenantCode", tenant, "email", email, "codeChallenge",
                     pkce_challenge);
}

struct http_answer *passkey_sign_in_start(struct suite *suite, const char *role, const char *tenant,
                                          const char *email)
{
    char path[96];

    snprintf(path, sizeof(path), "/auth/tenant/%s/passkey/start", role);
    return suite_post_fresh(suite, path, start_body(tenant, email));
}

struct http_answer *passkey_sign_in_finish(struct suite *suite, const char *role, const char *id,
                                           json_t *credential)
{
    char path[96];

    snprintf(path, sizeof(path), "/auth/tenant/%s/passkey/finish", role);
    return suite_post_fresh(suite, path,
                            json_pack("{s:s, s:o}", "loginId", id, "credential", credential));
}

struct http_answer *passkey_sign_in(struct suite *suite, const char *role, const char *tenant,
                                    const char *email, struct authenticator *key)
{
    HTTP_ANSWER start = passkey_sign_in_start(suite, role, tenant, email);

    CHECK_STATUS(start, 200);
    return passkey_sign_in_finish(suite, role, http_text(start, "loginId"),
                                  authenticator_get(key, http_member(start, "options")));
}

struct http_answer *passkey_exchange(struct suite *suite, const char *role,
                                     const struct http_answer *step, const char *tenant)
{
    char path[96];

    snprintf(path, sizeof(path), "/auth/tenant/%s/login/token", role);
    return suite_post_fresh(suite, path, body_login_token(http_text(step, "sessionCode"), tenant));
}

struct http_answer *passkey_step_up(struct suite *suite, const char *access,
                                    struct authenticator *key)
{
    HTTP_ANSWER start = http_post(suite_url(suite), "/auth/step-up/start", access, json_object());

    CHECK_STATUS(start, 200);
    return http_post(suite_url(suite), "/auth/step-up", access,
                     json_pack("{s:s, s:o}", "loginId", http_text(start, "loginId"), "credential",
                               authenticator_get(key, http_member(start, "options"))));
}

struct http_answer *passkey_mfa_start(struct suite *suite, const char *role, const char *login)
{
    char path[96];

    snprintf(path, sizeof(path), "/auth/tenant/%s/login/mfa/start", role);
    return suite_post_fresh(suite, path, json_pack("{s:s}", "loginId", login));
}

struct http_answer *passkey_mfa(struct suite *suite, const char *role, const char *login,
                                json_t *credential)
{
    char path[96];

    snprintf(path, sizeof(path), "/auth/tenant/%s/login/mfa", role);
    return suite_post_fresh(suite, path,
                            json_pack("{s:s, s:o*}", "loginId", login, "credential", credential));
}

void passkey_check_refused(const struct http_answer *answer)
{
    CHECK_ERROR(answer, 400, "The passkey was not accepted.");
}

void passkey_check_first_step(struct suite *suite, const struct person *person, const char *want)
{
    HTTP_ANSWER step = suite_post_fresh(suite, "/auth/tenant/Patient/login/start",
                                        body_login_start(person->email, person->password, "demo"));

    CHECK_STATUS(step, 200);
    CU_ASSERT_STRING_EQUAL(http_text(step, "nextStep"), want);
}
