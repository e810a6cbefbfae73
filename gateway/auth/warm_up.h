/*
 * warm_up.h - the first moments of a gateway, before it knows its daemons.
 */
#ifndef ATRIUM_GATEWAY_AUTH_WARM_UP_H
#define ATRIUM_GATEWAY_AUTH_WARM_UP_H

#include "common/domain/request.h"
#include "common/runtime/fiber.h"

struct gateway;

enum { WARM_UP_MS = 1000 };

struct warm_up {
    bool over;
    int64_t until_ms; /* monotonic */
    struct fiber_queue waiters;
};

void warm_up_start(struct gateway *gateway);

/* Parks until every daemon that the gateway asks is connected and the lease is live, but not beyond
 * WARM_UP_MS from the start: a restarted gateway then answers its first requests a little later
 * instead of with 503. */
void warm_up_wait(struct gateway *gateway);

/* Something has come nearer: the lease, a daemon. */
void warm_up_check(struct gateway *gateway);

#endif
