/*
 * member.h - leaving a project, by the account's owner on the installation's own page or by an
 * operator. Members can't remove themselves in the project.
 */
#ifndef ATRIUM_AUTHD_MEMBER_MEMBER_H
#define ATRIUM_AUTHD_MEMBER_MEMBER_H

#include "authd/authd.h"

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
