/*
 * test_passkey_factor.c - a passkey as second factor: when it is required, and when a code is
 * enough.
 */
#include <CUnit/CUnit.h>
#include <stdlib.h>

#include "tests/support/authenticator.h"
#include "tests/support/passkeys.h"
#include "tests/support/suite_command.h"
#include "tests/support/totp.h"
#include "tests/support/unit.h"

static struct suite *suite;

static void a_passkey_is_a_second_factor(void)
{
    AUTHENTICATOR key = authenticator_new(AUTHENTICATOR_ES256, PASSKEY_PATIENT_ORIGIN);
    PERSON person = person_register(suite, NULL);

    suite_require_mfa(suite, "everyone");
    HTTP_ANSWER without = http_get(suite_url(suite), "/document", person->access);
    CHECK_STATUS(without, 403);
    HTTP_ANSWER added = passkey_enroll(suite, person->access, key);
    CHECK_STATUS(added, 200);
    HTTP_ANSWER with = http_get(suite_url(suite), "/document", person->access);
    CHECK_STATUS(with, 200);
    HTTP_ANSWER step = passkey_sign_in(suite, "Patient", "demo", NULL, key);
    HTTP_ANSWER tokens = passkey_exchange(suite, "Patient", step, NULL);
    HTTP_ANSWER shown = http_get(suite_url(suite), "/document", http_text(tokens, "accessToken"));
    CHECK_STATUS(shown, 200);
    suite_require_mfa(suite, "none");
}

static struct http_answer *wait_for_factor(const struct person *person)
{
    struct http_answer *step =
        suite_post_fresh(suite, "/auth/tenant/Patient/login/start",
                         body_login_start(person->email, person->password, "demo"));

    CHECK_STATUS(step, 200);
    CU_ASSERT_STRING_EQUAL(http_text(step, "nextStep"), "mfa");
    return step;
}

static void enroll_codes(const struct person *person)
{
    uint8_t secret[TOTP_SECRET];
    char code[7];

    HTTP_ANSWER status = http_get(suite_url(suite), "/auth/mfa/status", person->access);
    totp_read(http_text(status, "otpauthUrl"), secret);
    HTTP_ANSWER on =
        http_post(suite_url(suite), "/auth/mfa/enroll", person->access,
                  json_pack("{s:s}", "token", totp_code(secret, suite_now(suite), code)));
    CHECK_STATUS(on, 200);
}

static void a_passkey_is_shown_instead_of_a_code(void)
{
    AUTHENTICATOR key = authenticator_new(AUTHENTICATOR_ES256, PASSKEY_PATIENT_ORIGIN);
    PERSON person = passkey_patient(suite, key);
    enroll_codes(person);

    HTTP_ANSWER step = wait_for_factor(person);
    const char *login = http_text(step, "loginId");
    HTTP_ANSWER neither = passkey_mfa(suite, "Patient", login, NULL);
    CHECK_PROBLEM(neither, "mfaToken");
    HTTP_ANSWER replaced = passkey_mfa_start(suite, "Patient", login);
    CHECK_STATUS(replaced, 200);
    HTTP_ANSWER start = passkey_mfa_start(suite, "Patient", login);
    CHECK_STATUS(start, 200);
    CU_ASSERT_EQUAL(json_array_size(http_member(start, "options.allowCredentials")), 1);
    HTTP_ANSWER older = passkey_mfa(suite, "Patient", login,
                                    authenticator_get(key, http_member(replaced, "options")));
    passkey_check_refused(older);
    HTTP_ANSWER spent =
        passkey_mfa(suite, "Patient", login, authenticator_get(key, http_member(start, "options")));
    CHECK_ERROR(spent, 400, "The challenge is invalid or has expired. Start again.");
    HTTP_ANSWER again = passkey_mfa_start(suite, "Patient", login);
    HTTP_ANSWER shown =
        passkey_mfa(suite, "Patient", login, authenticator_get(key, http_member(again, "options")));
    CHECK_STATUS(shown, 200);
    HTTP_ANSWER tokens = passkey_exchange(suite, "Patient", shown, NULL);
    CHECK_STATUS(tokens, 200);
    HTTP_ANSWER sessions =
        http_get(suite_url(suite), "/auth/session", http_text(tokens, "accessToken"));
    CU_ASSERT_STRING_EQUAL(http_text(sessions, "sessions.0.authMethod"), "password+passkey");
}

/* A passkey is required after a password only if the policy requires a second factor; also on the
 * one-step routes. */
static void a_passkey_follows_a_password_where_it_is_demanded(void)
{
    AUTHENTICATOR key = authenticator_new(AUTHENTICATOR_ES256, PASSKEY_PATIENT_ORIGIN);
    PERSON person = passkey_patient(suite, key);
    PERSON other = person_register(suite, NULL);

    passkey_check_first_step(suite, person, "token");
    suite_require_mfa(suite, "practitioners");
    passkey_check_first_step(suite, person, "token");
    suite_require_mfa(suite, "everyone");
    passkey_check_first_step(suite, other,
                             "token"); /* without a passkey: sets one up in the session */
    HTTP_ANSWER one = suite_post_fresh(
        suite, "/v2/auth/login",
        json_pack("{s:s, s:s, s:s, s:s}", "email", person->email, "password", person->password,
                  "clientId", suite_text(suite, "demo.clientId"), "codeChallenge", pkce_challenge));
    CHECK_STATUS(one, 401);
    CU_ASSERT_STRING_EQUAL(http_text(one, "code"), "MFA_REQUIRED");
    HTTP_ANSWER step = wait_for_factor(person);
    const char *login = http_text(step, "loginId");
    HTTP_ANSWER code =
        suite_post_fresh(suite, "/auth/tenant/Patient/login/mfa",
                         json_pack("{s:s, s:s}", "loginId", login, "mfaToken", "123456"));
    CHECK_STATUS(code, 400);
    HTTP_ANSWER start = passkey_mfa_start(suite, "Patient", login);
    HTTP_ANSWER shown =
        passkey_mfa(suite, "Patient", login, authenticator_get(key, http_member(start, "options")));
    HTTP_ANSWER tokens = passkey_exchange(suite, "Patient", shown, NULL);
    HTTP_ANSWER documents =
        http_get(suite_url(suite), "/document", http_text(tokens, "accessToken"));
    CHECK_STATUS(documents, 200);
    suite_require_mfa(suite, "none");
    passkey_check_first_step(suite, person, "token");
}

static void a_passkey_from_elsewhere_is_not_demanded(void)
{
    AUTHENTICATOR key = authenticator_new(AUTHENTICATOR_ES256, PASSKEY_PATIENT_ORIGIN);
    PERSON person = passkey_patient(suite, key);

    suite_require_mfa(suite, "everyone");
    CU_ASSERT_EQUAL(suite_count(suite,
                                "with moved as (update auth.passkey set opens_id = "
                                "gen_random_uuid() where account_id = (select id from "
                                "auth.account where email = '%s') returning 1) select count(*) "
                                "from moved",
                                person->email),
                    1);
    passkey_check_first_step(suite, person, "token");
    suite_require_mfa(suite, "none");
}

static void a_passkey_follows_a_mailed_code_where_it_is_demanded(void)
{
    AUTHENTICATOR key = authenticator_new(AUTHENTICATOR_ES256, PASSKEY_PATIENT_ORIGIN);
    PERSON person = passkey_patient(suite, key);
    PROGRAM on = ATRIUMCTL(suite, NULL, "project", "policy", "demo", "mailCode", "true");

    CU_ASSERT_EQUAL(on->code, 0);
    CU_ASSERT_EQUAL(suite_count(suite,
                                "with proven as (insert into auth.email_verified select id, "
                                "'00000000-0000-0000-0000-000000000000', 0 from auth.account where "
                                "email = '%s' returning 1) select count(*) from proven",
                                person->email),
                    1);
    suite_require_mfa(suite, "everyone");
    HTTP_ANSWER begun =
        suite_post_fresh(suite, "/auth/tenant/Patient/code/start",
                         json_pack("{s:s, s:s, s:s}", "email", person->email, "tenantCode", "demo",
                                   "codeChallenge", pkce_challenge));
    HTTP_ANSWER step =
        suite_post_fresh(suite, "/auth/tenant/Patient/login/code",
                         json_pack("{s:s, s:s}", "loginId", http_text(begun, "loginId"), "code",
                                   suite_mail_code(suite, person->email)));
    CU_ASSERT_STRING_EQUAL(http_text(step, "nextStep"), "mfa");
    HTTP_ANSWER start = passkey_mfa_start(suite, "Patient", http_text(step, "loginId"));
    HTTP_ANSWER shown = passkey_mfa(suite, "Patient", http_text(step, "loginId"),
                                    authenticator_get(key, http_member(start, "options")));
    HTTP_ANSWER tokens = passkey_exchange(suite, "Patient", shown, NULL);
    CHECK_STATUS(tokens, 200);
    suite_require_mfa(suite, "none");
}

static void wrong_passkeys_end_the_sign_in(void)
{
    enum { FAILURES_MAX = 5 };
    AUTHENTICATOR key = authenticator_new(AUTHENTICATOR_ES256, PASSKEY_PATIENT_ORIGIN);
    AUTHENTICATOR foreign = authenticator_new(AUTHENTICATOR_ES256, PASSKEY_PATIENT_ORIGIN);
    PERSON person = passkey_patient(suite, key);
    UNUSED PERSON thief = passkey_patient(suite, foreign);
    enroll_codes(person);

    HTTP_ANSWER step = wait_for_factor(person);
    const char *login = http_text(step, "loginId");
    for (int i = 0; i < FAILURES_MAX; i++) {
        HTTP_ANSWER start = passkey_mfa_start(suite, "Patient", login);
        CHECK_STATUS(start, 200);
        HTTP_ANSWER wrong = passkey_mfa(suite, "Patient", login,
                                        authenticator_get(foreign, http_member(start, "options")));
        passkey_check_refused(wrong);
    }
    HTTP_ANSWER over = passkey_mfa_start(suite, "Patient", login);
    CHECK_ERROR(over, 400, "Login session is invalid or has expired.");
    HTTP_ANSWER elsewhere = passkey_mfa_start(suite, "Practitioner", login);
    CHECK_ERROR(elsewhere, 400, "Login session is invalid or has expired.");
}

static void suite_shuts_down_cleanly(void)
{
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(a_passkey_is_shown_instead_of_a_code),
    CASE(a_passkey_follows_a_password_where_it_is_demanded),
    CASE(a_passkey_from_elsewhere_is_not_demanded),
    CASE(a_passkey_follows_a_mailed_code_where_it_is_demanded),
    CASE(wrong_passkeys_end_the_sign_in),
    CASE(a_passkey_is_a_second_factor),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite =
        suite_start(&(struct suite_options){.instances = "authd=2,gateway=2", .test_clock = true});
    return unit_run("passkey factor", cases, ARRAY_SIZE(cases));
}
