/*
 * bus.h - calls between daemons over ZeroMQ, without a broker.  The grammar of the frames is in
 * WIRE.md.
 *
 * An instance binds one ROUTER for each service that may call it; the socket's path (or, between
 * hosts, the CURVE key) is the caller's identity.  A caller holds one DEALER for each live instance
 * of the services that it asks, found by watching <run_dir>/bus/<service>/ or listed in bus_hosts
 * (bus_hosts.h).  Death of a peer is seen at once (socket monitor) or by heartbeat; what was in
 * flight to it is sent again when the operation is R_SAFE and fails with ERR_UNAVAILABLE otherwise.
 */
#ifndef ATRIUM_COMMON_BUS_BUS_H
#define ATRIUM_COMMON_BUS_BUS_H

#include "common/base/clock.h"
#include "common/base/metrics.h"
#include "common/bus/bus_hosts.h"
#include "common/domain/request.h"
#include "common/runtime/fiber.h"
#include "common/runtime/loop.h"
#include "common/runtime/span.h"
#include "common/wire/codec.h"

struct bus;

struct bus_options {
    const char *service;  /* own name, "authd" */
    const char *instance; /* own instance, "1": [a-z0-9-]{1,32} */
    const char *version;  /* shown by `atriumctl status` */
    const char *run_dir;  /* sockets lie in <run_dir>/bus/<service>/<caller>.<instance> */
    const struct operation
        *operations; /* what this service answers, ended by a row with name NULL */
    void *daemon;    /* first argument of the operations' functions */
    /* further conditions of the operation's row, after the access column; may park */
    int (*admit)(void *daemon, struct request *req, const struct operation *row, struct error *err);
    /* finds the project of an R_PROJECT operation by its code or id; may park; NULL: callers must
     * send its id */
    int (*find_project)(void *daemon, const struct request *req, const char *name, struct uuid *ret,
                        struct error *err);
    const char *const *upstreams; /* services this one calls, NULL-ended */
    size_t peer_max;              /* requests in flight to one instance (512) */
    size_t serve_max; /* requests being served at once (1,024); beyond: ERR_OVERLOADED */
    bool held;        /* callers wait until bus_open() */
    const struct bus_hosts *hosts; /* NULL: all of the suite is on this host */
    struct spans *spans;           /* of requests that are sampled; NULL: none are recorded */
};

/* Binds, watches, connects; peers become usable at WELCOME. -1: an instance of the same name is
 * alive, or a path is too long (107 bytes). Options are borrowed for ever. */
struct bus *bus_new(struct loop *loop, struct clock *clock, struct metrics *metrics,
                    const struct bus_options *options, struct error *err);

/* Closes everything at once. No fiber may be in a call; the metrics must not be read afterwards. */
void bus_destroy(struct bus **self_p);

/* Lets callers in on a bus with options.held, for a daemon that needs the bus before it serves. */
void bus_open(struct bus *self);

/* Takes a list read again (same own line and key) and borrows it until the next call: connects to
 * new instances, drops removed ones and admits only callers it has. A removed key of an instance
 * that stays ends with the next reconnection. */
void bus_use_hosts(struct bus *self, const struct bus_hosts *hosts);
struct spans *bus_spans(const struct bus *self);
size_t bus_serving(const struct bus *self);

/* Sends the callers elsewhere and parks until they have all answers, or the deadline; sockets and
 * lock are gone then. */
void bus_drain(struct bus *self, int64_t deadline_mono_ms);

/* An operation of another service, with its tables; generated from that service's routes.def. */
struct bus_method {
    const char *service, *operation;
    unsigned flags;
    const struct field_table *input, *output;
};

/* Parks until the answer is in *out (texts in req->arena). Caller, trace and deadline are req's;
 * remote errors come back as set there. Also: ERR_UNAVAILABLE (no instance, or it died; Retry-After
 * 1), ERR_OVERLOADED (all at their cap), ERR_DEADLINE. */
int bus_call(struct bus *self, const struct bus_method *method, const struct request *req,
             const void *in, void *out, struct error *err) MUST_USE;

/* The same with a packed body in and out (a map, in req->arena), for the gateway. */
int bus_call_packed(struct bus *self, const struct bus_method *method, const struct request *req,
                    const void *body, size_t size, msgpack_object *ret_body,
                    struct error *err) MUST_USE;

bool bus_has_peer(const struct bus *self, const char *service);

/* Calls one certain instance ("authd.2") instead of the least busy: for status and metrics. */
int bus_call_instance(struct bus *self, const char *peer, const struct bus_method *method,
                      const struct request *req, const void *in, void *out,
                      struct error *err) MUST_USE;

/* Names of the connected peers ("authd.1"), sorted, NULL-ended. service NULL: all. */
const char **bus_peers(const struct bus *self, const char *service, struct arena *arena);

bool bus_peer_knows_traces(const struct bus *self, const char *peer);

/* ---- announcements: an instance tells all its callers, and knows who has heard ---- */

/* Caller's side: fn runs on the loop for each announcement; it is acknowledged when fn returns, so
 * the news must be in force by then. */
void bus_on_announce(struct bus *self, const char *topic,
                     void (*fn)(void *arg, const msgpack_object *body, struct arena *arena),
                     void *arg);

struct bus_announcement;

/* Sends to every connected caller, and again every 50 ms to those who have not acked. */
struct bus_announcement *bus_announce(struct bus *self, const char *topic,
                                      const struct field_table *table, const void *body);

bool bus_announce_acked(const struct bus_announcement *self, const char *caller);
bool bus_announce_complete(const struct bus_announcement *self);

/* Parks until the next ack, the loss of a caller, or the deadline. */
void bus_announce_wait(struct bus_announcement *self, int64_t deadline_mono_ms);
void bus_announce_destroy(struct bus_announcement **self_p);

/* ---- sockets beside those of the bus, for two processes of one host ---- */

/* Listens for SOCK_SEQPACKET at <run_dir>/bus/<own service>/<name>.<own instance>, with the mode
 * and access list of a bus socket for `caller`. Once per bus. A non-blocking descriptor, or -1. */
int bus_listen_beside(struct bus *self, const char *name, const char *caller,
                      struct error *err) MUST_USE;

/* Connects to that socket of a peer ("authd.1"). -1: it has none on this host. */
int bus_connect_beside(const struct bus *self, const char *peer, const char *name) MUST_USE;

/* Calls fn(arg, service) whenever the first instance of a service appears or the last one goes. */
void bus_on_presence(struct bus *self, void (*fn)(void *arg, const char *service), void *arg);

#endif
