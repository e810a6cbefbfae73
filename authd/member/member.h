/*
 * member.h - leaving a project, which an admin cannot do for themself there: by the owner of the
 * account, on the installation's own page, or by an operator for them.
 */
#ifndef ATRIUM_AUTHD_MEMBER_MEMBER_H
#define ATRIUM_AUTHD_MEMBER_MEMBER_H

#include "authd/authd.h"

/* Ends the caller's membership of the project, be it locked or the project suspended, as
 * member_delete() does. Fails: NOT_FOUND, CONFLICT (the last admin), STEP_UP_REQUIRED. Parks. */
int member_leave(struct authd *d, const struct request *req, struct uuid project,
                 struct error *err) MUST_USE;

/* The same for an account, with a reason for the audit trail and an email to its owner. Fails:
 * NOT_FOUND, CONFLICT. Parks. */
struct mail;
int member_remove_for(struct authd *d, const struct request *req, struct uuid account,
                      struct uuid project, const char *reason, const struct mail *notice,
                      struct error *err) MUST_USE;

#endif
