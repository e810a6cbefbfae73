/* lease.h - the proof that a gateway knows every change up to a number; changes.c renews it. */
#ifndef ATRIUM_GATEWAY_AUTH_LEASE_H
#define ATRIUM_GATEWAY_AUTH_LEASE_H

#include "common/base/uuid.h"

enum { LEASE_MS = 5000, LEASE_RENEW_MS = 1000, LEASE_TICK_MS = 250 };

struct lease {
    struct uuid boot;
    char gateway[48];       /* "gateway.1" */
    int64_t since;          /* highest sequence in force, by lease replies only */
    int64_t valid_until_ms; /* monotonic; counted from the sending of the renewal */
    int64_t renewed_ms;     /* monotonic */
    bool renewing;
};

bool lease_is_live(const struct lease *self);

#endif
