/*
 * changes.h - what other daemons tell the gateway while it runs, and the lease that proves it was
 * told.
 *
 * Any authd returns, with each renewal of the lease, every change since the number that the gateway
 * holds. Announcements bring the same changes sooner.  A gateway whose lease has run out does not
 * know who was logged out, and must refuse.
 */
#ifndef ATRIUM_GATEWAY_AUTH_CHANGES_H
#define ATRIUM_GATEWAY_AUTH_CHANGES_H

#include "common/base/uuid.h"
#include "common/domain/request.h"

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

/* Subscribes to announcements; the first renewal comes as soon as an authd is there. */
void changes_start(struct gateway *gateway);

/* Every LEASE_TICK_MS: renews the lease when it is time, or when it is not live. */
int changes_tick(void *daemon, const struct request *req, struct error *err) MUST_USE;

bool lease_is_live(const struct lease *self);

#endif
