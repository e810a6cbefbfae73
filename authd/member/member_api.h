/*
 * member_api.h - members of a project, invitations to it, and the accounts in it as its admins see
 * them.
 */
#ifndef ATRIUM_AUTHD_MEMBER_MEMBER_API_H
#define ATRIUM_AUTHD_MEMBER_MEMBER_API_H

#include "common/domain/role.h"
#include "common/wire/fields.h"

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

/* Who belongs to the caller's project, or is invited to it. */
struct member_create_in {
    const char *email, *firstName, *lastName;
    enum role type; /* ROLE_NONE: a practitioner */
    bool admin;
    const char *accessPolicy; /* "AccessPolicy/<id>"; NULL: the project's default for the type */
};
FIELD_DECLARE(member_create_in);

struct member {
    struct uuid id; /* of the membership, also while it is pending */
    const char *email, *displayName, *firstName, *lastName;
    bool admin;
    enum role profileType;
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
    enum role role;
    const char *email, *firstName, *lastName;
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
    enum role role;
    const char *search, *state, *_cursor; /* NULL: all, and from the start */
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

#endif
