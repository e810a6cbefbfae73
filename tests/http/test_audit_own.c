/*
 * test_audit_own.c - what people do to their own account, signing in and its failures included:
 * each request leaves its one row of the audit trail, or none.
 */
#include <CUnit/CUnit.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/audited.h"
#include "tests/support/passkeys.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

#define TENANT "/auth/tenant/"
#define MEMBERS "/v1/projects/me/members"
#define NOBODY "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"

static struct suite *suite;
static struct person *admin;

static void the_scene_is_set(void)
{
    audited_scene_set(&suite, &admin);
}

/* ---- registration and sign-in ---- */

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

static struct http_request refresh(void)
{
    return audited_post("/auth/refresh-token",
                        json_pack("{s:s}", "refresh_token", audited_patient()->refresh));
}

static struct http_request change_password(void)
{
    const struct person *who = audited_patient();

    return audited_by(who, "POST", "/auth/change-password",
                      json_pack("{s:s, s:s}", "oldPassword", who->password, "newPassword",
                                "another one"));
}

static struct http_request step_up(void)
{
    const struct person *who = audited_patient();

    return audited_by(who, "POST", "/auth/step-up", json_pack("{s:s}", "password", who->password));
}

static struct http_request step_up_wrong(void)
{
    return audited_by(audited_patient(), "POST", "/auth/step-up",
                      json_pack("{s:s}", "password", "wrong"));
}

/* ---- passkeys ---- */

static struct authenticator *passkey_key(const char *role)
{
    return authenticator_new(AUTHENTICATOR_ES256, strcmp(role, "Patient") == 0
                                                      ? PASSKEY_PATIENT_ORIGIN
                                                      : PASSKEY_PRACTITIONER_ORIGIN);
}

static struct http_request enroll_by(const struct person *who, struct authenticator *key)
{
    HTTP_ANSWER start = passkey_enroll_start(suite, who->access);

    return audited_by(who, "POST", "/auth/passkey/enroll/finish",
                      json_pack("{s:s, s:o}", "enrollmentId", http_text(start, "enrollmentId"),
                                "credential",
                                authenticator_create(key, http_member(start, "options"))));
}

/* Adds a passkey; its path. */
static const char *passkey_add(const struct person *who, struct authenticator *key)
{
    HTTP_ANSWER added = passkey_enroll(suite, who->access, key);

    CHECK_STATUS(added, 200);
    return audited_path("/auth/passkey/%s", http_text(added, "id"));
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
    AUTHENTICATOR key = passkey_key(role);
    struct http_request request = sign_in_by_passkey(role);

    passkey_add(who, key);
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

/* ---- mailed codes ---- */

/* Its address is proven: the code changes nothing. */
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

/* ---- second factors ---- */

/* A sign-in by password that waits for a second factor, and the challenge for a passkey. */
static struct http_request factor_start(const char *role, const struct person *who,
                                        struct authenticator *key)
{
    struct audited_factor factor;

    audited_enroll(who, &factor);
    passkey_add(who, key);
    return audited_post(audited_path(TENANT "%s/login/mfa/start", role),
                        json_pack("{s:s}", "loginId", audited_begin(role, who)));
}

static struct http_request patient_factor_start(void)
{
    AUTHENTICATOR key = passkey_key("Patient");

    return factor_start("Patient", audited_patient(), key);
}

static struct http_request practitioner_factor_start(void)
{
    AUTHENTICATOR key = passkey_key("Practitioner");

    return factor_start("Practitioner", audited_practitioner(), key);
}

static struct http_request factor_shown(const char *role, const struct person *who,
                                        const char *origin)
{
    AUTHENTICATOR key = passkey_key(role);
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

/* ---- passkeys of an account, and fresh proofs ---- */

static struct http_request enroll_start(void)
{
    return audited_by(audited_patient(), "POST", "/auth/passkey/enroll/start", json_object());
}

static struct http_request enroll_finish(void)
{
    AUTHENTICATOR key = passkey_key("Patient");

    return enroll_by(audited_patient(), key);
}

static struct http_request enroll_unverified(void)
{
    AUTHENTICATOR key = passkey_key("Patient");

    key->flags = AUTHENTICATOR_PRESENT;
    return enroll_by(audited_patient(), key);
}

static struct http_request passkey_rename(void)
{
    AUTHENTICATOR key = passkey_key("Patient");
    const struct person *who = audited_patient();

    return audited_by(who, "PATCH", passkey_add(who, key), json_pack("{s:s}", "name", "Key ring"));
}

static struct http_request passkey_delete(void)
{
    AUTHENTICATOR key = passkey_key("Patient");
    const struct person *who = audited_patient();

    return audited_by(who, "DELETE", passkey_add(who, key), NULL);
}

static struct http_request step_up_start(void)
{
    AUTHENTICATOR key = passkey_key("Patient");
    const struct person *who = audited_patient();

    passkey_add(who, key);
    return audited_by(who, "POST", "/auth/step-up/start", json_object());
}

static struct http_request step_up_by(const char *origin)
{
    AUTHENTICATOR key = passkey_key("Patient");
    const struct person *who = audited_patient();

    passkey_add(who, key);
    key->origin = origin ? origin : key->origin;
    HTTP_ANSWER start =
        http_post(suite_url(suite), "/auth/step-up/start", who->access, json_object());

    return audited_by(who, "POST", "/auth/step-up",
                      json_pack("{s:s, s:o}", "loginId", http_text(start, "loginId"), "credential",
                                authenticator_get(key, http_member(start, "options"))));
}

static struct http_request step_up_passkey(void)
{
    return step_up_by(NULL);
}

static struct http_request step_up_elsewhere(void)
{
    return step_up_by("https://evil.example");
}

/* ---- passwords and addresses ---- */

static struct http_request reset_password(void)
{
    return audited_post("/auth/reset-password",
                        json_pack("{s:s, s:s}", "email", audited_patient()->email, "tenantCode",
                                  "demo"));
}

static struct http_request set_password(void)
{
    const struct person *who = audited_patient();
    HTTP_ANSWER requested =
        suite_post_fresh(suite, "/auth/reset-password",
                         json_pack("{s:s, s:s}", "email", who->email, "tenantCode", "demo"));
    struct mail_link link;

    CHECK_STATUS(requested, 200);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, who->email, 2));
    link = suite_mail_link(suite, who->email, "https://patient.demo.example/set-password");
    /* so that no session is left that the new password would end */
    HTTP_ANSWER out = http_post(suite_url(suite), "/auth/logout", who->access, NULL);
    CHECK_STATUS(out, 204);
    /* and its address is verified, so that the link verifies nothing more */
    CU_ASSERT_EQUAL(
        suite_count(suite,
                    "with made as (insert into auth.email_verified select id, "
                    "'00000000-0000-0000-0000-000000000000', 0 from auth.account where email = "
                    "'%s' returning 1) select count(*) from made",
                    who->email),
        1);
    return audited_post("/auth/set-password", json_pack("{s:s, s:s, s:s}", "id", link.id, "secret",
                                                        link.secret, "password", "another one"));
}

static struct http_request email_verify_send(void)
{
    return audited_by(audited_patient(), "POST", "/auth/verify-email/send", NULL);
}

static struct http_request email_change(void)
{
    return audited_by(audited_patient(), "POST", "/auth/change-email",
                      json_pack("{s:s}", "email", audited_text(person_address())));
}

/* The link that a patient got who requested for another address. */
static struct mail_link change_link(const struct person *who, const char *email)
{
    HTTP_ANSWER requested = http_post(suite_url(suite), "/auth/change-email", who->access,
                                      json_pack("{s:s}", "email", email));

    CHECK_STATUS(requested, 200);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, email, 1));
    return suite_mail_link(suite, email, "https://patient.demo.example/verify-email");
}

static json_t *body_link(const struct mail_link *link)
{
    return json_pack("{s:s, s:s}", "id", link->id, "secret", link->secret);
}

static struct http_request email_verify(void)
{
    const struct person *who = audited_patient();
    struct mail_link link = change_link(who, audited_text(person_address()));

    return audited_by(who, "POST", "/auth/verify-email", body_link(&link));
}

static struct http_request email_undo(void)
{
    const struct person *who = audited_patient();
    struct mail_link link = change_link(who, audited_text(person_address()));
    HTTP_ANSWER changed =
        http_post(suite_url(suite), "/auth/verify-email", who->access, body_link(&link));

    CHECK_STATUS(changed, 204);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, who->email, 2));
    link = suite_mail_link(suite, who->email, "https://patient.demo.example/undo-email");
    HTTP_ANSWER out = http_post(suite_url(suite), "/auth/logout", who->access, NULL);
    CHECK_STATUS(out, 204);
    return audited_post("/auth/undo-email", body_link(&link));
}

/* ---- codes, sessions, the account ---- */

static struct http_request mfa_enroll(void)
{
    const struct person *who = audited_patient();
    struct audited_factor factor;

    audited_prepare(who, &factor);
    return audited_by(who, "POST", "/auth/mfa/enroll", json_pack("{s:s}", "token", factor.code));
}

static struct http_request mfa_disable(void)
{
    const struct person *who = audited_patient();
    struct audited_factor factor;

    audited_enroll(who, &factor);
    return audited_by(who, "POST", "/auth/mfa/disable", json_pack("{s:s}", "token", factor.code));
}

static struct http_request logout(void)
{
    return audited_by(audited_patient(), "POST", "/auth/logout", NULL);
}

static struct http_request session_revoke(void)
{
    return audited_by(audited_patient(), "DELETE", "/auth/session/current", NULL);
}

static struct http_request deletion(void)
{
    return audited_by(audited_patient(), "DELETE", "/auth/delete", NULL);
}

/* A member who is invited to be an admin, and accepts. */
static struct http_request invitation_accept(void)
{
    const char *email = audited_text(person_address());
    HTTP_ANSWER invited = http_post(suite_url(suite), MEMBERS, admin->access,
                                    json_pack("{s:s, s:s, s:s}", "email", email, "firstName", "Rui",
                                              "lastName", "Costa"));
    struct mail_link link =
        suite_mail_link(suite, email, "https://practitioner.demo.example/invitation");
    struct person *who;

    CHECK_STATUS(invited, 200);
    HTTP_ANSWER set = suite_post_fresh(suite, "/auth/set-password",
                                       json_pack("{s:s, s:s, s:s}", "id", link.id, "secret",
                                                 link.secret, "password", "chosen"));
    CHECK_STATUS(set, 204);
    PROGRAM again = ATRIUMCTL(suite, NULL, "user", "create-admin", "--project", "demo", "--email",
                              email, "--name", "Rui", "--surname", "Costa", "--mail");
    CHECK_EXIT(again, 0);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, email, 2));
    link = suite_mail_link(suite, email, "https://practitioner.demo.example/invitation");
    who = audited_person(person_sign_in(suite, "Practitioner", email, "chosen", NULL));
    return audited_by(who, "POST", "/auth/invitation/accept",
                      json_pack("{s:s, s:s}", "id", link.id, "secret", link.secret));
}

static struct http_request consent_withdraw(void)
{
    free(suite_query(suite, "insert into auth.oauth_consent (project_id, account_id, client_id, "
                            "client_name, scope, resource, tos_version, created_at, updated_at) "
                            "select m.project_id, m.account_id, 'diary', 'Diary', 'openid', '', "
                            "'', 1, 1 from auth.membership m join auth.account a on a.id = "
                            "m.account_id where a.email = 'admin@demo.example' and m.admin "
                            "on conflict do nothing"));
    return audited_by(admin, "DELETE", "/auth/consent?clientId=diary", NULL);
}

/* ---- what fails ---- */

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

static struct http_request enroll_wrong(void)
{
    const struct person *who = audited_patient();
    struct audited_factor factor;

    audited_prepare(who, &factor);
    return audited_by(who, "POST", "/auth/mfa/enroll", json_pack("{s:s}", "token", "not-a-code"));
}

static struct http_request disable_wrong(void)
{
    const struct person *who = audited_patient();
    struct audited_factor factor;

    audited_enroll(who, &factor);
    return audited_by(who, "POST", "/auth/mfa/disable", json_pack("{s:s}", "token", "not-a-code"));
}

static struct http_request change_wrong(void)
{
    return audited_by(audited_patient(), "POST", "/auth/change-password",
                      json_pack("{s:s, s:s}", "oldPassword", "wrong", "newPassword",
                                "another one"));
}

static struct http_request register_again(void)
{
    return audited_post(TENANT "Patient/register", body_register(audited_patient()->email, "demo"));
}

static struct http_request reset_unknown(void)
{
    return audited_post("/auth/reset-password",
                        json_pack("{s:s, s:s}", "email", "nobody@patients.example", "tenantCode",
                                  "demo"));
}

static struct http_request session_absent(void)
{
    return audited_by(audited_patient(), "DELETE", "/auth/session/" NOBODY, NULL);
}

static struct http_request consent_absent(void)
{
    return audited_by(admin, "DELETE", "/auth/consent?clientId=nothing", NULL);
}

/* ---- one row each ---- */

static const struct audited audited[] = {
    {"patient_register", patient_register, 200, "account.register success Session password"},
    {"practitioner_register", practitioner_register, 200,
     "account.register success Session password"},
    {"client_register", client_register, 200, "account.register success Session password"},
    {"b2b_register", b2b_register, 200, "account.register success Session password"},
    {"patient_login_start", patient_start, 200, NULL}, /* a sign-in under way */
    {"practitioner_login_start", practitioner_start, 200, NULL},
    {"patient_login_token", patient_token, 200, "session.create success Session password"},
    {"practitioner_login_token", practitioner_token, 200,
     "session.create success Session password"},
    {"patient_login_mfa", patient_mfa, 200, NULL}, /* still under way */
    {"practitioner_login_mfa", practitioner_mfa, 200, "mfa.recover success Account"},
    {"client_login", client_login, 200, "session.create success Session password"},
    {"b2b_login", b2b_login, 200, "session.create success Session password"},
    {"refresh_token", refresh, 200, NULL}, /* the session stays the same */
    {"change_password", change_password, 204, "password.change success Account"},
    {"reset_password", reset_password, 200, "password.link success Account"},
    {"set_password", set_password, 204, "password.set success Account"},
    {"email_verify_send", email_verify_send, 200, "email.link success Account"},
    {"email_change", email_change, 200, "email.link success Account"},
    {"email_verify", email_verify, 204, "email.change success Account"},
    {"email_undo", email_undo, 204, "email.undo success Account"},
    {"mfa_enroll", mfa_enroll, 200, "mfa.enroll success Account"},
    {"mfa_disable", mfa_disable, 200, "mfa.disable success Account"},
    {"step_up", step_up, 204, "session.step-up success Session password"},
    {"step_up", step_up_passkey, 204, "session.step-up success Session passkey"},
    {"step_up_start", step_up_start, 200, NULL}, /* a challenge */
    {"patient_passkey_start", patient_passkey_start, 200, NULL},
    {"practitioner_passkey_start", practitioner_passkey_start, 200, NULL},
    {"patient_passkey_finish", patient_passkey, 200, NULL}, /* still under way */
    {"practitioner_passkey_finish", practitioner_passkey, 200, NULL},
    {"patient_code_start", patient_code_start, 200, "mail-code.send success Account"},
    {"practitioner_code_start", practitioner_code_start, 200, "mail-code.send success Account"},
    {"patient_login_code", patient_code, 200, NULL}, /* still under way */
    {"practitioner_login_code", practitioner_code, 200, NULL},
    {"patient_login_mfa_start", patient_factor_start, 200, NULL},
    {"practitioner_login_mfa_start", practitioner_factor_start, 200, NULL},
    {"patient_login_mfa", patient_mfa_passkey, 200, NULL}, /* still under way */
    {"practitioner_login_mfa", practitioner_mfa_passkey, 200, NULL},
    {"passkey_enroll_start", enroll_start, 200, NULL},
    {"passkey_enroll_finish", enroll_finish, 200, "passkey.add success Passkey"},
    {"passkey_rename", passkey_rename, 200, "passkey.rename success Passkey"},
    {"passkey_delete", passkey_delete, 200, "passkey.remove success Passkey"},
    {"logout", logout, 204, "session.end success Session logout"},
    {"sessions_revoke", session_revoke, 200, "session.end success Session revoked"},
    {"consent_withdraw", consent_withdraw, 200, "consent.withdraw success diary"},
    {"deletion_schedule", deletion, 200, "deletion.schedule success Account"},
    {"invitation_accept", invitation_accept, 204, "invitation.accept success Invitation"},

    {"patient_login_start", patient_start_wrong, 400, "session.create failure password"},
    {"practitioner_login_start", practitioner_start_wrong, 400, "session.create failure password"},
    {"patient_login_start", start_unknown, 400, "session.create failure password"},
    {"client_login", one_step_wrong, 400, "session.create failure password"},
    {"client_login", one_step_half, 401, "session.create failure second-factor"},
    {"b2b_login", b2b_wrong, 400, "session.create failure password"},
    {"patient_login_token", token_wrong_verifier, 400, "session.create failure verifier"},
    {"practitioner_login_token", token_elsewhere, 400, "session.create failure not-a-member"},
    {"patient_login_token", token_unknown, 400, NULL}, /* no account */
    {"patient_login_mfa", mfa_wrong, 400, "session.create failure code"},
    {"patient_login_mfa", mfa_elsewhere, 400, "session.create failure origin"},
    {"patient_code_start", code_start_unknown, 200, NULL}, /* no account */
    {"patient_login_code", code_wrong, 400, "session.create failure mail-code"},
    {"mfa_enroll", enroll_wrong, 400, "mfa.enroll failure Account code"},
    {"mfa_disable", disable_wrong, 400, "mfa.disable failure Account code"},
    {"step_up", step_up_wrong, 400, "session.step-up failure Account password"},
    {"step_up", step_up_elsewhere, 400, "session.step-up failure Session origin"},
    {"patient_passkey_finish", passkey_elsewhere, 400, "session.create failure origin"},
    {"passkey_enroll_finish", enroll_unverified, 400, "passkey.add failure Account verification"},
    {"change_password", change_wrong, 400, "password.change failure Account password"},
    {"patient_register", register_again, 400, NULL}, /* what was refused changed nothing */
    {"reset_password", reset_unknown, 200, NULL},
    {"sessions_revoke", session_absent, 404, NULL},
    {"consent_withdraw", consent_absent, 404, NULL},
};

static void each_request_leaves_its_row(void)
{
    audited_check(audited, ARRAY_SIZE(audited));
}

/* A route that changes something and is not above would make its changes unseen. */
static void no_route_is_left_out(void)
{
    audited_check_routes(audited, ARRAY_SIZE(audited), true);
}

static void no_address_or_hash_is_in_it(void)
{
    static const char *const secrets[] = {"@", "argon2"};

    audited_check_absent(secrets, ARRAY_SIZE(secrets));
}

static void suite_shuts_down_cleanly(void)
{
    audited_scene_leave(&suite, &admin);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(the_scene_is_set),
    CASE(each_request_leaves_its_row),
    CASE(no_route_is_left_out),
    CASE(no_address_or_hash_is_in_it),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    return unit_run("audit of own accounts", cases, ARRAY_SIZE(cases));
}
