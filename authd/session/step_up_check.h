/*
 * step_up_check.h - proof of who is at a session, recent enough for what a stolen access token must
 * not do (RFC 9470): a sign-in, a registration or POST /auth/step-up. A refresh proves nothing.
 */
#ifndef ATRIUM_AUTHD_SESSION_STEP_UP_CHECK_H
#define ATRIUM_AUTHD_SESSION_STEP_UP_CHECK_H

#include "authd/authd.h"

/* Refuses unless the owner of the caller's session proved who they are less than `fresh_sign_in`
 * ago: ERR_STEP_UP_REQUIRED. ERR_UNAUTHORIZED when the session has ended. Call it last before the
 * write, so that a request which would fail anyway fails for that reason. tx: the transaction that
 * is open, which the refusal rolls back with the caller; NULL: none is. Parks. */
int step_up_check(struct authd *d, struct db_tx *tx, const struct request *req,
                  struct error *err) MUST_USE;

/* The same of a session that another daemon names. */
int step_up_check_session(struct authd *d, const struct request *req, struct uuid project,
                          struct uuid session, struct error *err) MUST_USE;

#endif
