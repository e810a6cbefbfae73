/*
 * ctl_bus.h - atriumctl on the bus: it calls as the service "ctl" and answers nothing.
 *
 * Operator commands run inside ctl_bus_run(); atrium-dev opens a connection on its own loop.
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
    struct bus_options options; /* borrowed by the bus */
    char instance[33];
    const char *run_dir;     /* borrowed */
    bool interrupted;        /* by Ctrl-C or SIGTERM: what waits is cancelled */
    bool interruption_waits; /* set by a command: the first one waits until it looks */
};

enum {
    CTL_BUS_CALL_MS = 10000,
    CTL_BUS_PEER_MS = 2000,
    CTL_BUS_RETRY_MS = 60000, /* how long long work waits for a daemon that is gone */
};

/* Every service of the suite, NULL-ended. */
extern const char *const ctl_bus_services[];

/* Connects to the daemons below run_dir, and to the listed hosts (NULL: none). */
struct ctl_bus *ctl_bus_new(struct loop *loop, const char *run_dir, const struct bus_hosts *hosts,
                            struct error *err);
void ctl_bus_destroy(struct ctl_bus **self_p);

/* Parks until an instance of the service is connected; ERR_UNAVAILABLE after timeout_ms. */
int ctl_bus_wait(struct ctl_bus *self, const char *service, int64_t timeout_ms,
                 struct error *err) MUST_USE;

/* Names of a service's instances that have a socket or are listed, alive or dead, in order; NULL-
 * ended, from the arena. */
const char **ctl_bus_instances(const struct ctl_bus *self, const char *service,
                               struct arena *arena);

/* With a deadline CTL_BUS_CALL_MS from now. */
struct request ctl_bus_request(struct ctl_bus *self, struct arena *arena);

/* After a failed call of repeatable work begun at `since_mono_ms`: pauses and returns 0 if a retry
 * may help; otherwise -1 with the call's error. Parks. */
int ctl_bus_retry(struct ctl_bus *self, int64_t since_mono_ms, struct error *err) MUST_USE;

/* Calls, and retries while a daemon is gone; the answer is in the arena. Parks. */
int ctl_bus_call(struct ctl_bus *self, struct arena *arena, const struct bus_method *method,
                 const void *in, void *out, struct error *err) MUST_USE;

/* The section `common` of the configuration in use. */
struct common_config;
int ctl_bus_config(struct ctl *ctl, struct common_config *ret, struct error *err) MUST_USE;

/* Runs a command on a fiber: reads the configuration, connects, waits for its service. */
int ctl_bus_run(struct ctl *ctl, struct error *err) MUST_USE;

#endif
