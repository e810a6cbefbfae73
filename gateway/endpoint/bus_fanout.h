/* bus_fanout.h - calls the same operation of every instance of every daemon at once. */
#ifndef ATRIUM_GATEWAY_ENDPOINT_BUS_FANOUT_H
#define ATRIUM_GATEWAY_ENDPOINT_BUS_FANOUT_H

#include "common/bus/bus.h"
#include "common/service/service.h"

struct gateway;

struct fanout_reply {
    const char *peer; /* "authd.1" */
    void *out; /* the method's output struct; NULL when the instance did not answer in time */
};

/* Calls each connected instance that is wanted (NULL: all) on its own fiber; parks until all
 * answered or timeout_ms. Sorted by peer, ended by peer NULL. */
struct fanout_reply *bus_fanout(struct gateway *gateway,
                                struct bus_method (*method)(const char *service),
                                bool (*wanted)(const struct gateway *gateway, const char *peer),
                                int64_t timeout_ms, struct arena *arena);

#endif
