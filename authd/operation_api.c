/*
 * operation_api.c - see operation_api.h.
 */
#include "authd/operation_api.h"

#include <stdio.h>

#include "authd/shape_api.h"
#include "common/base/address.h"
#include "common/domain/name.h"

enum {
    CHANGES_MAX = 5000,
    USERS_MAX = 200,
    USER_PLACES_MAX = 100, /* as in user_memberships.sql */
};

static const char *const change_kinds[] = {"policy", "project", NULL};

static int check_address(const char *value, char why[static 96])
{
    struct address address;

    if (address_parse(value, &address) == 0)
        return 0;
    snprintf(why, 96, "must be an IP address");
    return -1;
}

/* ---- operations for other daemons ---- */

static const struct field register_admit_in_rows[] = {
    FIELD_TEXT(struct register_admit_in, address, 1, 64, FIELD_REQUIRED,
               "IP address of the client.", "192.0.2.7"),
};
FIELD_TABLE(register_admit_in);

static const struct field code_mail_admit_in_rows[] = {
    FIELD_UUID(struct code_mail_admit_in, membership, FIELD_REQUIRED, "Membership of the sender."),
    FIELD_EMAIL(struct code_mail_admit_in, email, FIELD_REQUIRED, "Email address of the recipient.",
                "ana@example.org"),
};
FIELD_TABLE(code_mail_admit_in);

static const struct field identity_get_in_rows[] = {
    FIELD_UUID(struct identity_get_in, project, FIELD_REQUIRED,
               "Project of the token (claim `prj`)."),
    FIELD_UUID(struct identity_get_in, membership, FIELD_REQUIRED,
               "Membership of the token (claim `mem`)."),
    FIELD_UUID(struct identity_get_in, session, 0, "Session of the token (claim `sid`)."),
};
FIELD_TABLE(identity_get_in);

static const struct field session_end_get_in_rows[] = {
    FIELD_UUID(struct session_end_get_in, project, FIELD_REQUIRED, "Project of the session."),
    FIELD_UUID(struct session_end_get_in, session, FIELD_REQUIRED, "ID of the session."),
};
FIELD_TABLE(session_end_get_in);

static const struct field session_end_get_out_rows[] = {
    FIELD_BOOL(struct session_end_get_out, known, false, 0,
               "Whether authd has a record of the session."),
    FIELD_TIME(struct session_end_get_out, endedAt, FIELD_OMIT_ZERO, "When the session ended."),
};
FIELD_TABLE(session_end_get_out);

static const struct field change_rows[] = {
    FIELD_INT(struct change, sequence, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "Number of the change, in the order of commits.", "1"),
    FIELD_TEXT(struct change, kind, 1, 32, FIELD_REQUIRED, "Kind of the changed object.",
               "session"),
    FIELD_UUID(struct change, id, 0, "ID of the changed object."),
    FIELD_UUID(struct change, token, 0, "ID (`jti`) of the token that logged out."),
    FIELD_INT(struct change, until, 0, INT64_MAX, 0, 0,
              "When the change no longer matters; 0 for a mere event.", "0"),
};
FIELD_TABLE(change);

static const struct field gateway_lease_in_rows[] = {
    FIELD_TEXT(struct gateway_lease_in, gateway, 1, 64, FIELD_REQUIRED,
               "Name of the gateway's instance.", "gateway.1"),
    FIELD_TEXT(struct gateway_lease_in, boot, 1, 64, FIELD_REQUIRED,
               "Boot ID of the gateway's process.", ""),
    FIELD_INT(struct gateway_lease_in, since, 0, INT64_MAX, 0, 0,
              "Number of the last change that the gateway has applied.", "0"),
};
FIELD_TABLE(gateway_lease_in);

static const struct field gateway_lease_out_rows[] = {
    FIELD_INT(struct gateway_lease_out, sequence, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "Number of the last change, once `changes` are applied.", "1"),
    FIELD_BOOL(struct gateway_lease_out, more, false, 0, "Whether more changes are waiting."),
    FIELD_OBJECTS(struct gateway_lease_out, changes, change, CHANGES_MAX, 0,
                  "Changes, oldest first."),
};
FIELD_TABLE(gateway_lease_out);

static const struct field dpop_prove_in_rows[] = {
    FIELD_OBJECT(struct dpop_prove_in, visit, endpoint_visit, FIELD_REQUIRED,
                 "The request that contains the proof."),
    FIELD_TEXT(struct dpop_prove_in, accessToken, 1, ENDPOINT_HEADER_MAX,
               FIELD_REQUIRED | FIELD_SECRET, "Access token of the request.", ""),
    FIELD_TEXT(struct dpop_prove_in, jkt, 1, 64, FIELD_REQUIRED,
               "Thumbprint of the key to which the token is bound.", ""),
};
FIELD_TABLE(dpop_prove_in);

static const struct field change_publish_in_rows[] = {
    FIELD_CHOICE(struct change_publish_in, kind, change_kinds, FIELD_REQUIRED,
                 "Kind of the changed object.", "policy"),
    FIELD_UUID(struct change_publish_in, id, FIELD_REQUIRED,
               "ID of the changed policy or project."),
    FIELD_TEXTS(struct change_publish_in, others, 36, 36, CHANGE_OTHERS_MAX, FIELD_OMIT_EMPTY,
                "IDs of other changed objects of this kind.",
                "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"),
    FIELD_UUID(struct change_publish_in, client, 0,
               "The client application of the project that was replaced or deleted."),
};
FIELD_TABLE(change_publish_in);

static const struct field admin_grant_in_rows[] = {
    FIELD_UUID(struct admin_grant_in, key, FIELD_REQUIRED, "Idempotency key."),
    FIELD_UUID(struct admin_grant_in, account, FIELD_REQUIRED, "Account that becomes an admin."),
    FIELD_UUID(struct admin_grant_in, projectId, FIELD_REQUIRED, "Project that gets the admin."),
    FIELD_UUID(struct admin_grant_in, policyId, 0, "Access policy of the membership."),
};
FIELD_TABLE(admin_grant_in);

static const struct field account_delete_in_rows[] = {
    FIELD_UUID(struct account_delete_in, account, FIELD_REQUIRED, "Account to delete."),
    FIELD_UUID(struct account_delete_in, schedule, FIELD_REQUIRED, "Schedule of the deletion."),
};
FIELD_TABLE(account_delete_in);

static const struct field account_remind_in_rows[] = {
    FIELD_UUID(struct account_remind_in, key, FIELD_REQUIRED, "Idempotency key of the email."),
    FIELD_UUID(struct account_remind_in, account, FIELD_REQUIRED, "Account that will be deleted."),
    FIELD_UUID(struct account_remind_in, schedule, FIELD_REQUIRED, "Schedule of the deletion."),
    FIELD_UUID(struct account_remind_in, projectId, FIELD_REQUIRED,
               "Project that sends the email."),
};
FIELD_TABLE(account_remind_in);

static const struct field proof_check_in_rows[] = {
    FIELD_UUID(struct proof_check_in, projectId, FIELD_REQUIRED, "Project of the session."),
    FIELD_UUID(struct proof_check_in, sessionId, FIELD_REQUIRED,
               "Session that needs a fresh proof."),
};
FIELD_TABLE(proof_check_in);

static const struct field export_admit_in_rows[] = {
    FIELD_UUID(struct export_admit_in, projectId, FIELD_REQUIRED, "Project of the session."),
    FIELD_UUID(struct export_admit_in, sessionId, FIELD_REQUIRED, "Session of the caller."),
    FIELD_UUID(struct export_admit_in, account, FIELD_REQUIRED, "Account whose data is requested."),
};
FIELD_TABLE(export_admit_in);

static const struct field export_admit_out_rows[] = {
    FIELD_ENUM(struct export_admit_out, role, role, account_roles, FIELD_REQUIRED,
               "Role of the account.", "Patient"),
    FIELD_UUID(struct export_admit_out, profile, FIELD_REQUIRED,
               "Profile of the account in the project."),
};
FIELD_TABLE(export_admit_out);

static const struct field export_page_in_rows[] = {
    FIELD_UUID(struct export_page_in, projectId, FIELD_REQUIRED, "Project that stores the data."),
    FIELD_UUID(struct export_page_in, account, FIELD_REQUIRED, "Account whose data is exported."),
    FIELD_TEXT(struct export_page_in, after, 1, 4096, 0,
               "`next` of the previous page; absent for the first page.", ""),
};
FIELD_TABLE(export_page_in);

static const struct field export_page_out_rows[] = {
    FIELD_TEXTS(struct export_page_out, resources, 1, EXPORT_RESOURCE_MAX, EXPORT_PAGE_MAX + 3,
                FIELD_REQUIRED, "FHIR R4 resources as JSON.", "{}"),
    FIELD_TEXT(struct export_page_out, next, 1, 4096, 0,
               "Cursor of the next page; absent on the last page.", ""),
};
FIELD_TABLE(export_page_out);

static const struct field export_made_in_rows[] = {
    FIELD_UUID(struct export_made_in, key, FIELD_REQUIRED, "Idempotency key of the email."),
    FIELD_UUID(struct export_made_in, projectId, FIELD_REQUIRED, "Project that stores the data."),
    FIELD_UUID(struct export_made_in, account, FIELD_REQUIRED, "Account whose data was exported."),
    FIELD_TIME(struct export_made_in, until, FIELD_REQUIRED, "When the export will be deleted."),
};
FIELD_TABLE(export_made_in);

static const struct field policy_in_use_in_rows[] = {
    FIELD_UUID(struct policy_in_use_in, projectId, FIELD_REQUIRED, "Project of the policy."),
    FIELD_UUID(struct policy_in_use_in, policyId, FIELD_REQUIRED, "ID of the access policy."),
};
FIELD_TABLE(policy_in_use_in);

static const struct field policy_in_use_out_rows[] = {
    FIELD_BOOL(struct policy_in_use_out, inUse, true, FIELD_REQUIRED,
               "Whether a membership, a pending invitation or an API key uses the policy."),
};
FIELD_TABLE(policy_in_use_out);

static const struct field shared_people_in_rows[] = {
    FIELD_UUID(struct shared_people_in, projectId, FIELD_REQUIRED, "ID of the project."),
};
FIELD_TABLE(shared_people_in);

static const struct field shared_people_out_rows[] = {
    FIELD_INT(struct shared_people_out, people, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "Number of practitioners who can't set up a second factor.", "0"),
};
FIELD_TABLE(shared_people_out);

static const struct field admin_create_in_rows[] = {
    FIELD_TEXT(struct admin_create_in, tenantCode, 1, TENANT_CODE_MAX, FIELD_REQUIRED,
               "Tenant code of the project.", "demo"),
    FIELD_EMAIL(struct admin_create_in, email, FIELD_REQUIRED, "Email address to sign in with.",
                "admin@demo.example"),
    FIELD_CHECKED(struct admin_create_in, name, 1, NAME_MAX_LENGTH, name_check,
                  FIELD_REQUIRED | FIELD_CHARACTERS, "Given name.", "Eva"),
    FIELD_CHECKED(struct admin_create_in, surname, 1, NAME_MAX_LENGTH, name_check,
                  FIELD_REQUIRED | FIELD_CHARACTERS, "Family name.", "Novak"),
    FIELD_TEXT(struct admin_create_in, password, 1, NEW_PASSWORD_MAX, FIELD_SECRET,
               "Password of a new account.", ""),
    FIELD_BOOL(struct admin_create_in, mail, false, 0,
               "Whether to only invite the address, even if it has an account."),
    FIELD_BOOL(struct admin_create_in, existing, false, 0,
               "Whether to use the existing account, which keeps its password."),
};
FIELD_TABLE(admin_create_in);

static const struct field admin_create_out_rows[] = {
    FIELD_UUID(struct admin_create_out, account, 0,
               "ID of the account; absent if the person was only invited."),
    FIELD_UUID(struct admin_create_out, membership, FIELD_REQUIRED, "ID of the membership."),
    FIELD_UUID(struct admin_create_out, profile, FIELD_REQUIRED, "ID of the profile."),
    FIELD_BOOL(struct admin_create_out, created, false, 0, "Whether the account is new."),
    FIELD_BOOL(struct admin_create_out, invited, false, 0, "Whether an invitation was emailed."),
};
FIELD_TABLE(admin_create_out);

static const struct field sign_in_explain_in_rows[] = {
    FIELD_TEXT(struct sign_in_explain_in, tenantCode, 1, TENANT_CODE_MAX, FIELD_REQUIRED,
               "Tenant code of the project.", "demo"),
    FIELD_EMAIL(struct sign_in_explain_in, email, FIELD_REQUIRED, "Email address of the person.",
                "ana@example.org"),
    FIELD_ENUM(
        struct sign_in_explain_in, role, role, account_roles, 0,
        "Role of the account. If absent, `Patient`, unless only a practitioner has the address.",
        "Patient"),
    FIELD_CHECKED(struct sign_in_explain_in, address, 2, 64, check_address, 0,
                  "IP address that the sign-in comes from; absent if unknown.", "192.0.2.7"),
};
FIELD_TABLE(sign_in_explain_in);

static const struct field explain_step_rows[] = {
    FIELD_TEXT(struct explain_step, check, 1, 128, FIELD_REQUIRED, "Name of the check.", "lock"),
    FIELD_TEXT(struct explain_step, outcome, 1, 32, FIELD_REQUIRED, "`pass`, `fail` or `skipped`.",
               "fail"),
    FIELD_TEXT(struct explain_step, hint, 0, 1024, 0, "How to fix it.", "Unlock the account."),
};
FIELD_TABLE(explain_step);

static const struct field sign_in_explain_out_rows[] = {
    FIELD_BOOL(struct sign_in_explain_out, wouldSucceed, false, FIELD_REQUIRED,
               "Whether sign-in with the right password would succeed.", "false"),
    FIELD_BOOL(struct sign_in_explain_out, secondFactor, false, FIELD_REQUIRED,
               "Whether a second factor is needed."),
    FIELD_OBJECTS(struct sign_in_explain_out, steps, explain_step, 100, 0, "The checks, in order."),
};
FIELD_TABLE(sign_in_explain_out);

static const struct field operator_sessions_in_rows[] = {
    FIELD_EMAIL(struct operator_sessions_in, email, FIELD_REQUIRED,
                "Email address of the accounts.", "ana@example.org"),
    FIELD_TEXT(struct operator_sessions_in, tenantCode, 1, TENANT_CODE_MAX, 0,
               "Tenant code of the project; absent for all projects.", "demo"),
};
FIELD_TABLE(operator_sessions_in);

static const struct field operator_members_in_rows[] = {
    FIELD_TEXT(struct operator_members_in, tenantCode, 1, TENANT_CODE_MAX, FIELD_REQUIRED,
               "Tenant code of the project.", "demo"),
    FIELD_INT(struct operator_members_in, count, 1, MEMBERS_MAX, MEMBERS_MAX, 0,
              "Maximum number of members to return.", "100"),
    FIELD_INT(struct operator_members_in, offset, 0, INT32_MAX, 0, 0, "Number of members to skip.",
              "0"),
};
FIELD_TABLE(operator_members_in);

static const struct field user_place_rows[] = {
    FIELD_UUID(struct user_place, projectId, FIELD_REQUIRED, "ID of the project."),
    FIELD_TEXT(struct user_place, tenantCode, 1, TENANT_CODE_MAX, FIELD_NULLABLE,
               "Tenant code of the project.", "demo"),
    FIELD_TEXT(struct user_place, projectName, 0, DISPLAY_MAX, FIELD_NULLABLE,
               "Name of the project.", "Lakeside Clinic"),
    FIELD_UUID(struct user_place, membership, FIELD_REQUIRED, "ID of the membership."),
    FIELD_UUID(struct user_place, profile, FIELD_REQUIRED, "ID of the profile."),
    FIELD_BOOL(struct user_place, admin, false, 0,
               "Whether the account is an admin of the project."),
    FIELD_INT(struct user_place, sessions, 0, INT64_MAX, 0, 0,
              "Number of active sessions in the project.", "1"),
};
FIELD_TABLE(user_place);

static const struct field user_rows[] = {
    FIELD_UUID(struct user, id, FIELD_REQUIRED, "ID of the account."),
    FIELD_TEXT(struct user, email, 1, 254, FIELD_REQUIRED, "Email address of the account.",
               "ana@example.org"),
    FIELD_TEXT(struct user, firstName, 0, DISPLAY_MAX, 0, "Given name.", "Ana"),
    FIELD_TEXT(struct user, lastName, 0, DISPLAY_MAX, 0, "Family name.", "Silva"),
    FIELD_ENUM(struct user, role, role, account_roles, FIELD_REQUIRED, "Role in the project.",
               "Patient"),
    FIELD_UUID(struct user, projectId, FIELD_NULLABLE, "Project of a patient's account."),
    FIELD_TIME(struct user, createdAt, 0, "When the account was created."),
    FIELD_BOOL(struct user, locked, false, 0, "Whether an operator has locked the account."),
    FIELD_TIME(struct user, lockedAt, FIELD_NULLABLE, "When the account was locked."),
    FIELD_TIME(struct user, deletedFrom, FIELD_NULLABLE, "Date of the scheduled deletion."),
    FIELD_BOOL(struct user, password, false, 0, "Whether the account has a password."),
    FIELD_BOOL(struct user, mfaEnrolled, false, 0,
               "Whether the account has an authenticator as its second factor."),
    FIELD_INT(struct user, passkeys, 0, INT64_MAX, 0, 0, "Number of passkeys.", "1"),
    FIELD_BOOL(struct user, emailVerified, false, 0,
               "Whether the email address is verified for any organization or for all."),
    FIELD_INT(struct user, sessions, 0, INT64_MAX, 0, 0, "Number of active sessions.", "1"),
    FIELD_OBJECTS(struct user, places, user_place, USER_PLACES_MAX, FIELD_OMIT_EMPTY,
                  "Memberships of the account."),
};
FIELD_TABLE(user);

static const struct field operator_user_in_rows[] = {
    FIELD_UUID(struct operator_user_in, id, 0, "ID of the account."),
    FIELD_EMAIL(struct operator_user_in, email, 0, "Email address of the account.",
                "ana@example.org"),
    FIELD_TEXT(struct operator_user_in, tenantCode, 1, TENANT_CODE_MAX, 0,
               "Tenant code of the account's project.", "demo"),
    FIELD_ENUM(struct operator_user_in, role, role, account_roles, 0, "Role of the account.",
               "Patient"),
};
FIELD_TABLE(operator_user_in);

static const struct field operator_user_list_in_rows[] = {
    FIELD_TEXT(struct operator_user_list_in, tenantCode, 1, TENANT_CODE_MAX, 0,
               "Tenant code of the project; absent for all accounts.", "demo"),
    FIELD_TEXT(struct operator_user_list_in, prefix, 1, 254, 0, "Beginning of the email address.",
               "ana"),
    FIELD_BOOL(struct operator_user_list_in, locked, false, 0, "Return only locked accounts."),
    FIELD_INT(struct operator_user_list_in, count, 1, USERS_MAX, USERS_MAX, 0,
              "Maximum number of accounts to examine.", "200"),
    FIELD_UUID(struct operator_user_list_in, after, 0, "`after` of the previous page."),
    FIELD_TEXT(struct operator_user_list_in, afterEmail, 0, 254, 0,
               "`afterEmail` of the previous page.", ""),
};
FIELD_TABLE(operator_user_list_in);

static const struct field operator_user_list_out_rows[] = {
    FIELD_OBJECTS(struct operator_user_list_out, users, user, USERS_MAX, 0,
                  "Accounts on this page."),
    FIELD_UUID(struct operator_user_list_out, after, 0,
               "Where the next page begins: send it as `after`."),
    FIELD_TEXT(struct operator_user_list_out, afterEmail, 0, 254, 0,
               "Where the next page begins: send it as `afterEmail`.", ""),
    FIELD_BOOL(struct operator_user_list_out, more, false, 0, "Whether there may be another page."),
};
FIELD_TABLE(operator_user_list_out);

static const struct field transfer_invited_rows[] = {
    FIELD_UUID(struct transfer_invited, account, FIELD_REQUIRED, "ID of the account in the file."),
    FIELD_UUID(struct transfer_invited, membership, FIELD_REQUIRED,
               "ID of the membership and of the invitation."),
    FIELD_TEXT(struct transfer_invited, email, 0, 254, 0,
               "Email address in the file; absent if the invitation has expired.",
               "ana@example.org"),
    FIELD_BOOL(struct transfer_invited, admin, false, 0,
               "Whether the person is an admin in the file."),
};
FIELD_TABLE(transfer_invited);

static const struct field operator_transfer_check_in_rows[] = {
    FIELD_UUID(struct operator_transfer_check_in, projectId, FIELD_REQUIRED, "ID of the project."),
    FIELD_OBJECTS(struct operator_transfer_check_in, rows, tenant_json, TENANT_PAGE_ROWS_MAX, 0,
                  "Rows of accounts in the file."),
    FIELD_INT(struct operator_transfer_check_in, before, 0, INT64_MAX, 0, 0,
              "Number of rows before this page.", "0"),
};
FIELD_TABLE(operator_transfer_check_in);

static const struct field operator_transfer_invited_in_rows[] = {
    FIELD_UUID(struct operator_transfer_invited_in, projectId, FIELD_REQUIRED,
               "ID of the project."),
    FIELD_UUID(struct operator_transfer_invited_in, after, FIELD_NULLABLE,
               "Last membership of the previous page."),
};
FIELD_TABLE(operator_transfer_invited_in);

static const struct field operator_transfer_out_rows[] = {
    FIELD_OBJECTS(struct operator_transfer_out, invited, transfer_invited, TENANT_PAGE_ROWS_MAX, 0,
                  "Practitioners who are invited."),
    FIELD_BOOL(struct operator_transfer_out, more, false, 0, "Whether there may be another page."),
};
FIELD_TABLE(operator_transfer_out);

static const struct field operator_mfa_reset_in_rows[] = {
    FIELD_TEXT(struct operator_mfa_reset_in, tenantCode, 1, TENANT_CODE_MAX, FIELD_REQUIRED,
               "Tenant code of the project.", "demo"),
    FIELD_EMAIL(struct operator_mfa_reset_in, email, FIELD_REQUIRED,
                "Email address of the account.", "ana@example.org"),
    FIELD_ENUM(struct operator_mfa_reset_in, role, role, account_roles, 0, "Role of the account.",
               "Patient"),
};
FIELD_TABLE(operator_mfa_reset_in);

#define FIELD_PRACTITIONER(s)                                                                  \
    FIELD_EMAIL(s, email, FIELD_REQUIRED, "Email address of the practitioner.",                \
                "ana@example.org"),                                                            \
        FIELD_CHECKED(s, reason, 1, REASON_MAX, name_check, FIELD_REQUIRED | FIELD_CHARACTERS, \
                      "Reason, which the audit log records.", "Ticket 4711: phone lost")

static const struct field operator_account_in_rows[] = {
    FIELD_PRACTITIONER(struct operator_account_in),
};
FIELD_TABLE(operator_account_in);

static const struct field operator_account_passkey_in_rows[] = {
    FIELD_PRACTITIONER(struct operator_account_passkey_in),
    FIELD_UUID(struct operator_account_passkey_in, id, FIELD_REQUIRED, "ID of the passkey."),
};
FIELD_TABLE(operator_account_passkey_in);

static const struct field operator_account_leave_in_rows[] = {
    FIELD_PRACTITIONER(struct operator_account_leave_in),
    FIELD_TEXT(struct operator_account_leave_in, tenantCode, 1, TENANT_CODE_MAX, FIELD_REQUIRED,
               "Tenant code of the project to leave.", "demo"),
};
FIELD_TABLE(operator_account_leave_in);

static const struct field operator_account_delete_in_rows[] = {
    FIELD_PRACTITIONER(struct operator_account_delete_in),
    FIELD_INT(struct operator_account_delete_in, days, 1, DELETION_DAYS_MAX, DELETION_DAYS, 0,
              "Days until the deletion.", "30"),
    FIELD_BOOL(struct operator_account_delete_in, wipe, false, 0,
               "Also erase everything the account owns, such as documents."),
};
FIELD_TABLE(operator_account_delete_in);
