/*
 * sign_in_api.c - shapes of registration, sign-in and refresh. See authd_api.c.
 */
#include "authd/signin/sign_in_api.h"

#include <stdio.h>
#include <string.h>

#include "authd/credential/pkce.h"
#include "authd/page/page_api.h"
#include "authd/passkey/passkey_api.h"
#include "authd/shape_api.h"
#include "common/domain/name.h"
#include "common/domain/reference.h"

enum {
    CLIENT_PASSWORD_MAX = 128, /* characters, for /v2/auth/login and /auth/register */
    TOKEN_MAX = 4096,          /* access tokens */
    TENANTS_MAX = 1000,
};

static const char *const login_steps[] = {"token", "mfa", NULL};
static const char *const token_step[] = {"token", NULL};
static const char *const mfa_step[] = {"mfa", NULL};
static const char *const code_steps[] = {"code", NULL};
static const char *const register_steps[] = {"clinician-invite", "verify-email", NULL};
static const char *const token_types[] = {"Bearer", NULL};

/* For OpenAPI. */
#define EXAMPLE_TOKEN "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJQYXRpZW50In0.c2lnbmF0dXJl"

#define CODE_PATTERN "^[0-9]{6}$"

static int check_digits(const char *value, char why[static 96])
{
    if (value[strspn(value, "0123456789")] == '\0')
        return 0;
    snprintf(why, 96, "must contain only digits");
    return -1;
}

/* For inputs with which a page makes a session. */
#define COOKIE_ROW(s)                                                        \
    FIELD_TEXT(s, cookie, 1, PAGE_COOKIE_MAX, FIELD_INTERNAL | FIELD_SECRET, \
               "The browser's next cookie.", "")

static const struct field patient_register_in_rows[] = {
    FIELD_EMAIL(struct patient_register_in, email, FIELD_REQUIRED,
                "Email address to sign in with; stored in lower case.", "ana@example.org"),
    FIELD_TEXT(struct patient_register_in, password, 1, NEW_PASSWORD_MAX,
               FIELD_REQUIRED | FIELD_SECRET,
               "The new password, subject to the project's password rules.", EXAMPLE_PASSWORD),
    FIELD_CHECKED(struct patient_register_in, name, 1, NAME_MAX_LENGTH, name_check,
                  FIELD_REQUIRED | FIELD_CHARACTERS, "Given name.", "Ana"),
    FIELD_CHECKED(struct patient_register_in, surname, 1, NAME_MAX_LENGTH, name_check,
                  FIELD_REQUIRED | FIELD_CHARACTERS, "Family name.", "Lima"),
    FIELD_TEXT(struct patient_register_in, tenantCode, 1, TENANT_CODE_MAX, FIELD_REQUIRED,
               "Tenant code of the project to join.", "demo"),
    FIELD_TEXT(
        struct patient_register_in, continueAsPatientToken, 0, TOKEN_MAX,
        FIELD_NULLABLE | FIELD_SECRET,
        "Token from the link that lets an invited practitioner register as a patient instead.", ""),
    COOKIE_ROW(struct patient_register_in),
};
FIELD_TABLE(patient_register_in);

static const struct field practitioner_register_in_rows[] = {
    FIELD_EMAIL(struct practitioner_register_in, email, FIELD_REQUIRED,
                "Email address to sign in with; stored in lower case.", "rui@lakeside.example"),
    FIELD_TEXT(struct practitioner_register_in, password, 1, NEW_PASSWORD_MAX,
               FIELD_REQUIRED | FIELD_SECRET,
               "The new password, subject to the project's password rules.", EXAMPLE_PASSWORD),
    FIELD_CHECKED(struct practitioner_register_in, name, 1, NAME_MAX_LENGTH, name_check,
                  FIELD_REQUIRED | FIELD_CHARACTERS, "Given name.", "Rui"),
    FIELD_CHECKED(struct practitioner_register_in, surname, 1, NAME_MAX_LENGTH, name_check,
                  FIELD_REQUIRED | FIELD_CHARACTERS, "Family name.", "Costa"),
    FIELD_TEXT(struct practitioner_register_in, tenantCode, 1, TENANT_CODE_MAX, FIELD_REQUIRED,
               "Tenant code of the project to join.", "demo"),
    COOKIE_ROW(struct practitioner_register_in),
};
FIELD_TABLE(practitioner_register_in);

static const struct field patient_login_start_in_rows[] = {
    FIELD_EMAIL(struct patient_login_start_in, email, FIELD_REQUIRED,
                "Email address of the account.", "ana@example.org"),
    FIELD_TEXT(struct patient_login_start_in, password, 0, ANY_PASSWORD_MAX,
               FIELD_REQUIRED | FIELD_SECRET, "Password of the account.", EXAMPLE_PASSWORD),
    FIELD_TEXT(struct patient_login_start_in, tenantCode, 1, TENANT_CODE_MAX, FIELD_REQUIRED,
               "Tenant code of the project to sign in to.", "demo"),
    FIELD_PATTERN(
        struct patient_login_start_in, codeChallenge, 43, 43, shape_check_base64url,
        CHALLENGE_PATTERN, FIELD_REQUIRED,
        "PKCE challenge (S256): base64url of the SHA-256 of a verifier that stays in the client.",
        "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"),
};
FIELD_TABLE(patient_login_start_in);

static const struct field practitioner_login_start_in_rows[] = {
    FIELD_EMAIL(struct practitioner_login_start_in, email, FIELD_REQUIRED,
                "Email address of the account.", "rui@lakeside.example"),
    FIELD_TEXT(struct practitioner_login_start_in, password, 0, ANY_PASSWORD_MAX,
               FIELD_REQUIRED | FIELD_SECRET, "Password of the account.", EXAMPLE_PASSWORD),
    FIELD_TEXT(struct practitioner_login_start_in, tenantCode, 1, TENANT_CODE_MAX, FIELD_NULLABLE,
               "Tenant code of the project to sign in to. If absent, the response lists the "
               "projects to choose from.",
               "demo"),
    FIELD_PATTERN(
        struct practitioner_login_start_in, codeChallenge, 43, 43, shape_check_base64url,
        CHALLENGE_PATTERN, FIELD_REQUIRED,
        "PKCE challenge (S256): base64url of the SHA-256 of a verifier that stays in the client.",
        "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"),
};
FIELD_TABLE(practitioner_login_start_in);

/* Members of both roles' inputs. `s`: the struct. */
#define LOGIN_TOKEN_ROWS(s)                                                                       \
    FIELD_TEXT(s, sessionCode, 1, CODE_MAX, FIELD_REQUIRED | FIELD_SECRET,                        \
               "Session code from the previous step; valid once.", EXAMPLE_CODE),                 \
        FIELD_PATTERN(s, codeVerifier, PKCE_VERIFIER_MIN, PKCE_VERIFIER_MAX, pkce_verifier_check, \
                      VERIFIER_PATTERN, FIELD_REQUIRED | FIELD_SECRET,                            \
                      "PKCE verifier that matches the `codeChallenge` of the first step.",        \
                      EXAMPLE_VERIFIER),                                                          \
        COOKIE_ROW(s)

static const struct field patient_login_token_in_rows[] = {
    LOGIN_TOKEN_ROWS(struct patient_login_token_in),
};
FIELD_TABLE(patient_login_token_in);

static const struct field practitioner_login_token_in_rows[] = {
    LOGIN_TOKEN_ROWS(struct practitioner_login_token_in),
    FIELD_TEXT(struct practitioner_login_token_in, tenantCode, 1, TENANT_CODE_MAX, FIELD_NULLABLE,
               "Tenant code of the project to sign in to; required if there are several.", "demo"),
};
FIELD_TABLE(practitioner_login_token_in);

static const struct field login_mfa_in_rows[] = {
    FIELD_UUID(
        struct login_mfa_in, loginId, FIELD_REQUIRED,
        "The sign-in that waits for the second factor; valid for five minutes and five codes.",
        "019b2f7a-90c4-7d18-b6e5-2a7f0c3d9e41"),
    FIELD_TEXT(struct login_mfa_in, mfaToken, MFA_TOKEN_MIN, MFA_TOKEN_MAX,
               FIELD_SECRET | FIELD_CHARACTERS,
               "Six-digit code from the authenticator, or a recovery code; each is valid once. "
               "Send either `mfaToken` or `credential`.",
               "123456"),
    FIELD_OBJECT(
        struct login_mfa_in, credential, passkey_credential, 0,
        "A passkey's response to the challenge from `login/mfa/start`, instead of `mfaToken`.", ""),
};
FIELD_TABLE(login_mfa_in);

static const struct field login_mfa_start_in_rows[] = {
    FIELD_UUID(struct login_mfa_start_in, loginId, FIELD_REQUIRED,
               "The sign-in that waits for the second factor.",
               "019b2f7a-90c4-7d18-b6e5-2a7f0c3d9e41"),
};
FIELD_TABLE(login_mfa_start_in);

static const struct field code_start_in_rows[] = {
    FIELD_EMAIL(struct code_start_in, email, FIELD_REQUIRED, "Email address of the account.",
                "ana@example.org"),
    FIELD_TEXT(struct code_start_in, tenantCode, 1, TENANT_CODE_MAX, FIELD_REQUIRED,
               "Tenant code of the project to sign in to.", "demo"),
    FIELD_PATTERN(
        struct code_start_in, codeChallenge, 43, 43, shape_check_base64url, CHALLENGE_PATTERN,
        FIELD_REQUIRED,
        "PKCE challenge (S256): base64url of the SHA-256 of a verifier that stays in the client.",
        "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"),
};
FIELD_TABLE(code_start_in);

static const struct field code_step_rows[] = {
    FIELD_CHOICE(struct code_step, nextStep, code_steps, FIELD_REQUIRED,
                 "Always `code`: send the emailed code next.", "code"),
    FIELD_UUID(struct code_step, loginId, FIELD_REQUIRED,
               "The sign-in that waits for the emailed code.",
               "019b2f7a-90c4-7d18-b6e5-2a7f0c3d9e41"),
};
FIELD_TABLE(code_step);

static const struct field login_code_in_rows[] = {
    FIELD_UUID(struct login_code_in, loginId, FIELD_REQUIRED,
               "The sign-in that waits for the emailed code; valid for ten minutes and five codes.",
               "019b2f7a-90c4-7d18-b6e5-2a7f0c3d9e41"),
    FIELD_PATTERN(struct login_code_in, code, 6, 6, check_digits, CODE_PATTERN,
                  FIELD_REQUIRED | FIELD_SECRET, "Six-digit code from the email; valid once.",
                  "482913"),
};
FIELD_TABLE(login_code_in);

static const struct field client_login_in_rows[] = {
    FIELD_EMAIL(struct client_login_in, email, FIELD_REQUIRED, "Email address of the account.",
                "ana@example.org"),
    FIELD_TEXT(struct client_login_in, password, 1, CLIENT_PASSWORD_MAX,
               FIELD_REQUIRED | FIELD_SECRET | FIELD_CHARACTERS, "Password of the account.",
               EXAMPLE_PASSWORD),
    FIELD_UUID(struct client_login_in, clientId, FIELD_REQUIRED,
               "ID of a client application of the project to sign in to.",
               "019a5c1e-7d3b-7c56-9a6e-0f5d2f8b6c12"),
    FIELD_PATTERN(struct client_login_in, codeChallenge, 43, 43, shape_check_base64url,
                  CHALLENGE_PATTERN, FIELD_NULLABLE,
                  "PKCE challenge (S256), as in the tenant sign-in. Send it so that accounts with "
                  "a second factor can continue there.",
                  "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"),
};
FIELD_TABLE(client_login_in);

static const struct field client_register_in_rows[] = {
    FIELD_EMAIL(struct client_register_in, email, FIELD_REQUIRED,
                "Email address to sign in with; stored in lower case.", "ana@example.org"),
    FIELD_TEXT(struct client_register_in, password, 1, CLIENT_PASSWORD_MAX,
               FIELD_REQUIRED | FIELD_SECRET | FIELD_CHARACTERS,
               "The new password, subject to the project's password rules.", EXAMPLE_PASSWORD),
    FIELD_UUID(struct client_register_in, clientId, FIELD_REQUIRED,
               "ID of a client application of the project to join.",
               "019a5c1e-7d3b-7c56-9a6e-0f5d2f8b6c12"),
    FIELD_ENUM(struct client_register_in, type, role, account_roles, FIELD_NULLABLE,
               "Role of the new account; the default is `Patient`.", "Patient"),
    FIELD_CHECKED(struct client_register_in, name, 1, NAME_MAX_LENGTH, name_check,
                  FIELD_REQUIRED | FIELD_CHARACTERS, "Given name.", "Ana"),
    FIELD_CHECKED(struct client_register_in, surname, 1, NAME_MAX_LENGTH, name_check,
                  FIELD_REQUIRED | FIELD_CHARACTERS, "Family name.", "Lima"),
};
FIELD_TABLE(client_register_in);

static const struct field b2b_login_in_rows[] = {
    FIELD_EMAIL(struct b2b_login_in, email, FIELD_REQUIRED, "Email address of the account.",
                "rui@lakeside.example"),
    FIELD_TEXT(struct b2b_login_in, password, 0, ANY_PASSWORD_MAX, FIELD_REQUIRED | FIELD_SECRET,
               "Password of the account.", EXAMPLE_PASSWORD),
    FIELD_UUID(struct b2b_login_in, clientId, FIELD_REQUIRED,
               "ID of a client application of that project.",
               "019a5c1e-7d3b-7c56-9a6e-0f5d2f8b6c12"),
    FIELD_UUID(struct b2b_login_in, tenantId, FIELD_REQUIRED,
               "ID of the project to sign in to. A member of exactly one of its child projects, "
               "and not of the project itself, is signed in to that child project.",
               "0199a0c0-4b1e-7f20-8d35-6c1a9e4f7b02"),
    FIELD_PATTERN(struct b2b_login_in, codeChallenge, 43, 43, shape_check_base64url,
                  CHALLENGE_PATTERN, FIELD_NULLABLE,
                  "PKCE challenge (S256), as in the tenant sign-in. Send it so that accounts with "
                  "a second factor can continue there.",
                  "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"),
};
FIELD_TABLE(b2b_login_in);

static const struct field b2b_register_in_rows[] = {
    FIELD_EMAIL(struct b2b_register_in, email, FIELD_REQUIRED,
                "Email address to sign in with; stored in lower case.", "rui@lakeside.example"),
    FIELD_TEXT(struct b2b_register_in, password, 1, NEW_PASSWORD_MAX, FIELD_REQUIRED | FIELD_SECRET,
               "The new password, subject to the project's password rules.", EXAMPLE_PASSWORD),
    FIELD_CHECKED(struct b2b_register_in, name, 1, NAME_MAX_LENGTH, name_check,
                  FIELD_REQUIRED | FIELD_CHARACTERS, "Given name.", "Rui"),
    FIELD_CHECKED(struct b2b_register_in, surname, 1, NAME_MAX_LENGTH, name_check,
                  FIELD_REQUIRED | FIELD_CHARACTERS, "Family name.", "Costa"),
    FIELD_UUID(struct b2b_register_in, tenantId, FIELD_REQUIRED, "ID of the project to join.",
               "0199a0c0-4b1e-7f20-8d35-6c1a9e4f7b02"),
    FIELD_UUID(struct b2b_register_in, clientId, FIELD_REQUIRED,
               "ID of a client application of that project.",
               "019a5c1e-7d3b-7c56-9a6e-0f5d2f8b6c12"),
};
FIELD_TABLE(b2b_register_in);

static const struct field login_tenant_rows[] = {
    FIELD_TEXT_OR(struct login_tenant, tenantCode, 1, TENANT_CODE_MAX, "\"\"", 0,
                  "Tenant code for the token step; empty if the project has none.", "demo"),
    FIELD_OBJECT(struct login_tenant, project, reference, FIELD_REQUIRED,
                 "The project, as a reference.",
                 "{\"reference\":\"Project/"
                 "0199a0c0-4b1e-7f20-8d35-6c1a9e4f7b02\",\"display\":\"Lakeside Clinic\"}"),
    FIELD_OBJECT(struct login_tenant, profile, reference, FIELD_REQUIRED,
                 "The person's profile in the project."),
};
FIELD_TABLE(login_tenant);

/* Both shapes, for OpenAPI. */
static const struct field login_challenge_rows[] = {
    FIELD_CHOICE(struct login_step, nextStep, token_step, FIELD_REQUIRED,
                 "Always `token`: exchange the session code for tokens next.", "token"),
    FIELD_TEXT(struct login_step, sessionCode, 1, CODE_MAX, FIELD_REQUIRED | FIELD_SECRET,
               "One-time code to exchange for tokens within five minutes.", EXAMPLE_CODE),
    FIELD_OBJECTS(struct login_step, tenants, login_tenant, TENANTS_MAX, FIELD_OMIT_EMPTY,
                  "Projects that the person can sign in to."),
};
FIELD_VARIANT(login_challenge, struct login_step);

static const struct field login_mfa_challenge_rows[] = {
    FIELD_CHOICE(struct login_step, nextStep, mfa_step, FIELD_REQUIRED,
                 "Always `mfa`: send a second factor next.", "mfa"),
    FIELD_UUID(struct login_step, loginId, FIELD_REQUIRED,
               "The sign-in that waits for the second factor.",
               "019b2f7a-90c4-7d18-b6e5-2a7f0c3d9e41", "019b2f7a-90c4-7d18-b6e5-2a7f0c3d9e41"),
};
FIELD_VARIANT(login_mfa_challenge, struct login_step);

static const struct field login_step_rows[] = {
    FIELD_CHOICE(struct login_step, nextStep, login_steps, FIELD_REQUIRED,
                 "token: exchange the session code; mfa: show a second factor first.", "token"),
    FIELD_TEXT(
        struct login_step, sessionCode, 1, CODE_MAX, FIELD_SECRET,
        "If `nextStep` is `token`: one-time code to exchange for tokens within five minutes.",
        EXAMPLE_CODE),
    FIELD_UUID(struct login_step, loginId, 0,
               "If `nextStep` is `mfa`: the sign-in that waits for the second factor."),
    FIELD_OBJECTS(struct login_step, tenants, login_tenant, TENANTS_MAX, FIELD_OMIT_EMPTY,
                  "Projects that the person can sign in to."),
};
FIELD_TABLE_ONE_OF(login_step, &login_challenge_table, &login_mfa_challenge_table);

static const struct field token_response_rows[] = {
    FIELD_TEXT(struct token_response, accessToken, 1, TOKEN_MAX, FIELD_REQUIRED | FIELD_SECRET,
               "JWT for the header `Authorization: Bearer <accessToken>`.", EXAMPLE_TOKEN),
    FIELD_TEXT(struct token_response, refreshToken, 1, CODE_MAX, FIELD_REQUIRED | FIELD_SECRET,
               "Gets new tokens at `POST /auth/refresh-token`, where its name is `refresh_token`. "
               "Each use replaces it.",
               EXAMPLE_CODE),
    FIELD_INT(struct token_response, expiresIn, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "Seconds until the access token expires.", "3600"),
    FIELD_OBJECT(struct token_response, project, reference, FIELD_REQUIRED,
                 "The project, as a reference.",
                 "{\"reference\":\"Project/"
                 "0199a0c0-4b1e-7f20-8d35-6c1a9e4f7b02\",\"display\":\"Lakeside Clinic\"}"),
    FIELD_OBJECT(struct token_response, profile, reference, FIELD_REQUIRED,
                 "The user's profile in the project."),
};
FIELD_TABLE(token_response);

static const struct field register_step_rows[] = {
    FIELD_CHOICE(struct token_or_step, nextStep, register_steps, FIELD_REQUIRED,
                 "Which email was sent instead of signing in: `clinician-invite`, an invitation as "
                 "a practitioner; `verify-email`, the link that verifies the address.",
                 "clinician-invite"),
};
FIELD_VARIANT(register_step, struct token_or_step);

static const struct field token_or_step_rows[] = {
    FIELD_CHOICE(struct token_or_step, nextStep, register_steps, 0,
                 "The only member if an email must be answered before signing in: an invitation, "
                 "or a link that verifies the address.",
                 "clinician-invite"),
    FIELD_TEXT(struct token_or_step, accessToken, 1, TOKEN_MAX, FIELD_SECRET,
               "JWT for the header `Authorization: Bearer <accessToken>`.", EXAMPLE_TOKEN),
    FIELD_TEXT(struct token_or_step, refreshToken, 1, CODE_MAX, FIELD_SECRET,
               "Gets new tokens at `POST /auth/refresh-token`, where its name is `refresh_token`. "
               "Each use replaces it.",
               EXAMPLE_CODE),
    FIELD_INT(struct token_or_step, expiresIn, 0, INT64_MAX, 0, FIELD_OMIT_ZERO,
              "Seconds until the access token expires.", "3600"),
    FIELD_OBJECT(struct token_or_step, project, reference, 0, "The project, as a reference.",
                 "{\"reference\":\"Project/"
                 "0199a0c0-4b1e-7f20-8d35-6c1a9e4f7b02\",\"display\":\"Lakeside Clinic\"}"),
    FIELD_OBJECT(struct token_or_step, profile, reference, 0, "The user's profile in the project."),
};
FIELD_TABLE_ONE_OF(token_or_step, &token_response_table, &register_step_table);

static const struct field refresh_token_in_rows[] = {
    FIELD_TEXT(struct refresh_token_in, refresh_token, 1, CODE_MAX, FIELD_REQUIRED | FIELD_SECRET,
               "The session's current refresh token: `refreshToken` of a sign-in, or "
               "`refresh_token` of the last refresh.",
               EXAMPLE_CODE),
};
FIELD_TABLE(refresh_token_in);

static const struct field refresh_token_out_rows[] = {
    FIELD_TEXT(struct refresh_token_out, access_token, 1, TOKEN_MAX, FIELD_REQUIRED | FIELD_SECRET,
               "JWT for the header `Authorization: Bearer <accessToken>`.", EXAMPLE_TOKEN),
    FIELD_TEXT(struct refresh_token_out, refresh_token, 1, CODE_MAX, FIELD_REQUIRED | FIELD_SECRET,
               "New refresh token, which replaces the one you sent.", EXAMPLE_CODE),
    FIELD_INT(struct refresh_token_out, expires_in, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "Seconds until the access token expires.", "3600"),
    FIELD_CHOICE(struct refresh_token_out, token_type, token_types, FIELD_REQUIRED,
                 "Always `Bearer`.", "Bearer"),
};
FIELD_TABLE(refresh_token_out);
