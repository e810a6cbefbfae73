/*
 * authd_api.c - the shapes of authd's inputs and outputs: bounds, names on the wire, words for
 * OpenAPI.
 *
 * Linked into every program: the gateway validates and documents by these tables, the daemons pack
 * by them. Those of operations that other daemons call, of the hosted pages, of OAuth and of the
 * audit trail are in operation_api.c, page_api.c, oauth_api.c and trail_api.c.
 */
#include "authd/authd_api.h"

#include <stdio.h>
#include <string.h>

#include "authd/shape_api.h"
#include "common/domain/name.h"
#include "common/domain/password_scheme.h"
#include "common/domain/policy.h"

enum {
    CLIENT_PASSWORD_MAX = 128, /* characters: /v2/auth/login and /auth/register */
    CODE_MAX = 512,            /* session codes and refresh tokens */
    TOKEN_MAX = 4096,          /* access tokens */
    MFA_TOKEN_MIN = 6,
    MFA_TOKEN_MAX = 10,
    RECOVERY_CODES_MAX = 10,
    OTPAUTH_URL_MAX = 8192,
    QR_URL_MAX = 65536,
    TENANTS_MAX = 1000,
    SESSIONS_MAX = 10000,
    SESSIONS_PAGE_MAX = 1000,
    SESSION_CLIENT_MAX = 2048,
    DELETION_DAYS = 30,
    DELETION_DAYS_MAX = 90,
    POLICY_JSON_MAX = 65536,
    SEARCH_MAX = 254,
    REASON_MAX = 500,
    MENU_MAX = 100,
    PASSKEYS_MAX = 20,
    PASSKEY_NAME_MAX = 128,
    PASSKEY_ORIGINS_MAX = 100,
    /* characters of base64url, see authd/passkey/webauthn.h */
    PASSKEY_ID_MAX = 1364,
    PASSKEY_CLIENT_DATA_MAX = 5462,
    PASSKEY_AUTH_DATA_MAX = 5462,
    PASSKEY_ATTESTATION_MAX = 43691,
    PASSKEY_SIGNATURE_MAX = 342,
    PASSKEY_HANDLE_MAX = 86,
    IMPORT_KEY_MAX = 800, /* of a COSE key: RSA 2048 has 272 bytes */
    RP_ID_MAX = 253,
    ORIGIN_MAX = 512,
};

static const char *const login_steps[] = {"token", "mfa", NULL};
static const char *const token_step[] = {"token", NULL};
static const char *const mfa_step[] = {"mfa", NULL};
static const char *const code_steps[] = {"code", NULL};
static const char *const key_types[] = {"public-key", NULL};
static const char *const required[] = {"required", NULL};
static const char *const no_attestation[] = {"none", NULL};
static const char *const register_steps[] = {"clinician-invite", "verify-email", NULL};
static const char *const token_types[] = {"Bearer", NULL};
static const char *const user_type[] = {"User", NULL};
static const char *const project_type[] = {"Project", NULL};
static const char *const membership_type[] = {"ProjectMembership", NULL};
static const char *const policy_type[] = {"AccessPolicy", NULL};
static const char *const configuration_type[] = {"UserConfiguration", NULL};

/* What /auth/me says of a membership without a policy. */
#define NO_POLICY "{\"resourceType\":\"AccessPolicy\",\"resource\":[]}"

#define LETTERS_AND_DIGITS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

/* Of the OpenAPI page. Verifier and challenge belong together (RFC 7636, appendix B). */
#define EXAMPLE_PASSWORD "correct horse battery staple"
#define EXAMPLE_NEW_PASSWORD "another correct horse battery staple"
#define EXAMPLE_VERIFIER "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
#define EXAMPLE_CODE "p2XmC3u7Yw0bT9s4KfVqLh8dRzJ1oNeA"
#define EXAMPLE_TOKEN "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJQYXRpZW50In0.c2lnbmF0dXJl"
#define EXAMPLE_OTPAUTH "otpauth://totp/Lakeside:ana@example.org?secret=JBSWY3DPEHPK3PXP"
#define EXAMPLE_QR "data:image/png;base64,iVBORw0KGgo="

#define BASE64URL_PATTERN "^[A-Za-z0-9_-]*$"
#define CHALLENGE_PATTERN "^[A-Za-z0-9_-]{43}$"
#define CODE_PATTERN "^[0-9]{6}$"
#define VERIFIER_PATTERN "^[A-Za-z0-9._~-]{43,128}$"
#define POLICY_REFERENCE_PATTERN "^AccessPolicy/[0-9A-Fa-f-]{36}$"

/* The length is checked by the row. */
static int check_base64url(const char *value, char why[static 96])
{
    if (value[strspn(value, LETTERS_AND_DIGITS "-_")] == '\0')
        return 0;
    snprintf(why, 96, "must be base64url without padding");
    return -1;
}

static int check_digits(const char *value, char why[static 96])
{
    if (value[strspn(value, "0123456789")] == '\0')
        return 0;
    snprintf(why, 96, "must consist of digits");
    return -1;
}

/* RFC 7636, section 4.1. */
static int check_verifier(const char *value, char why[static 96])
{
    if (value[strspn(value, LETTERS_AND_DIGITS "-._~")] == '\0')
        return 0;
    snprintf(why, 96, "must consist of letters, digits, '-', '.', '_' and '~'");
    return -1;
}

static int check_session_option(const char *value, char why[static 96])
{
    struct uuid id;

    if (strcmp(value, "current") == 0 || strcmp(value, "other") == 0 || strcmp(value, "all") == 0 ||
        uuid_parse(value, &id) == 0)
        return 0;
    snprintf(why, 96, "must be current, other, all or a UUID");
    return -1;
}

static int check_policy_reference(const char *value, char why[static 96])
{
    struct uuid id;

    if (policy_reference(value, &id) == 0)
        return 0;
    snprintf(why, 96, "must be AccessPolicy/<id>");
    return -1;
}

/* ---- sign-in ---- */

/* Of inputs that a page makes a session by. */
#define COOKIE_ROW(s)                                                        \
    FIELD_TEXT(s, cookie, 1, PAGE_COOKIE_MAX, FIELD_INTERNAL | FIELD_SECRET, \
               "The browser's next cookie.", "")

static const struct field patient_register_in_rows[] = {
    FIELD_EMAIL(struct patient_register_in, email, FIELD_REQUIRED,
                "Address to sign in with; kept in lower case.", "ana@example.org"),
    FIELD_TEXT(struct patient_register_in, password, 1, NEW_PASSWORD_MAX,
               FIELD_REQUIRED | FIELD_SECRET, "Any text that is not empty.", EXAMPLE_PASSWORD),
    FIELD_CHECKED(struct patient_register_in, name, 1, NAME_MAX_LENGTH, name_check,
                  FIELD_REQUIRED | FIELD_CHARACTERS, "Given name.", "Ana"),
    FIELD_CHECKED(struct patient_register_in, surname, 1, NAME_MAX_LENGTH, name_check,
                  FIELD_REQUIRED | FIELD_CHARACTERS, "Family name.", "Lima"),
    FIELD_TEXT(struct patient_register_in, tenantCode, 1, TENANT_CODE_MAX, FIELD_REQUIRED,
               "Tenant to join.", "demo"),
    FIELD_TEXT(struct patient_register_in, continueAsPatientToken, 0, TOKEN_MAX,
               FIELD_NULLABLE | FIELD_SECRET,
               "From the link by which an invited clinician goes on as a patient.", ""),
    COOKIE_ROW(struct patient_register_in),
};
FIELD_TABLE(patient_register_in);

static const struct field practitioner_register_in_rows[] = {
    FIELD_EMAIL(struct practitioner_register_in, email, FIELD_REQUIRED,
                "Address to sign in with; kept in lower case.", "rui@lakeside.example"),
    FIELD_TEXT(struct practitioner_register_in, password, 1, NEW_PASSWORD_MAX,
               FIELD_REQUIRED | FIELD_SECRET, "Any text that is not empty.", EXAMPLE_PASSWORD),
    FIELD_CHECKED(struct practitioner_register_in, name, 1, NAME_MAX_LENGTH, name_check,
                  FIELD_REQUIRED | FIELD_CHARACTERS, "Given name.", "Rui"),
    FIELD_CHECKED(struct practitioner_register_in, surname, 1, NAME_MAX_LENGTH, name_check,
                  FIELD_REQUIRED | FIELD_CHARACTERS, "Family name.", "Costa"),
    FIELD_TEXT(struct practitioner_register_in, tenantCode, 1, TENANT_CODE_MAX, FIELD_REQUIRED,
               "Tenant to join.", "demo"),
    COOKIE_ROW(struct practitioner_register_in),
};
FIELD_TABLE(practitioner_register_in);

static const struct field patient_login_start_in_rows[] = {
    FIELD_EMAIL(struct patient_login_start_in, email, FIELD_REQUIRED, "Address of the account.",
                "ana@example.org"),
    FIELD_TEXT(struct patient_login_start_in, password, 0, ANY_PASSWORD_MAX,
               FIELD_REQUIRED | FIELD_SECRET, "Its password.", EXAMPLE_PASSWORD),
    FIELD_TEXT(struct patient_login_start_in, tenantCode, 1, TENANT_CODE_MAX, FIELD_REQUIRED,
               "Tenant to sign in to.", "demo"),
    FIELD_PATTERN(struct patient_login_start_in, codeChallenge, 43, 43, check_base64url,
                  CHALLENGE_PATTERN, FIELD_REQUIRED,
                  "base64url of the SHA-256 of a verifier that the client keeps to itself.",
                  "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"),
};
FIELD_TABLE(patient_login_start_in);

static const struct field practitioner_login_start_in_rows[] = {
    FIELD_EMAIL(struct practitioner_login_start_in, email, FIELD_REQUIRED,
                "Address of the account.", "rui@lakeside.example"),
    FIELD_TEXT(struct practitioner_login_start_in, password, 0, ANY_PASSWORD_MAX,
               FIELD_REQUIRED | FIELD_SECRET, "Its password.", EXAMPLE_PASSWORD),
    FIELD_TEXT(struct practitioner_login_start_in, tenantCode, 1, TENANT_CODE_MAX, FIELD_NULLABLE,
               "Tenant to sign in to; absent: the answer lists those to choose from.", "demo"),
    FIELD_PATTERN(struct practitioner_login_start_in, codeChallenge, 43, 43, check_base64url,
                  CHALLENGE_PATTERN, FIELD_REQUIRED,
                  "base64url of the SHA-256 of a verifier that the client keeps to itself.",
                  "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"),
};
FIELD_TABLE(practitioner_login_start_in);

/* What both roles send; `s` is the input's struct. */
#define LOGIN_TOKEN_ROWS(s)                                                              \
    FIELD_TEXT(s, sessionCode, 1, CODE_MAX, FIELD_REQUIRED | FIELD_SECRET,               \
               "Code from the step before; good once.", EXAMPLE_CODE),                   \
        FIELD_PATTERN(s, codeVerifier, 43, 128, check_verifier, VERIFIER_PATTERN,        \
                      FIELD_REQUIRED | FIELD_SECRET,                                     \
                      "The verifier whose hash started the sign-in.", EXAMPLE_VERIFIER), \
        COOKIE_ROW(s)

static const struct field patient_login_token_in_rows[] = {
    LOGIN_TOKEN_ROWS(struct patient_login_token_in),
};
FIELD_TABLE(patient_login_token_in);

static const struct field practitioner_login_token_in_rows[] = {
    LOGIN_TOKEN_ROWS(struct practitioner_login_token_in),
    FIELD_TEXT(struct practitioner_login_token_in, tenantCode, 1, TENANT_CODE_MAX, FIELD_NULLABLE,
               "Tenant to sign in to; needed when several are possible.", "demo"),
};
FIELD_TABLE(practitioner_login_token_in);

static const struct field login_mfa_in_rows[] = {
    FIELD_UUID(struct login_mfa_in, loginId, FIELD_REQUIRED,
               "The sign-in that waits for the factor; good for five minutes and five codes."),
    FIELD_TEXT(struct login_mfa_in, mfaToken, MFA_TOKEN_MIN, MFA_TOKEN_MAX,
               FIELD_SECRET | FIELD_CHARACTERS,
               "The six digits that the authenticator shows, or a recovery code; each good once. "
               "Needed unless a credential is sent.",
               "123456"),
    FIELD_OBJECT(struct login_mfa_in, credential, passkey_credential, 0,
                 "A passkey, for the challenge that login/mfa/start has given."),
};
FIELD_TABLE(login_mfa_in);

static const struct field login_mfa_start_in_rows[] = {
    FIELD_UUID(struct login_mfa_start_in, loginId, FIELD_REQUIRED,
               "The sign-in that waits for the factor."),
};
FIELD_TABLE(login_mfa_start_in);

static const struct field code_start_in_rows[] = {
    FIELD_EMAIL(struct code_start_in, email, FIELD_REQUIRED, "Address of the account.",
                "ana@example.org"),
    FIELD_TEXT(struct code_start_in, tenantCode, 1, TENANT_CODE_MAX, FIELD_REQUIRED,
               "Tenant to sign in to.", "demo"),
    FIELD_PATTERN(struct code_start_in, codeChallenge, 43, 43, check_base64url, CHALLENGE_PATTERN,
                  FIELD_REQUIRED,
                  "base64url of the SHA-256 of a verifier that the client keeps to itself.",
                  "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"),
};
FIELD_TABLE(code_start_in);

static const struct field code_step_rows[] = {
    FIELD_CHOICE(struct code_step, nextStep, code_steps, FIELD_REQUIRED,
                 "The code from the mail is entered next.", "code"),
    FIELD_UUID(struct code_step, loginId, FIELD_REQUIRED, "The sign-in that waits for the code."),
};
FIELD_TABLE(code_step);

static const struct field login_code_in_rows[] = {
    FIELD_UUID(struct login_code_in, loginId, FIELD_REQUIRED,
               "The sign-in that waits for the code; good for ten minutes and five codes."),
    FIELD_PATTERN(struct login_code_in, code, 6, 6, check_digits, CODE_PATTERN,
                  FIELD_REQUIRED | FIELD_SECRET, "The six digits from the mail; good once.",
                  "482913"),
};
FIELD_TABLE(login_code_in);

static const struct field client_login_in_rows[] = {
    FIELD_EMAIL(struct client_login_in, email, FIELD_REQUIRED, "Address of the account.",
                "ana@example.org"),
    FIELD_TEXT(struct client_login_in, password, 1, CLIENT_PASSWORD_MAX,
               FIELD_REQUIRED | FIELD_SECRET | FIELD_CHARACTERS, "Its password.", EXAMPLE_PASSWORD),
    FIELD_UUID(struct client_login_in, clientId, FIELD_REQUIRED,
               "Client application of the project to sign in to."),
    FIELD_PATTERN(struct client_login_in, codeChallenge, 43, 43, check_base64url, CHALLENGE_PATTERN,
                  FIELD_NULLABLE,
                  "As for the tenant sign-in, which who has a second factor goes on with.",
                  "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"),
};
FIELD_TABLE(client_login_in);

static const struct field client_register_in_rows[] = {
    FIELD_EMAIL(struct client_register_in, email, FIELD_REQUIRED,
                "Address to sign in with; kept in lower case.", "ana@example.org"),
    FIELD_TEXT(struct client_register_in, password, 1, CLIENT_PASSWORD_MAX,
               FIELD_REQUIRED | FIELD_SECRET | FIELD_CHARACTERS, "Any text that is not empty.",
               EXAMPLE_PASSWORD),
    FIELD_UUID(struct client_register_in, clientId, FIELD_REQUIRED,
               "Client application of the project to join."),
    FIELD_CHOICE(struct client_register_in, type, account_roles, FIELD_NULLABLE,
                 "As what; Patient when absent.", "Patient"),
    FIELD_CHECKED(struct client_register_in, name, 1, NAME_MAX_LENGTH, name_check,
                  FIELD_REQUIRED | FIELD_CHARACTERS, "Given name.", "Ana"),
    FIELD_CHECKED(struct client_register_in, surname, 1, NAME_MAX_LENGTH, name_check,
                  FIELD_REQUIRED | FIELD_CHARACTERS, "Family name.", "Lima"),
};
FIELD_TABLE(client_register_in);

static const struct field b2b_login_in_rows[] = {
    FIELD_EMAIL(struct b2b_login_in, email, FIELD_REQUIRED, "Address of the account.",
                "rui@lakeside.example"),
    FIELD_TEXT(struct b2b_login_in, password, 0, ANY_PASSWORD_MAX, FIELD_REQUIRED | FIELD_SECRET,
               "Its password.", EXAMPLE_PASSWORD),
    FIELD_UUID(struct b2b_login_in, clientId, FIELD_REQUIRED,
               "Client application of that project."),
    FIELD_UUID(struct b2b_login_in, tenantId, FIELD_REQUIRED,
               "Project to sign in to; who belongs to exactly one child of it and not to the "
               "project itself is signed in to that child."),
    FIELD_PATTERN(struct b2b_login_in, codeChallenge, 43, 43, check_base64url, CHALLENGE_PATTERN,
                  FIELD_NULLABLE,
                  "As for the tenant sign-in, which who has a second factor goes on with.",
                  "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"),
};
FIELD_TABLE(b2b_login_in);

static const struct field b2b_register_in_rows[] = {
    FIELD_EMAIL(struct b2b_register_in, email, FIELD_REQUIRED,
                "Address to sign in with; kept in lower case.", "rui@lakeside.example"),
    FIELD_TEXT(struct b2b_register_in, password, 1, NEW_PASSWORD_MAX, FIELD_REQUIRED | FIELD_SECRET,
               "Any text that is not empty.", EXAMPLE_PASSWORD),
    FIELD_CHECKED(struct b2b_register_in, name, 1, NAME_MAX_LENGTH, name_check,
                  FIELD_REQUIRED | FIELD_CHARACTERS, "Given name.", "Rui"),
    FIELD_CHECKED(struct b2b_register_in, surname, 1, NAME_MAX_LENGTH, name_check,
                  FIELD_REQUIRED | FIELD_CHARACTERS, "Family name.", "Costa"),
    FIELD_UUID(struct b2b_register_in, tenantId, FIELD_REQUIRED, "Project to join."),
    FIELD_UUID(struct b2b_register_in, clientId, FIELD_REQUIRED,
               "Client application of that project."),
};
FIELD_TABLE(b2b_register_in);

static const struct field login_tenant_rows[] = {
    FIELD_TEXT_OR(struct login_tenant, tenantCode, 1, TENANT_CODE_MAX, "\"\"", 0,
                  "Code to name at the token step; empty for a project without one.", "demo"),
    FIELD_OBJECT(struct login_tenant, project, reference, FIELD_REQUIRED, "The tenant."),
    FIELD_OBJECT(struct login_tenant, profile, reference, FIELD_REQUIRED,
                 "The practitioner's profile in it."),
};
FIELD_TABLE(login_tenant);

/* Its two shapes for the OpenAPI page. */
static const struct field login_challenge_rows[] = {
    FIELD_CHOICE(struct login_step, nextStep, token_step, FIELD_REQUIRED,
                 "The session code is exchanged for tokens next.", "token"),
    FIELD_TEXT(struct login_step, sessionCode, 1, CODE_MAX, FIELD_REQUIRED | FIELD_SECRET,
               "What to exchange, within five minutes.", EXAMPLE_CODE),
    FIELD_OBJECTS(struct login_step, tenants, login_tenant, TENANTS_MAX, FIELD_OMIT_EMPTY,
                  "For practitioners: the tenants that they may choose."),
};
FIELD_VARIANT(login_challenge, struct login_step);

static const struct field login_mfa_challenge_rows[] = {
    FIELD_CHOICE(struct login_step, nextStep, mfa_step, FIELD_REQUIRED,
                 "A second factor is shown next.", "mfa"),
    FIELD_UUID(struct login_step, loginId, FIELD_REQUIRED,
               "The sign-in that waits for the factor."),
};
FIELD_VARIANT(login_mfa_challenge, struct login_step);

static const struct field login_step_rows[] = {
    FIELD_CHOICE(struct login_step, nextStep, login_steps, FIELD_REQUIRED,
                 "token: exchange the session code; mfa: show a second factor first.", "token"),
    FIELD_TEXT(struct login_step, sessionCode, 1, CODE_MAX, FIELD_SECRET,
               "With token: what to exchange, within five minutes.", EXAMPLE_CODE),
    FIELD_UUID(struct login_step, loginId, 0, "With mfa: the sign-in that waits for the factor."),
    FIELD_OBJECTS(struct login_step, tenants, login_tenant, TENANTS_MAX, FIELD_OMIT_EMPTY,
                  "For practitioners: the tenants that they may choose."),
};
FIELD_TABLE_ONE_OF(login_step, &login_challenge_table, &login_mfa_challenge_table);

static const struct field token_response_rows[] = {
    FIELD_TEXT(struct token_response, accessToken, 1, TOKEN_MAX, FIELD_REQUIRED | FIELD_SECRET,
               "For the Authorization header: Bearer and this.", EXAMPLE_TOKEN),
    FIELD_TEXT(struct token_response, refreshToken, 1, CODE_MAX, FIELD_REQUIRED | FIELD_SECRET,
               "Renews the session; replaced at each use.", EXAMPLE_CODE),
    FIELD_INT(struct token_response, expiresIn, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "Life of the access token in seconds.", "3600"),
    FIELD_OBJECT(struct token_response, project, reference, FIELD_REQUIRED, "The tenant."),
    FIELD_OBJECT(struct token_response, profile, reference, FIELD_REQUIRED,
                 "The user's profile in it."),
};
FIELD_TABLE(token_response);

static const struct field register_step_rows[] = {
    FIELD_CHOICE(struct token_or_step, nextStep, register_steps, FIELD_REQUIRED,
                 "What was mailed instead of signing in: clinician-invite, an invitation as a "
                 "practitioner; verify-email, the link that proves the address.",
                 "clinician-invite"),
};
FIELD_VARIANT(register_step, struct token_or_step);

static const struct field token_or_step_rows[] = {
    FIELD_CHOICE(struct token_or_step, nextStep, register_steps, 0,
                 "Present alone when a mail must be answered before signing in: an invitation, or "
                 "the link that proves the address.",
                 "clinician-invite"),
    FIELD_TEXT(struct token_or_step, accessToken, 1, TOKEN_MAX, FIELD_SECRET,
               "For the Authorization header: Bearer and this.", EXAMPLE_TOKEN),
    FIELD_TEXT(struct token_or_step, refreshToken, 1, CODE_MAX, FIELD_SECRET,
               "Renews the session; replaced at each use.", EXAMPLE_CODE),
    FIELD_INT(struct token_or_step, expiresIn, 0, INT64_MAX, 0, FIELD_OMIT_ZERO,
              "Life of the access token in seconds.", "3600"),
    FIELD_OBJECT(struct token_or_step, project, reference, 0, "The tenant."),
    FIELD_OBJECT(struct token_or_step, profile, reference, 0, "The user's profile in it."),
};
FIELD_TABLE_ONE_OF(token_or_step, &token_response_table, &register_step_table);

static const struct field refresh_token_in_rows[] = {
    FIELD_TEXT(struct refresh_token_in, refresh_token, 1, CODE_MAX, FIELD_REQUIRED | FIELD_SECRET,
               "The session's current refresh token.", EXAMPLE_CODE),
};
FIELD_TABLE(refresh_token_in);

static const struct field refresh_token_out_rows[] = {
    FIELD_TEXT(struct refresh_token_out, access_token, 1, TOKEN_MAX, FIELD_REQUIRED | FIELD_SECRET,
               "For the Authorization header: Bearer and this.", EXAMPLE_TOKEN),
    FIELD_TEXT(struct refresh_token_out, refresh_token, 1, CODE_MAX, FIELD_REQUIRED | FIELD_SECRET,
               "Takes the place of the one that was sent.", EXAMPLE_CODE),
    FIELD_INT(struct refresh_token_out, expires_in, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "Life of the access token in seconds.", "3600"),
    FIELD_CHOICE(struct refresh_token_out, token_type, token_types, FIELD_REQUIRED,
                 "How the access token is shown.", "Bearer"),
};
FIELD_TABLE(refresh_token_out);

/* ---- the account ---- */

static const struct field change_password_in_rows[] = {
    FIELD_TEXT(struct change_password_in, oldPassword, 0, ANY_PASSWORD_MAX,
               FIELD_REQUIRED | FIELD_SECRET, "The password as it is.", EXAMPLE_PASSWORD),
    FIELD_TEXT(struct change_password_in, newPassword, 1, NEW_PASSWORD_MAX,
               FIELD_REQUIRED | FIELD_SECRET, "Any text that is not empty.", EXAMPLE_NEW_PASSWORD),
};
FIELD_TABLE(change_password_in);

static const struct field reset_password_in_rows[] = {
    FIELD_EMAIL(struct reset_password_in, email, FIELD_REQUIRED, "Address of the account.",
                "ana@example.org"),
    FIELD_TEXT(struct reset_password_in, tenantCode, 1, TENANT_CODE_MAX, FIELD_REQUIRED,
               "Tenant of the account.", "demo"),
    FIELD_CHOICE(struct reset_password_in, type, account_roles, FIELD_NULLABLE,
                 "Which account; absent: a link for each one with this address.", "Patient"),
};
FIELD_TABLE(reset_password_in);

static const struct field set_password_in_rows[] = {
    FIELD_UUID(struct set_password_in, id, FIELD_REQUIRED, "From the link."),
    FIELD_TEXT(struct set_password_in, secret, 1, CODE_MAX, FIELD_REQUIRED | FIELD_SECRET,
               "From the link; good once, until it expires.", EXAMPLE_CODE),
    FIELD_TEXT(struct set_password_in, password, 1, NEW_PASSWORD_MAX, FIELD_REQUIRED | FIELD_SECRET,
               "Any text that is not empty.", EXAMPLE_PASSWORD),
};
FIELD_TABLE(set_password_in);

static const struct field invitation_link_in_rows[] = {
    FIELD_UUID(struct invitation_link_in, id, FIELD_REQUIRED, "From the link."),
    FIELD_TEXT(struct invitation_link_in, secret, 1, CODE_MAX, FIELD_REQUIRED | FIELD_SECRET,
               "From the link; good once, until it expires.", EXAMPLE_CODE),
};
FIELD_TABLE(invitation_link_in);

static const char *const accept_ways[] = {"sign-in", "set-password", NULL};
static const struct field invitation_show_out_rows[] = {
    FIELD_EMAIL(struct invitation_show_out, email, FIELD_REQUIRED, "The address that is invited.",
                "rui@lakeside.example"),
    FIELD_TEXT(struct invitation_show_out, projectName, 0, DISPLAY_MAX,
               FIELD_REQUIRED | FIELD_CHARACTERS, "The project.", "Lakeside Clinic"),
    FIELD_TEXT(struct invitation_show_out, inviterName, 0, DISPLAY_MAX,
               FIELD_REQUIRED | FIELD_CHARACTERS, "Who invites; the project where no member does.",
               "Eva Novak"),
    FIELD_CHOICE(
        struct invitation_show_out, accept, accept_ways, FIELD_REQUIRED,
        "How to accept: signed in, by POST /auth/invitation/accept; or with a new password, by "
        "POST /auth/set-password.",
        "sign-in"),
};
FIELD_TABLE(invitation_show_out);

static const struct field email_verify_send_in_rows[] = {
    FIELD_EMAIL(struct email_verify_send_in, email, FIELD_NULLABLE,
                "Address of the account; not with a token.", "ana@example.org"),
    FIELD_TEXT(struct email_verify_send_in, tenantCode, 1, TENANT_CODE_MAX, FIELD_NULLABLE,
               "Tenant of the account; not with a token.", "demo"),
    FIELD_CHOICE(struct email_verify_send_in, type, account_roles, FIELD_NULLABLE,
                 "Which account; absent: a link for each one with this address.", "Patient"),
};
FIELD_TABLE(email_verify_send_in);

static const struct field email_change_in_rows[] = {
    FIELD_EMAIL(struct email_change_in, email, FIELD_REQUIRED,
                "Address that the account is to have.", "ana@example.net"),
};
FIELD_TABLE(email_change_in);

static const struct field email_undo_in_rows[] = {
    FIELD_UUID(struct email_undo_in, id, FIELD_REQUIRED, "From the link."),
    FIELD_TEXT(struct email_undo_in, secret, 1, CODE_MAX, FIELD_REQUIRED | FIELD_SECRET,
               "From the link; good once, until it expires.", EXAMPLE_CODE),
};
FIELD_TABLE(email_undo_in);

static const struct field email_verify_in_rows[] = {
    FIELD_UUID(struct email_verify_in, id, FIELD_REQUIRED, "From the link."),
    FIELD_TEXT(struct email_verify_in, secret, 1, CODE_MAX, FIELD_REQUIRED | FIELD_SECRET,
               "From the link; good once, until it expires.", EXAMPLE_CODE),
    FIELD_TEXT(struct email_verify_in, password, 0, ANY_PASSWORD_MAX, FIELD_NULLABLE | FIELD_SECRET,
               "Of the account; not with a token of it.", EXAMPLE_PASSWORD),
};
FIELD_TABLE(email_verify_in);

static const struct field message_out_rows[] = {
    FIELD_TEXT(struct message_out, message, 1, DISPLAY_MAX, FIELD_REQUIRED, "For people.",
               "If there is such an account, a link to set a new password has been mailed."),
};
FIELD_TABLE(message_out);

static const struct field mfa_status_out_rows[] = {
    FIELD_BOOL(struct mfa_status_out, enrolled, 0, FIELD_REQUIRED,
               "Whether sign-in needs a second factor."),
    FIELD_TEXT(struct mfa_status_out, otpauthUrl, 1, OTPAUTH_URL_MAX, FIELD_SECRET,
               "Until then: the key for an authenticator application.", EXAMPLE_OTPAUTH),
    FIELD_TEXT(struct mfa_status_out, qrCodeDataUrl, 1, QR_URL_MAX, FIELD_SECRET,
               "The same as a QR code: a PNG picture in a data URL.", EXAMPLE_QR),
};
FIELD_TABLE(mfa_status_out);

static const struct field mfa_token_in_rows[] = {
    FIELD_TEXT(struct mfa_token_in, token, MFA_TOKEN_MIN, MFA_TOKEN_MAX,
               FIELD_REQUIRED | FIELD_SECRET | FIELD_CHARACTERS,
               "The six digits that the authenticator shows; to disable, a recovery code does too.",
               "123456"),
};
FIELD_TABLE(mfa_token_in);

static const struct field step_up_in_rows[] = {
    FIELD_TEXT(struct step_up_in, password, 0, ANY_PASSWORD_MAX, FIELD_SECRET,
               "The password; not enough where a second factor is on.", EXAMPLE_PASSWORD),
    FIELD_TEXT(struct step_up_in, mfaToken, MFA_TOKEN_MIN, MFA_TOKEN_MAX,
               FIELD_SECRET | FIELD_CHARACTERS,
               "The six digits that the authenticator shows, or a recovery code; each good once.",
               "123456"),
    FIELD_UUID(struct step_up_in, loginId, 0,
               "With credential: what /auth/step-up/start has answered."),
    FIELD_OBJECT(struct step_up_in, credential, passkey_credential, 0,
                 "A passkey, instead of both."),
};
FIELD_TABLE(step_up_in);

/* ---- passkeys ---- */

#define EXAMPLE_CREDENTIAL_ID "dGhlIGlkIG9mIGEgY3JlZGVudGlhbA"
#define EXAMPLE_BASE64URL "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0"

/* Bytes as base64url, which a browser has made. */
#define PASSKEY_BYTES(s, member, max, flags, doc)                                    \
    FIELD_PATTERN(s, member, 1, max, check_base64url, BASE64URL_PATTERN, flags, doc, \
                  EXAMPLE_BASE64URL)
#define PASSKEY_TYPE(s) \
    FIELD_CHOICE(s, type, key_types, FIELD_REQUIRED, "Always public-key.", "public-key")

static const struct field passkey_descriptor_rows[] = {
    PASSKEY_TYPE(struct passkey_descriptor),
    FIELD_TEXT(struct passkey_descriptor, id, 1, PASSKEY_ID_MAX, FIELD_REQUIRED,
               "Id of the credential, base64url.", EXAMPLE_CREDENTIAL_ID),
};
FIELD_TABLE(passkey_descriptor);

static const struct field passkey_parameter_rows[] = {
    PASSKEY_TYPE(struct passkey_parameter),
    FIELD_INT(struct passkey_parameter, alg, INT32_MIN, INT32_MAX, 0, FIELD_REQUIRED,
              "Algorithm by its COSE number: -7 ES256, -8 EdDSA, -257 RS256.", "-7"),
};
FIELD_TABLE(passkey_parameter);

static const struct field passkey_party_rows[] = {
    FIELD_TEXT(struct passkey_party, id, 1, RP_ID_MAX, FIELD_REQUIRED,
               "Host name that the passkey belongs to.", "patient.demo.example"),
    FIELD_TEXT(struct passkey_party, name, 1, DISPLAY_MAX, FIELD_REQUIRED, "For people.", "Demo"),
};
FIELD_TABLE(passkey_party);

static const struct field passkey_user_rows[] = {
    FIELD_TEXT(struct passkey_user, id, 1, PASSKEY_HANDLE_MAX, FIELD_REQUIRED,
               "Random bytes as base64url, which tell nothing of the account.",
               "kP3vX9r2fQ7Yw0bT9s4KfVqLh8dRzJ1oNeA5mZ6tUcE"),
    FIELD_TEXT(struct passkey_user, name, 1, 254, FIELD_REQUIRED, "The account's address.",
               "ana@example.org"),
    FIELD_TEXT(struct passkey_user, displayName, 1, DISPLAY_MAX, FIELD_REQUIRED, "For people.",
               "Ana Lima"),
};
FIELD_TABLE(passkey_user);

static const struct field passkey_selection_rows[] = {
    FIELD_CHOICE(struct passkey_selection, residentKey, required, FIELD_REQUIRED,
                 "The authenticator finds it without an id.", "required"),
    FIELD_BOOL(struct passkey_selection, requireResidentKey, false, FIELD_REQUIRED,
               "The same for older browsers."),
    FIELD_CHOICE(struct passkey_selection, userVerification, required, FIELD_REQUIRED,
                 "PIN, fingerprint or face.", "required"),
};
FIELD_TABLE(passkey_selection);

static const struct field passkey_creation_options_rows[] = {
    FIELD_OBJECT(struct passkey_creation_options, rp, passkey_party, FIELD_REQUIRED,
                 "The relying party."),
    FIELD_OBJECT(struct passkey_creation_options, user, passkey_user, FIELD_REQUIRED,
                 "Whose passkey it will be."),
    FIELD_TEXT(struct passkey_creation_options, challenge, 43, 43, FIELD_REQUIRED,
               "Good once and for five minutes.", EXAMPLE_VERIFIER),
    FIELD_OBJECTS(struct passkey_creation_options, pubKeyCredParams, passkey_parameter, 8,
                  FIELD_REQUIRED, "Algorithms, the preferred one first."),
    FIELD_INT(struct passkey_creation_options, timeout, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "Life of the challenge in ms.", "300000"),
    FIELD_OBJECTS(struct passkey_creation_options, excludeCredentials, passkey_descriptor,
                  PASSKEYS_MAX, FIELD_REQUIRED, "The passkeys that the account has."),
    FIELD_OBJECT(struct passkey_creation_options, authenticatorSelection, passkey_selection,
                 FIELD_REQUIRED, "What the authenticator must do."),
    FIELD_CHOICE(struct passkey_creation_options, attestation, no_attestation, FIELD_REQUIRED,
                 "What it is made by is not asked for.", "none"),
};
FIELD_TABLE(passkey_creation_options);

static const struct field passkey_request_options_rows[] = {
    FIELD_TEXT(struct passkey_request_options, challenge, 43, 43, FIELD_REQUIRED,
               "Good once and for five minutes.", EXAMPLE_VERIFIER),
    FIELD_TEXT(struct passkey_request_options, rpId, 1, RP_ID_MAX, FIELD_REQUIRED,
               "Host name that the passkey belongs to.", "patient.demo.example"),
    FIELD_INT(struct passkey_request_options, timeout, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "Life of the challenge in ms.", "300000"),
    FIELD_OBJECTS(struct passkey_request_options, allowCredentials, passkey_descriptor,
                  PASSKEYS_MAX, FIELD_REQUIRED,
                  "The passkeys that will do; empty: any that the browser finds."),
    FIELD_CHOICE(struct passkey_request_options, userVerification, required, FIELD_REQUIRED,
                 "PIN, fingerprint or face.", "required"),
};
FIELD_TABLE(passkey_request_options);

static const struct field passkey_enrollment_rows[] = {
    FIELD_UUID(struct passkey_enrollment, enrollmentId, FIELD_REQUIRED,
               "Goes back with the new credential."),
    FIELD_OBJECT(struct passkey_enrollment, options, passkey_creation_options, FIELD_REQUIRED,
                 "For navigator.credentials.create(), by "
                 "PublicKeyCredential.parseCreationOptionsFromJSON()."),
};
FIELD_TABLE(passkey_enrollment);

static const struct field passkey_request_rows[] = {
    FIELD_UUID(struct passkey_request, loginId, FIELD_REQUIRED, "Goes back with the credential."),
    FIELD_OBJECT(struct passkey_request, options, passkey_request_options, FIELD_REQUIRED,
                 "For navigator.credentials.get(), by "
                 "PublicKeyCredential.parseRequestOptionsFromJSON()."),
};
FIELD_TABLE(passkey_request);

#define PASSKEY_LOGIN_ID(s, doc) \
    PASSKEY_BYTES(s, loginId, PASSKEY_LOGIN_ID_MAX, FIELD_REQUIRED, doc)

static const struct field passkey_start_out_rows[] = {
    PASSKEY_LOGIN_ID(struct passkey_start_out, "Goes back with the credential."),
    FIELD_OBJECT(struct passkey_start_out, options, passkey_request_options, FIELD_REQUIRED,
                 "For PublicKeyCredential.parseRequestOptionsFromJSON() and "
                 "navigator.credentials.get()."),
};
FIELD_TABLE(passkey_start_out);

static const struct field passkey_attestation_response_rows[] = {
    PASSKEY_BYTES(struct passkey_attestation_response, clientDataJSON, PASSKEY_CLIENT_DATA_MAX,
                  FIELD_REQUIRED, "What the browser has asked the authenticator for."),
    PASSKEY_BYTES(struct passkey_attestation_response, attestationObject, PASSKEY_ATTESTATION_MAX,
                  FIELD_REQUIRED, "The new key; a statement of its maker is not read."),
};
FIELD_TABLE(passkey_attestation_response);

static const struct field passkey_attestation_rows[] = {
    PASSKEY_TYPE(struct passkey_attestation),
    PASSKEY_BYTES(struct passkey_attestation, id, PASSKEY_ID_MAX, FIELD_REQUIRED,
                  "Id of the credential."),
    FIELD_OBJECT(struct passkey_attestation, response, passkey_attestation_response, FIELD_REQUIRED,
                 "What the authenticator has answered."),
};
FIELD_TABLE(passkey_attestation);

static const struct field passkey_assertion_response_rows[] = {
    PASSKEY_BYTES(struct passkey_assertion_response, clientDataJSON, PASSKEY_CLIENT_DATA_MAX,
                  FIELD_REQUIRED, "What the browser has asked the authenticator for."),
    PASSKEY_BYTES(struct passkey_assertion_response, authenticatorData, PASSKEY_AUTH_DATA_MAX,
                  FIELD_REQUIRED, "What the authenticator has done."),
    PASSKEY_BYTES(struct passkey_assertion_response, signature, PASSKEY_SIGNATURE_MAX,
                  FIELD_REQUIRED, "Of both."),
    PASSKEY_BYTES(struct passkey_assertion_response, userHandle, PASSKEY_HANDLE_MAX, FIELD_NULLABLE,
                  "The options' user.id of its enrolment; needed to sign in."),
};
FIELD_TABLE(passkey_assertion_response);

static const struct field passkey_credential_rows[] = {
    PASSKEY_TYPE(struct passkey_credential),
    PASSKEY_BYTES(struct passkey_credential, id, PASSKEY_ID_MAX, FIELD_REQUIRED,
                  "Id of the credential."),
    FIELD_OBJECT(struct passkey_credential, response, passkey_assertion_response, FIELD_REQUIRED,
                 "What the authenticator has answered."),
};
FIELD_TABLE(passkey_credential);

static const struct field passkey_enroll_finish_in_rows[] = {
    FIELD_UUID(struct passkey_enroll_finish_in, enrollmentId, FIELD_REQUIRED,
               "What /auth/passkey/enroll/start has answered."),
    FIELD_CHECKED(struct passkey_enroll_finish_in, name, 1, PASSKEY_NAME_MAX, name_check,
                  FIELD_NULLABLE | FIELD_CHARACTERS, "Name that its owner gave it.", "My phone"),
    FIELD_OBJECT(struct passkey_enroll_finish_in, credential, passkey_attestation, FIELD_REQUIRED,
                 "What navigator.credentials.create() has given, by its toJSON()."),
};
FIELD_TABLE(passkey_enroll_finish_in);

static const struct field passkey_rows[] = {
    FIELD_UUID(struct passkey, id, FIELD_REQUIRED, "Identifier of the passkey."),
    FIELD_TEXT(struct passkey, name, 1, PASSKEY_NAME_MAX, FIELD_REQUIRED | FIELD_CHARACTERS,
               "Name that its owner gave it.", "My phone"),
    FIELD_TEXT(struct passkey, rpId, 1, RP_ID_MAX, FIELD_REQUIRED, "Host name that it belongs to.",
               "patient.demo.example"),
    FIELD_BOOL(struct passkey, backedUp, false, FIELD_REQUIRED,
               "It is synced between devices or can be restored."),
    FIELD_TIME(struct passkey, createdAt, FIELD_REQUIRED, "When it was added."),
    FIELD_TIME(struct passkey, lastUsedAt, FIELD_NULLABLE, "When it was used last; null: never."),
};
FIELD_TABLE(passkey);

static const struct field passkey_list_rows[] = {
    FIELD_OBJECTS(struct passkey_list, passkeys, passkey, PASSKEYS_MAX, FIELD_REQUIRED,
                  "The oldest first; at most 20."),
};
FIELD_TABLE(passkey_list);

static const struct field passkey_rename_in_rows[] = {
    FIELD_UUID(struct passkey_rename_in, id, FIELD_PATH | FIELD_REQUIRED,
               "Identifier of the passkey."),
    FIELD_CHECKED(struct passkey_rename_in, name, 1, PASSKEY_NAME_MAX, name_check,
                  FIELD_REQUIRED | FIELD_CHARACTERS, "Name that its owner gave it.", "My phone"),
};
FIELD_TABLE(passkey_rename_in);

static const struct field passkey_delete_in_rows[] = {
    FIELD_UUID(struct passkey_delete_in, id, FIELD_PATH | FIELD_REQUIRED,
               "Identifier of the passkey."),
};
FIELD_TABLE(passkey_delete_in);

#define PASSKEY_CHALLENGE(s)                                                                    \
    FIELD_PATTERN(s, codeChallenge, 43, 43, check_base64url, CHALLENGE_PATTERN, FIELD_REQUIRED, \
                  "base64url of the SHA-256 of a verifier that the client keeps to itself.",    \
                  "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")

static const struct field patient_passkey_start_in_rows[] = {
    FIELD_TEXT(struct patient_passkey_start_in, tenantCode, 1, TENANT_CODE_MAX, FIELD_REQUIRED,
               "Tenant to sign in to.", "demo"),
    FIELD_EMAIL(struct patient_passkey_start_in, email, FIELD_NULLABLE,
                "Only a passkey of this account will do; absent: any that the browser finds.",
                "ana@example.org"),
    PASSKEY_CHALLENGE(struct patient_passkey_start_in),
};
FIELD_TABLE(patient_passkey_start_in);

static const struct field practitioner_passkey_start_in_rows[] = {
    FIELD_TEXT(struct practitioner_passkey_start_in, tenantCode, 1, TENANT_CODE_MAX, FIELD_NULLABLE,
               "Tenant to sign in to; absent: a passkey of the installation's own pages.", "demo"),
    FIELD_EMAIL(struct practitioner_passkey_start_in, email, FIELD_NULLABLE,
                "Only a passkey of this account will do; absent: any that the browser finds.",
                "rui@lakeside.example"),
    PASSKEY_CHALLENGE(struct practitioner_passkey_start_in),
};
FIELD_TABLE(practitioner_passkey_start_in);

static const struct field passkey_finish_in_rows[] = {
    PASSKEY_LOGIN_ID(struct passkey_finish_in,
                     "What the start has answered; good once and for five minutes."),
    FIELD_OBJECT(struct passkey_finish_in, credential, passkey_credential, FIELD_REQUIRED,
                 "What navigator.credentials.get() has given, by its toJSON()."),
};
FIELD_TABLE(passkey_finish_in);

static const struct field passkey_origins_out_rows[] = {
    FIELD_TEXTS(struct passkey_origins_out, origins, 1, ORIGIN_MAX, PASSKEY_ORIGINS_MAX,
                FIELD_REQUIRED, "Origins of the installation's own pages.",
                "https://account.example.org"),
};
FIELD_TABLE(passkey_origins_out);

static const struct field mfa_enroll_out_rows[] = {
    FIELD_BOOL(struct mfa_enroll_out, ok, 0, FIELD_REQUIRED, "Always true."),
    FIELD_TEXTS(struct mfa_enroll_out, recoveryCodes, MFA_TOKEN_MIN, MFA_TOKEN_MAX,
                RECOVERY_CODES_MAX, FIELD_REQUIRED,
                "Each stands in for a code of the authenticator, once. Shown only now.",
                "k3v09xr2fa"),
};
FIELD_TABLE(mfa_enroll_out);

static const struct field ok_out_rows[] = {
    FIELD_BOOL(struct ok_out, ok, 0, FIELD_REQUIRED, "Always true."),
};
FIELD_TABLE(ok_out);

/* ---- imports ---- */

static const char *const totp_algorithms[] = {"SHA1", NULL};

static const struct field import_totp_rows[] = {
    FIELD_TEXT(struct import_totp, secret, 16, 128, FIELD_REQUIRED | FIELD_SECRET,
               "Its secret in base32 (RFC 4648), of 10 to 64 bytes.",
               "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"),
    FIELD_CHOICE(struct import_totp, algorithm, totp_algorithms, FIELD_NULLABLE,
                 "Of the codes; there is no other.", "SHA1"),
    FIELD_INT(struct import_totp, digits, 6, 6, 6, 0, "Of a code; there is no other number.", "6"),
    FIELD_INT(struct import_totp, period, 30, 30, 30, 0,
              "Seconds that a code is good for; there is no other number.", "30"),
};
FIELD_TABLE(import_totp);

static const struct field import_passkey_rows[] = {
    FIELD_PATTERN(struct import_passkey, credentialId, 1, PASSKEY_ID_MAX, check_base64url,
                  BASE64URL_PATTERN, FIELD_REQUIRED, "Its id in base64url.",
                  "AQIDBAUGBwgJCgsMDQ4PEA"),
    FIELD_PATTERN(struct import_passkey, publicKey, 1, IMPORT_KEY_MAX, check_base64url,
                  BASE64URL_PATTERN, FIELD_REQUIRED,
                  "Its key as COSE has it (RFC 9052, section 7), in base64url.", "pQECAyYgASFYIA"),
    FIELD_PATTERN(struct import_passkey, userHandle, 1, PASSKEY_HANDLE_MAX, check_base64url,
                  BASE64URL_PATTERN, FIELD_REQUIRED,
                  "The id of the user that it was made with, in base64url.",
                  "AQIDBAUGBwgJCgsMDQ4PEA"),
    FIELD_TEXT(struct import_passkey, rpId, 1, RP_ID_MAX, FIELD_REQUIRED,
               "Its relying party; must be that of the project's application for the role.",
               "my.lakeside.example"),
    FIELD_CHECKED(struct import_passkey, name, 1, PASSKEY_NAME_MAX, name_check,
                  FIELD_NULLABLE | FIELD_CHARACTERS, "What its owner calls it; else: Passkey.",
                  "Phone"),
    FIELD_INT(struct import_passkey, signCount, 0, UINT32_MAX, 0, 0, "The counter's last value.",
              "0"),
    FIELD_BOOL(struct import_passkey, backedUp, false, 0, "It is synced between devices."),
    FIELD_TEXTS(struct import_passkey, transports, 1, 32, 16, 0, "How it is reached; not kept.",
                "internal"),
};
FIELD_TABLE(import_passkey);

static const struct field import_line_rows[] = {
    FIELD_CHOICE(struct import_line, role, account_roles, FIELD_NULLABLE,
                 "As what; Patient when absent.", "Patient"),
    FIELD_EMAIL(struct import_line, email, FIELD_REQUIRED,
                "Address to sign in with; kept in lower case.", "ana@example.org"),
    FIELD_CHECKED(struct import_line, firstName, 1, NAME_MAX_LENGTH, name_check,
                  FIELD_REQUIRED | FIELD_CHARACTERS, "Given name.", "Ana"),
    FIELD_CHECKED(struct import_line, lastName, 1, NAME_MAX_LENGTH, name_check,
                  FIELD_REQUIRED | FIELD_CHARACTERS, "Family name.", "Lima"),
    FIELD_TEXT(struct import_line, passwordHash, 1, PASSWORD_SCHEME_TEXT_MAX, FIELD_NULLABLE,
               "Hash of the password, in one of the forms of docs/import.md; without it the owner "
               "sets one by a mailed link.",
               "$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy"),
    FIELD_TIME(struct import_line, createdAt, FIELD_NULLABLE, "Since when; absent: now."),
    FIELD_OBJECT(struct import_line, totp, import_totp, FIELD_NULLABLE,
                 "A second factor; by an operator's import of verified addresses alone."),
    FIELD_OBJECTS(struct import_line, passkeys, import_passkey, PASSKEYS_MAX, FIELD_OMIT_EMPTY,
                  "Passkeys; by an operator's import of verified addresses alone."),
};
FIELD_TABLE(import_line);

static const struct field import_refusal_rows[] = {
    FIELD_INT(struct import_refusal, line, 0, 0, 0, FIELD_REQUIRED, "Which line; the first is 1.",
              "3"),
    FIELD_TEXT(struct import_refusal, email, 0, IMPORT_LINE_MAX, 0, "Its address, if it has one.",
               "ana@example.org"),
    FIELD_BOOL(struct import_refusal, existing, false, FIELD_REQUIRED,
               "There is an account with this address, which stays as it is."),
    FIELD_TEXT(struct import_refusal, why, 0, 1024, FIELD_REQUIRED, "Why it made no account.",
               "firstName is required"),
};
FIELD_TABLE(import_refusal);

static const struct field account_import_in_rows[] = {
    FIELD_JSON_LIST(
        struct account_import_in, accounts, import_line, IMPORT_BATCH_MAX, FIELD_REQUIRED,
        "The accounts, at most 2,000.",
        "[{\"email\":\"ana@example.org\",\"firstName\":\"Ana\",\"lastName\":\"Lima\"}]"),
};
FIELD_TABLE(account_import_in);

static const struct field account_import_out_rows[] = {
    FIELD_INT(struct account_import_out, imported, 0, 0, 0, FIELD_REQUIRED, "Patients made.", "1"),
    FIELD_INT(struct account_import_out, invited, 0, 0, 0, FIELD_REQUIRED,
              "Practitioners who were invited.", "0"),
    FIELD_INT(struct account_import_out, existing, 0, 0, 0, FIELD_REQUIRED,
              "Accounts that there were already; they stay as they are.", "0"),
    FIELD_INT(struct account_import_out, refused, 0, 0, 0, FIELD_REQUIRED, "Others.", "0"),
    FIELD_OBJECTS(struct account_import_out, lines, import_refusal, IMPORT_LINES_MAX, 0,
                  "Which made no account, and why."),
};
FIELD_TABLE(account_import_out);

static const struct field operator_import_in_rows[] = {
    FIELD_UUID(struct operator_import_in, projectId, FIELD_REQUIRED, "Where."),
    FIELD_BYTES(struct operator_import_in, import, IMPORT_ID_SIZE, FIELD_REQUIRED, "Which."),
    FIELD_INT(struct operator_import_in, firstLine, 1, INT64_MAX, 1, FIELD_REQUIRED,
              "Number of the first line.", "1"),
    FIELD_BYTES(struct operator_import_in, lines, IMPORT_BATCH_MAX + 2 * IMPORT_LINE_MAX,
                FIELD_REQUIRED, "NDJSON."),
    FIELD_BOOL(struct operator_import_in, verified, false, 0, "The addresses are proven."),
    FIELD_BOOL(struct operator_import_in, dryRun, false, 0, "Nothing is written."),
};
FIELD_TABLE(operator_import_in);

static const struct field operator_import_out_rows[] = {
    FIELD_INT(struct operator_import_out, imported, 0, 0, 0, FIELD_REQUIRED, "Accounts made.", "1"),
    FIELD_OBJECTS(struct operator_import_out, lines, import_refusal, IMPORT_LINES_MAX, 0,
                  "Which made no account, and why."),
    FIELD_BYTES(struct operator_import_out, addresses, IMPORT_LINES_MAX *IMPORT_ADDRESS_SIZE, 0,
                "Hashes of addresses."),
};
FIELD_TABLE(operator_import_out);

static const struct field operator_import_end_in_rows[] = {
    FIELD_BYTES(struct operator_import_end_in, import, IMPORT_ID_SIZE, FIELD_REQUIRED, "Which."),
};
FIELD_TABLE(operator_import_end_in);

static const struct field deletion_schedule_in_rows[] = {
    FIELD_INT(struct deletion_schedule_in, days, 0, DELETION_DAYS_MAX, DELETION_DAYS,
              FIELD_NULLABLE, "From now until the deletion; 0: at once.", "30"),
    FIELD_BOOL(struct deletion_schedule_in, wipe, false, FIELD_NULLABLE,
               "Erase what the account owns, its documents for example, too."),
};
FIELD_TABLE(deletion_schedule_in);

static const struct field deletion_user_rows[] = {
    FIELD_CHOICE(struct deletion_user, resourceType, user_type, FIELD_REQUIRED, "Always User.",
                 "User"),
    FIELD_UUID(struct deletion_user, id, FIELD_REQUIRED, "The account."),
    FIELD_TEXT(struct deletion_user, firstName, 0, NAME_MAX_LENGTH,
               FIELD_REQUIRED | FIELD_CHARACTERS, "Given name.", "Ana"),
    FIELD_TEXT(struct deletion_user, lastName, 0, NAME_MAX_LENGTH,
               FIELD_REQUIRED | FIELD_CHARACTERS, "Family name.", "Lima"),
    FIELD_TEXT(struct deletion_user, email, 1, 254, FIELD_REQUIRED, "Its address.",
               "ana@example.org"),
};
FIELD_TABLE(deletion_user);

static const struct field deletion_scheduled_rows[] = {
    FIELD_TIME(struct deletion_scheduled, scheduled, FIELD_REQUIRED,
               "When the account is deleted, unless its owner signs in before."),
    FIELD_OBJECT(struct deletion_scheduled, user, deletion_user, FIELD_REQUIRED, "Whose it is."),
};
FIELD_TABLE(deletion_scheduled);

static const struct field me_project_rows[] = {
    FIELD_CHOICE(struct me_project, resourceType, project_type, FIELD_REQUIRED, "Always Project.",
                 "Project"),
    FIELD_UUID(struct me_project, id, FIELD_REQUIRED, "The tenant's project."),
    FIELD_TEXT(struct me_project, name, 0, DISPLAY_MAX, FIELD_REQUIRED | FIELD_CHARACTERS,
               "Its name.", "Lakeside Clinic"),
    FIELD_BOOL(struct me_project, strictMode, false, 0,
               "Always false: no resource is checked against FHIR profiles."),
};
FIELD_TABLE(me_project);

static const struct field me_membership_rows[] = {
    FIELD_CHOICE(struct me_membership, resourceType, membership_type, FIELD_REQUIRED,
                 "Always ProjectMembership.", "ProjectMembership"),
    FIELD_UUID(struct me_membership, id, FIELD_REQUIRED, "The user's membership in the project."),
    FIELD_BOOL(struct me_membership, admin, false, FIELD_REQUIRED,
               "Whether the user administers the project."),
    FIELD_OBJECT(struct me_membership, user, reference, FIELD_REQUIRED,
                 "Who it is: the profile in the project."),
};
FIELD_TABLE(me_membership);

static const struct field me_name_rows[] = {
    FIELD_TEXTS(struct me_name, given, 0, DISPLAY_MAX, 10, FIELD_REQUIRED | FIELD_CHARACTERS,
                "Given names.", "Ana"),
    FIELD_TEXT(struct me_name, family, 0, DISPLAY_MAX, FIELD_REQUIRED | FIELD_CHARACTERS,
               "Family name.", "Lima"),
};
FIELD_TABLE(me_name);

static const struct field me_telecom_rows[] = {
    FIELD_TEXT(struct me_telecom, system, 1, 32, FIELD_REQUIRED, "Kind of address.", "email"),
    FIELD_TEXT(struct me_telecom, use, 1, 32, 0, "What it is used for.", "home"),
    FIELD_TEXT(struct me_telecom, value, 1, 254, FIELD_REQUIRED, "The address.", "ana@example.org"),
};
FIELD_TABLE(me_telecom);

static const struct field me_profile_rows[] = {
    FIELD_CHOICE(struct me_profile, resourceType, account_roles, FIELD_REQUIRED,
                 "Role of the user.", "Patient"),
    FIELD_UUID(struct me_profile, id, FIELD_REQUIRED, "The profile."),
    FIELD_OBJECTS(struct me_profile, name, me_name, 10, FIELD_REQUIRED, "Names."),
    FIELD_OBJECTS(struct me_profile, telecom, me_telecom, 10, FIELD_REQUIRED, "Addresses."),
};
FIELD_TABLE(me_profile);

static const struct field me_policy_rows[] = {
    FIELD_CHOICE(struct me_policy, resourceType, policy_type, FIELD_REQUIRED,
                 "Always AccessPolicy.", "AccessPolicy"),
    FIELD_UUID(struct me_policy, id, 0, "The policy; absent for none."),
    FIELD_TEXT(struct me_policy, name, 0, DISPLAY_MAX, FIELD_CHARACTERS, "Its name.",
               "Own documents"),
    FIELD_JSON_LIST(
        struct me_policy, resource, policy_rule, POLICY_JSON_MAX, 0,
        "What it permits; empty for none.",
        "[{\"resourceType\":\"DocumentReference\",\"interaction\":[\"read\",\"search\"]}]"),
};
FIELD_TABLE(me_policy);

static const struct field me_menu_link_rows[] = {
    FIELD_TEXT(struct me_menu_link, name, 0, DISPLAY_MAX, FIELD_REQUIRED | FIELD_CHARACTERS,
               "Name of the entry.", "Documents"),
    FIELD_TEXT(struct me_menu_link, target, 0, DISPLAY_MAX, FIELD_REQUIRED | FIELD_CHARACTERS,
               "Path in the application.", "/documents"),
};
FIELD_TABLE(me_menu_link);

static const struct field me_menu_rows[] = {
    FIELD_TEXT(struct me_menu, title, 0, DISPLAY_MAX, FIELD_REQUIRED | FIELD_CHARACTERS,
               "Heading of the menu.", "Files"),
    FIELD_OBJECTS(struct me_menu, link, me_menu_link, MENU_MAX, FIELD_REQUIRED, "Its entries."),
};
FIELD_TABLE(me_menu);

static const struct field me_config_rows[] = {
    FIELD_CHOICE(struct me_config, resourceType, configuration_type, FIELD_REQUIRED,
                 "Always UserConfiguration.", "UserConfiguration"),
    FIELD_OBJECTS(struct me_config, menu, me_menu, MENU_MAX, 0, "Menus of the user; always empty."),
};
FIELD_TABLE(me_config);

static const struct field session_record_rows[] = {
    FIELD_UUID(struct session_record, id, FIELD_REQUIRED, "The session."),
    FIELD_TIME(struct session_record, lastUpdated, FIELD_REQUIRED, "When it was last renewed."),
    FIELD_TEXT(struct session_record, authMethod, 1, 64, FIELD_REQUIRED, "How the user signed in.",
               "password"),
    FIELD_TEXT(struct session_record, remoteAddress, 0, 64, FIELD_REQUIRED,
               "Address from which the session was begun.", "192.0.2.7"),
    FIELD_TEXT_OR(struct session_record, browser, 0, 128, "\"unknown\"", 0,
                  "Browser by its User-Agent, or unknown.", "Firefox"),
    FIELD_TEXT_OR(struct session_record, os, 0, 128, "\"unknown\"", 0,
                  "Operating system by the User-Agent, or unknown.", "Linux"),
    FIELD_JSON_MAP(struct session_record, client, SESSION_CLIENT_MAX, 0,
                   "The OpenID client that it is a grant of: its id and name. Absent for a "
                   "sign-in, and in GET /auth/me.",
                   "{\"id\":\"0199a0c0-0000-7000-8000-000000000000\",\"name\":\"Growth chart\"}"),
    FIELD_BOOL(struct session_record, current, false, FIELD_REQUIRED,
               "Whether the request came with a token of this session."),
};
FIELD_TABLE(session_record);

static const struct field session_list_rows[] = {
    FIELD_OBJECTS(struct session_list, sessions, session_record, SESSIONS_MAX, FIELD_REQUIRED,
                  "The caller's live sessions."),
};
FIELD_TABLE(session_list);

static const struct field sessions_in_rows[] = {
    FIELD_INT(struct sessions_in, _count, 1, SESSIONS_PAGE_MAX, SESSIONS_PAGE, FIELD_QUERY,
              "Sessions at most.", "20"),
    FIELD_INT(struct sessions_in, _offset, 0, INT32_MAX, 0, FIELD_QUERY, "Sessions to skip.", "0"),
};
FIELD_TABLE(sessions_in);

static const struct field me_security_rows[] = {
    FIELD_BOOL(struct me_security, mfaEnrolled, false, FIELD_REQUIRED,
               "Whether a second factor is asked for."),
    FIELD_BOOL(struct me_security, emailVerified, false, 0,
               "Whether the e-mail address is proven: a mail to it had a link that was used."),
    FIELD_OBJECTS(
        struct me_security, sessions, session_record, SESSIONS_MAX, FIELD_REQUIRED,
        "The caller's live sessions: the newest 20, of which one is always the current one."),
    FIELD_BOOL(struct me_security, moreSessions, false, 0,
               "Whether there are more sessions than that; GET /auth/session lists all."),
};
FIELD_TABLE(me_security);

static const struct field me_out_rows[] = {
    FIELD_OBJECT(struct me_out, project, me_project, FIELD_REQUIRED, "Tenant signed in to."),
    FIELD_OBJECT(struct me_out, membership, me_membership, FIELD_REQUIRED,
                 "The user's place in it."),
    FIELD_OBJECT(struct me_out, profile, me_profile, FIELD_REQUIRED, "Who the user is."),
    FIELD_OBJECT_OR(
        struct me_out, accessPolicy, me_policy, NO_POLICY, 0,
        "What the user may do; without id and rules for a membership without a policy."),
    FIELD_OBJECT(struct me_out, config, me_config, FIELD_REQUIRED, "The user's configuration."),
    FIELD_OBJECT(struct me_out, security, me_security, FIELD_REQUIRED,
                 "Second factor and sessions."),
};
FIELD_TABLE(me_out);

static const struct field sessions_revoke_in_rows[] = {
    FIELD_CHECKED(
        struct sessions_revoke_in, option, 1, 64, check_session_option, FIELD_PATH | FIELD_REQUIRED,
        "current, other (all but the current one), all, or the id of one session.", "other"),
};
FIELD_TABLE(sessions_revoke_in);

/* ---- members and invitations ---- */

static const struct field member_create_in_rows[] = {
    FIELD_EMAIL(
        struct member_create_in, email, FIELD_REQUIRED,
        "Address to invite; a practitioner with a proven address who is a member elsewhere in "
        "the organisation is added at once.",
        "rui@lakeside.example"),
    FIELD_CHECKED(struct member_create_in, firstName, 1, NAME_MAX_LENGTH, name_check,
                  FIELD_REQUIRED | FIELD_CHARACTERS, "Given name.", "Rui"),
    FIELD_CHECKED(struct member_create_in, lastName, 1, NAME_MAX_LENGTH, name_check,
                  FIELD_REQUIRED | FIELD_CHARACTERS, "Family name.", "Costa"),
    FIELD_CHOICE(struct member_create_in, type, account_roles, FIELD_NULLABLE,
                 "As what; Practitioner when absent.", "Practitioner"),
    FIELD_BOOL(struct member_create_in, admin, false, 0,
               "Whether to administer the project; practitioners only."),
    FIELD_PATTERN(struct member_create_in, accessPolicy, 1, REFERENCE_MAX, check_policy_reference,
                  POLICY_REFERENCE_PATTERN, FIELD_NULLABLE,
                  "What to permit; absent: the project's default for the type.",
                  "AccessPolicy/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"),
};
FIELD_TABLE(member_create_in);

static const struct field member_rows[] = {
    FIELD_UUID(struct member, id, FIELD_REQUIRED,
               "The membership; the same before and after the invitation is accepted."),
    FIELD_EMAIL(struct member, email, FIELD_REQUIRED, "Address of the account.",
                "rui@lakeside.example"),
    FIELD_TEXT(struct member, displayName, 0, DISPLAY_MAX, FIELD_REQUIRED | FIELD_CHARACTERS,
               "Both names.", "Rui Costa"),
    FIELD_TEXT(struct member, firstName, 0, DISPLAY_MAX, FIELD_REQUIRED | FIELD_CHARACTERS,
               "Given name.", "Rui"),
    FIELD_TEXT(struct member, lastName, 0, DISPLAY_MAX, FIELD_REQUIRED | FIELD_CHARACTERS,
               "Family name.", "Costa"),
    FIELD_BOOL(struct member, admin, false, FIELD_REQUIRED,
               "Whether the member administers the project."),
    FIELD_CHOICE(struct member, profileType, account_roles, FIELD_REQUIRED, "Role of the member.",
                 "Practitioner"),
    FIELD_UUID(struct member, profileId, FIELD_REQUIRED, "The member's profile in the project."),
    FIELD_BOOL(struct member, pending, false, FIELD_REQUIRED,
               "Invited, and the invitation not accepted yet."),
    FIELD_TIME(struct member, invitedAt, FIELD_NULLABLE,
               "When the member was invited first; null for who never was."),
    FIELD_BOOL(struct member, emailVerified, false, 0,
               "Whether the address is proven, for all organisations or for this one."),
};
FIELD_TABLE(member);

static const struct field members_in_rows[] = {
    FIELD_INT(struct members_in, _count, 1, MEMBERS_MAX, 20, FIELD_QUERY, "Members at most.", "20"),
    FIELD_INT(struct members_in, _offset, 0, INT32_MAX, 0, FIELD_QUERY, "Members to skip.", "0"),
};
FIELD_TABLE(members_in);

static const struct field member_list_rows[] = {
    FIELD_INT(struct member_list, total, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "How many there are, members and invited.", "1"),
    FIELD_OBJECTS(struct member_list, resources, member, MEMBERS_MAX, FIELD_REQUIRED,
                  "In the order in which they came or were invited."),
};
FIELD_TABLE(member_list);

static const struct field member_in_rows[] = {
    FIELD_UUID(struct member_in, id, FIELD_PATH | FIELD_REQUIRED, "The membership."),
};
FIELD_TABLE(member_in);

static const char *const account_states[] = {"active", "locked", "deleting", NULL};
static const char *const account_lockers[] = {"admin", "operator", NULL};

static const struct field project_account_rows[] = {
    FIELD_UUID(struct project_account, id, FIELD_REQUIRED, "The account."),
    FIELD_UUID(struct project_account, membership, FIELD_REQUIRED,
               "Its membership in the project."),
    FIELD_UUID(struct project_account, profileId, FIELD_REQUIRED, "Its profile in the project."),
    FIELD_CHOICE(struct project_account, role, account_roles, FIELD_REQUIRED, "Its role.",
                 "Patient"),
    FIELD_TEXT(struct project_account, email, 1, 254, FIELD_REQUIRED, "Its address.",
               "ana@example.org"),
    FIELD_TEXT(struct project_account, firstName, 0, DISPLAY_MAX, FIELD_REQUIRED | FIELD_CHARACTERS,
               "Given name.", "Ana"),
    FIELD_TEXT(struct project_account, lastName, 0, DISPLAY_MAX, FIELD_REQUIRED | FIELD_CHARACTERS,
               "Family name.", "Lima"),
    FIELD_BOOL(struct project_account, admin, false, FIELD_REQUIRED,
               "Whether it administers the project."),
    FIELD_BOOL(struct project_account, emailVerified, false, FIELD_REQUIRED,
               "Whether the address is proven, for all organisations or for this one."),
    FIELD_JSON_TEXTS(struct project_account, factors, 256, FIELD_REQUIRED,
                     "Kinds of what it signs in with beside its password: `totp`, `passkey`.",
                     "[\"totp\"]"),
    FIELD_CHOICE(struct project_account, state, account_states, FIELD_REQUIRED,
                 "`locked` while it cannot sign in to the project, `deleting` while its deletion "
                 "is scheduled, else `active`.",
                 "active"),
    FIELD_TIME(struct project_account, lockedAt, FIELD_NULLABLE,
               "Since when it is locked; null while it is not."),
    FIELD_CHOICE(struct project_account, lockedBy, account_lockers, FIELD_NULLABLE,
                 "`admin` for this project alone, `operator` for all; null while it is not locked.",
                 "admin"),
    FIELD_TIME(struct project_account, lastSignInAt, FIELD_NULLABLE,
               "When it last signed in to this project; null while that is not known."),
    FIELD_TIME(struct project_account, deletionAt, FIELD_NULLABLE,
               "When it is deleted; null while no deletion is scheduled."),
    FIELD_TIME(struct project_account, memberSince, FIELD_REQUIRED,
               "When it became a member of the project."),
};
FIELD_TABLE(project_account);

static const struct field project_accounts_in_rows[] = {
    FIELD_TEXT(struct project_accounts_in, search, 1, SEARCH_MAX, FIELD_QUERY | FIELD_CHARACTERS,
               "Beginning of the address, of both names or of the family name; capitals do not "
               "matter.",
               "ana"),
    FIELD_CHOICE(struct project_accounts_in, role, account_roles, FIELD_QUERY, "Only this role.",
                 "Patient"),
    FIELD_CHOICE(struct project_accounts_in, state, account_states, FIELD_QUERY,
                 "Only in this state.", "locked"),
    FIELD_TEXT(struct project_accounts_in, _cursor, 1, CURSOR_MAX, FIELD_QUERY,
               "`next` of the page before, with the same other parameters; good for a day.",
               "kP3vX9r2fQ7Yw0bT9s4KfVqLh8dRzJ1oNeA5mZ6tUcE"),
    FIELD_INT(struct project_accounts_in, _count, 1, MEMBERS_MAX, 50, FIELD_QUERY,
              "Accounts at most.", "50"),
};
FIELD_TABLE(project_accounts_in);

static const struct field project_account_list_rows[] = {
    FIELD_OBJECTS(struct project_account_list, resources, project_account, MEMBERS_MAX,
                  FIELD_REQUIRED,
                  "By address or name where these are searched, else in an order that stays. There "
                  "may be fewer than asked for although the list goes on."),
    FIELD_TEXT(struct project_account_list, next, 1, CURSOR_MAX, FIELD_NULLABLE,
               "`_cursor` of the next page; null where the list ends.",
               "kP3vX9r2fQ7Yw0bT9s4KfVqLh8dRzJ1oNeA5mZ6tUcE"),
};
FIELD_TABLE(project_account_list);

static const struct field project_account_in_rows[] = {
    FIELD_UUID(struct project_account_in, id, FIELD_PATH | FIELD_REQUIRED, "The account."),
};
FIELD_TABLE(project_account_in);

static const struct field project_account_act_in_rows[] = {
    FIELD_UUID(struct project_account_act_in, id, FIELD_PATH | FIELD_REQUIRED, "The account."),
    FIELD_CHECKED(struct project_account_act_in, reason, 1, REASON_MAX, name_check,
                  FIELD_REQUIRED | FIELD_CHARACTERS, "Why; it is kept in the audit trail.",
                  "Ticket 4711: phone lost"),
};
FIELD_TABLE(project_account_act_in);

static const struct field project_account_delete_in_rows[] = {
    FIELD_UUID(struct project_account_delete_in, id, FIELD_PATH | FIELD_REQUIRED, "The account."),
    FIELD_CHECKED(struct project_account_delete_in, reason, 1, REASON_MAX, name_check,
                  FIELD_REQUIRED | FIELD_CHARACTERS, "Why; it is kept in the audit trail.",
                  "Ticket 4711: asked for by phone"),
    FIELD_INT(struct project_account_delete_in, days, 1, DELETION_DAYS_MAX, DELETION_DAYS,
              FIELD_NULLABLE, "From now until the deletion.", "30"),
    FIELD_BOOL(struct project_account_delete_in, wipe, false, FIELD_NULLABLE,
               "Erase what the account owns, its documents for example, too."),
};
FIELD_TABLE(project_account_delete_in);

static const struct field project_account_sessions_in_rows[] = {
    FIELD_UUID(struct project_account_sessions_in, id, FIELD_PATH | FIELD_REQUIRED, "The account."),
    FIELD_TEXT(struct project_account_sessions_in, _cursor, 1, CURSOR_MAX, FIELD_QUERY,
               "`next` of the page before; good for a day.",
               "kP3vX9r2fQ7Yw0bT9s4KfVqLh8dRzJ1oNeA5mZ6tUcE"),
    FIELD_INT(struct project_account_sessions_in, _count, 1, MEMBERS_MAX, 50, FIELD_QUERY,
              "Sessions at most.", "50"),
};
FIELD_TABLE(project_account_sessions_in);

static const struct field project_account_session_list_rows[] = {
    FIELD_OBJECTS(struct project_account_session_list, resources, session_record, MEMBERS_MAX,
                  FIELD_REQUIRED, "Live sessions in the project, the newest first."),
    FIELD_TEXT(struct project_account_session_list, next, 1, CURSOR_MAX, FIELD_NULLABLE,
               "`_cursor` of the next page; null where the list ends.",
               "kP3vX9r2fQ7Yw0bT9s4KfVqLh8dRzJ1oNeA5mZ6tUcE"),
};
FIELD_TABLE(project_account_session_list);

static const struct field project_account_explain_in_rows[] = {
    FIELD_UUID(struct project_account_explain_in, id, FIELD_PATH | FIELD_REQUIRED, "The account."),
    FIELD_TEXT(struct project_account_explain_in, address, 1, 64, FIELD_QUERY,
               "Address that the sign-in comes from.", "192.0.2.7"),
};
FIELD_TABLE(project_account_explain_in);

static const struct field member_patch_in_rows[] = {
    FIELD_UUID(struct member_patch_in, id, FIELD_PATH | FIELD_REQUIRED, "The membership."),
    FIELD_BOOL(struct member_patch_in, admin, false, FIELD_REQUIRED,
               "Whether to administer the project, from the next request on; false for patients."),
};
FIELD_TABLE(member_patch_in);

/* ---- API keys ---- */

enum { API_KEY_DAYS_MAX = 365, API_KEY_ADDRESSES_MAX = 32, API_KEY_SIZE_MAX = 64 };

static const struct field api_keys_in_rows[] = {
    FIELD_TEXT(struct api_keys_in, _cursor, 1, CURSOR_MAX, FIELD_QUERY,
               "`next` of the page before; good for a day.",
               "kP3vX9r2fQ7Yw0bT9s4KfVqLh8dRzJ1oNeA5mZ6tUcE"),
    FIELD_INT(struct api_keys_in, _count, 1, MEMBERS_MAX, 50, FIELD_QUERY, "Keys at most.", "50"),
};
FIELD_TABLE(api_keys_in);

static const struct field api_key_create_in_rows[] = {
    FIELD_CHECKED(struct api_key_create_in, name, 1, 200, name_check,
                  FIELD_REQUIRED | FIELD_CHARACTERS, "What it is for.", "Laboratory import"),
    FIELD_TEXT(struct api_key_create_in, accessPolicy, 1, 128, FIELD_REQUIRED,
               "What it may do: a policy of the project.",
               "AccessPolicy/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"),
    FIELD_INT(struct api_key_create_in, days, 1, API_KEY_DAYS_MAX, 90, 0, "Days until it expires.",
              "90"),
    FIELD_TEXTS(struct api_key_create_in, addresses, 1, API_KEY_NETWORK_MAX, API_KEY_ADDRESSES_MAX,
                0, "Networks from which it may be used; absent or empty: any.", "192.0.2.0/24"),
};
FIELD_TABLE(api_key_create_in);

static const struct field api_key_id_in_rows[] = {
    FIELD_UUID(struct api_key_id_in, id, FIELD_PATH | FIELD_REQUIRED, "The key."),
};
FIELD_TABLE(api_key_id_in);

static const struct field api_key_rows[] = {
    FIELD_UUID(struct api_key, id, FIELD_REQUIRED, "Identifier of the key."),
    FIELD_TEXT(struct api_key, name, 1, 200, FIELD_REQUIRED | FIELD_CHARACTERS, "What it is for.",
               "Laboratory import"),
    FIELD_TEXT(struct api_key, accessPolicy, 1, 128, FIELD_REQUIRED, "What it may do.",
               "AccessPolicy/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"),
    FIELD_JSON_TEXTS(struct api_key, addresses, 8192, FIELD_REQUIRED,
                     "Networks from which it may be used; empty: any.", "[\"192.0.2.0/24\"]"),
    FIELD_TIME(struct api_key, createdAt, FIELD_REQUIRED, "When it was made."),
    FIELD_TIME(struct api_key, expiresAt, FIELD_REQUIRED, "From when on it is refused."),
    FIELD_TIME(struct api_key, lastUsedAt, FIELD_NULLABLE,
               "When it was used last, at most an hour too early; null: never."),
    FIELD_TEXT(struct api_key, createdBy, 1, REFERENCE_MAX, FIELD_REQUIRED,
               "Profile of the administrator who made it.",
               "Practitioner/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"),
    FIELD_TEXT(struct api_key, createdByName, 0, DISPLAY_MAX, FIELD_NULLABLE,
               "Name of that person; null once they are no member of the project.", "Ana Lima"),
    FIELD_TEXT(struct api_key, key, 1, API_KEY_SIZE_MAX, FIELD_SECRET,
               "The key itself. It is shown this once and stored nowhere.",
               "atk_kP3vX9r2fQ7Yw0bT9s4KfVqLh8dRzJ1oNeA5mZ6tUcE"),
};
FIELD_TABLE(api_key);

static const struct field api_key_list_rows[] = {
    FIELD_OBJECTS(struct api_key_list, resources, api_key, MEMBERS_MAX, FIELD_REQUIRED,
                  "Keys of the project, the oldest first."),
    FIELD_TEXT(struct api_key_list, next, 1, CURSOR_MAX, FIELD_NULLABLE,
               "`_cursor` of the next page; null where the list ends.",
               "kP3vX9r2fQ7Yw0bT9s4KfVqLh8dRzJ1oNeA5mZ6tUcE"),
};
FIELD_TABLE(api_key_list);

static const struct field api_key_find_in_rows[] = {
    FIELD_BYTES(struct api_key_find_in, hash, SECRET_HASH_SIZE, FIELD_REQUIRED, "Of the key."),
};
FIELD_TABLE(api_key_find_in);

static const struct field api_key_found_rows[] = {
    FIELD_UUID(struct api_key_found, project, FIELD_REQUIRED, "Project of the key."),
    FIELD_UUID(struct api_key_found, id, FIELD_REQUIRED, "The key."),
    FIELD_INT(struct api_key_found, expiresAt, 0, INT64_MAX, 0, FIELD_REQUIRED, "Until when.", "0"),
};
FIELD_TABLE(api_key_found);

static const struct field api_key_get_in_rows[] = {
    FIELD_UUID(struct api_key_get_in, project, FIELD_REQUIRED, "Project of the key."),
    FIELD_UUID(struct api_key_get_in, id, FIELD_REQUIRED, "The key."),
};
FIELD_TABLE(api_key_get_in);

static const struct field api_key_rights_rows[] = {
    FIELD_TEXT(struct api_key_rights, name, 1, 1200, FIELD_REQUIRED, "Its name.", "Import"),
    FIELD_UUID(struct api_key_rights, policy, FIELD_REQUIRED, "Its access policy."),
    FIELD_TEXT(struct api_key_rights, addressRules, 0, 16384, 0, "From where it may be used.",
               "[]"),
    FIELD_INT(struct api_key_rights, expiresAt, 0, INT64_MAX, 0, FIELD_REQUIRED, "Until when.",
              "0"),
};
FIELD_TABLE(api_key_rights);

static const struct field operator_api_keys_in_rows[] = {
    FIELD_TEXT(struct operator_api_keys_in, tenantCode, 1, TENANT_CODE_MAX, FIELD_REQUIRED,
               "Where.", "demo"),
};
FIELD_TABLE(operator_api_keys_in);

static const struct field operator_api_key_in_rows[] = {
    FIELD_TEXT(struct operator_api_key_in, tenantCode, 1, TENANT_CODE_MAX, FIELD_REQUIRED, "Where.",
               "demo"),
    FIELD_UUID(struct operator_api_key_in, id, FIELD_REQUIRED, "The key."),
};
FIELD_TABLE(operator_api_key_in);

#define SERVICE authd
#define SERVICE_OPERATIONS OPERATION_METHODS
#include "common/bus/operations.def"
