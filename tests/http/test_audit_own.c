/*
 * test_audit_own.c - what people do to their own account: each request leaves exactly its one audit
 * row, or none.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
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

static struct http_request enroll_by(const struct person *who, struct authenticator *key)
{
    HTTP_ANSWER start = passkey_enroll_start(suite, who->access);

    return audited_by(who, "POST", "/auth/passkey/enroll/finish",
                      json_pack("{s:s, s:o}", "enrollmentId", http_text(start, "enrollmentId"),
                                "credential",
                                authenticator_create(key, http_member(start, "options"))));
}

/* Inserts rows of the person's provider p and account a; no provider is asked. Returns an id of
 * them. The caller frees it. */
static char *of_provider(const struct person *who, const char *insert)
{
    char sql[2048];

    snprintf(sql, sizeof(sql),
             "with p as (insert into auth.identity_provider (id, project_id, name, preset, issuer, "
             "client_id, secret_sealed, auth_method, scopes, trusted_for_mfa, roles, domains, "
             "provisioning, enforced, state, created_at, updated_at) select gen_random_uuid(), "
             "'%s', 'Staff', 'oidc', 'https://login.example', 'atrium', '\\x00', "
             "'client_secret_basic', 'openid', false, '{patients}', '{}', 'none', '{}', 'active', "
             "1, 1 returning id, project_id), a as (select id from auth.account where email = "
             "'%s'), i as (%s returning id) select id from i",
             strchr(who->project, '/') + 1, who->email, insert);
    return suite_query(suite, sql);
}

static struct http_request unlink_identity(void)
{
    const struct person *who = audited_patient();
    TEXT id = of_provider(who, "insert into auth.identity select gen_random_uuid(), p.id, "
                               "p.project_id, 'https://login.example', 'ana', 'Patient', a.id, 1, "
                               "1 from p, a");

    return audited_by(who, "DELETE", audited_path("/auth/identities/%s", id), NULL);
}

/* The provider's answer has come. */
static char *answered(const struct person *who)
{
    char insert[1024];

    snprintf(
        insert, sizeof(insert),
        "insert into auth.federated_login (id, provider_id, project_id, role, state_hash, "
        "nonce, verifier, challenge, test, created_at, expires_at, account_id, session_id, "
        "step_up, code_hash, subject, two_factors) select gen_random_uuid(), p.id, "
        "p.project_id, 'Patient', '\\x00', 'n', 'v', '%s', false, 1, %lld, a.id, s.id, false, "
        "sha256('the code'), 'bea', false from p, a join auth.session s on s.account_id = a.id",
        pkce_challenge, (long long)suite_now_ms(suite) + 60000);
    return of_provider(who, insert);
}

static struct http_request link_identity(void)
{
    const struct person *who = audited_patient();
    TEXT id = answered(who);

    CU_ASSERT_STRING_NOT_EQUAL(id, "");
    return audited_by(who, "POST", "/auth/identities/link",
                      json_pack("{s:s, s:s}", "sessionCode", "the code", "codeVerifier",
                                pkce_verifier));
}

static struct http_request enroll_start(void)
{
    return audited_by(audited_patient(), "POST", "/auth/passkey/enroll/start", json_object());
}

static struct http_request enroll_finish(void)
{
    AUTHENTICATOR key = audited_passkey("Patient");

    return enroll_by(audited_patient(), key);
}

static struct http_request enroll_unverified(void)
{
    AUTHENTICATOR key = audited_passkey("Patient");

    key->flags = AUTHENTICATOR_PRESENT;
    return enroll_by(audited_patient(), key);
}

static struct http_request passkey_rename(void)
{
    AUTHENTICATOR key = audited_passkey("Patient");
    const struct person *who = audited_patient();

    return audited_by(who, "PATCH", audited_passkey_add(who, key),
                      json_pack("{s:s}", "name", "Key ring"));
}

static struct http_request passkey_delete(void)
{
    AUTHENTICATOR key = audited_passkey("Patient");
    const struct person *who = audited_patient();

    return audited_by(who, "DELETE", audited_passkey_add(who, key), NULL);
}

static struct http_request step_up_start(void)
{
    AUTHENTICATOR key = audited_passkey("Patient");
    const struct person *who = audited_patient();

    audited_passkey_add(who, key);
    return audited_by(who, "POST", "/auth/step-up/start", json_object());
}

static struct http_request step_up_by(const char *origin)
{
    AUTHENTICATOR key = audited_passkey("Patient");
    const struct person *who = audited_patient();

    audited_passkey_add(who, key);
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
    /* end the session, so that the new password ends none */
    HTTP_ANSWER out = http_post(suite_url(suite), "/auth/logout", who->access, NULL);
    CHECK_STATUS(out, 204);
    /* verify the address, so that the link does not verify it */
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
    link = suite_mail_link(suite, who->email, "/t/-/undo-email");
    HTTP_ANSWER out = http_post(suite_url(suite), "/auth/logout", who->access, NULL);
    CHECK_STATUS(out, 204);
    return audited_post("/auth/undo-email", body_link(&link));
}

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

static const struct audited audited[] = {
    {"refresh_token", refresh, 200, NULL}, /* no new session */
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
    {"step_up_start", step_up_start, 200, NULL}, /* only a challenge */
    {"passkey_enroll_start", enroll_start, 200, NULL},
    {"passkey_enroll_finish", enroll_finish, 200, "passkey.add success Passkey"},
    {"passkey_rename", passkey_rename, 200, "passkey.rename success Passkey"},
    {"passkey_delete", passkey_delete, 200, "passkey.remove success Passkey"},
    {"own_identity_link", link_identity, 200, "identity.link success Account Staff"},
    {"own_identity_delete", unlink_identity, 204, "identity.unlink success Account Staff"},
    {"logout", logout, 204, "session.end success Session logout"},
    {"sessions_revoke", session_revoke, 200, "session.end success Session revoked"},
    {"consent_withdraw", consent_withdraw, 200, "consent.withdraw success diary"},
    {"deletion_schedule", deletion, 200, "deletion.schedule success Account"},
    {"invitation_accept", invitation_accept, 204, "invitation.accept success Invitation"},

    {"mfa_enroll", enroll_wrong, 400, "mfa.enroll failure Account code"},
    {"mfa_disable", disable_wrong, 400, "mfa.disable failure Account code"},
    {"step_up", step_up_wrong, 400, "session.step-up failure Account password"},
    {"step_up", step_up_elsewhere, 400, "session.step-up failure Session origin"},
    {"passkey_enroll_finish", enroll_unverified, 400, "passkey.add failure Account verification"},
    {"change_password", change_wrong, 400, "password.change failure Account password"},
    {"reset_password", reset_unknown, 200, NULL},
    {"sessions_revoke", session_absent, 404, NULL},
    {"consent_withdraw", consent_absent, 404, NULL},
};

int main(void)
{
    return audited_run("audit of own accounts", audited, ARRAY_SIZE(audited), AUDITED_OWN, &suite,
                       &admin);
}
