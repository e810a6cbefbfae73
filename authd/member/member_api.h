/*
 * member_api.h - members, invitations and accounts of a project, for its admins.
 */
#ifndef ATRIUM_AUTHD_MEMBER_MEMBER_API_H
#define ATRIUM_AUTHD_MEMBER_MEMBER_API_H

#include "common/domain/role.h"
#include "common/wire/fields.h"

struct invitation_link_in {
    struct uuid id; /* id and secret are from the emailed link */
    const char *secret;
};
FIELD_DECLARE(invitation_link_in);

struct invitation_show_out {
    const char *email, *projectName, *inviterName;
    const char *accept; /* "sign-in" or "set-password" */
};
FIELD_DECLARE(invitation_show_out);

/* A person to invite to the caller's project. */
struct member_create_in {
    const char *email, *firstName, *lastName;
    enum role type; /* ROLE_NONE: a practitioner */
    bool admin;
    const char *accessPolicy; /* "AccessPolicy/<id>"; NULL: default for the type */
};
FIELD_DECLARE(member_create_in);

struct member {
    struct uuid id; /* membership id, also while the invitation is pending */
    const char *email, *displayName, *firstName, *lastName;
    bool admin;
    enum role profileType;
    struct uuid profileId;
    bool pending;              /* invited, but not a member yet */
    int64_t invitedAt;         /* 0: never */
    bool emailVerified;        /* verified for all or for the organization */
    enum tristate localSignIn; /* TRISTATE_TRUE, or not set */
};
FIELD_DECLARE(member);

struct members_in {
    enum role invited; /* only pending invitations for this role; ROLE_NONE: everything */
    int64_t _count, _offset;
};
FIELD_DECLARE(members_in);

struct member_list {
    int64_t total;
    struct field_list resources; /* struct member */
};
FIELD_DECLARE(member_list);

struct member_in {
    struct uuid id;
};
FIELD_DECLARE(member_in);

/* An account, with only this project's data. */
struct project_account {
    struct uuid id, membership, profileId;
    enum role role;
    const char *email, *firstName, *lastName;
    bool admin;
    enum tristate localSignIn; /* TRISTATE_TRUE, or not set */
    const char *accessPolicy;  /* "AccessPolicy/<id>"; NULL: none */
    bool emailVerified;        /* for all or for the organization */
    const char *factors;       /* JSON array: "totp", "passkey" */
    const char *state;         /* "active", "locked", "deleting" */
    int64_t lockedAt;          /* 0: not locked */
    const char *lockedBy;      /* "admin", "operator", or NULL */
    int64_t lastSignInAt;      /* 0: unknown */
    int64_t deletionAt;        /* 0: not scheduled */
    int64_t memberSince;
};
FIELD_DECLARE(project_account);

/* Filter, order and position of a page. */
struct project_accounts_in {
    enum role role;
    const char *search, *state, *accessPolicy, *_cursor; /* NULL: all accounts, from the start */
    enum tristate admin, secondFactor;
    const char *sort; /* "name" or "newest"; NULL: an order that suits the filter */
    int64_t _count;
};
FIELD_DECLARE(project_accounts_in);

struct project_account_list {
    struct field_list resources; /* struct project_account */
    const char *next;            /* NULL: last page */
};
FIELD_DECLARE(project_account_list);

struct project_account_in {
    struct uuid id;
};
FIELD_DECLARE(project_account_in);

/* An admin's action on an account, with a reason. */
struct project_account_act_in {
    struct uuid id;
    const char *reason;
};
FIELD_DECLARE(project_account_act_in);

struct project_account_delete_in {
    struct uuid id;
    const char *reason;
    int64_t days;
    bool wipe; /* also erases what the account owns in its projects */
};
FIELD_DECLARE(project_account_delete_in);

/* A session to end, with a reason. */
struct project_account_session_end_in {
    struct uuid id, session;
    const char *reason;
};
FIELD_DECLARE(project_account_session_end_in);

struct project_account_sessions_in {
    struct uuid id;
    const char *_cursor;
    int64_t _count;
};
FIELD_DECLARE(project_account_sessions_in);

struct project_account_session_list {
    struct field_list resources; /* struct session_record */
    const char *next;            /* NULL: last page */
};
FIELD_DECLARE(project_account_session_list);

struct project_account_explain_in {
    struct uuid id;
    const char *address; /* IP address of the sign-in; NULL: unknown */
};
FIELD_DECLARE(project_account_explain_in);

struct member_patch_in {
    struct uuid id;
    bool admin;
    enum tristate localSignIn;
};
FIELD_DECLARE(member_patch_in);

#endif
