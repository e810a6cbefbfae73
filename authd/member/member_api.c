/*
 * member_api.c - shapes of members, invitations and accounts for admins. See authd_api.c.
 */
#include "authd/member/member_api.h"

#include <stdio.h>

#include "authd/session/session_api.h"
#include "authd/shape_api.h"
#include "common/domain/name.h"
#include "common/domain/policy.h"
#include "common/domain/reference.h"
#include "common/service/page_cursor.h"

enum {
    SEARCH_MAX = 254,
};

#define POLICY_REFERENCE_PATTERN "^AccessPolicy/[0-9A-Fa-f-]{36}$"

#define LOCAL_SIGN_IN \
    "true: this admin can sign in with a password although an identity provider is enforced."

static int check_policy_reference(const char *value, char why[static 96])
{
    struct uuid id;

    if (policy_reference(value, &id) == 0)
        return 0;
    snprintf(why, 96, "must be AccessPolicy/<id>");
    return -1;
}

static const struct field invitation_link_in_rows[] = {
    FIELD_LINK(struct invitation_link_in),
};
FIELD_TABLE(invitation_link_in);

static const char *const accept_ways[] = {"sign-in", "set-password", NULL};
static const struct field invitation_show_out_rows[] = {
    FIELD_EMAIL(struct invitation_show_out, email, FIELD_REQUIRED,
                "Email address that was invited.", "rui@lakeside.example"),
    FIELD_TEXT(struct invitation_show_out, projectName, 0, DISPLAY_MAX,
               FIELD_REQUIRED | FIELD_CHARACTERS, "Name of the project.", "Lakeside Clinic"),
    FIELD_TEXT(struct invitation_show_out, inviterName, 0, DISPLAY_MAX,
               FIELD_REQUIRED | FIELD_CHARACTERS,
               "Name of the person who sent the invitation, or the project's name.", "Eva Novak"),
    FIELD_CHOICE(struct invitation_show_out, accept, accept_ways, FIELD_REQUIRED,
                 "How to accept: `sign-in`, with `POST /auth/invitation/accept` and an access "
                 "token; `set-password`, with `POST /auth/set-password` and a new password.",
                 "sign-in"),
};
FIELD_TABLE(invitation_show_out);

static const struct field member_create_in_rows[] = {
    FIELD_EMAIL(struct member_create_in, email, FIELD_REQUIRED,
                "Email address to invite. A practitioner with a verified address who is a member "
                "elsewhere in the organization is added immediately.",
                "rui@lakeside.example"),
    FIELD_CHECKED(struct member_create_in, firstName, 1, NAME_MAX_LENGTH, name_check,
                  FIELD_REQUIRED | FIELD_CHARACTERS, "Given name.", "Rui"),
    FIELD_CHECKED(struct member_create_in, lastName, 1, NAME_MAX_LENGTH, name_check,
                  FIELD_REQUIRED | FIELD_CHARACTERS, "Family name.", "Costa"),
    FIELD_ENUM(struct member_create_in, type, role, account_roles, FIELD_NULLABLE,
               "Role of the member; the default is `Practitioner`.", "Practitioner"),
    FIELD_BOOL(struct member_create_in, admin, false, 0,
               "Whether the member becomes an admin; practitioners only.", "false"),
    FIELD_PATTERN(struct member_create_in, accessPolicy, 1, REFERENCE_MAX, check_policy_reference,
                  POLICY_REFERENCE_PATTERN, FIELD_NULLABLE,
                  "Access policy of the member; the default is the project's policy for the role.",
                  "AccessPolicy/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"),
};
FIELD_TABLE(member_create_in);

static const struct field member_rows[] = {
    FIELD_UUID(struct member, id, FIELD_REQUIRED,
               "ID of the membership; it stays the same when the invitation is accepted.",
               "0199d4e1-3c5a-7b90-a2f8-4d6e8b1c7f03"),
    FIELD_EMAIL(struct member, email, FIELD_REQUIRED, "Email address of the account.",
                "rui@lakeside.example"),
    FIELD_TEXT(struct member, displayName, 0, DISPLAY_MAX, FIELD_REQUIRED | FIELD_CHARACTERS,
               "Given name and family name.", "Rui Costa"),
    FIELD_TEXT(struct member, firstName, 0, DISPLAY_MAX, FIELD_REQUIRED | FIELD_CHARACTERS,
               "Given name.", "Rui"),
    FIELD_TEXT(struct member, lastName, 0, DISPLAY_MAX, FIELD_REQUIRED | FIELD_CHARACTERS,
               "Family name.", "Costa"),
    FIELD_BOOL(struct member, admin, false, FIELD_REQUIRED,
               "Whether the member is an admin of the project.", "false"),
    FIELD_ENUM(struct member, profileType, role, account_roles, FIELD_REQUIRED,
               "Role of the member.", "Practitioner"),
    FIELD_UUID(struct member, profileId, FIELD_REQUIRED,
               "ID of the member's profile in the project.",
               "019a0b52-6e1d-7a34-9c87-5b2f1d8e6a09"),
    FIELD_BOOL(struct member, pending, false, FIELD_REQUIRED,
               "Whether the invitation has not been accepted yet."),
    FIELD_TIME(struct member, invitedAt, FIELD_NULLABLE,
               "When the member was first invited; null if never."),
    FIELD_BOOL(struct member, emailVerified, false, 0,
               "Whether the email address is verified for this organization or for all.", "false"),
    FIELD_TRISTATE(struct member, localSignIn, 0, LOCAL_SIGN_IN),
};
FIELD_TABLE(member);

static const struct field members_in_rows[] = {
    FIELD_ENUM(struct members_in, invited, role, account_roles, FIELD_QUERY,
               "Return only pending invitations for this role, in the order of their addresses.",
               "Practitioner"),
    FIELD_INT(struct members_in, _count, 1, MEMBERS_MAX, 20, FIELD_QUERY,
              "Maximum number of members to return.", "20"),
    FIELD_INT(struct members_in, _offset, 0, INT32_MAX, 0, FIELD_QUERY,
              "Number of members to skip.", "0"),
};
FIELD_TABLE(members_in);

static const struct field member_list_rows[] = {
    FIELD_INT(struct member_list, total, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "Number of members and pending invitations.", "1"),
    FIELD_OBJECTS(
        struct member_list, resources, member, MEMBERS_MAX, FIELD_REQUIRED,
        "Members and pending invitations, in the order in which they joined or were invited."),
};
FIELD_TABLE(member_list);

static const struct field member_in_rows[] = {
    FIELD_UUID(struct member_in, id, FIELD_PATH | FIELD_REQUIRED, "ID of the membership."),
};
FIELD_TABLE(member_in);

static const char *const account_states[] = {"active", "locked", "deleting", NULL};
static const char *const account_orders[] = {"name", "newest", NULL};
static const char *const account_lockers[] = {"admin", "operator", NULL};

static const struct field project_account_rows[] = {
    FIELD_UUID(struct project_account, id, FIELD_REQUIRED, "The account.",
               "019a0b52-6e1d-7a34-9c87-5b2f1d8e6a09"),
    FIELD_UUID(struct project_account, membership, FIELD_REQUIRED,
               "ID of the account's membership in the project.",
               "0199d4e1-3c5a-7b90-a2f8-4d6e8b1c7f03"),
    FIELD_UUID(struct project_account, profileId, FIELD_REQUIRED,
               "ID of the account's profile in the project."),
    FIELD_ENUM(struct project_account, role, role, account_roles, FIELD_REQUIRED,
               "Role in the project.", "Patient"),
    FIELD_TEXT(struct project_account, email, 1, 254, FIELD_REQUIRED,
               "Email address of the account.", "ana@example.org"),
    FIELD_TEXT(struct project_account, firstName, 0, DISPLAY_MAX, FIELD_REQUIRED | FIELD_CHARACTERS,
               "Given name.", "Ana"),
    FIELD_TEXT(struct project_account, lastName, 0, DISPLAY_MAX, FIELD_REQUIRED | FIELD_CHARACTERS,
               "Family name.", "Lima"),
    FIELD_BOOL(struct project_account, admin, false, FIELD_REQUIRED,
               "Whether the account is an admin of the project.", "false"),
    FIELD_TRISTATE(struct project_account, localSignIn, 0, LOCAL_SIGN_IN),
    FIELD_TEXT(struct project_account, accessPolicy, 1, REFERENCE_MAX, FIELD_NULLABLE,
               "Access policy of the account; null for an account without one, such as an admin's.",
               "AccessPolicy/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"),
    FIELD_BOOL(struct project_account, emailVerified, false, FIELD_REQUIRED,
               "Whether the email address is verified for this organization or for all."),
    FIELD_JSON_TEXTS(struct project_account, factors, 256, FIELD_REQUIRED,
                     "Second factors of the account: `totp`, `passkey`.", "[\"totp\"]"),
    FIELD_CHOICE(struct project_account, state, account_states, FIELD_REQUIRED,
                 "`locked`: the account can't sign in to the project; `deleting`: its deletion is "
                 "scheduled; otherwise `active`.",
                 "locked"),
    FIELD_TIME(struct project_account, lockedAt, FIELD_NULLABLE,
               "When the account was locked; null if it is not locked."),
    FIELD_CHOICE(
        struct project_account, lockedBy, account_lockers, FIELD_NULLABLE,
        "`admin`: locked in this project; `operator`: locked everywhere; null if not locked.",
        "admin"),
    FIELD_TIME(struct project_account, lastSignInAt, FIELD_NULLABLE,
               "When the account last signed in to this project; null if unknown.",
               "2026-01-30T17:45:00.000Z"),
    FIELD_TIME(struct project_account, deletionAt, FIELD_NULLABLE,
               "When the account will be deleted; null if no deletion is scheduled.", "null"),
    FIELD_TIME(struct project_account, memberSince, FIELD_REQUIRED,
               "When the account joined the project.", "2026-01-12T08:00:00.000Z"),
};
FIELD_TABLE(project_account);

static const struct field project_accounts_in_rows[] = {
    FIELD_TEXT(struct project_accounts_in, search, 1, SEARCH_MAX, FIELD_QUERY | FIELD_CHARACTERS,
               "Matches names and email addresses from any word on. Ignores case, accents, "
               "apostrophes and punctuation.",
               "ana"),
    FIELD_ENUM(struct project_accounts_in, role, role, account_roles, FIELD_QUERY,
               "Return only accounts with this role.", "Patient"),
    FIELD_CHOICE(struct project_accounts_in, state, account_states, FIELD_QUERY,
                 "Return only accounts in this state.", "locked"),
    FIELD_TRISTATE(struct project_accounts_in, admin, FIELD_QUERY,
                   "Return only admins, or only others.", "true"),
    FIELD_TRISTATE(struct project_accounts_in, secondFactor, FIELD_QUERY,
                   "Return only accounts with a second factor, or only those without one.",
                   "false"),
    FIELD_PATTERN(struct project_accounts_in, accessPolicy, 1, REFERENCE_MAX,
                  check_policy_reference, POLICY_REFERENCE_PATTERN, FIELD_QUERY,
                  "Return only accounts with this access policy.",
                  "AccessPolicy/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"),
    FIELD_CHOICE(struct project_accounts_in, sort, account_orders, FIELD_QUERY,
                 "`name`: by family name, then given name; `newest`: newest member first. Not with "
                 "`search`.",
                 "name"),
    FIELD_CURSOR(struct project_accounts_in,
                 "`next` of the previous page, with the same other parameters; valid for a day."),
    FIELD_INT(struct project_accounts_in, _count, 1, MEMBERS_MAX, 50, FIELD_QUERY,
              "Maximum number of accounts to return.", "50"),
};
FIELD_TABLE(project_accounts_in);

static const struct field project_account_list_rows[] = {
    FIELD_OBJECTS(
        struct project_account_list, resources, project_account, MEMBERS_MAX, FIELD_REQUIRED,
        "A search is sorted by what matched, other lists as `sort` says; without it, a list "
        "keeps its order. A page can have fewer accounts than `_count` although `next` is "
        "set."),
    FIELD_NEXT(struct project_account_list),
};
FIELD_TABLE(project_account_list);

static const struct field project_account_in_rows[] = {
    FIELD_UUID(struct project_account_in, id, FIELD_PATH | FIELD_REQUIRED, "The account."),
};
FIELD_TABLE(project_account_in);

static const struct field project_account_act_in_rows[] = {
    FIELD_UUID(struct project_account_act_in, id, FIELD_PATH | FIELD_REQUIRED, "The account."),
    FIELD_CHECKED(struct project_account_act_in, reason, 1, REASON_MAX, name_check,
                  FIELD_REQUIRED | FIELD_CHARACTERS, "Reason, which the audit log records.",
                  "Ticket 4711: phone lost"),
};
FIELD_TABLE(project_account_act_in);

static const struct field project_account_delete_in_rows[] = {
    FIELD_UUID(struct project_account_delete_in, id, FIELD_PATH | FIELD_REQUIRED, "The account."),
    FIELD_CHECKED(struct project_account_delete_in, reason, 1, REASON_MAX, name_check,
                  FIELD_REQUIRED | FIELD_CHARACTERS, "Reason, which the audit log records.",
                  "Ticket 4711: asked for by phone"),
    FIELD_INT(struct project_account_delete_in, days, 1, DELETION_DAYS_MAX, DELETION_DAYS,
              FIELD_NULLABLE, "Days until the deletion.", "30"),
    FIELD_BOOL(struct project_account_delete_in, wipe, false, FIELD_NULLABLE,
               "Also erase everything the account owns, such as documents."),
};
FIELD_TABLE(project_account_delete_in);

static const struct field project_account_session_end_in_rows[] = {
    FIELD_UUID(struct project_account_session_end_in, id, FIELD_PATH | FIELD_REQUIRED,
               "The account."),
    FIELD_UUID(struct project_account_session_end_in, session, FIELD_PATH | FIELD_REQUIRED,
               "The session."),
    FIELD_CHECKED(struct project_account_session_end_in, reason, 1, REASON_MAX, name_check,
                  FIELD_REQUIRED | FIELD_CHARACTERS, "Reason, which the audit log records.",
                  "Ticket 4711: phone lost"),
};
FIELD_TABLE(project_account_session_end_in);

static const struct field project_account_sessions_in_rows[] = {
    FIELD_UUID(struct project_account_sessions_in, id, FIELD_PATH | FIELD_REQUIRED, "The account."),
    FIELD_CURSOR(struct project_account_sessions_in,
                 "`next` of the previous page; valid for a day."),
    FIELD_INT(struct project_account_sessions_in, _count, 1, MEMBERS_MAX, 50, FIELD_QUERY,
              "Maximum number of sessions to return.", "50"),
};
FIELD_TABLE(project_account_sessions_in);

static const struct field project_account_session_list_rows[] = {
    FIELD_OBJECTS(struct project_account_session_list, resources, session_record, MEMBERS_MAX,
                  FIELD_REQUIRED, "Active sessions in the project, newest first."),
    FIELD_NEXT(struct project_account_session_list),
};
FIELD_TABLE(project_account_session_list);

static const struct field project_account_explain_in_rows[] = {
    FIELD_UUID(struct project_account_explain_in, id, FIELD_PATH | FIELD_REQUIRED, "The account."),
    FIELD_TEXT(struct project_account_explain_in, address, 1, 64, FIELD_QUERY,
               "IP address that the sign-in comes from.", "192.0.2.7"),
};
FIELD_TABLE(project_account_explain_in);

static const struct field member_patch_in_rows[] = {
    FIELD_UUID(struct member_patch_in, id, FIELD_PATH | FIELD_REQUIRED, "ID of the membership."),
    FIELD_BOOL(
        struct member_patch_in, admin, false, FIELD_REQUIRED,
        "Whether the member is an admin, from the next request on. Patients can't be admins."),
    FIELD_TRISTATE(
        struct member_patch_in, localSignIn, 0,
        "Whether this admin can sign in with a password although an identity provider is enforced. "
        "A project has at most 5 such admins."),
};
FIELD_TABLE(member_patch_in);
