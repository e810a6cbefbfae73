/*
 * arrival.h - where the sign-ins to an account come from: one from an address and a user agent that
 * are both new to it is reported to its owner (NEW_SIGN_IN).
 *
 * Both are kept as keyed hashes in known_address for 180 days after their last session, written by
 * the statement that makes it (the part client_known): also at registration, which is no news to
 * its owner. They are apart from the hashes that limit failures, which a password alone makes
 * known.
 */
#ifndef ATRIUM_AUTHD_SIGNIN_ARRIVAL_H
#define ATRIUM_AUTHD_SIGNIN_ARRIVAL_H

#include "authd/session/session.h"
#include "common/domain/role.h"

/* The two hashes of the client of the request, one after the other: of its address (of IPv6 the
 * /64) and of its user agent. */
void arrival_keys(struct authd *d, const struct request *req, struct uuid account,
                  uint8_t ret[static ARRIVAL_KEYS_SIZE]);

/* Queues the mail about a session that the statement said is from somewhere new: by the tenant of
 * the session, if it owns the account, else by the installation. Best effort, logged when it fails:
 * the sign-in stands. Parks. */
void arrival_report(struct authd *d, const struct request *req, const struct session_draft *draft,
                    enum role role, const char *email, const char *display);

#endif
