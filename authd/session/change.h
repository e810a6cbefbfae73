/*
 * change.h - changes that every gateway must apply before authd answers: ended sessions, changed
 * memberships, policies, projects and keys.
 *
 * A change is a row with a number that grows in commit order. Gateways receive it by an
 * announcement and with their lease renewal, every second, from any authd. Without a valid lease,
 * they reject bearer tokens. So a change applies everywhere once each gateway with a lease has
 * acknowledged the announcement or renewed past the number.
 */
#ifndef ATRIUM_AUTHD_SESSION_CHANGE_H
#define ATRIUM_AUTHD_SESSION_CHANGE_H

#include "authd/authd.h"

struct change;

/* Changes are kept until the session's last access token has expired, plus a minute for clock
 * differences; events as long as a gateway can be cut off with a warm cache. */
#define CHANGE_SESSION_LIFE (ACCESS_TOKEN_LIFE + MINUTES(1))
#define CHANGE_EVENT_LIFE DAYS(1)

/* Lifetime of cached answers for a change number, in monotonic ms. Changes are kept far longer, so
 * numbers stay unambiguous. */
#define CHANGE_ANSWER_LIFE MINUTES(1)

/* Announces committed changes and waits, at most 5 s, until every gateway with a lease has applied
 * them; then a silent gateway's lease has expired. Parks. */
int invalidation_wait(struct authd *d, const struct request *req, int64_t sequence,
                      const struct change *changes, size_t count, struct error *err) MUST_USE;

/* Returns the last number, to wait for another request's change. Parks. */
int change_top(struct authd *d, const struct request *req, int64_t *ret,
               struct error *err) MUST_USE;

/* Deletes stopped gateways' leases, every second (service_every()). */
int lease_watch_run(void *daemon, const struct request *req, struct error *err);
void lease_watch_open(struct authd *d);

#endif
