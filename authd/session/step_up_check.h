/*
 * step_up_check.h - the fresh proof that a stolen access token does not have (RFC 9470): a sign-in,
 * a registration or POST /auth/step-up, but no refresh.
 */
#ifndef ATRIUM_AUTHD_SESSION_STEP_UP_CHECK_H
#define ATRIUM_AUTHD_SESSION_STEP_UP_CHECK_H

#include "authd/authd.h"

/* Fails: ERR_STEP_UP_REQUIRED (no proof in the last `fresh_sign_in`); ERR_UNAUTHORIZED (session
 * ended). Call it last before the write, so that other errors come first. tx: the open transaction,
 * or NULL. Parks. */
int step_up_check(struct authd *d, struct db_tx *tx, const struct request *req,
                  struct error *err) MUST_USE;

/* Like step_up_check(), for another daemon's session. */
int step_up_check_session(struct authd *d, const struct request *req, struct uuid project,
                          struct uuid session, struct error *err) MUST_USE;

#endif
