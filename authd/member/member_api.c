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
    FIELD_EMAIL(struct invitation_show_out, email, FIELD_REQUIRED, "The address that is invited.",
                "rui@lakeside.example"),
    FIELD_TEXT(struct invitation_show_out, projectName, 0, DISPLAY_MAX,
               FIELD_REQUIRED | FIELD_CHARACTERS, "The project.", "Lakeside Clinic"),
    FIELD_TEXT(struct invitation_show_out, inviterName, 0, DISPLAY_MAX,
               FIELD_REQUIRED | FIELD_CHARACTERS, "Who invites; the project where no member does.",
               "Eva Novak"),
    FIELD_CHOICE(
        struct invitation_show_out, accept, accept_ways, FIELD_REQUIRED,
        "How to accept: signed in, by POST /auth/invitation/accept; or with a new password, by "
        "POST /auth/set-password.",
        "sign-in"),
};
FIELD_TABLE(invitation_show_out);

static const struct field member_create_in_rows[] = {
    FIELD_EMAIL(
        struct member_create_in, email, FIELD_REQUIRED,
        "Address to invite; a practitioner with a proven address who is a member elsewhere in "
        "the organisation is added at once.",
        "rui@lakeside.example"),
    FIELD_CHECKED(struct member_create_in, firstName, 1, NAME_MAX_LENGTH, name_check,
                  FIELD_REQUIRED | FIELD_CHARACTERS, "Given name.", "Rui"),
    FIELD_CHECKED(struct member_create_in, lastName, 1, NAME_MAX_LENGTH, name_check,
                  FIELD_REQUIRED | FIELD_CHARACTERS, "Family name.", "Costa"),
    FIELD_ENUM(struct member_create_in, type, role, account_roles, FIELD_NULLABLE,
               "As what; Practitioner when absent.", "Practitioner"),
    FIELD_BOOL(struct member_create_in, admin, false, 0,
               "Whether to administer the project; practitioners only."),
    FIELD_PATTERN(struct member_create_in, accessPolicy, 1, REFERENCE_MAX, check_policy_reference,
                  POLICY_REFERENCE_PATTERN, FIELD_NULLABLE,
                  "What to permit; absent: the project's default for the type.",
                  "AccessPolicy/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"),
};
FIELD_TABLE(member_create_in);

static const struct field member_rows[] = {
    FIELD_UUID(struct member, id, FIELD_REQUIRED,
               "The membership; the same before and after the invitation is accepted."),
    FIELD_EMAIL(struct member, email, FIELD_REQUIRED, "Address of the account.",
                "rui@lakeside.example"),
    FIELD_TEXT(struct member, displayName, 0, DISPLAY_MAX, FIELD_REQUIRED | FIELD_CHARACTERS,
               "Both names.", "Rui Costa"),
    FIELD_TEXT(struct member, firstName, 0, DISPLAY_MAX, FIELD_REQUIRED | FIELD_CHARACTERS,
               "Given name.", "Rui"),
    FIELD_TEXT(struct member, lastName, 0, DISPLAY_MAX, FIELD_REQUIRED | FIELD_CHARACTERS,
               "Family name.", "Costa"),
    FIELD_BOOL(struct member, admin, false, FIELD_REQUIRED,
               "Whether the member administers the project."),
    FIELD_ENUM(struct member, profileType, role, account_roles, FIELD_REQUIRED,
               "Role of the member.", "Practitioner"),
    FIELD_UUID(struct member, profileId, FIELD_REQUIRED, "The member's profile in the project."),
    FIELD_BOOL(struct member, pending, false, FIELD_REQUIRED,
               "Invited, and the invitation not accepted yet."),
    FIELD_TIME(struct member, invitedAt, FIELD_NULLABLE,
               "When the member was invited first; null for who never was."),
    FIELD_BOOL(struct member, emailVerified, false, 0,
               "Whether the address is proven, for all organisations or for this one."),
};
FIELD_TABLE(member);

static const struct field members_in_rows[] = {
    FIELD_INT(struct members_in, _count, 1, MEMBERS_MAX, 20, FIELD_QUERY, "Members at most.", "20"),
    FIELD_INT(struct members_in, _offset, 0, INT32_MAX, 0, FIELD_QUERY, "Members to skip.", "0"),
};
FIELD_TABLE(members_in);

static const struct field member_list_rows[] = {
    FIELD_INT(struct member_list, total, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "How many there are, members and invited.", "1"),
    FIELD_OBJECTS(struct member_list, resources, member, MEMBERS_MAX, FIELD_REQUIRED,
                  "In the order in which they came or were invited."),
};
FIELD_TABLE(member_list);

static const struct field member_in_rows[] = {
    FIELD_UUID(struct member_in, id, FIELD_PATH | FIELD_REQUIRED, "The membership."),
};
FIELD_TABLE(member_in);

static const char *const account_states[] = {"active", "locked", "deleting", NULL};
static const char *const account_lockers[] = {"admin", "operator", NULL};

static const struct field project_account_rows[] = {
    FIELD_UUID(struct project_account, id, FIELD_REQUIRED, "The account."),
    FIELD_UUID(struct project_account, membership, FIELD_REQUIRED,
               "Its membership in the project."),
    FIELD_UUID(struct project_account, profileId, FIELD_REQUIRED, "Its profile in the project."),
    FIELD_ENUM(struct project_account, role, role, account_roles, FIELD_REQUIRED, "Its role.",
               "Patient"),
    FIELD_TEXT(struct project_account, email, 1, 254, FIELD_REQUIRED, "Its address.",
               "ana@example.org"),
    FIELD_TEXT(struct project_account, firstName, 0, DISPLAY_MAX, FIELD_REQUIRED | FIELD_CHARACTERS,
               "Given name.", "Ana"),
    FIELD_TEXT(struct project_account, lastName, 0, DISPLAY_MAX, FIELD_REQUIRED | FIELD_CHARACTERS,
               "Family name.", "Lima"),
    FIELD_BOOL(struct project_account, admin, false, FIELD_REQUIRED,
               "Whether it administers the project."),
    FIELD_BOOL(struct project_account, emailVerified, false, FIELD_REQUIRED,
               "Whether the address is proven, for all organisations or for this one."),
    FIELD_JSON_TEXTS(struct project_account, factors, 256, FIELD_REQUIRED,
                     "Kinds of what it signs in with beside its password: `totp`, `passkey`.",
                     "[\"totp\"]"),
    FIELD_CHOICE(struct project_account, state, account_states, FIELD_REQUIRED,
                 "`locked` while it cannot sign in to the project, `deleting` while its deletion "
                 "is scheduled, else `active`.",
                 "active"),
    FIELD_TIME(struct project_account, lockedAt, FIELD_NULLABLE,
               "Since when it is locked; null while it is not."),
    FIELD_CHOICE(struct project_account, lockedBy, account_lockers, FIELD_NULLABLE,
                 "`admin` for this project alone, `operator` for all; null while it is not locked.",
                 "admin"),
    FIELD_TIME(struct project_account, lastSignInAt, FIELD_NULLABLE,
               "When it last signed in to this project; null while that is not known."),
    FIELD_TIME(struct project_account, deletionAt, FIELD_NULLABLE,
               "When it is deleted; null while no deletion is scheduled."),
    FIELD_TIME(struct project_account, memberSince, FIELD_REQUIRED,
               "When it became a member of the project."),
};
FIELD_TABLE(project_account);

static const struct field project_accounts_in_rows[] = {
    FIELD_TEXT(struct project_accounts_in, search, 1, SEARCH_MAX, FIELD_QUERY | FIELD_CHARACTERS,
               "Matches names and email addresses from any word on. Ignores case, accents, "
               "apostrophes and punctuation.",
               "ana"),
    FIELD_ENUM(struct project_accounts_in, role, role, account_roles, FIELD_QUERY,
               "Only this role.", "Patient"),
    FIELD_CHOICE(struct project_accounts_in, state, account_states, FIELD_QUERY,
                 "Only in this state.", "locked"),
    FIELD_CURSOR(struct project_accounts_in,
                 "`next` of the page before, with the same other parameters; good for a day."),
    FIELD_INT(struct project_accounts_in, _count, 1, MEMBERS_MAX, 50, FIELD_QUERY,
              "Accounts at most.", "50"),
};
FIELD_TABLE(project_accounts_in);

static const struct field project_account_list_rows[] = {
    FIELD_OBJECTS(struct project_account_list, resources, project_account, MEMBERS_MAX,
                  FIELD_REQUIRED,
                  "A search is sorted by what matched; any other list keeps its order. A page can "
                  "have fewer accounts than `_count` although `next` is set."),
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
                  FIELD_REQUIRED | FIELD_CHARACTERS, "Why; it is kept in the audit trail.",
                  "Ticket 4711: phone lost"),
};
FIELD_TABLE(project_account_act_in);

static const struct field project_account_delete_in_rows[] = {
    FIELD_UUID(struct project_account_delete_in, id, FIELD_PATH | FIELD_REQUIRED, "The account."),
    FIELD_CHECKED(struct project_account_delete_in, reason, 1, REASON_MAX, name_check,
                  FIELD_REQUIRED | FIELD_CHARACTERS, "Why; it is kept in the audit trail.",
                  "Ticket 4711: asked for by phone"),
    FIELD_INT(struct project_account_delete_in, days, 1, DELETION_DAYS_MAX, DELETION_DAYS,
              FIELD_NULLABLE, "From now until the deletion.", "30"),
    FIELD_BOOL(struct project_account_delete_in, wipe, false, FIELD_NULLABLE,
               "Erase what the account owns, its documents for example, too."),
};
FIELD_TABLE(project_account_delete_in);

static const struct field project_account_sessions_in_rows[] = {
    FIELD_UUID(struct project_account_sessions_in, id, FIELD_PATH | FIELD_REQUIRED, "The account."),
    FIELD_CURSOR(struct project_account_sessions_in, "`next` of the page before; good for a day."),
    FIELD_INT(struct project_account_sessions_in, _count, 1, MEMBERS_MAX, 50, FIELD_QUERY,
              "Sessions at most.", "50"),
};
FIELD_TABLE(project_account_sessions_in);

static const struct field project_account_session_list_rows[] = {
    FIELD_OBJECTS(struct project_account_session_list, resources, session_record, MEMBERS_MAX,
                  FIELD_REQUIRED, "Live sessions in the project, the newest first."),
    FIELD_NEXT(struct project_account_session_list),
};
FIELD_TABLE(project_account_session_list);

static const struct field project_account_explain_in_rows[] = {
    FIELD_UUID(struct project_account_explain_in, id, FIELD_PATH | FIELD_REQUIRED, "The account."),
    FIELD_TEXT(struct project_account_explain_in, address, 1, 64, FIELD_QUERY,
               "Address that the sign-in comes from.", "192.0.2.7"),
};
FIELD_TABLE(project_account_explain_in);

static const struct field member_patch_in_rows[] = {
    FIELD_UUID(struct member_patch_in, id, FIELD_PATH | FIELD_REQUIRED, "The membership."),
    FIELD_BOOL(struct member_patch_in, admin, false, FIELD_REQUIRED,
               "Whether to administer the project, from the next request on; false for patients."),
};
FIELD_TABLE(member_patch_in);
