/*
 * passkey_api.h - JSON of navigator.credentials (Web Authentication Level 3, section 5.1), and a
 * person's list of passkeys. Bytes are base64url.
 */
#ifndef ATRIUM_AUTHD_PASSKEY_PASSKEY_API_H
#define ATRIUM_AUTHD_PASSKEY_PASSKEY_API_H

#include "common/wire/fields.h"

struct passkey_descriptor {
    const char *type; /* "public-key" */
    const char *id;
};
FIELD_DECLARE(passkey_descriptor);

struct passkey_parameter {
    const char *type; /* "public-key" */
    int64_t alg;      /* COSE algorithm */
};
FIELD_DECLARE(passkey_parameter);

struct passkey_party {
    const char *id, *name;
};
FIELD_DECLARE(passkey_party);

struct passkey_user {
    const char *id, *name, *displayName;
};
FIELD_DECLARE(passkey_user);

struct passkey_selection {
    const char *residentKey, *userVerification; /* "required" */
    bool requireResidentKey;
};
FIELD_DECLARE(passkey_selection);

struct passkey_creation_options {
    const struct passkey_party *rp;
    const struct passkey_user *user;
    const char *challenge;
    struct field_list pubKeyCredParams;   /* struct passkey_parameter */
    int64_t timeout;                      /* ms */
    struct field_list excludeCredentials; /* struct passkey_descriptor */
    const struct passkey_selection *authenticatorSelection;
    const char *attestation; /* "none" */
};
FIELD_DECLARE(passkey_creation_options);

struct passkey_request_options {
    const char *challenge, *rpId;
    int64_t timeout; /* ms */
    struct field_list
        allowCredentials;         /* struct passkey_descriptor; empty: any of the relying party */
    const char *userVerification; /* "required" */
};
FIELD_DECLARE(passkey_request_options);

struct passkey_enrollment {
    struct uuid enrollmentId;
    const struct passkey_creation_options *options;
};
FIELD_DECLARE(passkey_enrollment);

struct passkey_request {
    struct uuid loginId;
    const struct passkey_request_options *options;
};
FIELD_DECLARE(passkey_request);

enum { PASSKEY_LOGIN_ID_MAX = 1200 };

struct passkey_start_out {
    const char *loginId; /* sealed, see authd/passkey/passkey_start.h */
    const struct passkey_request_options *options;
};
FIELD_DECLARE(passkey_start_out);

struct passkey_attestation_response {
    const char *clientDataJSON, *attestationObject;
};
FIELD_DECLARE(passkey_attestation_response);

struct passkey_attestation {
    const char *type, *id;
    const struct passkey_attestation_response *response;
};
FIELD_DECLARE(passkey_attestation);

struct passkey_assertion_response {
    const char *clientDataJSON, *authenticatorData, *signature, *userHandle;
};
FIELD_DECLARE(passkey_assertion_response);

struct passkey_credential {
    const char *type, *id;
    const struct passkey_assertion_response *response;
};
FIELD_DECLARE(passkey_credential);

struct passkey_enroll_finish_in {
    struct uuid enrollmentId;
    const char *name; /* NULL: "Passkey" */
    const struct passkey_attestation *credential;
};
FIELD_DECLARE(passkey_enroll_finish_in);

struct passkey {
    struct uuid id;
    const char *name, *rpId;
    bool backedUp;
    int64_t createdAt, lastUsedAt; /* 0: never */
};
FIELD_DECLARE(passkey);

struct passkey_list {
    struct field_list passkeys; /* struct passkey */
};
FIELD_DECLARE(passkey_list);

struct passkey_rename_in {
    struct uuid id;
    const char *name;
};
FIELD_DECLARE(passkey_rename_in);

struct passkey_delete_in {
    struct uuid id;
};
FIELD_DECLARE(passkey_delete_in);

struct patient_passkey_start_in {
    const char *tenantCode, *email /* optional */, *codeChallenge;
};
FIELD_DECLARE(patient_passkey_start_in);

struct practitioner_passkey_start_in {
    const char *tenantCode, *email /* both optional */, *codeChallenge;
};
FIELD_DECLARE(practitioner_passkey_start_in);

struct passkey_finish_in {
    const char *loginId;
    const struct passkey_credential *credential;
};
FIELD_DECLARE(passkey_finish_in);

struct passkey_origins_out {
    struct field_texts origins;
};
FIELD_DECLARE(passkey_origins_out);

#endif
