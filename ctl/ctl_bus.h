/*
 * ctl_bus.h - atriumctl on the bus, as the service "ctl". atrium-dev uses it on its own loop.
 */
#ifndef ATRIUM_CTL_CTL_BUS_H
#define ATRIUM_CTL_CTL_BUS_H

#include "common/bus/bus.h"
#include "common/domain/request.h"
#include "ctl/ctl.h"

struct ctl_bus {
    struct loop *loop; /* borrowed */
    struct clock *clock;
    struct metrics *metrics;
    struct bus *bus;
    struct bus_options options; /* borrowed */
    char instance[33];
    const char *run_dir;     /* borrowed */
    bool interrupted;        /* Ctrl-C or SIGTERM */
    bool interruption_waits; /* the command checks for the first interruption */
};

enum {
    CTL_BUS_CALL_MS = 10000,
    CTL_BUS_PEER_MS = 2000,
    CTL_BUS_RETRY_MS = 60000, /* how long repeatable work waits for a daemon */
};

/* NULL-ended. */
extern const char *const ctl_bus_services[];

/* Connects to daemons below run_dir and on `hosts` (can be NULL). */
struct ctl_bus *ctl_bus_new(struct loop *loop, const char *run_dir, const struct bus_hosts *hosts,
                            struct error *err);
void ctl_bus_destroy(struct ctl_bus **self_p);

/* Parks until the service is connected. ERR_UNAVAILABLE after timeout_ms. */
int ctl_bus_wait(struct ctl_bus *self, const char *service, int64_t timeout_ms,
                 struct error *err) MUST_USE;

/* Returns the sorted names of a service's instances, running or not; NULL-ended. */
const char **ctl_bus_instances(const struct ctl_bus *self, const char *service,
                               struct arena *arena);

/* Makes a request with the deadline CTL_BUS_CALL_MS. */
struct request ctl_bus_request(struct ctl_bus *self, struct arena *arena);

/* Pauses after a failed call of repeatable work; returns 0 if a retry may help. Parks. */
int ctl_bus_retry(struct ctl_bus *self, int64_t since_mono_ms, struct error *err) MUST_USE;

/* Calls, and retries while the daemon is unreachable. Parks. */
int ctl_bus_call(struct ctl_bus *self, struct arena *arena, const struct bus_method *method,
                 const void *in, void *out, struct error *err) MUST_USE;

/* Returns the section `common` of the configuration. */
struct common_config;
int ctl_bus_config(struct ctl *ctl, struct common_config *ret, struct error *err) MUST_USE;

/* Runs a command on a fiber, when its service is connected. */
int ctl_bus_run(struct ctl *ctl, struct error *err) MUST_USE;

#endif
