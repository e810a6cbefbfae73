/*
 * change.h - what every gateway must know before we answer: ended sessions, changed memberships,
 * policies, projects and keys.
 *
 * A change is a row with a number that grows in commit order.  Gateways hear of it twice: by an
 * announcement on the bus, at once, and with the renewal of their lease, every second, from any
 * authd.  A gateway without a fresh lease refuses bearer tokens by itself.  So a change is in force
 * everywhere as soon as each gateway that has a lease has acknowledged the announcement or renewed
 * past the number.
 */
#ifndef ATRIUM_AUTHD_SESSION_CHANGE_H
#define ATRIUM_AUTHD_SESSION_CHANGE_H

#include "authd/authd.h"

struct change; /* operation_api.h */

/* How long a change is kept for gateways: an ended session until its last access token expired
 * (and a minute for clocks that differ), an event for as long as a gateway may have been cut off
 * with a warm cache. */
#define CHANGE_SESSION_LIFE (ACCESS_TOKEN_LIFE + MINUTES(1))
#define CHANGE_EVENT_LIFE DAYS(1)

/* How long an answer that holds for the number of a change may be kept, in ms of the monotonic
 * clock: far less than changes are, so that no two numbers are taken for one. */
#define CHANGE_ANSWER_LIFE MINUTES(1)

/* Announces the changes, which are committed under `sequence`, and waits until every gateway
 * with a live lease has them in force, at most 5 s: who has not heard by then has no lease any
 * more and refuses by itself. Parks. */
int invalidation_wait(struct authd *d, const struct request *req, int64_t sequence,
                      const struct change *changes, size_t count, struct error *err) MUST_USE;

/* The last number given out: for settling what another request committed. Parks. */
int change_top(struct authd *d, const struct request *req, int64_t *ret,
               struct error *err) MUST_USE;

/* Deletes the leases of gateways that are gone; every second (service_every()). */
int lease_watch_run(void *daemon, const struct request *req, struct error *err);
void lease_watch_open(struct authd *d);

#endif
