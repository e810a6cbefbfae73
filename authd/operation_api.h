/*
 * operation_api.h - the operations that other daemons and atriumctl call.
 */
#ifndef ATRIUM_AUTHD_OPERATION_API_H
#define ATRIUM_AUTHD_OPERATION_API_H

#include "common/domain/endpoint.h"
#include "common/domain/role.h"
#include "common/service/service_tenant.h"
#include "common/wire/fields.h"

/* Counts a registration from a client address; ERR_THROTTLED after 5 in any 60 s. */
struct register_admit_in {
    const char *address;
};
FIELD_DECLARE(register_admit_in);

/* Counts an email with a tenant code for sender and recipient; ERR_THROTTLED above either limit. */
struct code_mail_admit_in {
    struct uuid membership;
    const char *email;
};
FIELD_DECLARE(code_mail_admit_in);

/* A token's holder. ERR_UNAUTHORIZED if membership or session no longer exist. projectName and the
 * policy texts stay empty; the gateway gets them from settingsd's caller_context. */
struct identity_get_in {
    struct uuid project, membership; /* claims prj, mem */
    struct uuid session;             /* claim sid; absent: not checked */
};
FIELD_DECLARE(identity_get_in);

/* The end of a session, which authd knows for a day. */
struct session_end_get_in {
    struct uuid project, session;
};
FIELD_DECLARE(session_end_get_in);

struct session_end_get_out {
    bool known;
    int64_t endedAt; /* 0: not ended, or unknown */
};
FIELD_DECLARE(session_end_get_out);

/* A change that gateways must apply immediately; also the body of the announcement "change". kind:
 * "session" (ended; token: the jti that signed out, or absent), "membership", "account", "policy",
 * "project" (drop its cached data), "keys" (fetch them again). */
struct change {
    int64_t sequence;
    const char *kind;
    struct uuid id, token;
    int64_t until; /* contract time until which it matters; 0: an event only */
};
FIELD_DECLARE(change);

struct gateway_lease_in {
    const char *gateway; /* "gateway.1" */
    const char *boot;    /* boot id; a new one starts a new lease */
    int64_t since;       /* highest applied sequence; 0: none */
};
FIELD_DECLARE(gateway_lease_in);

struct gateway_lease_out {
    int64_t sequence;          /* the next `since`, once `changes` are applied */
    bool more;                 /* call again immediately */
    struct field_list changes; /* struct change, ascending, at most 5,000 */
};
FIELD_DECLARE(gateway_lease_out);

/* A key-bound token with its DPoP proof, from a gateway. */
struct dpop_prove_in {
    const struct endpoint_visit *visit;
    const char *accessToken;
    const char *jkt; /* the key's thumbprint (RFC 7638) */
};
FIELD_DECLARE(dpop_prove_in);

/* Changes of policies, projects or an OAuth client, from settingsd. The answer comes when every
 * live gateway has them. */
struct change_publish_in {
    const char *kind; /* "policy" or "project" */
    struct uuid id;
    struct field_texts others; /* more ids, at most CHANGE_OTHERS_MAX */
    /* A client of the project, whose grants are limited to its registration; absent: none. */
    struct uuid client;
};
FIELD_DECLARE(change_publish_in);

enum { CHANGE_OTHERS_MAX = 3999 }; /* plus `id`, less than a page of gateway_lease() */
/* Makes an account's holder an admin of a project; idempotent by key. */
struct admin_grant_in {
    struct uuid key, account, projectId, policyId;
};
FIELD_DECLARE(admin_grant_in);

/* Deletes an account on its scheduled date. A void schedule has no effect. ERR_CONFLICT before the
 * date by authd's clock. */
struct account_delete_in {
    struct uuid account, schedule;
};
FIELD_DECLARE(account_delete_in);

/* Reminds the owner by email, unless the schedule is void; idempotent by key. */
struct account_remind_in {
    struct uuid key, account, schedule;
    struct uuid projectId; /* sends the email */
};
FIELD_DECLARE(account_remind_in);

/* A session that needs a fresh proof. */
struct proof_check_in {
    struct uuid projectId, sessionId;
};
FIELD_DECLARE(proof_check_in);

/* ---- data export (authd/account/export.c) ---- */

/* Checks that a session can export an account of its project. STEP_UP_REQUIRED, UNAUTHORIZED
 * (session ended), NOT_FOUND (no member). */
struct export_admit_in {
    struct uuid projectId, sessionId, account;
};
FIELD_DECLARE(export_admit_in);

struct export_admit_out {
    enum role role;
    struct uuid profile;
};
FIELD_DECLARE(export_admit_out);

/* A page of an account's data in a project, with all daemons' audit logs, as FHIR R4 resources
 * without secrets. NOT_FOUND: the account does not exist. */
enum { EXPORT_PAGE_MAX = 100, EXPORT_RESOURCE_MAX = 64 * 1024 };
struct export_page_in {
    struct uuid projectId, account;
    const char *after; /* the previous page's `next`; NULL: first page */
};
FIELD_DECLARE(export_page_in);

struct export_page_out {
    struct field_texts resources; /* JSON */
    const char *next;             /* NULL: last page */
};
FIELD_DECLARE(export_page_out);

/* Emails the person that their export is ready; idempotent by key. */
struct export_made_in {
    struct uuid key, projectId, account;
    int64_t until; /* when the export is deleted */
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

/* The number of a project's practitioners who can't set up a required second factor: they belong to
 * several organizations, and the installation has no account pages. */
struct shared_people_in {
    struct uuid projectId;
};
FIELD_DECLARE(shared_people_in);

struct shared_people_out {
    int64_t people;
};
FIELD_DECLARE(shared_people_out);

/* Makes an admin of a project: a new account with the password or, with `existing`, the existing
 * account with its own password. With `mail`, only invites the address. */
struct admin_create_in {
    const char *tenantCode, *email, *name, *surname, *password;
    bool mail, existing;
};
FIELD_DECLARE(admin_create_in);

struct admin_create_out {
    struct uuid account; /* absent: only invited */
    struct uuid membership, profile;
    bool created; /* the account is new */
    bool invited; /* an invitation was emailed; neither flag: already an admin */
};
FIELD_DECLARE(admin_create_out);

struct sign_in_explain_in {
    enum role role;
    const char *tenantCode, *email;
    const char *address; /* network address; NULL: unknown */
};
FIELD_DECLARE(sign_in_explain_in);

struct explain_step {
    const char *check, *outcome, *hint; /* outcome: "pass", "fail", "skipped" */
};
FIELD_DECLARE(explain_step);

struct sign_in_explain_out {
    bool wouldSucceed;       /* given the right password */
    bool secondFactor;       /* a second-factor code is needed too */
    struct field_list steps; /* struct explain_step */
};
FIELD_DECLARE(sign_in_explain_out);

struct operator_sessions_in {
    const char *email, *tenantCode /* optional */;
};
FIELD_DECLARE(operator_sessions_in);

/* A page of a project's members, including pending ones. */
struct operator_members_in {
    const char *tenantCode;
    int64_t count, offset;
};
FIELD_DECLARE(operator_members_in);

struct operator_mfa_reset_in {
    const char *tenantCode, *email;
    enum role role; /* required if several accounts have the address */
};
FIELD_DECLARE(operator_mfa_reset_in);

/* An action for the practitioner with this address. If the installation has no pages, no session
 * can do it for an account in several organizations. */
struct operator_account_in {
    const char *email, *reason;
};
FIELD_DECLARE(operator_account_in);

struct operator_account_passkey_in {
    const char *email, *reason;
    struct uuid id; /* id of the passkey */
};
FIELD_DECLARE(operator_account_passkey_in);

struct operator_account_leave_in {
    const char *email, *reason, *tenantCode;
};
FIELD_DECLARE(operator_account_leave_in);

struct operator_account_delete_in {
    const char *email, *reason;
    int64_t days;
    bool wipe; /* also delete the account's data in its projects */
};
FIELD_DECLARE(operator_account_delete_in);

/* A membership, for operators. */
struct user_place {
    struct uuid projectId;
    const char *tenantCode, *projectName; /* NULL: none or unknown */
    struct uuid membership, profile;
    bool admin;
    int64_t sessions;
};
FIELD_DECLARE(user_place);

struct user {
    struct uuid id;
    enum role role;
    const char *email, *firstName, *lastName;
    struct uuid projectId; /* a patient's project */
    int64_t createdAt;
    bool locked;
    int64_t lockedAt;    /* 0: not locked */
    int64_t deletedFrom; /* date of the scheduled deletion; 0: none */
    bool password;
    bool mfaEnrolled, emailVerified;
    int64_t passkeys, sessions; /* sessions: only active ones */
    struct field_list places;   /* struct user_place, at most 100; only for a single user */
};
FIELD_DECLARE(user);

/* Names an account by id, or by email address, with project or role if that is ambiguous. */
struct operator_user_in {
    struct uuid id;
    enum role role;
    const char *email, *tenantCode;
};
FIELD_DECLARE(operator_user_in);

/* All accounts by email address, or a project's members by membership. */
struct operator_user_list_in {
    const char *tenantCode;
    const char *prefix; /* start of the email address */
    bool locked;        /* only locked accounts */
    int64_t count;
    struct uuid after; /* from the previous page */
    const char *afterEmail;
};
FIELD_DECLARE(operator_user_list_in);

struct operator_user_list_out {
    struct field_list users; /* struct user; for a project, a page's matching members */
    struct uuid after;
    const char *afterEmail;
    bool more;
};
FIELD_DECLARE(operator_user_list_out);

/* A practitioner in a tenant's file whose existing account stays unchanged. */
struct transfer_invited {
    struct uuid account;    /* in the file */
    struct uuid membership; /* in the file and the invitation */
    const char *email;      /* NULL: the invitation has expired */
    bool admin;             /* in the file; not granted by the invitation */
};
FIELD_DECLARE(transfer_invited);

/* A page of the file's accounts. */
struct operator_transfer_check_in {
    struct uuid projectId;
    struct field_list rows; /* struct tenant_json */
    int64_t before;         /* rows before this page */
};
FIELD_DECLARE(operator_transfer_check_in);

struct operator_transfer_invited_in {
    struct uuid projectId;
    struct uuid after; /* previous page's last membership; absent: first page */
};
FIELD_DECLARE(operator_transfer_invited_in);

struct operator_transfer_out {
    struct field_list invited; /* struct transfer_invited */
    bool more;
};
FIELD_DECLARE(operator_transfer_out);

#endif
