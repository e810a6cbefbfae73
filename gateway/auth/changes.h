/*
 * changes.h - what other daemons tell the gateway while it runs, and the lease that proves it.
 *
 * With each renewal an authd returns every change since the gateway's number; announcements bring
 * them sooner. Without a live lease the gateway cannot know who logged out, and must refuse.
 */
#ifndef ATRIUM_GATEWAY_AUTH_CHANGES_H
#define ATRIUM_GATEWAY_AUTH_CHANGES_H

#include "common/base/clock.h"
#include "common/base/uuid.h"
#include "common/runtime/fiber.h"

struct gateway;

enum { LEASE_MS = 5000, LEASE_RENEW_MS = 1000, LEASE_TICK_MS = 250 };

struct lease {
    struct uuid boot;
    char gateway[48];       /* "gateway.1" */
    int64_t since;          /* highest sequence in force, by lease replies only */
    int64_t valid_until_ms; /* monotonic; counted from the sending of the renewal */
    int64_t renewed_ms;     /* monotonic */
    bool renewing;
};

static inline bool lease_is_live(const struct lease *self)
{
    return clock_mono_ms() < self->valid_until_ms;
}

/* Subscribes to announcements; the first renewal comes as soon as an authd is there. */
void changes_start(struct gateway *gateway);

/* ---- the first moments, before the gateway knows its daemons ---- */

enum { WARM_UP_MS = 1000 };

struct warm_up {
    bool over;
    int64_t until_ms; /* monotonic */
    struct fiber_queue waiters;
};

/* Parks until all daemons are connected and the lease is live, WARM_UP_MS from the start at most: a
 * restarted gateway answers late, not with 503. */
void warm_up_wait(struct gateway *gateway);
void warm_up_start(struct gateway *gateway);
void warm_up_check(struct gateway *gateway);

#endif
