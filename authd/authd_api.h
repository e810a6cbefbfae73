/*
 * authd_api.h - the inputs and outputs of authd, for itself, the gateway and the daemons that ask
 * it: here those of the routes, and in the headers beside it those of issuers, pages, the trail and
 * operations.
 */
#ifndef ATRIUM_AUTHD_AUTHD_API_H
#define ATRIUM_AUTHD_AUTHD_API_H

#include "authd/oauth_api.h"
#include "authd/operation_api.h"
#include "authd/page_api.h"
#include "authd/trail_api.h"
#include "common/base/secret.h"
#include "common/bus/method.h"
#include "common/domain/reference.h"
#include "common/service/audit_events.h"
#include "common/service/purge.h"
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

/* ---- deletion ---- */

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

/* ---- oneself ---- */

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

/* The import is complete: its batches are forgotten. */
struct operator_import_end_in {
    struct field_bytes import;
};
FIELD_DECLARE(operator_import_end_in);

#define SERVICE authd
#define SERVICE_OPERATIONS OPERATION_CALLS
#include "common/bus/operations.def"

#endif
