/* bus_fanout.h - calls all instances of all daemons in parallel. */
#ifndef ATRIUM_GATEWAY_ENDPOINT_BUS_FANOUT_H
#define ATRIUM_GATEWAY_ENDPOINT_BUS_FANOUT_H

#include "common/bus/bus.h"
#include "common/service/service.h"

struct gateway;

struct fanout_reply {
    const char *peer; /* "authd.1" */
    void *out;        /* NULL: no answer in time */
};

/* Calls the instances for which `wanted` returns true (NULL: all). Parks until all have answered or
 * timeout_ms has passed. The result is sorted by peer and ends with peer NULL. */
struct fanout_reply *bus_fanout(struct gateway *gateway,
                                struct bus_method (*method)(const char *service),
                                bool (*wanted)(const struct gateway *gateway, const char *peer),
                                int64_t timeout_ms, struct arena *arena);

#endif
