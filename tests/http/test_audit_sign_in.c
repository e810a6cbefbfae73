/*
 * test_audit_sign_in.c - registrations and sign-ins with passwords, passkeys, emailed codes and
 * second factors, and their failures: each request leaves exactly its one audit row, or none.
 */
#include <CUnit/CUnit.h>
#include <string.h>

#include "tests/support/audited.h"
#include "tests/support/unit.h"

#define TENANT "/auth/tenant/"

static struct suite *suite;
static struct person *admin;

static struct http_request patient_register(void)
{
    return audited_post(TENANT "Patient/register",
                        body_register(audited_text(person_address()), "demo"));
}

static struct http_request practitioner_register(void)
{
    return audited_post(TENANT "Practitioner/register",
                        body_register(audited_text(person_address()), "demo"));
}

static struct http_request client_register(void)
{
    return audited_post("/auth/register", audited_body_named(audited_body_one_step(
                                              audited_text(person_address()), "p")));
}

static struct http_request b2b_register(void)
{
    return audited_post("/auth/b2b/register",
                        audited_body_named(audited_body_b2b(audited_text(person_address()), "p")));
}

static struct http_request patient_start(void)
{
    const struct person *who = audited_patient();

    return audited_post(TENANT "Patient/login/start",
                        body_login_start(who->email, who->password, "demo"));
}

static struct http_request practitioner_start(void)
{
    const struct person *who = audited_practitioner();

    return audited_post(TENANT "Practitioner/login/start",
                        body_login_start(who->email, who->password, "demo"));
}

static struct http_request patient_token(void)
{
    return audited_post(TENANT "Patient/login/token",
                        body_login_token(audited_begin("Patient", audited_patient()), NULL));
}

static struct http_request practitioner_token(void)
{
    return audited_post(TENANT "Practitioner/login/token",
                        body_login_token(audited_begin("Practitioner", audited_practitioner()),
                                         "demo"));
}

static struct http_request patient_mfa(void)
{
    const struct person *who = audited_patient();
    struct audited_factor factor;

    audited_enroll(who, &factor);
    return audited_show("Patient", audited_begin("Patient", who), factor.code);
}

static struct http_request practitioner_mfa(void)
{
    const struct person *who = audited_practitioner();
    struct audited_factor factor;

    audited_enroll(who, &factor);
    return audited_show("Practitioner", audited_begin("Practitioner", who), factor.recovery);
}

static struct http_request client_login(void)
{
    const struct person *who = audited_patient();

    return audited_post("/v2/auth/login", audited_body_one_step(who->email, who->password));
}

static struct http_request b2b_login(void)
{
    const struct person *who = audited_practitioner();

    return audited_post("/auth/b2b/login", audited_body_b2b(who->email, who->password));
}

static struct http_request sign_in_by_passkey(const char *role)
{
    return audited_post(audited_path(TENANT "%s/passkey/start", role),
                        json_pack("{s:s, s:s}", "tenantCode", "demo", "codeChallenge",
                                  pkce_challenge));
}

static struct http_request shown_passkey(const char *role, const struct person *who,
                                         const char *origin)
{
    AUTHENTICATOR key = audited_passkey(role);
    struct http_request request = sign_in_by_passkey(role);

    audited_passkey_add(who, key);
    HTTP_ANSWER start = http_call(suite_url(suite), &request);
    CHECK_STATUS(start, 200);
    key->origin = origin ? origin : key->origin;
    return audited_post(audited_path(TENANT "%s/passkey/finish", role),
                        json_pack("{s:s, s:o}", "loginId", http_text(start, "loginId"),
                                  "credential",
                                  authenticator_get(key, http_member(start, "options"))));
}

static struct http_request patient_passkey_start(void)
{
    return sign_in_by_passkey("Patient");
}

static struct http_request practitioner_passkey_start(void)
{
    return sign_in_by_passkey("Practitioner");
}

static struct http_request sign_in_at_no_provider(const char *role, const char *redirect)
{
    return audited_post(audited_path(TENANT "%s/federated/start", role),
                        json_pack("{s:s, s:s, s:s, s:s}", "tenantCode", "demo", "providerId",
                                  "019a0b52-6e1d-7a34-9c87-5b2f1d8e6a09", "codeChallenge",
                                  pkce_challenge, "redirectUri", redirect));
}

static struct http_request patient_at_no_provider(void)
{
    return sign_in_at_no_provider("Patient", "https://patient.demo.example/federated");
}

static struct http_request practitioner_at_no_provider(void)
{
    return sign_in_at_no_provider("Practitioner", "https://practitioner.demo.example/federated");
}

static struct http_request patient_passkey(void)
{
    return shown_passkey("Patient", audited_patient(), NULL);
}

static struct http_request practitioner_passkey(void)
{
    return shown_passkey("Practitioner", audited_practitioner(), NULL);
}

static struct http_request passkey_elsewhere(void)
{
    return shown_passkey("Patient", audited_patient(), "https://evil.example");
}

/* Verifies the address first, so that the code changes nothing else. */
static struct http_request code_start(const char *role, const struct person *who)
{
    CU_ASSERT_EQUAL(suite_count(suite,
                                "with proven as (insert into auth.email_verified select id, "
                                "'00000000-0000-0000-0000-000000000000', 0 from auth.account where "
                                "email = '%s' on conflict do nothing returning 1) select "
                                "count(*) from proven",
                                who->email),
                    1);
    return audited_post(audited_path(TENANT "%s/code/start", role),
                        json_pack("{s:s, s:s, s:s}", "email", who->email, "tenantCode", "demo",
                                  "codeChallenge", pkce_challenge));
}

static struct http_request patient_code_start(void)
{
    return code_start("Patient", audited_patient());
}

static struct http_request practitioner_code_start(void)
{
    return code_start("Practitioner", audited_practitioner());
}

static struct http_request code_start_unknown(void)
{
    return audited_post(TENANT "Patient/code/start",
                        json_pack("{s:s, s:s, s:s}", "email", audited_text(person_address()),
                                  "tenantCode", "demo", "codeChallenge", pkce_challenge));
}

static struct http_request code_enter(const char *role, const struct person *who, bool right)
{
    struct http_request request = code_start(role, who);
    HTTP_ANSWER start = http_call(suite_url(suite), &request);
    const char *code = suite_mail_code(suite, who->email);

    CHECK_STATUS(start, 200);
    return audited_post(audited_path(TENANT "%s/login/code", role),
                        json_pack("{s:s, s:s}", "loginId", http_text(start, "loginId"), "code",
                                  right                         ? code
                                  : strcmp(code, "123456") == 0 ? "123457"
                                                                : "123456"));
}

static struct http_request patient_code(void)
{
    return code_enter("Patient", audited_patient(), true);
}

static struct http_request practitioner_code(void)
{
    return code_enter("Practitioner", audited_practitioner(), true);
}

static struct http_request code_wrong(void)
{
    return code_enter("Patient", audited_patient(), false);
}

/* Starts a password sign-in, and a passkey challenge for its second factor. */
static struct http_request factor_start(const char *role, const struct person *who,
                                        struct authenticator *key)
{
    struct audited_factor factor;

    audited_enroll(who, &factor);
    audited_passkey_add(who, key);
    return audited_post(audited_path(TENANT "%s/login/mfa/start", role),
                        json_pack("{s:s}", "loginId", audited_begin(role, who)));
}

static struct http_request patient_factor_start(void)
{
    AUTHENTICATOR key = audited_passkey("Patient");

    return factor_start("Patient", audited_patient(), key);
}

static struct http_request practitioner_factor_start(void)
{
    AUTHENTICATOR key = audited_passkey("Practitioner");

    return factor_start("Practitioner", audited_practitioner(), key);
}

static struct http_request factor_shown(const char *role, const struct person *who,
                                        const char *origin)
{
    AUTHENTICATOR key = audited_passkey(role);
    struct http_request request = factor_start(role, who, key);

    HTTP_ANSWER start = http_call(suite_url(suite), &request);
    CHECK_STATUS(start, 200);
    key->origin = origin ? origin : key->origin;
    return audited_post(audited_path(TENANT "%s/login/mfa", role),
                        json_pack("{s:s, s:o}", "loginId", http_text(start, "loginId"),
                                  "credential",
                                  authenticator_get(key, http_member(start, "options"))));
}

static struct http_request patient_mfa_passkey(void)
{
    return factor_shown("Patient", audited_patient(), NULL);
}

static struct http_request practitioner_mfa_passkey(void)
{
    return factor_shown("Practitioner", audited_practitioner(), NULL);
}

static struct http_request mfa_elsewhere(void)
{
    return factor_shown("Patient", audited_patient(), "https://evil.example");
}

static struct http_request patient_start_wrong(void)
{
    return audited_post(TENANT "Patient/login/start",
                        body_login_start(audited_patient()->email, "wrong", "demo"));
}

static struct http_request practitioner_start_wrong(void)
{
    return audited_post(TENANT "Practitioner/login/start",
                        body_login_start(audited_practitioner()->email, "wrong", NULL));
}

static struct http_request start_unknown(void)
{
    return audited_post(TENANT "Patient/login/start",
                        body_login_start("nobody@patients.example", "wrong", "demo"));
}

static struct http_request one_step_wrong(void)
{
    return audited_post("/v2/auth/login",
                        audited_body_one_step(audited_practitioner()->email, "wrong"));
}

static struct http_request b2b_wrong(void)
{
    return audited_post("/auth/b2b/login",
                        audited_body_b2b(audited_practitioner()->email, "wrong"));
}

static struct http_request one_step_half(void)
{
    const struct person *who = audited_patient();
    struct audited_factor factor;

    audited_enroll(who, &factor);
    return audited_post("/v2/auth/login", audited_body_one_step(who->email, who->password));
}

static struct http_request token_wrong_verifier(void)
{
    json_t *body = body_login_token(audited_begin("Patient", audited_patient()), NULL);

    json_object_set_new(body, "codeVerifier",
                        json_string("0123456789012345678901234567890123456789012"));
    return audited_post(TENANT "Patient/login/token", body);
}

static struct http_request token_elsewhere(void)
{
    return audited_post(TENANT "Practitioner/login/token",
                        body_login_token(audited_begin("Practitioner", audited_practitioner()),
                                         "closed"));
}

static struct http_request token_unknown(void)
{
    return audited_post(TENANT "Patient/login/token",
                        body_login_token("00000000000000000000000000000000", NULL));
}

static struct http_request mfa_wrong(void)
{
    const struct person *who = audited_patient();
    struct audited_factor factor;

    audited_enroll(who, &factor);
    return audited_show("Patient", audited_begin("Patient", who), "not-a-code");
}

static struct http_request register_again(void)
{
    return audited_post(TENANT "Patient/register", body_register(audited_patient()->email, "demo"));
}

static const struct audited audited[] = {
    {"patient_register", patient_register, 200, "account.register success Session password"},
    {"practitioner_register", practitioner_register, 200,
     "account.register success Session password"},
    {"client_register", client_register, 200, "account.register success Session password"},
    {"b2b_register", b2b_register, 200, "account.register success Session password"},
    {"patient_login_start", patient_start, 200, NULL}, /* a login is not a session */
    {"practitioner_login_start", practitioner_start, 200, NULL},
    {"patient_login_token", patient_token, 200, "session.create success Session password"},
    {"practitioner_login_token", practitioner_token, 200,
     "session.create success Session password"},
    {"patient_login_mfa", patient_mfa, 200, NULL},
    {"practitioner_login_mfa", practitioner_mfa, 200, "mfa.recover success Account"},
    {"client_login", client_login, 200, "session.create success Session password"},
    {"b2b_login", b2b_login, 200, "session.create success Session password"},
    {"patient_passkey_start", patient_passkey_start, 200, NULL},
    {"practitioner_passkey_start", practitioner_passkey_start, 200, NULL},
    {"patient_passkey_finish", patient_passkey, 200, NULL},
    {"practitioner_passkey_finish", practitioner_passkey, 200, NULL},
    {"patient_code_start", patient_code_start, 200, "mail-code.send success Account"},
    {"practitioner_code_start", practitioner_code_start, 200, "mail-code.send success Account"},
    {"patient_login_code", patient_code, 200, NULL},
    {"practitioner_login_code", practitioner_code, 200, NULL},
    {"patient_login_mfa_start", patient_factor_start, 200, NULL},
    {"practitioner_login_mfa_start", practitioner_factor_start, 200, NULL},
    {"patient_login_mfa", patient_mfa_passkey, 200, NULL},
    {"practitioner_login_mfa", practitioner_mfa_passkey, 200, NULL},

    {"patient_login_start", patient_start_wrong, 400, "session.create failure password"},
    {"practitioner_login_start", practitioner_start_wrong, 400, "session.create failure password"},
    {"patient_login_start", start_unknown, 400, "session.create failure password"},
    {"client_login", one_step_wrong, 400, "session.create failure password"},
    {"client_login", one_step_half, 401, "session.create failure second-factor"},
    {"b2b_login", b2b_wrong, 400, "session.create failure password"},
    {"patient_login_token", token_wrong_verifier, 400, "session.create failure verifier"},
    {"practitioner_login_token", token_elsewhere, 400, "session.create failure not-a-member"},
    {"patient_login_token", token_unknown, 400, NULL},
    {"patient_login_mfa", mfa_wrong, 400, "session.create failure code"},
    {"patient_login_mfa", mfa_elsewhere, 400, "session.create failure origin"},
    {"patient_code_start", code_start_unknown, 200, NULL}, /* no account */
    {"patient_login_code", code_wrong, 400, "session.create failure mail-code"},
    {"patient_federated_start", patient_at_no_provider, 404, NULL},
    {"practitioner_federated_start", practitioner_at_no_provider, 404, NULL},
    {"patient_passkey_finish", passkey_elsewhere, 400, "session.create failure origin"},
    {"patient_register", register_again, 400, NULL}, /* a refused request changes nothing */
};

int main(void)
{
    return audited_run("audit of sign-ins", audited, ARRAY_SIZE(audited), AUDITED_SIGN_INS, &suite,
                       &admin);
}
