/*
 * logout_delivery.h - notifies clients of ended grants at their `backchannelLogoutUri` (OpenID
 * Connect Back-Channel Logout 1.0).
 *
 * The end of a grant adds a row by trigger (0053_logout_delivery). Instances claim rows under a
 * lease and post them, at least once, for up to three days. Finished rows stay a week.
 */
#ifndef ATRIUM_AUTHD_OAUTH_LOGOUT_DELIVERY_H
#define ATRIUM_AUTHD_OAUTH_LOGOUT_DELIVERY_H

#include "authd/authd.h"

#define LOGOUT_KEPT DAYS(7)

struct logout_deliveries;

/* Does nothing without public_url. */
void logout_delivery_start(struct authd *d);
void logout_delivery_stop(struct authd *d);

#endif
