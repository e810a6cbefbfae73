/*
 * passkey_api.c - shapes of passkeys. See authd_api.c.
 */
#include "authd/passkey/passkey_api.h"

#include "authd/shape_api.h"
#include "common/domain/name.h"

enum {
    PASSKEY_ORIGINS_MAX = 100,
    /* base64url; see authd/passkey/webauthn.h */
    PASSKEY_CLIENT_DATA_MAX = 5462,
    PASSKEY_AUTH_DATA_MAX = 5462,
    PASSKEY_ATTESTATION_MAX = 43691,
    PASSKEY_SIGNATURE_MAX = 342,
    ORIGIN_MAX = 512,
};

static const char *const key_types[] = {"public-key", NULL};
static const char *const required[] = {"required", NULL};
static const char *const no_attestation[] = {"none", NULL};

#define EXAMPLE_CREDENTIAL_ID "dGhlIGlkIG9mIGEgY3JlZGVudGlhbA"
#define EXAMPLE_BASE64URL "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0"

/* Bytes from a browser, as base64url. */
#define PASSKEY_BYTES(s, member, max, flags, doc)                                          \
    FIELD_PATTERN(s, member, 1, max, shape_check_base64url, BASE64URL_PATTERN, flags, doc, \
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

#define PASSKEY_CHALLENGE(s)                                                                 \
    FIELD_PATTERN(s, codeChallenge, 43, 43, shape_check_base64url, CHALLENGE_PATTERN,        \
                  FIELD_REQUIRED,                                                            \
                  "base64url of the SHA-256 of a verifier that the client keeps to itself.", \
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
