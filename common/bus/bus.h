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
    /* what else an operation's row asks of its caller, once the access column is satisfied; may
     * park; NULL: nothing */
    int (*admit)(void *daemon, struct request *req, const struct operation *row, struct error *err);
    const char *const *upstreams; /* services this one calls, NULL-ended */
    size_t peer_max;              /* requests in flight to one instance (512) */
    size_t serve_max; /* requests being served at once (1,024); beyond: ERR_OVERLOADED */
    bool held;        /* callers wait until bus_open() */
    const struct bus_hosts *hosts; /* NULL: all of the suite is on this host */
    struct spans *spans;           /* of requests that are sampled; NULL: none are recorded */
};

/* Binds, watches, connects. The peers found become usable as they say WELCOME. -1 when an instance
 * of the same name lives already, or a path is too long for a socket (107 bytes). Options are
 * borrowed for ever. */
struct bus *bus_new(struct loop *loop, struct clock *clock, struct metrics *metrics,
                    const struct bus_options *options, struct error *err);

/* Closes everything at once. No fiber may be inside a call or be serving one: drain and cancel them
 * first. The metrics must not be read afterwards. */
void bus_destroy(struct bus **self_p);

/* Lets the callers of a bus with options.held in: for a daemon whose start needs the bus before it
 * can serve. */
void bus_open(struct bus *self);

/* Takes a list that was read again, with the same own line and key, in place of the one of the
 * options, and borrows it until the next call or the end: connects to the instances that are new,
 * drops the connections of those that are gone and lets only callers in that it has. A connection
 * made with a key that was removed, of an instance that stays, ends with the next reconnection. */
void bus_use_hosts(struct bus *self, const struct bus_hosts *hosts);

/* bus_options.spans. */
struct spans *bus_spans(const struct bus *self);

/* Requests being served. */
size_t bus_serving(const struct bus *self);

/* Tells the callers to go elsewhere and serves what they still have in flight; returns when they
 * have all their answers, or at the deadline, with the sockets and the lock gone. Parks the
 * fiber. */
void bus_drain(struct bus *self, int64_t deadline_mono_ms);

/* An operation of another service, with its tables; generated from that service's routes.def. */
struct bus_method {
    const char *service, *operation;
    unsigned flags;
    const struct field_table *input, *output;
};

/* Calls an operation and parks until the answer is in *out (texts in req->arena). Caller, trace and
 * deadline are taken from req. The remote error comes back as it was set there. Further errors:
 * ERR_UNAVAILABLE (no instance, or it died; Retry-After 1), ERR_OVERLOADED (all at their cap),
 * ERR_DEADLINE. */
int bus_call(struct bus *self, const struct bus_method *method, const struct request *req,
             const void *in, void *out, struct error *err) MUST_USE;

/* The same with the body already packed, answering the reply's body (a map, in req->arena): for the
 * gateway. */
int bus_call_packed(struct bus *self, const struct bus_method *method, const struct request *req,
                    const void *body, size_t size, msgpack_object *ret_body,
                    struct error *err) MUST_USE;

/* True when at least one instance of the service is connected and not draining. */
bool bus_has_peer(const struct bus *self, const char *service);

/* Calls one certain instance ("authd.2") instead of the least busy: for status and metrics. */
int bus_call_instance(struct bus *self, const char *peer, const struct bus_method *method,
                      const struct request *req, const void *in, void *out,
                      struct error *err) MUST_USE;

/* Names of the connected peers ("authd.1"), sorted, NULL-ended, from the arena. service NULL:
 * all. */
const char **bus_peers(const struct bus *self, const char *service, struct arena *arena);

/* Does the connected instance ("authd.1") record spans? */
bool bus_peer_knows_traces(const struct bus *self, const char *peer);

/* ---- announcements: an instance tells all its callers, and knows who has heard ---- */

/* Caller's side: fn runs on the loop for each announcement of the topic from any instance of the
 * services asked; the acknowledgement goes out when it returns, so the news must be in force by
 * then. */
void bus_on_announce(struct bus *self, const char *topic,
                     void (*fn)(void *arg, const msgpack_object *body, struct arena *arena),
                     void *arg);

struct bus_announcement;

/* Instance's side: sends to every connected caller and goes on sending every 50 ms to those who
 * have not acked. */
struct bus_announcement *bus_announce(struct bus *self, const char *topic,
                                      const struct field_table *table, const void *body);

/* Has the caller ("gateway.1") acked? Have all that are connected? */
bool bus_announce_acked(const struct bus_announcement *self, const char *caller);
bool bus_announce_complete(const struct bus_announcement *self);

/* Parks until the next ack, the loss of a caller, or the deadline. */
void bus_announce_wait(struct bus_announcement *self, int64_t deadline_mono_ms);
void bus_announce_destroy(struct bus_announcement **self_p);

/* ---- sockets beside those of the bus, for two processes of one host ---- */

/* Listens for SOCK_SEQPACKET connections at <run_dir>/bus/<own service>/<name>.<own instance>,
 * which has the mode and the access list of a socket of the bus for `caller`. Once per bus, which
 * removes the path at its end. The descriptor, which does not block; -1. */
int bus_listen_beside(struct bus *self, const char *name, const char *caller,
                      struct error *err) MUST_USE;

/* Connects to that socket of a peer ("authd.1"). -1: it has none on this host. */
int bus_connect_beside(const struct bus *self, const char *peer, const char *name) MUST_USE;

/* Calls fn(arg, service) whenever the first instance of a service appears or the last one goes. */
void bus_on_presence(struct bus *self, void (*fn)(void *arg, const char *service), void *arg);

#endif
