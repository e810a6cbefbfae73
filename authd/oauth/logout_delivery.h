/*
 * logout_delivery.h - tells clients of grants that have ended, at their `backchannelLogoutUri`
 * (OpenID Connect Back-Channel Logout 1.0).
 *
 * A trigger leaves a row with each end of a grant, in the same transaction (0053_logout_delivery).
 * Each instance claims rows under a lease and posts them: at least once, for three days, whatever
 * dies. What was delivered, or given up, is kept for a week.
 */
#ifndef ATRIUM_AUTHD_OAUTH_LOGOUT_DELIVERY_H
#define ATRIUM_AUTHD_OAUTH_LOGOUT_DELIVERY_H

#include "authd/authd.h"

#define LOGOUT_KEPT DAYS(7)

struct logout_deliveries;

/* Posts what is due from now on; nothing without public_url. */
void logout_delivery_start(struct authd *d);
void logout_delivery_stop(struct authd *d);

#endif
