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

/* Connects to the daemons whose sockets lie below run_dir, and to those that the hosts list (NULL:
 * none). */
struct ctl_bus *ctl_bus_new(struct loop *loop, const char *run_dir, const struct bus_hosts *hosts,
                            struct error *err);
void ctl_bus_destroy(struct ctl_bus **self_p);

/* Parks until an instance of the service is connected; ERR_UNAVAILABLE after timeout_ms. */
int ctl_bus_wait(struct ctl_bus *self, const char *service, int64_t timeout_ms,
                 struct error *err) MUST_USE;

/* Names of the instances of a service that have a socket for atriumctl or are listed, alive or
 * dead: "2" before "10"; NULL-ended, from the arena. */
const char **ctl_bus_instances(const struct ctl_bus *self, const char *service,
                               struct arena *arena);

/* A request of the operator's, CTL_BUS_CALL_MS from now. */
struct request ctl_bus_request(struct ctl_bus *self, struct arena *arena);

/* Behind a call that failed, of work that was begun at `since_mono_ms` and may be repeated: 0 after
 * a pause, when the failure may pass and there is time left; else -1, and the error is the call's.
 * Parks. */
int ctl_bus_retry(struct ctl_bus *self, int64_t since_mono_ms, struct error *err) MUST_USE;

/* A call of work that may be repeated, again while a daemon is gone; the answer is in the arena.
 * Parks. */
int ctl_bus_call(struct ctl_bus *self, struct arena *arena, const struct bus_method *method,
                 const void *in, void *out, struct error *err) MUST_USE;

/* The section `common` of the configuration that --dir or --config names. */
struct common_config;
int ctl_bus_config(struct ctl *ctl, struct common_config *ret, struct error *err) MUST_USE;

/* Runs one operator command on a fiber: finds the configuration (--dir, --config), connects,
 * waits for the service that the command needs, and runs the command. */
int ctl_bus_run(struct ctl *ctl, struct error *err) MUST_USE;

#endif
