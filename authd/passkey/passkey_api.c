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
#define EXAMPLE_CLIENT_DATA "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0" /* {"type":"webauthn.get"} */
#define EXAMPLE_NEW_CLIENT_DATA "eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0"
#define EXAMPLE_USER_HANDLE "kP3vX9r2fQ7Yw0bT9s4KfVqLh8dRzJ1oNeA5mZ6tUcE"
#define EXAMPLE_LOGIN_ID "rJ8mQ2xV5nB7tY1wE4cZ9uH3kL6sD0fG"

/* Bytes from a browser, as base64url. */
#define PASSKEY_BYTES(s, member, max, flags, doc, example) \
    FIELD_PATTERN(s, member, 1, max, shape_check_base64url, BASE64URL_PATTERN, flags, doc, example)
#define PASSKEY_TYPE(s) \
    FIELD_CHOICE(s, type, key_types, FIELD_REQUIRED, "Always `public-key`.", "public-key")

static const struct field passkey_descriptor_rows[] = {
    PASSKEY_TYPE(struct passkey_descriptor),
    FIELD_TEXT(struct passkey_descriptor, id, 1, PASSKEY_ID_MAX, FIELD_REQUIRED,
               "Credential ID in base64url.", EXAMPLE_CREDENTIAL_ID),
};
FIELD_TABLE(passkey_descriptor);

static const struct field passkey_parameter_rows[] = {
    PASSKEY_TYPE(struct passkey_parameter),
    FIELD_INT(struct passkey_parameter, alg, INT32_MIN, INT32_MAX, 0, FIELD_REQUIRED,
              "COSE algorithm: -7 is ES256, -8 is EdDSA, -257 is RS256.", "-7"),
};
FIELD_TABLE(passkey_parameter);

static const struct field passkey_party_rows[] = {
    FIELD_TEXT(struct passkey_party, id, 1, RP_ID_MAX, FIELD_REQUIRED,
               "Relying party ID: the host name that the passkey belongs to.",
               "patient.demo.example"),
    FIELD_TEXT(struct passkey_party, name, 1, DISPLAY_MAX, FIELD_REQUIRED,
               "Name of the relying party, for people.", "Demo"),
};
FIELD_TABLE(passkey_party);

static const struct field passkey_user_rows[] = {
    FIELD_TEXT(struct passkey_user, id, 1, PASSKEY_HANDLE_MAX, FIELD_REQUIRED,
               "User handle: random bytes in base64url.", EXAMPLE_USER_HANDLE),
    FIELD_TEXT(struct passkey_user, name, 1, 254, FIELD_REQUIRED, "Email address of the account.",
               "ana@example.org"),
    FIELD_TEXT(struct passkey_user, displayName, 1, DISPLAY_MAX, FIELD_REQUIRED,
               "Name of the person.", "Ana Lima"),
};
FIELD_TABLE(passkey_user);

static const struct field passkey_selection_rows[] = {
    FIELD_CHOICE(struct passkey_selection, residentKey, required, FIELD_REQUIRED,
                 "Always `required`: the passkey is discoverable.", "required"),
    FIELD_BOOL(struct passkey_selection, requireResidentKey, false, FIELD_REQUIRED,
               "The same requirement for older browsers."),
    FIELD_CHOICE(struct passkey_selection, userVerification, required, FIELD_REQUIRED,
                 "Whether the authenticator asks for a PIN, fingerprint or face.", "required"),
};
FIELD_TABLE(passkey_selection);

static const struct field passkey_creation_options_rows[] = {
    FIELD_OBJECT(struct passkey_creation_options, rp, passkey_party, FIELD_REQUIRED,
                 "The relying party."),
    FIELD_OBJECT(struct passkey_creation_options, user, passkey_user, FIELD_REQUIRED,
                 "The account that gets the passkey."),
    FIELD_TEXT(struct passkey_creation_options, challenge, 43, 43, FIELD_REQUIRED,
               "Challenge, valid once within five minutes.", EXAMPLE_VERIFIER),
    FIELD_OBJECTS(struct passkey_creation_options, pubKeyCredParams, passkey_parameter, 8,
                  FIELD_REQUIRED, "Algorithms, the preferred one first."),
    FIELD_INT(struct passkey_creation_options, timeout, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "Milliseconds until the challenge expires.", "300000"),
    FIELD_OBJECTS(struct passkey_creation_options, excludeCredentials, passkey_descriptor,
                  PASSKEYS_MAX, FIELD_REQUIRED, "Passkeys that the account already has."),
    FIELD_OBJECT(struct passkey_creation_options, authenticatorSelection, passkey_selection,
                 FIELD_REQUIRED, "Requirements for the authenticator."),
    FIELD_CHOICE(struct passkey_creation_options, attestation, no_attestation, FIELD_REQUIRED,
                 "Always `none`: no attestation is requested.", "none"),
};
FIELD_TABLE(passkey_creation_options);

static const struct field passkey_request_options_rows[] = {
    FIELD_TEXT(struct passkey_request_options, challenge, 43, 43, FIELD_REQUIRED,
               "Challenge, valid once within five minutes.", EXAMPLE_VERIFIER),
    FIELD_TEXT(struct passkey_request_options, rpId, 1, RP_ID_MAX, FIELD_REQUIRED,
               "Relying party ID: the host name that the passkey belongs to.",
               "patient.demo.example"),
    FIELD_INT(struct passkey_request_options, timeout, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "Milliseconds until the challenge expires.", "300000"),
    FIELD_OBJECTS(struct passkey_request_options, allowCredentials, passkey_descriptor,
                  PASSKEYS_MAX, FIELD_REQUIRED,
                  "Passkeys that are accepted; if empty, any that the browser finds."),
    FIELD_CHOICE(struct passkey_request_options, userVerification, required, FIELD_REQUIRED,
                 "Whether the authenticator asks for a PIN, fingerprint or face.", "required"),
};
FIELD_TABLE(passkey_request_options);

static const struct field passkey_enrollment_rows[] = {
    FIELD_UUID(struct passkey_enrollment, enrollmentId, FIELD_REQUIRED,
               "Send it back with the new credential.", "019b2f7a-90c4-7d18-b6e5-2a7f0c3d9e41"),
    FIELD_OBJECT(struct passkey_enrollment, options, passkey_creation_options, FIELD_REQUIRED,
                 "Options for `navigator.credentials.create()`; parse them with "
                 "`PublicKeyCredential.parseCreationOptionsFromJSON()`."),
};
FIELD_TABLE(passkey_enrollment);

static const struct field passkey_request_rows[] = {
    FIELD_UUID(struct passkey_request, loginId, FIELD_REQUIRED, "Send it back with the credential.",
               "019b2f7a-90c4-7d18-b6e5-2a7f0c3d9e41"),
    FIELD_OBJECT(struct passkey_request, options, passkey_request_options, FIELD_REQUIRED,
                 "Options for `navigator.credentials.get()`; parse them with "
                 "`PublicKeyCredential.parseRequestOptionsFromJSON()`."),
};
FIELD_TABLE(passkey_request);

#define PASSKEY_LOGIN_ID(s, doc) \
    PASSKEY_BYTES(s, loginId, PASSKEY_LOGIN_ID_MAX, FIELD_REQUIRED, doc, EXAMPLE_LOGIN_ID)

static const struct field passkey_start_out_rows[] = {
    PASSKEY_LOGIN_ID(struct passkey_start_out, "Send it back with the credential."),
    FIELD_OBJECT(struct passkey_start_out, options, passkey_request_options, FIELD_REQUIRED,
                 "Options for `navigator.credentials.get()`; parse them with "
                 "`PublicKeyCredential.parseRequestOptionsFromJSON()`."),
};
FIELD_TABLE(passkey_start_out);

static const struct field passkey_attestation_response_rows[] = {
    PASSKEY_BYTES(struct passkey_attestation_response, clientDataJSON, PASSKEY_CLIENT_DATA_MAX,
                  FIELD_REQUIRED, "Client data in base64url (WebAuthn).", EXAMPLE_NEW_CLIENT_DATA),
    PASSKEY_BYTES(struct passkey_attestation_response, attestationObject, PASSKEY_ATTESTATION_MAX,
                  FIELD_REQUIRED,
                  "Attestation object in base64url; its attestation statement is ignored.",
                  "o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YViU"),
};
FIELD_TABLE(passkey_attestation_response);

static const struct field passkey_attestation_rows[] = {
    PASSKEY_TYPE(struct passkey_attestation),
    PASSKEY_BYTES(struct passkey_attestation, id, PASSKEY_ID_MAX, FIELD_REQUIRED,
                  "Credential ID in base64url.", EXAMPLE_CREDENTIAL_ID),
    FIELD_OBJECT(struct passkey_attestation, response, passkey_attestation_response, FIELD_REQUIRED,
                 "The authenticator's response."),
};
FIELD_TABLE(passkey_attestation);

static const struct field passkey_assertion_response_rows[] = {
    PASSKEY_BYTES(struct passkey_assertion_response, clientDataJSON, PASSKEY_CLIENT_DATA_MAX,
                  FIELD_REQUIRED, "Client data in base64url (WebAuthn).", EXAMPLE_CLIENT_DATA),
    PASSKEY_BYTES(struct passkey_assertion_response, authenticatorData, PASSKEY_AUTH_DATA_MAX,
                  FIELD_REQUIRED, "Authenticator data in base64url.",
                  "SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAAAQ"),
    PASSKEY_BYTES(struct passkey_assertion_response, signature, PASSKEY_SIGNATURE_MAX,
                  FIELD_REQUIRED, "Signature over both, in base64url.",
                  "MEUCIQDx1kP3vX9r2fQ7Yw0bT9s4KfVqLh8dRzJ1oNeA"),
    PASSKEY_BYTES(struct passkey_assertion_response, userHandle, PASSKEY_HANDLE_MAX, FIELD_NULLABLE,
                  "User handle: the `user.id` from enrolment. Required to sign in.",
                  EXAMPLE_USER_HANDLE),
};
FIELD_TABLE(passkey_assertion_response);

static const struct field passkey_credential_rows[] = {
    PASSKEY_TYPE(struct passkey_credential),
    PASSKEY_BYTES(struct passkey_credential, id, PASSKEY_ID_MAX, FIELD_REQUIRED,
                  "Credential ID in base64url.", EXAMPLE_CREDENTIAL_ID),
    FIELD_OBJECT(struct passkey_credential, response, passkey_assertion_response, FIELD_REQUIRED,
                 "The authenticator's response."),
};
FIELD_TABLE(passkey_credential);

static const struct field passkey_enroll_finish_in_rows[] = {
    FIELD_UUID(struct passkey_enroll_finish_in, enrollmentId, FIELD_REQUIRED,
               "`enrollmentId` from `/auth/passkey/enroll/start`.",
               "019b2f7a-90c4-7d18-b6e5-2a7f0c3d9e41"),
    FIELD_CHECKED(struct passkey_enroll_finish_in, name, 1, PASSKEY_NAME_MAX, name_check,
                  FIELD_NULLABLE | FIELD_CHARACTERS, "Name that its owner chose.", "My phone"),
    FIELD_OBJECT(struct passkey_enroll_finish_in, credential, passkey_attestation, FIELD_REQUIRED,
                 "Result of `navigator.credentials.create()`, converted with `toJSON()`."),
};
FIELD_TABLE(passkey_enroll_finish_in);

static const struct field passkey_rows[] = {
    FIELD_UUID(struct passkey, id, FIELD_REQUIRED, "ID of the passkey."),
    FIELD_TEXT(struct passkey, name, 1, PASSKEY_NAME_MAX, FIELD_REQUIRED | FIELD_CHARACTERS,
               "Name that its owner chose.", "My phone"),
    FIELD_TEXT(struct passkey, rpId, 1, RP_ID_MAX, FIELD_REQUIRED,
               "Relying party ID: the host name that the passkey belongs to.",
               "patient.demo.example"),
    FIELD_BOOL(struct passkey, backedUp, false, FIELD_REQUIRED,
               "Whether the passkey is synced or backed up."),
    FIELD_TIME(struct passkey, createdAt, FIELD_REQUIRED, "When the passkey was added.",
               "2026-01-12T08:00:00.000Z"),
    FIELD_TIME(struct passkey, lastUsedAt, FIELD_NULLABLE,
               "When the passkey was last used; null if never."),
};
FIELD_TABLE(passkey);

static const struct field passkey_list_rows[] = {
    FIELD_OBJECTS(struct passkey_list, passkeys, passkey, PASSKEYS_MAX, FIELD_REQUIRED,
                  "Passkeys, oldest first, at most 20."),
};
FIELD_TABLE(passkey_list);

static const struct field passkey_rename_in_rows[] = {
    FIELD_UUID(struct passkey_rename_in, id, FIELD_PATH | FIELD_REQUIRED, "ID of the passkey."),
    FIELD_CHECKED(struct passkey_rename_in, name, 1, PASSKEY_NAME_MAX, name_check,
                  FIELD_REQUIRED | FIELD_CHARACTERS, "Name that its owner chose.", "My phone"),
};
FIELD_TABLE(passkey_rename_in);

static const struct field passkey_delete_in_rows[] = {
    FIELD_UUID(struct passkey_delete_in, id, FIELD_PATH | FIELD_REQUIRED, "ID of the passkey."),
};
FIELD_TABLE(passkey_delete_in);

#define PASSKEY_CHALLENGE(s)                                                                       \
    FIELD_PATTERN(                                                                                 \
        s, codeChallenge, 43, 43, shape_check_base64url, CHALLENGE_PATTERN, FIELD_REQUIRED,        \
        "PKCE challenge (S256): base64url of the SHA-256 of a verifier that stays in the client.", \
        "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")

static const struct field patient_passkey_start_in_rows[] = {
    FIELD_TEXT(struct patient_passkey_start_in, tenantCode, 1, TENANT_CODE_MAX, FIELD_REQUIRED,
               "Tenant code of the project to sign in to.", "demo"),
    FIELD_EMAIL(struct patient_passkey_start_in, email, FIELD_NULLABLE,
                "Accept only passkeys of this account; if absent, any that the browser finds.",
                "ana@example.org"),
    PASSKEY_CHALLENGE(struct patient_passkey_start_in),
};
FIELD_TABLE(patient_passkey_start_in);

static const struct field practitioner_passkey_start_in_rows[] = {
    FIELD_TEXT(struct practitioner_passkey_start_in, tenantCode, 1, TENANT_CODE_MAX, FIELD_NULLABLE,
               "Tenant code of the project to sign in to. If absent, a passkey of the "
               "installation's own pages is needed.",
               "demo"),
    FIELD_EMAIL(struct practitioner_passkey_start_in, email, FIELD_NULLABLE,
                "Accept only passkeys of this account; if absent, any that the browser finds.",
                "rui@lakeside.example"),
    PASSKEY_CHALLENGE(struct practitioner_passkey_start_in),
};
FIELD_TABLE(practitioner_passkey_start_in);

static const struct field passkey_finish_in_rows[] = {
    PASSKEY_LOGIN_ID(struct passkey_finish_in,
                     "`loginId` from `passkey/start`; valid once within five minutes."),
    FIELD_OBJECT(struct passkey_finish_in, credential, passkey_credential, FIELD_REQUIRED,
                 "Result of `navigator.credentials.get()`, converted with `toJSON()`."),
};
FIELD_TABLE(passkey_finish_in);

static const struct field passkey_origins_out_rows[] = {
    FIELD_TEXTS(struct passkey_origins_out, origins, 1, ORIGIN_MAX, PASSKEY_ORIGINS_MAX,
                FIELD_REQUIRED, "Origins that can use the installation's passkeys.",
                "https://account.example.org"),
};
FIELD_TABLE(passkey_origins_out);
