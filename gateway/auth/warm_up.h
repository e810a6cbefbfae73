/* warm_up.h - the first moments of a gateway, before it knows its daemons. */
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

/* Parks until all daemons are connected and the lease is live, WARM_UP_MS from the start at most: a
 * restarted gateway answers late, not with 503. */
void warm_up_wait(struct gateway *gateway);

void warm_up_check(struct gateway *gateway);

#endif
