/*
 * changes.h - announcements from other daemons, and the lease.
 *
 * A lease renewal returns all changes since the last one; announcements only bring them sooner.
 * Without a live lease the gateway can't know which sessions have ended, so it refuses requests.
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
    int64_t since;          /* sequence number; only lease replies raise it */
    int64_t valid_until_ms; /* monotonic, counted from the sending of the request */
    int64_t renewed_ms;     /* monotonic */
    bool renewing;
};

static inline bool lease_is_live(const struct lease *self)
{
    return clock_mono_ms() < self->valid_until_ms;
}

/* Starts announcements and the lease, which is first renewed when an authd connects. */
void changes_start(struct gateway *gateway);

enum { WARM_UP_MS = 1000 };

struct warm_up {
    bool over;
    int64_t until_ms; /* monotonic */
    struct fiber_queue waiters;
};

/* Parks until all daemons are connected and the lease is live, at most WARM_UP_MS after the start,
 * so that a restart delays requests instead of failing them. */
void warm_up_wait(struct gateway *gateway);
void warm_up_start(struct gateway *gateway);
void warm_up_check(struct gateway *gateway);

#endif
