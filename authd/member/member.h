/*
 * member.h - leaving a project, by the account's owner on the installation's own page or by an
 * operator. Members can't remove themselves in the project.
 */
#ifndef ATRIUM_AUTHD_MEMBER_MEMBER_H
#define ATRIUM_AUTHD_MEMBER_MEMBER_H

#include "authd/authd.h"

struct invitation;
struct member;
struct tenant;

/* The account with an email address, if there is one. */
struct invitee {
    struct uuid account; /* not set: none */
    const char *display;
    bool member;
    bool owned;            /* the project owns the account */
    bool joins;            /* without an invitation */
    struct db_array above; /* the project and all above it */
};

/* Finds the account that an invitation is for. Parks. */
int member_find_invitee(struct authd *d, const struct request *req, const struct tenant *tenant,
                        const struct invitation *invitation, struct invitee *ret,
                        struct error *err) MUST_USE;

/* Makes that account a member without an invitation, and emails its owner. Fails: CONFLICT (already
 * a member, or the account was changed). Parks. */
int member_join(struct authd *d, const struct request *req, const struct tenant *tenant,
                const struct invitation *invitation, const struct invitee *invitee,
                struct member *out, struct error *err) MUST_USE;

/* Ends the caller's membership, even if it is locked or the project suspended. NOT_FOUND, CONFLICT
 * (the last admin), STEP_UP_REQUIRED. Parks. */
int member_leave(struct authd *d, const struct request *req, struct uuid project,
                 struct error *err) MUST_USE;

/* member_leave() for an account, with a reason for the audit log and an email to its owner.
 * Parks. */
struct mail;
int member_remove_for(struct authd *d, const struct request *req, struct uuid account,
                      struct uuid project, const char *reason, const struct mail *notice,
                      struct error *err) MUST_USE;

#endif
