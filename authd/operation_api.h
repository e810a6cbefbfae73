/*
 * operation_api.h - the operations that other daemons and atriumctl call.
 */
#ifndef ATRIUM_AUTHD_OPERATION_API_H
#define ATRIUM_AUTHD_OPERATION_API_H

#include "common/domain/endpoint.h"
#include "common/domain/role.h"
#include "common/service/service_tenant.h"
#include "common/wire/fields.h"

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

/* A token that is bound to a key, as it was shown to a gateway, with the proof. */
struct dpop_prove_in {
    const struct endpoint_visit *visit;
    const char *accessToken;
    const char *jkt; /* the key's thumbprint (RFC 7638) */
};
FIELD_DECLARE(dpop_prove_in);

/* settingsd tells of a changed policy or project, or of several, or of a client application that
 * was replaced or deleted; returns when every live gateway knows. */
struct change_publish_in {
    const char *kind; /* "policy" or "project" */
    struct uuid id;
    struct field_texts others; /* further ids, at most CHANGE_OTHERS_MAX, without `id` */
    struct uuid client; /* of the project: its grants end that hold more than it is registered for;
                         * absent: none */
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

/* ---- the export of a person's data (authd/account/export.c) ---- */

/* Whether a session may have the data of an account of its project, which needs a fresh proof:
 * STEP_UP_REQUIRED, UNAUTHORIZED (the session has ended), NOT_FOUND (no member of the project). */
struct export_admit_in {
    struct uuid projectId, sessionId, account;
};
FIELD_DECLARE(export_admit_in);

struct export_admit_out {
    enum role role;
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

/* How many practitioners of a project could set up no second factor that it demands: they work in
 * several organizations, and the installation has no pages for them. */
struct shared_people_in {
    struct uuid projectId;
};
FIELD_DECLARE(shared_people_in);

struct shared_people_out {
    int64_t people;
};
FIELD_DECLARE(shared_people_out);

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
    enum role role;
    const char *tenantCode, *email;
    const char *address; /* that the sign-in comes from; NULL: not known */
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
    enum role role; /* needed when a patient and a practitioner have this e-mail there */
};
FIELD_DECLARE(operator_mfa_reset_in);

/* What an operator does for a practitioner, whose address it is (authd/member/operator_account.c):
 * without pages of the installation no session may do it where the account belongs to several
 * organizations. */
struct operator_account_in {
    const char *email, *reason;
};
FIELD_DECLARE(operator_account_in);

struct operator_account_passkey_in {
    const char *email, *reason;
    struct uuid id; /* the passkey */
};
FIELD_DECLARE(operator_account_passkey_in);

struct operator_account_leave_in {
    const char *email, *reason, *tenantCode;
};
FIELD_DECLARE(operator_account_leave_in);

struct operator_account_delete_in {
    const char *email, *reason;
    int64_t days;
    bool wipe; /* what it owns in its projects goes along */
};
FIELD_DECLARE(operator_account_delete_in);

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
    enum role role;
    const char *email, *firstName, *lastName;
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
    enum role role;
    const char *email, *tenantCode;
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

#endif
