/*
 * bus.h - calls between daemons over ZeroMQ, without a broker. WIRE.md has the frames.
 *
 * An instance binds one ROUTER per calling service; the socket's path (between hosts: the CURVE
 * key) identifies the caller. A caller holds one DEALER per upstream instance, found in
 * <run_dir>/bus/<service>/ or listed in bus_hosts (bus_hosts.h). The socket monitor or a heartbeat
 * notices a dead peer: its R_SAFE requests are sent again, others fail with ERR_UNAVAILABLE.
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
    const char *service;                /* "authd" */
    const char *instance;               /* "1": [a-z0-9-]{1,32} */
    const char *version;                /* shown by `atriumctl status` */
    const char *run_dir;                /* sockets: <run_dir>/bus/<service>/<caller>.<instance> */
    const struct operation *operations; /* ended by a row with name NULL */
    void *daemon;                       /* for the operations' functions */
    /* Checks an operation's conditions beyond the access column. Can park. */
    int (*admit)(void *daemon, struct request *req, const struct operation *row, struct error *err);
    /* Finds an R_PROJECT operation's project by code or id. Can park. NULL: callers must send the
     * id. */
    int (*find_project)(void *daemon, const struct request *req, const char *name, struct uuid *ret,
                        struct error *err);
    const char *const *upstreams;  /* NULL-ended */
    size_t peer_max;               /* requests in flight per instance (512) */
    size_t serve_max;              /* requests served at a time (1,024); more get ERR_OVERLOADED */
    bool held;                     /* callers wait until bus_open() */
    const struct bus_hosts *hosts; /* NULL: the suite has one host */
    struct spans *spans;           /* spans of sampled requests; NULL: none */
};

/* Binds, watches and connects; peers become usable at WELCOME. -1: an instance of the same name is
 * alive, or a path exceeds 107 bytes. Borrows the options forever. */
struct bus *bus_new(struct loop *loop, struct clock *clock, struct metrics *metrics,
                    const struct bus_options *options, struct error *err);

/* Closes immediately. No fiber may be in a call; the metrics must not be read afterwards. */
void bus_destroy(struct bus **self_p);

/* Admits callers on a bus with options.held, for a daemon that calls others before it serves. */
void bus_open(struct bus *self);

/* Applies a reloaded list with the same own line and key, borrowed until the next call: connects to
 * new instances, drops removed ones, admits only listed callers. A removed key of a listed instance
 * works until its next reconnection. */
void bus_use_hosts(struct bus *self, const struct bus_hosts *hosts);
struct spans *bus_spans(const struct bus *self);
size_t bus_serving(const struct bus *self);

/* Sends callers elsewhere and parks until they have all answers, or the deadline. Then closes
 * sockets and lock. */
void bus_drain(struct bus *self, int64_t deadline_mono_ms);

/* An operation of another service, generated from its routes.def. */
struct bus_method {
    const char *service, *operation;
    unsigned flags;
    const struct field_table *input, *output;
};

/* Parks until the answer is in *out (texts in req->arena). Passes on req's caller, trace and
 * deadline. Fails: the remote error, ERR_UNAVAILABLE (no instance, or it died; Retry-After 1),
 * ERR_OVERLOADED, ERR_DEADLINE. */
int bus_call(struct bus *self, const struct bus_method *method, const struct request *req,
             const void *in, void *out, struct error *err) MUST_USE;

/* Like bus_call(), with packed maps (in req->arena), for the gateway. */
int bus_call_packed(struct bus *self, const struct bus_method *method, const struct request *req,
                    const void *body, size_t size, msgpack_object *ret_body,
                    struct error *err) MUST_USE;

bool bus_has_peer(const struct bus *self, const char *service);

/* Calls a given instance ("authd.2") instead of the least busy. */
int bus_call_instance(struct bus *self, const char *peer, const struct bus_method *method,
                      const struct request *req, const void *in, void *out,
                      struct error *err) MUST_USE;

/* Returns connected peers ("authd.1"), sorted, NULL-ended. service NULL: all. */
const char **bus_peers(const struct bus *self, const char *service, struct arena *arena);

bool bus_peer_knows_traces(const struct bus *self, const char *peer);

/* ---- announcements from an instance to all its callers ---- */

/* Registers fn for announcements. Its return acknowledges, so the change must be in force by
 * then. */
void bus_on_announce(struct bus *self, const char *topic,
                     void (*fn)(void *arg, const msgpack_object *body, struct arena *arena),
                     void *arg);

struct bus_announcement;

/* Sends to each caller every 50 ms until acknowledged. */
struct bus_announcement *bus_announce(struct bus *self, const char *topic,
                                      const struct field_table *table, const void *body);

bool bus_announce_acked(const struct bus_announcement *self, const char *caller);
bool bus_announce_complete(const struct bus_announcement *self);

/* Parks until the next acknowledgement, lost caller, or deadline. */
void bus_announce_wait(struct bus_announcement *self, int64_t deadline_mono_ms);
void bus_announce_destroy(struct bus_announcement **self_p);

/* ---- additional sockets between two processes of one host ---- */

/* Listens for SOCK_SEQPACKET at <run_dir>/bus/<own service>/<name>.<own instance>, with a bus
 * socket's rights for `caller`. Once per bus. Returns a non-blocking descriptor or -1. */
int bus_listen_beside(struct bus *self, const char *name, const char *caller,
                      struct error *err) MUST_USE;

/* Connects to a peer's ("authd.1") socket of bus_listen_beside(). Returns -1 if this host has
 * none. */
int bus_connect_beside(const struct bus *self, const char *peer, const char *name) MUST_USE;

/* Registers fn, which runs when a service's first instance appears or its last one disappears. */
void bus_on_presence(struct bus *self, void (*fn)(void *arg, const char *service), void *arg);

#endif
