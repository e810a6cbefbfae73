/*
 * arrival.h - reports sign-ins from new places to the account's owner (NEW_SIGN_IN).
 *
 * A place is new if both network address and user agent are. The part client_known stores keyed
 * hashes of both in known_address, for 180 days after their last session. The throttle has its own
 * hashes, because a right password alone adds those.
 */
#ifndef ATRIUM_AUTHD_SIGNIN_ARRIVAL_H
#define ATRIUM_AUTHD_SIGNIN_ARRIVAL_H

#include "authd/session/session.h"
#include "common/domain/role.h"

/* Queues the email, from the session's tenant if it owns the account, otherwise from the
 * installation. Only logs failures. Parks. */
void arrival_report(struct authd *d, const struct request *req, const struct session_draft *draft,
                    enum role role, const char *email, const char *display);

#endif
