/*
 * authd_api.h - the inputs and outputs of authd, for itself, the gateway and the daemons that ask
 * it.
 */
#ifndef ATRIUM_AUTHD_AUTHD_API_H
#define ATRIUM_AUTHD_AUTHD_API_H

#include "common/base/secret.h"
#include "common/bus/method.h"
#include "common/domain/endpoint.h"
#include "common/domain/reference.h"
#include "common/service/audit_address.h"
#include "common/service/audit_events.h"
#include "common/service/erasure.h"
#include "common/service/purge.h"
#include "common/service/service_tenant.h"
#include "common/wire/fields.h"

/* ---- routes ---- */

struct patient_register_in {
    const char *email, *password, *name, *surname, *tenantCode, *continueAsPatientToken;
    const char *cookie; /* of a page: the browser's next one; NULL: a client asks */
};
FIELD_DECLARE(patient_register_in);

struct practitioner_register_in {
    const char *email, *password, *name, *surname, *tenantCode;
    const char *cookie; /* as above */
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
    const char *cookie; /* of a page: the browser's next one; NULL: a client asks */
};
FIELD_DECLARE(patient_login_token_in);

struct practitioner_login_token_in {
    const char *sessionCode, *codeVerifier, *tenantCode /* optional */;
    const char *cookie; /* as above */
};
FIELD_DECLARE(practitioner_login_token_in);

struct login_mfa_in {
    struct uuid loginId;
    const char *mfaToken;                        /* six digits, or a recovery code */
    const struct passkey_credential *credential; /* instead */
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

/* The one-step routes: `codeChallenge` (optional) starts the tenant sign-in that an account with a
 * second factor needs. `clientId` names a client application of a project. */
struct client_login_in {
    const char *email, *password, *codeChallenge;
    struct uuid clientId;
};
FIELD_DECLARE(client_login_in);

struct client_register_in {
    const char *email, *password, *name, *surname;
    const char *type; /* "Patient" (default) or "Practitioner" */
    struct uuid clientId;
};
FIELD_DECLARE(client_register_in);

struct b2b_login_in {
    const char *email, *password, *codeChallenge;
    struct uuid clientId, tenantId; /* the client's project */
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
    const char *sessionCode;   /* with "token" */
    struct uuid loginId;       /* with "mfa" */
    struct field_list tenants; /* struct login_tenant; practitioners, who have at least one */
};
FIELD_DECLARE(login_step);

struct token_response {
    const char *accessToken, *refreshToken;
    int64_t expiresIn; /* seconds */
    const struct reference *project, *profile;
};
FIELD_DECLARE(token_response);

struct token_or_step {
    const char
        *nextStep; /* "clinician-invite", "verify-email", then nothing else; NULL otherwise */
    const char *accessToken, *refreshToken;
    int64_t expiresIn; /* 0 is left out */
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

struct change_password_in {
    const char *oldPassword, *newPassword;
};
FIELD_DECLARE(change_password_in);

struct reset_password_in {
    const char *email, *tenantCode;
    const char *type; /* "Patient", "Practitioner" or NULL: either */
};
FIELD_DECLARE(reset_password_in);

struct set_password_in {
    struct uuid id; /* with secret from the mailed link */
    const char *secret, *password;
};
FIELD_DECLARE(set_password_in);

struct invitation_link_in {
    struct uuid id; /* with secret from the mailed link */
    const char *secret;
};
FIELD_DECLARE(invitation_link_in);

struct invitation_show_out {
    const char *email, *projectName, *inviterName;
    const char *accept; /* "sign-in" or "set-password" */
};
FIELD_DECLARE(invitation_show_out);

/* The caller's address or, without a token, that of the accounts of a tenant. */
struct email_verify_send_in {
    const char *email, *tenantCode;
    const char *type; /* "Patient", "Practitioner" or NULL: either */
};
FIELD_DECLARE(email_verify_send_in);

struct email_change_in {
    const char *email;
};
FIELD_DECLARE(email_change_in);

struct email_undo_in {
    struct uuid id; /* with secret from the mailed link */
    const char *secret;
};
FIELD_DECLARE(email_undo_in);

struct email_verify_in {
    struct uuid id; /* with secret from the mailed link */
    const char *secret;
    const char *password; /* of the account; NULL: a session of it is shown instead */
};
FIELD_DECLARE(email_verify_in);

struct message_out {
    const char *message;
};
FIELD_DECLARE(message_out);

struct mfa_status_out {
    bool enrolled;
    const char *otpauthUrl, *qrCodeDataUrl; /* until it is enrolled */
};
FIELD_DECLARE(mfa_status_out);

struct mfa_token_in {
    const char *token; /* six digits, or (not to enroll) a recovery code */
};
FIELD_DECLARE(mfa_token_in);

/* ---- passkeys: what a browser's navigator.credentials takes and gives, as JSON (Web
 * Authentication Level 3, section 5.1); bytes are base64url ---- */

struct passkey_descriptor {
    const char *type; /* "public-key" */
    const char *id;
};
FIELD_DECLARE(passkey_descriptor);

struct passkey_parameter {
    const char *type; /* "public-key" */
    int64_t alg;      /* COSE */
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
    int64_t timeout;                    /* ms */
    struct field_list allowCredentials; /* struct passkey_descriptor; empty: any of the rp id */
    const char *userVerification;       /* "required" */
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
    struct uuid id; /* path */
    const char *name;
};
FIELD_DECLARE(passkey_rename_in);

struct passkey_delete_in {
    struct uuid id; /* path */
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

/* One of the two: the code where a second factor is on. */
struct step_up_in {
    const char *password, *mfaToken;
    struct uuid loginId; /* with credential, of /auth/step-up/start */
    const struct passkey_credential *credential;
};
FIELD_DECLARE(step_up_in);

struct mfa_enroll_out {
    bool ok;
    struct field_texts recoveryCodes;
};
FIELD_DECLARE(mfa_enroll_out);

struct ok_out {
    bool ok;
};
FIELD_DECLARE(ok_out);

/* Who belongs to the caller's project, or is invited to it. */
struct member_create_in {
    const char *email, *firstName, *lastName;
    const char *type; /* "Practitioner" (default) or "Patient" */
    bool admin;
    const char *accessPolicy; /* "AccessPolicy/<id>"; NULL: the project's default for the type */
};
FIELD_DECLARE(member_create_in);

struct member {
    struct uuid id; /* of the membership, also while it is pending */
    const char *email, *displayName, *firstName, *lastName;
    bool admin;
    const char *profileType; /* "Practitioner" or "Patient" */
    struct uuid profileId;
    bool pending;       /* invited, but not here yet */
    int64_t invitedAt;  /* 0: never was */
    bool emailVerified; /* the address is proven, for all or for the organisation */
};
FIELD_DECLARE(member);

struct members_in {
    int64_t _count, _offset;
};
FIELD_DECLARE(members_in);

struct member_list {
    int64_t total;
    struct field_list resources; /* struct member */
};
FIELD_DECLARE(member_list);

struct member_in {
    struct uuid id; /* path */
};
FIELD_DECLARE(member_in);

/* An account as the admins of a project see it: what is shown is this project's. */
struct project_account {
    struct uuid id, membership, profileId;
    const char *role, *email, *firstName, *lastName;
    bool admin;
    bool emailVerified;   /* for all or for the organisation */
    const char *factors;  /* JSON array of kinds: "totp", "passkey" */
    const char *state;    /* "active", "locked", "deleting" */
    int64_t lockedAt;     /* 0: it is not */
    const char *lockedBy; /* "admin" or "operator"; NULL: it is not locked */
    int64_t lastSignInAt; /* 0: not known */
    int64_t deletionAt;   /* 0: no deletion is scheduled */
    int64_t memberSince;
};
FIELD_DECLARE(project_account);

/* Which accounts, and where the page begins. */
struct project_accounts_in {
    const char *search, *role, *state, *_cursor; /* NULL: all, and from the start */
    int64_t _count;
};
FIELD_DECLARE(project_accounts_in);

struct project_account_list {
    struct field_list resources; /* struct project_account */
    const char *next;            /* NULL: the list ends here */
};
FIELD_DECLARE(project_account_list);

struct project_account_in {
    struct uuid id; /* path: the account */
};
FIELD_DECLARE(project_account_in);

/* What an admin does for an account, and why. */
struct project_account_act_in {
    struct uuid id; /* path: the account */
    const char *reason;
};
FIELD_DECLARE(project_account_act_in);

struct project_account_delete_in {
    struct uuid id; /* path: the account */
    const char *reason;
    int64_t days;
    bool wipe; /* what it owns in its projects goes along */
};
FIELD_DECLARE(project_account_delete_in);

struct project_account_sessions_in {
    struct uuid id; /* path: the account */
    const char *_cursor;
    int64_t _count;
};
FIELD_DECLARE(project_account_sessions_in);

struct project_account_session_list {
    struct field_list resources; /* struct session_record */
    const char *next;            /* NULL: the list ends here */
};
FIELD_DECLARE(project_account_session_list);

struct project_account_explain_in {
    struct uuid id;      /* path: the account */
    const char *address; /* that the sign-in comes from; NULL: not known */
};
FIELD_DECLARE(project_account_explain_in);

struct member_patch_in {
    struct uuid id; /* path */
    bool admin;
};
FIELD_DECLARE(member_patch_in);

/* ---- imports: docs/import.md has the form of a line ---- */

enum {
    IMPORT_LINES_MAX = 2000,        /* of a batch */
    IMPORT_LINE_MAX = 64 * 1024,    /* bytes of one */
    IMPORT_BATCH_MAX = 1024 * 1024, /* bytes of a batch */
    IMPORT_ID_SIZE = 32,            /* bytes */
    IMPORT_ADDRESS_SIZE = 16,       /* bytes, see operator_import_out */
};

struct import_totp {
    const char *secret;    /* base32 */
    const char *algorithm; /* "SHA1" */
    int64_t digits, period;
};
FIELD_DECLARE(import_totp);

struct import_passkey {
    const char *credentialId, *publicKey, *userHandle; /* base64url; the key as COSE has it */
    const char *rpId, *name;
    int64_t signCount;
    bool backedUp;
    struct field_texts transports; /* not kept */
};
FIELD_DECLARE(import_passkey);

/* What is wrong with a line whose address an account has. */
#define IMPORT_EXISTING "there is an account with this address, which stays as it is"

/* One account. */
struct import_line {
    const char *role; /* "Patient" (default) or "Practitioner" */
    const char *email, *firstName, *lastName;
    const char *passwordHash; /* see common/domain/password_scheme.h */
    int64_t createdAt;
    const struct import_totp *totp;
    struct field_list passkeys; /* struct import_passkey */
};
FIELD_DECLARE(import_line);

/* A line that made no account. */
struct import_refusal {
    int64_t line;      /* the first is 1 */
    const char *email; /* NULL: it has none that can be read */
    bool existing;     /* there is an account with this address, which stays as it is */
    const char *why;
};
FIELD_DECLARE(import_refusal);

struct account_import_in {
    const char *accounts; /* JSON, an array of import_line */
};
FIELD_DECLARE(account_import_in);

struct account_import_out {
    int64_t imported, invited, existing, refused;
    struct field_list lines; /* struct import_refusal */
};
FIELD_DECLARE(account_import_out);

struct deletion_schedule_in {
    int64_t days;
    bool wipe; /* what the account owns elsewhere, too */
};
FIELD_DECLARE(deletion_schedule_in);

struct deletion_user {
    const char *resourceType;
    struct uuid id;
    const char *firstName, *lastName, *email;
};
FIELD_DECLARE(deletion_user);

struct deletion_scheduled {
    int64_t scheduled; /* from then on there is no such account */
    const struct deletion_user *user;
};
FIELD_DECLARE(deletion_scheduled);

struct me_project {
    const char *resourceType;
    struct uuid id;
    const char *name;
    bool strictMode; /* of clients that know FHIR servers; always false here */
};
FIELD_DECLARE(me_project);

struct me_membership {
    const char *resourceType;
    struct uuid id;
    bool admin;
    const struct reference *user;
};
FIELD_DECLARE(me_membership);

struct me_name {
    struct field_texts given;
    const char *family;
};
FIELD_DECLARE(me_name);

struct me_telecom {
    const char *system, *use, *value;
};
FIELD_DECLARE(me_telecom);

struct me_profile {
    const char *resourceType;
    struct uuid id;
    struct field_list name, telecom;
};
FIELD_DECLARE(me_profile);

struct me_policy {
    const char *resourceType;
    struct uuid id;
    const char *name, *resource;
};
FIELD_DECLARE(me_policy);

/* A menu that a client may show; none here has entries. */
struct me_menu_link {
    const char *name, *target;
};
FIELD_DECLARE(me_menu_link);

struct me_menu {
    const char *title;
    struct field_list link; /* struct me_menu_link */
};
FIELD_DECLARE(me_menu);

struct me_config {
    const char *resourceType;
    struct field_list menu; /* struct me_menu */
};
FIELD_DECLARE(me_config);

struct session_record {
    struct uuid id;
    int64_t lastUpdated;
    const char *authMethod, *remoteAddress;
    const char *browser, *os; /* NULL: answered as "unknown" */
    const char *client;       /* JSON: id and name; NULL: is no grant, or was not asked for */
    bool current;
};
FIELD_DECLARE(session_record);

struct session_list {
    struct field_list sessions; /* struct session_record */
};
FIELD_DECLARE(session_list);

enum { SESSIONS_PAGE = 200 }; /* sessions in an answer that was asked for no number of them */
struct sessions_in {
    int64_t _count, _offset;
};
FIELD_DECLARE(sessions_in);

enum { ME_SESSIONS_MAX = 20 };
struct me_security {
    bool mfaEnrolled, emailVerified;
    struct field_list sessions; /* struct session_record, at most ME_SESSIONS_MAX */
    bool moreSessions;
};
FIELD_DECLARE(me_security);

struct me_out {
    const struct me_project *project;
    const struct me_membership *membership;
    const struct me_profile *profile;
    const struct me_policy *accessPolicy; /* NULL without one: answered as an empty one */
    const struct me_config *config;
    const struct me_security *security;
};
FIELD_DECLARE(me_out);

struct sessions_revoke_in {
    const char *option; /* path: current, other, all or a session id */
};
FIELD_DECLARE(sessions_revoke_in);

/* ---- API keys ---- */

#define API_KEY_PREFIX "atk_" /* no access token begins so */
enum {
    API_KEYS_MAX = 50,        /* of a project, see api_key_insert.sql */
    API_KEY_NETWORK_MAX = 64, /* bytes of a network as text */
};

struct api_keys_in {
    const char *_cursor;
    int64_t _count;
};
FIELD_DECLARE(api_keys_in);

struct api_key_create_in {
    const char *name, *accessPolicy; /* "AccessPolicy/<id>" */
    int64_t days;                    /* until it expires */
    struct field_texts addresses;    /* networks; empty: any */
};
FIELD_DECLARE(api_key_create_in);

struct api_key_id_in {
    struct uuid id; /* path */
};
FIELD_DECLARE(api_key_id_in);

struct api_key {
    struct uuid id;
    const char *name, *accessPolicy;
    const char *addresses; /* JSON array of texts */
    int64_t createdAt, expiresAt, lastUsedAt;
    const char *createdBy, *createdByName; /* "Practitioner/<id>"; NULL: is no member any more */
    const char *key;                       /* in the answer that makes it, alone */
};
FIELD_DECLARE(api_key);

struct api_key_list {
    struct field_list resources; /* struct api_key */
    const char *next;
};
FIELD_DECLARE(api_key_list);

/* For gateways: which key it is that has this SHA-256. */
struct api_key_find_in {
    struct field_bytes hash;
};
FIELD_DECLARE(api_key_find_in);

struct api_key_found {
    struct uuid project, id;
    int64_t expiresAt;
};
FIELD_DECLARE(api_key_found);

struct api_key_get_in {
    struct uuid project, id;
};
FIELD_DECLARE(api_key_get_in);

struct api_key_rights {
    const char *name;
    struct uuid policy;
    const char *addressRules; /* as policy_address_check() takes them; NULL: any address */
    int64_t expiresAt;
};
FIELD_DECLARE(api_key_rights);

struct operator_api_keys_in {
    const char *tenantCode;
};
FIELD_DECLARE(operator_api_keys_in);

struct operator_api_key_in {
    const char *tenantCode;
    struct uuid id;
};
FIELD_DECLARE(operator_api_key_in);

/* ---- FHIR servers ---- */

enum {
    FHIR_SERVERS_MAX = 20,       /* of a project, see fhir_server_insert.sql */
    FHIR_SERVER_SCOPES_MAX = 50, /* of a role */
    FHIR_BASE_MAX = 512,
};

struct fhir_servers_in {
    const char *_cursor;
    int64_t _count;
};
FIELD_DECLARE(fhir_servers_in);

/* A new server, or, with an id, what it is from now on. */
struct fhir_server_in {
    struct uuid id; /* path */
    const char *name, *base;
    struct field_texts patientScopes, practitionerScopes;
};
FIELD_DECLARE(fhir_server_in);

struct fhir_server_id_in {
    struct uuid id; /* path */
};
FIELD_DECLARE(fhir_server_id_in);

struct fhir_server {
    struct uuid id;
    const char *name, *base;
    const char *patientScopes, *practitionerScopes; /* JSON arrays of texts */
    int64_t createdAt, lastUpdated;
};
FIELD_DECLARE(fhir_server);

/* A launch of an application from within a health record (SMART App Launch 2.2). */
struct launch_create_in {
    const char *clientId;
    struct uuid resource; /* the FHIR server */
    struct uuid patient;  /* profile */
};
FIELD_DECLARE(launch_create_in);

struct launch {
    const char *launch, *iss;
    int64_t expiresAt;
};
FIELD_DECLARE(launch);

struct fhir_server_list {
    struct field_list resources; /* struct fhir_server */
    const char *next;
};
FIELD_DECLARE(fhir_server_list);

/* ---- the audit trail ---- */

struct project_audit_in {
    int64_t since, until; /* contract time, ms; 0: any */
    const char *actor;    /* "Practitioner/<id>", "Account/<id>" */
    const char *action;   /* "session.end", or "session" */
    const char *target;   /* "Session/<id>" */
    const char *_cursor;
    int64_t _count;
};
FIELD_DECLARE(project_audit_in);

struct project_audit_list {
    const char *resources; /* JSON array of AuditEvents */
    const char *next;
};
FIELD_DECLARE(project_audit_list);

struct project_audit_checkpoint_in {
    int64_t from; /* size of an older checkpoint; 0: none */
};
FIELD_DECLARE(project_audit_checkpoint_in);

struct project_audit_checkpoint {
    const char *checkpoint, *verifierKey;
    int64_t size;
    struct field_texts consistency; /* hashes, base64 */
};
FIELD_DECLARE(project_audit_checkpoint);

struct project_audit_proof_in {
    const char *id; /* path: of the AuditEvent */
};
FIELD_DECLARE(project_audit_proof_in);

struct project_audit_proof {
    const char *id;
    int64_t index, size;
    const char *record;        /* the text of the leaf; NULL: the row was dropped */
    struct field_texts hashes; /* base64 */
    const char *checkpoint, *verifierKey;
};
FIELD_DECLARE(project_audit_proof);

struct sign_in_hour {
    int64_t hour; /* its beginning */
    int64_t succeeded, failed;
};
FIELD_DECLARE(sign_in_hour);

struct sign_in_hours {
    struct field_list resources; /* struct sign_in_hour, the oldest first */
};
FIELD_DECLARE(sign_in_hours);

/* Of a project that an operator names. */
struct operator_audit_checkpoint_in {
    struct uuid projectId;
    int64_t from;
};
FIELD_DECLARE(operator_audit_checkpoint_in);

struct operator_audit_proof_in {
    struct uuid projectId;
    const char *id;
};
FIELD_DECLARE(operator_audit_proof_in);

/* Network addresses of audit rows, of any daemon. */
enum { ADDRESSES_OPEN_MAX = 250 }; /* 40 us each */
struct operator_addresses_open_in {
    struct field_list addresses; /* struct audit_sealed */
};
FIELD_DECLARE(operator_addresses_open_in);

struct operator_addresses_open_out {
    struct field_texts addresses; /* one for each; "": the account was deleted */
};
FIELD_DECLARE(operator_addresses_open_out);

/* The erasure of an account that was deleted with all that it owned. */
struct operator_erasure_in {
    struct uuid account;
};
FIELD_DECLARE(operator_erasure_in);

/* What a daemon has erased. */
struct erasure_part {
    const char *daemon;
    int64_t doneAt;
    struct field_list erased; /* struct erased_table */
};
FIELD_DECLARE(erasure_part);

/* What is signed, as the second line of a note whose first is its name: the whole erasure. */
struct erasure_statement {
    struct uuid account;
    int64_t deletedAt;
    bool complete;
    struct field_list parts; /* struct erasure_part */
};
FIELD_DECLARE(erasure_statement);

struct erasure_receipt {
    struct uuid account;
    int64_t deletedAt;
    bool complete;
    struct field_list parts;           /* struct erasure_part */
    struct field_texts missing;        /* daemons that have not done their part yet */
    const char *receipt, *verifierKey; /* NULL: not complete */
};
FIELD_DECLARE(erasure_receipt);

struct activity_in {
    const char *_cursor;
    int64_t _count;
};
FIELD_DECLARE(activity_in);

struct activity_row {
    const char *event;         /* JSON: an AuditEvent */
    const char *record;        /* the text of the leaf; NULL: another person did it */
    int64_t index;             /* of the leaf */
    struct field_texts hashes; /* base64 */
};
FIELD_DECLARE(activity_row);

struct activity_list {
    struct field_list resources; /* struct activity_row */
    const char *next;
    int64_t size;
    const char *checkpoint, *verifierKey;
};
FIELD_DECLARE(activity_list);

/* ---- between daemons ---- */

/* Counts one registration for a client address; ERR_THROTTLED beyond 5 in any sliding 60 s. */
struct register_admit_in {
    const char *address;
};
FIELD_DECLARE(register_admit_in);

/* Counts one mail with a tenant code, for who sends it and for who gets it; ERR_THROTTLED beyond
 * their limits. */
struct code_mail_admit_in {
    struct uuid membership;
    const char *email;
};
FIELD_DECLARE(code_mail_admit_in);

/* Who holds a token: fails with ERR_UNAUTHORIZED when the membership or the session is gone.
 * projectName and the policy's texts are left empty here; the gateway gets them from settingsd's
 * caller_context. */
struct identity_get_in {
    struct uuid project, membership; /* claims prj, mem */
    struct uuid session;             /* claim sid; absent: not looked at */
};
FIELD_DECLARE(identity_get_in);

/* When a session ended. One that is not known ended before its day in the table was over. */
struct session_end_get_in {
    struct uuid project, session;
};
FIELD_DECLARE(session_end_get_in);

struct session_end_get_out {
    bool known;
    int64_t endedAt; /* 0: it has not, or it is not known */
};
FIELD_DECLARE(session_end_get_out);

/* What gateways must know at once. kind: "session" (ended; token: the jti that logged out, or
 * absent), "membership", "account", "policy", "project" (forget what is cached of it), "keys"
 * (fetch them again). Also the body of the announcement "change". */
struct change {
    int64_t sequence;
    const char *kind;
    struct uuid id, token;
    int64_t until; /* contract time after which it no longer matters; 0: an event only */
};
FIELD_DECLARE(change);

struct gateway_lease_in {
    const char *gateway; /* "gateway.1" */
    const char *boot;    /* boot id of the gateway: another one starts a new lease */
    int64_t since;       /* highest sequence in force at the gateway; 0: none */
};
FIELD_DECLARE(gateway_lease_in);

struct gateway_lease_out {
    int64_t sequence;          /* in force once `changes` are; the next `since` */
    bool more;                 /* ask again at once */
    struct field_list changes; /* struct change, ascending, at most 5,000 */
};
FIELD_DECLARE(gateway_lease_out);

struct public_key {
    const char *kid, *x, *y; /* P-256 point, base64url (RFC 7518, section 6.2) */
    const char *pem;         /* SubjectPublicKeyInfo */
    /* "issuer": of what the issuers below /t/ sign; NULL: of the API */
    const char *use;
    const char *alg;             /* NULL: ES256 */
    bool active;                 /* signs new tokens */
    int64_t createdAt, retireAt; /* retireAt 0: not scheduled */
};
FIELD_DECLARE(public_key);

struct keys_get_out {
    const char *issuer, *audience;
    struct field_list keys; /* struct public_key: active and not yet retired */
    /* Those of ES256 that the issuers below {publicUrl}/t/ sign access tokens with; none without
     * public_url. */
    struct field_list issuerKeys;
    const char *publicUrl;
};
FIELD_DECLARE(keys_get_out);

/* A token that is bound to a key, as it was shown to a gateway, with the proof. */
struct dpop_prove_in {
    const struct endpoint_visit *visit;
    const char *accessToken;
    const char *jkt; /* the key's thumbprint (RFC 7638) */
};
FIELD_DECLARE(dpop_prove_in);

struct keys_rotate_in {
    bool issuer; /* the keys of the issuers, not that of the API */
};
FIELD_DECLARE(keys_rotate_in);

struct key_list {
    struct field_list keys;
};
FIELD_DECLARE(key_list);

/* settingsd tells of a changed policy or project, or of several; returns when every live gateway
 * knows. */
struct change_publish_in {
    const char *kind; /* "policy" or "project" */
    struct uuid id;
    struct field_texts others; /* further ids, at most CHANGE_OTHERS_MAX, without `id` */
};
FIELD_DECLARE(change_publish_in);

enum { CHANGE_OTHERS_MAX = 3999 }; /* with `id` less than a page of gateway_lease() */
/* Makes the holder of `account` an admin practitioner of a project; repeating it with the same key
 * does nothing. */
struct admin_grant_in {
    struct uuid key, account, projectId, policyId;
};
FIELD_DECLARE(admin_grant_in);

/* Deletes an account whose date has come; done, and not an error, when the schedule is void: taken
 * back, replaced by another or carried out already. ERR_CONFLICT while authd's clock has not
 * reached the date. */
struct account_delete_in {
    struct uuid account, schedule;
};
FIELD_DECLARE(account_delete_in);

/* Mails its owner that the date is near, unless the schedule is void. The key is the mail's: once
 * for each. */
struct account_remind_in {
    struct uuid key, account, schedule;
    struct uuid projectId; /* whose mail it is */
};
FIELD_DECLARE(account_remind_in);

/* A session whose owner must have proven lately who they are. */
struct proof_check_in {
    struct uuid projectId, sessionId;
};
FIELD_DECLARE(proof_check_in);

/* A session of a project that has ended, for a receiver that gets a token about it from the
 * project's issuer (authd/oauth/security_event.c). */
struct security_event_sign_in {
    struct uuid projectId, sessionId;
    struct uuid id;             /* the claim jti: the same each time */
    struct uuid account, actor; /* whose it was, who ended it; absent: not known */
    const char *audience;
    int64_t at; /* when it has ended, contract time, ms */
};
FIELD_DECLARE(security_event_sign_in);

struct security_event_token {
    const char *token;
};
FIELD_DECLARE(security_event_token);

/* ---- the export of a person's data (authd/account/export.c) ---- */

/* Whether a session may have the data of an account of its project, which needs a fresh proof:
 * STEP_UP_REQUIRED, UNAUTHORIZED (the session has ended), NOT_FOUND (no member of the project). */
struct export_admit_in {
    struct uuid projectId, sessionId, account;
};
FIELD_DECLARE(export_admit_in);

struct export_admit_out {
    const char *role; /* "Patient", "Practitioner" */
    struct uuid profile;
};
FIELD_DECLARE(export_admit_out);

/* What authd, and the audit trails of all daemons, have of an account in a project, as resources of
 * FHIR R4: a page behind `after`, or the first. No password, secret or key is among it.
 * NOT_FOUND: the account is gone. */
enum { EXPORT_PAGE_MAX = 100, EXPORT_RESOURCE_MAX = 64 * 1024 };
struct export_page_in {
    struct uuid projectId, account;
    const char *after; /* what `next` of the page before was; NULL: from the start */
};
FIELD_DECLARE(export_page_in);

struct export_page_out {
    struct field_texts resources; /* JSON */
    const char *next;             /* NULL: that was the last page */
};
FIELD_DECLARE(export_page_out);

/* Mails the person that an export of their data is there. The key is the mail's: once for each. */
struct export_made_in {
    struct uuid key, projectId, account;
    int64_t until; /* it is kept until then */
};
FIELD_DECLARE(export_made_in);

struct policy_in_use_in {
    struct uuid projectId, policyId;
};
FIELD_DECLARE(policy_in_use_in);

struct policy_in_use_out {
    bool inUse;
};
FIELD_DECLARE(policy_in_use_out);

/* Makes an admin of a project: a new account with the password, or, with `existing`, the account
 * that there is, which keeps its own. With `mail` the address is invited, whether or not it has an
 * account. */
struct admin_create_in {
    const char *tenantCode, *email, *name, *surname, *password;
    bool mail, existing;
};
FIELD_DECLARE(admin_create_in);

struct admin_create_out {
    struct uuid account; /* absent: only invited */
    struct uuid membership, profile;
    bool created; /* the account is new */
    bool invited; /* it will be an admin by the link; neither: it was there already */
};
FIELD_DECLARE(admin_create_out);

struct sign_in_explain_in {
    const char *tenantCode, *email, *role; /* "Patient" (default) or "Practitioner" */
    const char *address;                   /* that the sign-in comes from; NULL: not known */
};
FIELD_DECLARE(sign_in_explain_in);

struct explain_step {
    const char *check, *outcome, *hint; /* outcome: "pass", "fail", "skipped" */
};
FIELD_DECLARE(explain_step);

struct sign_in_explain_out {
    bool wouldSucceed;       /* given the right password */
    bool secondFactor;       /* and a code of the second factor */
    struct field_list steps; /* struct explain_step */
};
FIELD_DECLARE(sign_in_explain_out);

struct operator_sessions_in {
    const char *email, *tenantCode /* optional */;
};
FIELD_DECLARE(operator_sessions_in);

/* A page of the members of a project, pending ones too. */
struct operator_members_in {
    const char *tenantCode;
    int64_t count, offset;
};
FIELD_DECLARE(operator_members_in);

/* Takes a second factor away whose owner has lost it. */
struct operator_mfa_reset_in {
    const char *tenantCode, *email;
    const char *role; /* needed when a patient and a practitioner have this e-mail there */
};
FIELD_DECLARE(operator_mfa_reset_in);

/* An account as operators see it. */
struct user_place {
    struct uuid projectId;
    const char *tenantCode, *projectName; /* NULL: none, or not known */
    struct uuid membership, profile;
    bool admin;
    int64_t sessions;
};
FIELD_DECLARE(user_place);

struct user {
    struct uuid id;
    const char *email, *firstName, *lastName, *role;
    struct uuid projectId; /* of a patient; absent: a practitioner */
    int64_t createdAt;
    bool locked;
    int64_t lockedAt;    /* 0: it is not */
    int64_t deletedFrom; /* 0: no deletion is scheduled */
    bool password;       /* it has one */
    bool mfaEnrolled, emailVerified;
    int64_t passkeys, sessions; /* that live */
    struct field_list places;   /* struct user_place: where it is shown alone, at most 100 */
};
FIELD_DECLARE(user);

/* Names one account: by its id, or by its e-mail, with project or role where several have that. */
struct operator_user_in {
    struct uuid id;
    const char *email, *tenantCode, *role;
};
FIELD_DECLARE(operator_user_in);

/* A page: of all accounts by address, or of the members of a project by membership. */
struct operator_user_list_in {
    const char *tenantCode;
    const char *prefix; /* of the address */
    bool locked;        /* only those */
    int64_t count;
    struct uuid after;      /* as the page before has answered it */
    const char *afterEmail; /* likewise */
};
FIELD_DECLARE(operator_user_list_in);

struct operator_user_list_out {
    struct field_list users; /* struct user; of a project's page those that fit */
    struct uuid after;
    const char *afterEmail;
    bool more; /* there may be */
};
FIELD_DECLARE(operator_user_list_out);

/* A batch of an import. The same batch of the same import, asked for again, is answered as at first
 * and does nothing. */
struct operator_import_in {
    struct uuid projectId;
    struct field_bytes import; /* IMPORT_ID_SIZE bytes: a hash of the file and of what was asked */
    int64_t firstLine;         /* number of the batch's first line */
    struct field_bytes lines;  /* NDJSON */
    bool verified;             /* the addresses count as proven, and factors come along */
    bool dryRun;               /* nothing is written */
};
FIELD_DECLARE(operator_import_in);

struct operator_import_out {
    int64_t imported;        /* or would be */
    struct field_list lines; /* struct import_refusal */
    /* With dryRun, of each line that would make an account: its number (8 bytes, big-endian) and a
     * hash of role and address (8 bytes), for who asks to find two with one address. */
    struct field_bytes addresses;
};
FIELD_DECLARE(operator_import_out);

/* A practitioner of a tenant's file whose account here stays as it is: invited instead. */
struct transfer_invited {
    struct uuid account;    /* of the file */
    struct uuid membership; /* of the file; the invitation has the same */
    const char *email;      /* NULL: the invitation is over */
    bool admin;             /* says the file; the invitation gives no such rights */
};
FIELD_DECLARE(transfer_invited);

/* A page of the file's accounts with their memberships. */
struct operator_transfer_check_in {
    struct uuid projectId;
    struct field_list rows; /* struct tenant_json */
    int64_t before;         /* rows in front of these */
};
FIELD_DECLARE(operator_transfer_check_in);

struct operator_transfer_invited_in {
    struct uuid projectId;
    struct uuid after; /* the last membership of the page before; absent: from the start */
};
FIELD_DECLARE(operator_transfer_invited_in);

struct operator_transfer_out {
    struct field_list invited; /* struct transfer_invited */
    bool more;                 /* there may be */
};
FIELD_DECLARE(operator_transfer_out);

/* ---- pages ---- */

struct page_query {
    const char *tenantCode; /* path */
    const struct page_visit *visit;
    const char *note; /* what the page before did, one of page_notes */
    const char *goal; /* of a step-up: the page that it is for */
};
FIELD_DECLARE(page_query);

struct sign_in_form {
    const char *tenantCode;
    const struct page_visit *visit;
    const char *email, *password;
    const char *step, *role; /* instead, of who was asked which account it shall be */
    const char *tenant;      /* or, with step, to which tenant */
    const char *credential;  /* instead, with step: a passkey, JSON */
};
FIELD_DECLARE(sign_in_form);

struct mfa_form {
    const char *tenantCode;
    const struct page_visit *visit;
    const char *step, *code;
    const char *credential; /* instead of the code: a passkey, JSON */
};
FIELD_DECLARE(mfa_form);

struct step_up_form {
    const char *tenantCode;
    const struct page_visit *visit;
    const char *goal; /* where it goes on */
    const char *password, *code;
    const char *step, *credential; /* instead: a passkey, JSON */
};
FIELD_DECLARE(step_up_form);

struct password_form {
    const char *tenantCode;
    const struct page_visit *visit;
    const char *old, *new;
};
FIELD_DECLARE(password_form);

struct factor_form {
    const char *tenantCode;
    const struct page_visit *visit;
    const char *action; /* "on", "off" */
    const char *code;
};
FIELD_DECLARE(factor_form);

struct passkeys_form {
    const char *tenantCode;
    const struct page_visit *visit;
    const char *action; /* "rename", "remove", of: */
    const char *passkey;
    const char *name;
    const char *step, *credential; /* instead: a new one, JSON */
};
FIELD_DECLARE(passkeys_form);

struct export_form {
    const char *tenantCode;
    const struct page_visit *visit;
    const char *action; /* "ask" */
};
FIELD_DECLARE(export_form);

struct export_file_query {
    const char *tenantCode;
    const char *id;
    const struct page_visit *visit;
};
FIELD_DECLARE(export_file_query);

struct delete_form {
    const char *tenantCode;
    const struct page_visit *visit;
    const char *days;
};
FIELD_DECLARE(delete_form);

struct register_form {
    const char *tenantCode;
    const struct page_visit *visit;
    const char *role, *name, *surname, *email, *password;
};
FIELD_DECLARE(register_form);

/* A mailed link is opened. Reading it spends nothing. */
struct link_query {
    const char *tenantCode;
    const struct page_visit *visit;
    const char *id, *secret;
};
FIELD_DECLARE(link_query);

/* What a page does with a mailed link. */
struct link_form {
    const char *tenantCode;
    const struct page_visit *visit;
    const char *id, *secret;
    const char *password;
    const char *action;      /* of an invitation: "accept", "sign-in" */
    const char *step, *code; /* instead, of a sign-in that waits for the second factor */
    const char *credential;  /* instead of the code: a passkey, JSON */
};
FIELD_DECLARE(link_form);

struct email_form {
    const char *tenantCode;
    const struct page_visit *visit;
    const char *email;
};
FIELD_DECLARE(email_form);

struct account_form {
    const char *tenantCode;
    const struct page_visit *visit;
    const char *action;  /* "end", "sign-out", "keep", "withdraw" */
    const char *session; /* of "end" */
    const char *client;  /* of "withdraw": its id */
};
FIELD_DECLARE(account_form);

/* ---- endpoints of the issuers ---- */

struct issuer_in {
    const char *tenantCode; /* path */
    const struct endpoint_visit *visit;
};
FIELD_DECLARE(issuer_in);

struct smart_configuration_in {
    const char *tenantCode;
    const struct endpoint_visit *visit;
    struct uuid id; /* path: the FHIR server */
};
FIELD_DECLARE(smart_configuration_in);

/* An authorization request, also a pushed one (RFC 9126), which brings its client's credentials.
 * The names are the parameters' own. */
struct authorize_in {
    const char *tenantCode; /* path */
    const struct endpoint_visit *visit;
    const char *client_id, *redirect_uri, *response_type, *response_mode, *scope, *state, *nonce;
    const char *code_challenge, *code_challenge_method, *prompt, *max_age, *login_hint;
    const char *ui_locales, *acr_values, *claims, *id_token_hint, *resource;
    const char *aud; /* SMART App Launch's name of resource */
    const char *launch;
    const char *dpop_jkt; /* RFC 9449, section 10: the thumbprint of a key */
    const char *request, *request_uri;
    const char *next; /* a sealed request that comes back from a page */
    const char *client_secret, *client_assertion, *client_assertion_type;
};
FIELD_DECLARE(authorize_in);

struct token_in {
    const char *tenantCode; /* path */
    const struct endpoint_visit *visit;
    const char *grant_type, *code, *redirect_uri, *code_verifier, *refresh_token, *scope, *resource;
    const char *device_code;
    const char *client_id, *client_secret, *client_assertion, *client_assertion_type;
};
FIELD_DECLARE(token_in);

/* RFC 8628, section 3.1. */
struct device_authorization_in {
    const char *tenantCode; /* path */
    const struct endpoint_visit *visit;
    const char *scope, *resource;
    const char *client_id, *client_secret, *client_assertion, *client_assertion_type;
};
FIELD_DECLARE(device_authorization_in);

/* RFC 7662, section 2.1; RFC 7009, section 2.1. */
struct introspect_in {
    const char *tenantCode; /* path */
    const struct endpoint_visit *visit;
    const char *token;
    const char *client_id, *client_secret, *client_assertion, *client_assertion_type;
};
FIELD_DECLARE(introspect_in);

struct userinfo_in {
    const char *tenantCode; /* path */
    const struct endpoint_visit *visit;
    const char *access_token; /* of a POST */
};
FIELD_DECLARE(userinfo_in);

/* OpenID Connect RP-Initiated Logout 1.0, section 2; and the form of the page that asks. */
struct end_session_in {
    const char *tenantCode; /* path */
    const struct endpoint_visit *visit;
    const char *id_token_hint, *client_id, *post_logout_redirect_uri, *state, *ui_locales;
    const char *action; /* "end", "stay" */
};
FIELD_DECLARE(end_session_in);

struct consent_form {
    const char *tenantCode; /* path */
    const struct page_visit *visit;
    const char *action; /* "allow", "deny" */
};
FIELD_DECLARE(consent_form);

struct device_form {
    const char *tenantCode; /* path */
    const struct page_visit *visit;
    const char *action; /* "find", "approve", "deny" */
    const char *code;   /* of "find": as the person has typed it */
    const char *step;   /* of the others: sealed, the device that the page has named */
};
FIELD_DECLARE(device_form);

struct consent {
    const char *clientId, *name;
    const char *scope; /* words between blanks */
    int64_t createdAt, lastUpdated;
};
FIELD_DECLARE(consent);

struct consent_list {
    struct field_list consents; /* struct consent, by their names */
};
FIELD_DECLARE(consent_list);

struct consent_in {
    const char *clientId; /* query */
};
FIELD_DECLARE(consent_in);

/* ---- imports ---- */

/* The import is complete: its batches are forgotten. */
struct operator_import_end_in {
    struct field_bytes import;
};
FIELD_DECLARE(operator_import_end_in);

#define SERVICE authd
#define SERVICE_OPERATIONS OPERATION_CALLS
#include "common/bus/operations.def"

#endif
