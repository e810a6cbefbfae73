/*
 * member.h - leaving a project, which an admin cannot do for themself there: by the owner of the
 * account, on the installation's own page.
 */
#ifndef ATRIUM_AUTHD_MEMBER_MEMBER_H
#define ATRIUM_AUTHD_MEMBER_MEMBER_H

#include "authd/authd.h"

/* Ends the caller's membership of the project, be it locked or the project suspended, as
 * member_delete() does. Fails: NOT_FOUND, CONFLICT (the last admin), STEP_UP_REQUIRED. Parks. */
int member_leave(struct authd *d, const struct request *req, struct uuid project,
                 struct error *err) MUST_USE;

#endif
