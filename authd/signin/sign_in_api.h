/*
 * sign_in_api.h - registration, sign-in and refresh.
 */
#ifndef ATRIUM_AUTHD_SIGNIN_SIGN_IN_API_H
#define ATRIUM_AUTHD_SIGNIN_SIGN_IN_API_H

#include "common/domain/role.h"
#include "common/wire/fields.h"

struct patient_register_in {
    const char *email, *password, *name, *surname, *tenantCode, *continueAsPatientToken;
    const char *cookie; /* for pages: the browser's next cookie; NULL: a client */
};
FIELD_DECLARE(patient_register_in);

struct practitioner_register_in {
    const char *email, *password, *name, *surname, *tenantCode;
    const char *cookie;
};
FIELD_DECLARE(practitioner_register_in);

struct patient_login_start_in {
    const char *email, *password, *tenantCode, *codeChallenge;
};
FIELD_DECLARE(patient_login_start_in);

struct practitioner_login_start_in {
    const char *email, *password, *tenantCode /* optional */, *codeChallenge;
};
FIELD_DECLARE(practitioner_login_start_in);

struct patient_login_token_in {
    const char *sessionCode, *codeVerifier;
    const char *cookie; /* for pages: the browser's next cookie; NULL: a client */
};
FIELD_DECLARE(patient_login_token_in);

struct practitioner_login_token_in {
    const char *sessionCode, *codeVerifier, *tenantCode /* optional */;
    const char *cookie;
};
FIELD_DECLARE(practitioner_login_token_in);

struct login_mfa_in {
    struct uuid loginId;
    const char *mfaToken;                        /* six digits or a recovery code */
    const struct passkey_credential *credential; /* instead of a code */
};
FIELD_DECLARE(login_mfa_in);

struct login_mfa_start_in {
    struct uuid loginId;
};
FIELD_DECLARE(login_mfa_start_in);

struct code_start_in {
    const char *email, *tenantCode, *codeChallenge;
};
FIELD_DECLARE(code_start_in);

struct code_step {
    const char *nextStep; /* "code" */
    struct uuid loginId;
};
FIELD_DECLARE(code_step);

struct login_code_in {
    struct uuid loginId;
    const char *code; /* six digits */
};
FIELD_DECLARE(login_code_in);

/* Input of the one-step routes. `codeChallenge` (optional) starts the tenant sign-in if the account
 * has a second factor. `clientId`: a project's application. */
struct client_login_in {
    const char *email, *password, *codeChallenge;
    struct uuid clientId;
};
FIELD_DECLARE(client_login_in);

struct client_register_in {
    const char *email, *password, *name, *surname;
    enum role type; /* ROLE_NONE: a patient */
    struct uuid clientId;
};
FIELD_DECLARE(client_register_in);

struct b2b_login_in {
    const char *email, *password, *codeChallenge;
    struct uuid clientId, tenantId; /* `tenantId`: the client's project */
};
FIELD_DECLARE(b2b_login_in);

struct b2b_register_in {
    const char *email, *password, *name, *surname;
    struct uuid clientId, tenantId;
};
FIELD_DECLARE(b2b_register_in);

struct login_tenant {
    const char *tenantCode;
    const struct reference *project, *profile;
};
FIELD_DECLARE(login_tenant);

struct login_step {
    const char *nextStep;      /* "token" or "mfa" */
    const char *sessionCode;   /* if "token" */
    struct uuid loginId;       /* if "mfa" */
    struct field_list tenants; /* struct login_tenant; practitioners have at least one */
};
FIELD_DECLARE(login_step);

struct token_response {
    const char *accessToken, *refreshToken;
    int64_t expiresIn; /* seconds */
    const struct reference *project, *profile;
};
FIELD_DECLARE(token_response);

struct token_or_step {
    const char *nextStep; /* "clinician-invite" or "verify-email", without other members; or NULL */
    const char *accessToken, *refreshToken;
    int64_t expiresIn; /* 0: omitted */
    const struct reference *project, *profile;
};
FIELD_DECLARE(token_or_step);

struct refresh_token_in {
    const char *refresh_token;
};
FIELD_DECLARE(refresh_token_in);

struct refresh_token_out {
    const char *access_token, *refresh_token;
    int64_t expires_in;
    const char *token_type; /* "Bearer" */
};
FIELD_DECLARE(refresh_token_out);

#endif
