/*
 * authd_api.h - the inputs and outputs of authd, for itself, the gateway and the daemons that ask
 * it.
 */
#ifndef ATRIUM_AUTHD_AUTHD_API_H
#define ATRIUM_AUTHD_AUTHD_API_H

#include "common/bus/method.h"
#include "common/domain/reference.h"
#include "common/wire/fields.h"

/* ---- routes ---- */

struct patient_register_in {
    const char *email, *password, *name, *surname, *tenantCode, *continueAsPatientToken;
};
struct practitioner_register_in {
    const char *email, *password, *name, *surname, *tenantCode;
};
struct patient_login_start_in {
    const char *email, *password, *tenantCode, *codeChallenge;
};
struct practitioner_login_start_in {
    const char *email, *password, *tenantCode /* optional */, *codeChallenge;
};
struct patient_login_token_in {
    const char *sessionCode, *codeVerifier;
};
struct practitioner_login_token_in {
    const char *sessionCode, *codeVerifier, *tenantCode /* optional */;
};
struct login_mfa_in {
    struct uuid loginId;
    const char *mfaToken; /* six digits, or a recovery code */
};
/* The one-step routes: `codeChallenge` (optional) starts the tenant sign-in that an account with a
 * second factor needs. `clientId` names a client application of a project. */
struct client_login_in {
    const char *email, *password, *codeChallenge;
    struct uuid clientId;
};
struct client_register_in {
    const char *email, *password, *name, *surname;
    const char *type; /* "Patient" (default) or "Practitioner" */
    struct uuid clientId;
};
struct b2b_login_in {
    const char *email, *password, *codeChallenge;
    struct uuid clientId, tenantId; /* the client's project */
};
struct b2b_register_in {
    const char *email, *password, *name, *surname;
    struct uuid clientId, tenantId;
};
struct login_tenant {
    const char *tenantCode;
    const struct reference *project, *profile;
};
struct login_step {
    const char *nextStep;      /* "token" or "mfa" */
    const char *sessionCode;   /* with "token" */
    struct uuid loginId;       /* with "mfa" */
    struct field_list tenants; /* struct login_tenant; practitioners, who have at least one */
};
struct token_response {
    const char *accessToken, *refreshToken;
    int64_t expiresIn; /* seconds */
    const struct reference *project, *profile;
};
struct token_or_step {
    const char
        *nextStep; /* "clinician-invite", "verify-email", then nothing else; NULL otherwise */
    const char *accessToken, *refreshToken;
    int64_t expiresIn; /* 0 is left out */
    const struct reference *project, *profile;
};
struct refresh_token_in {
    const char *refresh_token;
};
struct refresh_token_out {
    const char *access_token, *refresh_token;
    int64_t expires_in;
    const char *token_type; /* "Bearer" */
};

struct change_password_in {
    const char *oldPassword, *newPassword;
};
struct reset_password_in {
    const char *email, *tenantCode;
    const char *type; /* "Patient", "Practitioner" or NULL: either */
};
struct set_password_in {
    struct uuid id; /* with secret from the mailed link */
    const char *secret, *password;
};
struct invitation_link_in {
    struct uuid id; /* with secret from the mailed link */
    const char *secret;
};
struct invitation_show_out {
    const char *email, *projectName, *inviterName;
    const char *accept; /* "sign-in" or "set-password" */
};
/* The caller's address or, without a token, that of the accounts of a tenant. */
struct email_verify_send_in {
    const char *email, *tenantCode;
    const char *type; /* "Patient", "Practitioner" or NULL: either */
};
struct email_change_in {
    const char *email;
};
struct email_undo_in {
    struct uuid id; /* with secret from the mailed link */
    const char *secret;
};
struct email_verify_in {
    struct uuid id; /* with secret from the mailed link */
    const char *secret;
    const char *password; /* of the account; NULL: a session of it is shown instead */
};
struct message_out {
    const char *message;
};

struct mfa_status_out {
    bool enrolled;
    const char *otpauthUrl, *qrCodeDataUrl; /* until it is enrolled */
};
struct mfa_token_in {
    const char *token; /* six digits, or (not to enroll) a recovery code */
};
/* One of the two: the code where a second factor is on. */
struct step_up_in {
    const char *password, *mfaToken;
};
struct mfa_enroll_out {
    bool ok;
    struct field_texts recoveryCodes;
};
struct ok_out {
    bool ok;
};

/* Who belongs to the caller's project, or is invited to it. */
struct member_create_in {
    const char *email, *firstName, *lastName;
    const char *type; /* "Practitioner" (default) or "Patient" */
    bool admin;
    const char *accessPolicy; /* "AccessPolicy/<id>"; NULL: the project's default for the type */
};
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
struct members_in {
    int64_t _count, _offset;
};
struct member_list {
    int64_t total;
    struct field_list resources; /* struct member */
};
struct member_in {
    struct uuid id; /* path */
};
struct member_patch_in {
    struct uuid id; /* path */
    bool admin;
};
struct deletion_schedule_in {
    int64_t days;
    bool wipe; /* what the account owns elsewhere, too */
};
struct deletion_user {
    const char *resourceType;
    struct uuid id;
    const char *firstName, *lastName, *email;
};
struct deletion_scheduled {
    int64_t scheduled; /* from then on there is no such account */
    const struct deletion_user *user;
};

struct me_project {
    const char *resourceType;
    struct uuid id;
    const char *name;
    bool strictMode; /* of clients that know FHIR servers; always false here */
};
struct me_membership {
    const char *resourceType;
    struct uuid id;
    bool admin;
    const struct reference *user;
};
struct me_name {
    struct field_texts given;
    const char *family;
};
struct me_telecom {
    const char *system, *use, *value;
};
struct me_profile {
    const char *resourceType;
    struct uuid id;
    struct field_list name, telecom;
};
struct me_policy {
    const char *resourceType;
    struct uuid id;
    const char *name, *resource;
};
/* A menu that a client may show; none here has entries. */
struct me_menu_link {
    const char *name, *target;
};
struct me_menu {
    const char *title;
    struct field_list link; /* struct me_menu_link */
};
struct me_config {
    const char *resourceType;
    struct field_list menu; /* struct me_menu */
};
struct session_record {
    struct uuid id;
    int64_t lastUpdated;
    const char *authMethod, *remoteAddress;
    const char *browser, *os; /* NULL: answered as "unknown" */
    bool current;
};
struct session_list {
    struct field_list sessions; /* struct session_record */
};
enum { SESSIONS_PAGE = 200 }; /* sessions in an answer that was asked for no number of them */
struct sessions_in {
    int64_t _count, _offset;
};
enum { ME_SESSIONS_MAX = 20 };
struct me_security {
    bool mfaEnrolled, emailVerified;
    struct field_list sessions; /* struct session_record, at most ME_SESSIONS_MAX */
    bool moreSessions;
};
struct me_out {
    const struct me_project *project;
    const struct me_membership *membership;
    const struct me_profile *profile;
    const struct me_policy *accessPolicy; /* NULL without one: answered as an empty one */
    const struct me_config *config;
    const struct me_security *security;
};
struct sessions_revoke_in {
    const char *option; /* path: current, other, all or a session id */
};

/* ---- between daemons ---- */

/* Counts one registration for a client address; ERR_THROTTLED beyond 5 in any sliding 60 s. */
struct register_admit_in {
    const char *address;
};
/* Counts one mail with a tenant code, for who sends it and for who gets it; ERR_THROTTLED beyond
 * their limits. */
struct code_mail_admit_in {
    struct uuid membership;
    const char *email;
};
/* Who holds a token: fails with ERR_UNAUTHORIZED when the membership or the session is gone.
 * projectName and the policy's texts are left empty here; the gateway gets them from settingsd's
 * caller_context. */
struct identity_get_in {
    struct uuid project, membership; /* claims prj, mem */
    struct uuid session;             /* claim sid; absent: not looked at */
};
/* When a session ended. One that is not known ended before its day in the table was over. */
struct session_end_get_in {
    struct uuid project, session;
};
struct session_end_get_out {
    bool known;
    int64_t endedAt; /* 0: it has not, or it is not known */
};
/* What gateways must know at once. kind: "session" (ended; token: the jti that logged out, or
 * absent), "membership", "account", "policy", "project" (forget what is cached of it), "keys"
 * (fetch them again). Also the body of the announcement "change". */
struct change {
    int64_t sequence;
    const char *kind;
    struct uuid id, token;
    int64_t until; /* contract time after which it no longer matters; 0: an event only */
};
struct gateway_lease_in {
    const char *gateway; /* "gateway.1" */
    const char *boot;    /* boot id of the gateway: another one starts a new lease */
    int64_t since;       /* highest sequence in force at the gateway; 0: none */
};
struct gateway_lease_out {
    int64_t sequence;          /* in force once `changes` are; the next `since` */
    bool more;                 /* ask again at once */
    struct field_list changes; /* struct change, ascending, at most 5,000 */
};
struct public_key {
    const char *kid, *x, *y;     /* P-256 point, base64url (RFC 7518, section 6.2) */
    const char *pem;             /* SubjectPublicKeyInfo */
    bool active;                 /* signs new tokens */
    int64_t createdAt, retireAt; /* retireAt 0: not scheduled */
};
struct keys_get_out {
    const char *issuer, *audience;
    struct field_list keys; /* struct public_key: active and not yet retired */
};
struct key_list {
    struct field_list keys;
};
/* settingsd tells of a changed policy or project, or of several; returns when every live gateway
 * knows. */
struct change_publish_in {
    const char *kind; /* "policy" or "project" */
    struct uuid id;
    struct field_texts others; /* further ids, at most CHANGE_OTHERS_MAX, without `id` */
};
enum { CHANGE_OTHERS_MAX = 3999 }; /* with `id` less than a page of gateway_lease() */
/* Makes the holder of `account` an admin practitioner of a project; repeating it with the same key
 * does nothing. */
struct admin_grant_in {
    struct uuid key, account, projectId, policyId;
};
/* Deletes an account whose date has come; done, and not an error, when the schedule is void: taken
 * back, replaced by another or carried out already. ERR_CONFLICT while authd's clock has not
 * reached the date. */
struct account_delete_in {
    struct uuid account, schedule;
};
/* Mails its owner that the date is near, unless the schedule is void. The key is the mail's: once
 * for each. */
struct account_remind_in {
    struct uuid key, account, schedule;
    struct uuid projectId; /* whose mail it is */
};
struct policy_in_use_in {
    struct uuid projectId, policyId;
};
struct policy_in_use_out {
    bool inUse;
};
/* Makes an admin of a project: a new account with the password, or, with `existing`, the account
 * that there is, which keeps its own. With `mail` the address is invited, whether or not it has an
 * account. */
struct admin_create_in {
    const char *tenantCode, *email, *name, *surname, *password;
    bool mail, existing;
};
struct admin_create_out {
    struct uuid account; /* absent: only invited */
    struct uuid membership, profile;
    bool created; /* the account is new */
    bool invited; /* it will be an admin by the link; neither: it was there already */
};
struct sign_in_explain_in {
    const char *tenantCode, *email, *role; /* "Patient" (default) or "Practitioner" */
    const char *address;                   /* that the sign-in comes from; NULL: not known */
};
struct explain_step {
    const char *check, *outcome, *hint; /* outcome: "pass", "fail", "skipped" */
};
struct sign_in_explain_out {
    bool wouldSucceed;       /* given the right password */
    bool secondFactor;       /* and a code of the second factor */
    struct field_list steps; /* struct explain_step */
};
struct operator_sessions_in {
    const char *email, *tenantCode /* optional */;
};
/* A page of the members of a project, pending ones too. */
struct operator_members_in {
    const char *tenantCode;
    int64_t count, offset;
};
/* Takes a second factor away whose owner has lost it. */
struct operator_mfa_reset_in {
    const char *tenantCode, *email;
    const char *role; /* needed when a patient and a practitioner have this e-mail there */
};

/* An account as operators see it. */
struct user_place {
    struct uuid projectId;
    const char *tenantCode, *projectName; /* NULL: none, or not known */
    struct uuid membership, profile;
    bool admin;
    int64_t sessions;
};
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
    int64_t sessions;         /* that live */
    struct field_list places; /* struct user_place: where it is shown alone, at most 100 */
};
/* Names one account: by its id, or by its e-mail, with project or role where several have that. */
struct operator_user_in {
    struct uuid id;
    const char *email, *tenantCode, *role;
};
/* A page: of all accounts by address, or of the members of a project by membership. */
struct operator_user_list_in {
    const char *tenantCode;
    const char *prefix; /* of the address */
    bool locked;        /* only those */
    int64_t count;
    struct uuid after;      /* as the page before has answered it */
    const char *afterEmail; /* likewise */
};
struct operator_user_list_out {
    struct field_list users; /* struct user; of a project's page those that fit */
    struct uuid after;
    const char *afterEmail;
    bool more; /* there may be */
};

extern const struct field_table login_mfa_in_table, mfa_status_out_table, mfa_token_in_table,
    mfa_enroll_out_table, ok_out_table, member_create_in_table, member_table, members_in_table,
    member_list_table, member_in_table, member_patch_in_table, patient_register_in_table,
    practitioner_register_in_table, patient_login_start_in_table, practitioner_login_start_in_table,
    patient_login_token_in_table, practitioner_login_token_in_table, client_login_in_table,
    client_register_in_table, b2b_login_in_table, b2b_register_in_table, login_tenant_table,
    login_step_table, token_response_table, token_or_step_table, refresh_token_in_table,
    refresh_token_out_table, change_password_in_table, reset_password_in_table,
    email_verify_send_in_table, email_verify_in_table, set_password_in_table, message_out_table,
    me_project_table, me_membership_table, me_name_table, me_telecom_table, me_profile_table,
    me_policy_table, me_menu_link_table, me_menu_table, me_config_table, deletion_schedule_in_table,
    deletion_user_table, deletion_scheduled_table, account_delete_in_table, account_remind_in_table,
    session_record_table, session_list_table, me_security_table, me_out_table, sessions_in_table,
    sessions_revoke_in_table, register_admit_in_table, code_mail_admit_in_table,
    operator_mfa_reset_in_table, identity_get_in_table, session_end_get_in_table,
    session_end_get_out_table, change_table, gateway_lease_in_table, gateway_lease_out_table,
    public_key_table, keys_get_out_table, key_list_table, change_publish_in_table,
    admin_grant_in_table, policy_in_use_in_table, policy_in_use_out_table, admin_create_in_table,
    admin_create_out_table, sign_in_explain_in_table, explain_step_table, sign_in_explain_out_table,
    operator_sessions_in_table, operator_members_in_table;
extern const struct field_table step_up_in_table;
extern const struct field_table user_place_table, user_table, operator_user_in_table,
    operator_user_list_in_table, operator_user_list_out_table;
extern const struct field_table email_change_in_table, email_undo_in_table;
extern const struct field_table invitation_link_in_table, invitation_show_out_table;

#define SERVICE authd
#define SERVICE_OPERATIONS OPERATION_CALLS
#include "common/bus/operations.def"

#endif
