/*
 * bus_private.h - what the files of the bus share, and nothing outside common/bus/.
 *
 * Caller's side: bus_watch.c finds instances, bus_peer.c connects, bus_call.c asks. Instance's
 * side: bus_listener.c and bus_tcp.c take callers, bus_serve.c answers. Both: bus_wire.c (frames,
 * WIRE.md), bus_endpoint.c (paths, locks), bus_announce.c.
 */
#ifndef ATRIUM_COMMON_BUS_BUS_PRIVATE_H
#define ATRIUM_COMMON_BUS_BUS_PRIVATE_H

#include "common/bus/bus.h"

enum {
    BUS_VERSION = 1,
    BUS_VERSION_TRACED = 2, /* of a REQUEST with two elements more: its trace */
    BUS_PEER_NAME_MAX = 66, /* "service.instance" and NUL */
    BUS_PATH_SIZE = 108,    /* sun_path: 107 bytes and NUL */
    BUS_OPERATION_MAX = 64, /* bytes of texts in a frame's head, from here ... */
    BUS_TRACE_MAX = 128,
    BUS_TRACEPARENT_MAX = 64,
    BUS_ADDRESS_MAX = 64,
    BUS_AGENT_MAX = 512,
    BUS_TENANT_MAX = 64,
    BUS_TOPIC_MAX = 64,
    BUS_ITEM_NAME_MAX = 256,
    BUS_ITEM_VALUE_MAX = 1024, /* ... to here */
    BUS_BATCH = 256,           /* messages read per readiness of a socket */
    BUS_PEERS_MAX = 256,       /* instances of one service */
    BUS_CALLERS_MAX = 4096,    /* callers known on one socket */
    BUS_TRIES_MAX = 8,         /* instances that one call is sent to */
    BUS_TOPICS_MAX = 16,
    BUS_RESEND_MS = 50, /* of announcements and of DRAIN */
    BUS_HEARTBEAT_MS = 1000,
    BUS_HEARTBEAT_DEAD_MS = 3000,
    BUS_WELCOME_MS = 3000, /* from connecting to the WELCOME */
    BUS_PULSE_MS = 500,    /* between two looks at the clock of an idle instance */
    BUS_STILL_MS = 2000,   /* longer without a look: it stood still. Callers give up after
                          * BUS_HEARTBEAT_DEAD_MS at the earliest */
    BUS_GONE_MS =
        2000, /* an instance on another host that is away for longer than a restart is told of */
    BUS_DEGRADED_MS = 1000,  /* for how long an instance that says UNAVAILABLE is asked last */
    BUS_CLOCK_MS = 10000,    /* between two looks at the clock of another host, which drifts ... */
    BUS_CLOCK_TRIP_MS = 200, /* ... unless the answer took longer: half of that is the error */
    BUS_BACKOFF_MIN_MS = 10,
    BUS_BACKOFF_MAX_MS = 1000,
    BUS_QUEUE_SLACK = 1024,  /* room in ZeroMQ's queues beyond the requests in flight */
    BUS_LINGER_MS = 1000,    /* for the last answers of an instance that ends */
    BUS_HANDSHAKE_MS = 3000, /* from the connection to the end of the handshake, between hosts */
    BUS_SEALED_SLACK = 64,   /* bytes that CURVE adds to a frame, and some */
};

/* Behind the version of a WELCOME: the instance takes a REQUEST of BUS_VERSION_TRACED. */
#define BUS_KNOWS_TRACES " traces"

/* The one service whose word on the user is believed (request.h). */
#define BUS_GATEWAY "gateway"

/* ---- frames (bus_wire.c) ---- */

enum bus_kind {
    BUS_HELLO = 1,
    BUS_WELCOME,
    BUS_REQUEST,
    BUS_REPLY,
    BUS_ERROR,
    BUS_REFUSED,
    BUS_DRAIN,
    BUS_ANNOUNCE,
    BUS_ACK,
    BUS_PING,
};

/* A part of a received frame: borrowed, not NUL-terminated. */
struct bus_slice {
    const char *bytes;
    size_t size;
};

struct bus_reader {
    const uint8_t *at, *end;
    bool bad; /* sticky: once set, every further read gives zero or "" */
};

struct bus_incoming {
    enum bus_kind kind;
    uint64_t id;
    uint64_t boot;                          /* HELLO WELCOME REQUEST REFUSED */
    struct bus_slice service, instance;     /* HELLO WELCOME */
    struct bus_slice version;               /* WELCOME */
    int64_t mono_ms;                        /* WELCOME: now; REQUEST: deadline */
    bool draining;                          /* WELCOME */
    struct bus_slice name;                  /* REQUEST: operation; ANNOUNCE: topic */
    struct bus_slice trace, address, agent; /* REQUEST */
    struct bus_slice traceparent, state;    /* REQUEST of BUS_VERSION_TRACED */
    struct bus_slice caller;                /* REQUEST; size 0: none */
    struct bus_slice body;                  /* REQUEST REPLY ANNOUNCE */
    struct bus_reader error;                /* ERROR: for bus_read_error() */
};

/* Checks the whole head; slices point into the frame. -1: bad grammar. Allocates nothing. */
int bus_read(const void *bytes, size_t size, struct bus_incoming *ret) MUST_USE;

/* Fills err from the rest of an ERROR frame, texts copied. -1: bad grammar, err untouched. */
int bus_read_error(struct bus_reader *reader, struct error *err) MUST_USE;

/* Is this the code of an ERROR frame? Not checked further. */
bool bus_error_is(struct bus_reader reader, enum error_code code);

bool bus_slice_is(struct bus_slice slice, const char *text);

/* Starts [version, kind, id, ...] with `elements` after the id, in the one reused buffer; the
 * second with another version. */
void bus_write(struct codec_buffer *self, enum bus_kind kind, uint64_t id, unsigned elements);
void bus_write_version(struct codec_buffer *self, unsigned version, enum bus_kind kind, uint64_t id,
                       unsigned elements);
void bus_write_uint(struct codec_buffer *self, uint64_t value);
void bus_write_int(struct codec_buffer *self, int64_t value);
void bus_write_bool(struct codec_buffer *self, bool value);
/* At most max bytes, cut between characters; NULL and what is not UTF-8 are "". */
void bus_write_text(struct codec_buffer *self, const char *text, size_t max);
void bus_write_bytes(struct codec_buffer *self, const void *bytes, size_t size);
void bus_write_fields(struct codec_buffer *self, const struct field_table *table, const void *in);
/* The same with the project of an R_PROJECT operation. */
void bus_write_of_project(struct codec_buffer *self, const struct field_table *table,
                          const void *in, const struct request *req);
/* A REPLY, with the limit noted in err when nothing failed; and the note of a reply read. */
void bus_write_reply(struct codec_buffer *self, uint64_t id, const struct field_table *table,
                     const void *out, const struct error *err);
void bus_read_limit(const msgpack_object *reply, struct error *err);
void bus_write_again(struct codec_buffer *self, const void *bytes, size_t size);
void bus_write_error(struct codec_buffer *self, uint64_t id, const struct error *err);
/* Moves the frame into a message: a small one is copied and the buffer (perhaps with a password)
 * wiped, a large one becomes the message. -1: over CODEC_FRAME_MAX bytes. */
int bus_write_end(struct codec_buffer *self, zmq_msg_t *ret) MUST_USE;
void bus_frame_free(struct codec_buffer *self);

/* ---- caller's side ---- */

struct bus_peer;

enum bus_outcome {
    BUS_PENDING,
    BUS_ANSWERED,
    BUS_UNAVAILABLE, /* an answer too: UNAVAILABLE */
    BUS_WAS_REFUSED,
    BUS_LOST,
};

/* One request in flight; lives on the stack of the fiber that waits for it. */
struct bus_call {
    struct bus_call *next, **link; /* in the peer's list */
    struct bus_peer *peer;
    struct fiber *fiber;
    uint64_t id;
    enum bus_outcome outcome;
    zmq_msg_t *answer; /* filled with BUS_ANSWERED and BUS_UNAVAILABLE */
};

/* The low half of an id is its slot's index; a stale id differs from the slot's current one. */
struct bus_slot {
    uint64_t id;
    struct bus_call *call; /* NULL: free */
    uint32_t next_free;
};

enum bus_peer_state {
    PEER_WAITING,    /* no connection; the timer makes one */
    PEER_CONNECTING, /* until the WELCOME */
    PEER_READY,
    PEER_LEAVING, /* draining: gets nothing new */
};

struct bus_peer {
    struct bus *bus;
    struct bus_upstream *upstream;
    char instance[BUS_NAME_MAX + 1];
    char name[BUS_PEER_NAME_MAX];
    char path[BUS_PATH_SIZE];
    enum bus_peer_state state;
    bool far;          /* the connection is to another host */
    bool knows_traces; /* by its WELCOME */
    size_t way;        /* which of its addresses and keys the next connection takes */
    int64_t gone_ms;   /* since when it is not there; 0: it is, or that was told */
    zsock_t *dealer, *monitor;
    struct loop_timer *timer;
    int64_t backoff_ms;
    int64_t hello_ms;  /* when the HELLO went out that is not answered yet; 0: none */
    int64_t offset_ms; /* the instance's monotonic clock minus ours */
    uint64_t boot;     /* what our requests name; of the WELCOME, or of a later REFUSED */
    uint64_t drain_id; /* 0, or what to acknowledge once nothing is in flight */
    struct bus_call *calls;
    size_t outstanding;
    int64_t degraded_until_ms; /* it said UNAVAILABLE a moment ago: others are asked first */
};

struct bus_upstream {
    const char *service;
    int watch; /* inotify descriptor, -1: none */
    struct bus_peer **peers;
    size_t count, turn;
    bool present;
    uint64_t *calls, *failures, *resent;
    struct histogram *latency;
};

struct bus_topic {
    const char *name;
    void (*fn)(void *arg, const msgpack_object *body, struct arena *arena);
    void *arg;
};

/* ---- instance's side ---- */

struct bus_caller {
    uint32_t route;
    uint64_t boot;
    char name[BUS_PEER_NAME_MAX];
    bool drain_acked;
};

/* One ROUTER, for one calling service; or the share of a service in the ROUTER for other hosts. */
struct bus_socket {
    struct bus *bus;
    const char *service; /* the caller's */
    bool tcp;            /* the ROUTER is that of bus_tcp.c, and there is no path */
    char path[BUS_PATH_SIZE];
    zsock_t *router;
    struct bus_caller *callers;
    size_t count, capacity;
    size_t sweep_at; /* look for dead callers when there are so many */
};

struct bus_serving {
    struct bus_serving *next;
    struct bus_socket *socket;
    uint32_t route;
    const struct bus_operation *operation;
    struct arena *arena;
    zmq_msg_t message; /* `frame` points into it */
    struct bus_incoming frame;
    int64_t start_us;
};

struct bus_operation {
    const struct operation *row;
    bool secret; /* the input has a FIELD_SECRET somewhere */
};

struct bus {
    struct loop *loop;
    struct clock *clock;
    const struct bus_options *options;
    const struct bus_hosts *hosts; /* of the options, or of the last bus_use_hosts() */
    bool hosts_removed;            /* some name is no longer among them: see bus_tcp.c */
    struct arena *arena;           /* lives as long as the bus */
    uint64_t boot;                 /* of this process, as a caller */
    struct codec_buffer frame;

    struct bus_upstream *upstreams;
    size_t upstream_count;
    int inotify;
    struct loop_timer *rescan;
    struct bus_slot *slots;
    uint32_t slot_count, slot_free;
    uint64_t monitors; /* made so far: their names must differ */
    struct bus_topic topics[BUS_TOPICS_MAX];
    size_t topic_count;
    struct arena *news; /* of the announcement being handed out */
    void (*presence)(void *arg, const char *service);
    void *presence_arg;

    int lock;                   /* descriptor of the lock file, -1: none */
    char beside[BUS_PATH_SIZE]; /* of bus_listen_beside(); "": none */
    uint64_t listener_boot;     /* what requests must name; another one after a standstill */
    int64_t pulse_ms;           /* the last look at the clock */
    struct loop_timer *pulse;   /* the next one, when nothing comes in */
    struct bus_socket *sockets;
    size_t socket_count;
    zsock_t *tcp, *zap; /* bus_tcp.c's; NULL without */
    int64_t refused_logged_ms;
    uint64_t refused_logged;
    struct bus_operation *operations; /* open addressing by name; row NULL: free */
    size_t operation_mask;
    struct bus_serving *spare;
    size_t spare_count, serving;
    uint64_t last_id; /* of announcements and drains */
    uint64_t drain_id;
    struct fiber_queue drained;
    struct bus_announcement *announcements;
    struct loop_timer *resend;

    uint64_t *requests, *errors, *expired, *overloaded, *malformed, *late, *unsent, *strangers;
    struct histogram *latency;
    int64_t drop_logged_ms;
    uint64_t drop_logged;
};

/* Returns a socket with the limits and heartbeats of all our sockets and no linger. `queue` limits
 * the messages each way. */
zsock_t *bus_socket_new(int type, size_t queue);
void bus_socket_option(zsock_t *socket, int option, int value);
void bus_socket_bytes(zsock_t *socket, int option, const void *bytes, size_t size);

/* Reads one frame without waiting; true: *message, the caller's to close, holds one. With `route`
 * the routing id is taken off. Malformed ones are dropped and counted; *ret_left counts down with
 * every message, so that a batch of garbage ends too. */
bool bus_receive(struct bus *self, zsock_t *socket, uint32_t *route, zmq_msg_t *message,
                 struct bus_incoming *ret, int *ret_left);

/* Sends the frame just written; the route only on a ROUTER. -1: it did not go out (errno). */
int bus_send(struct bus *self, zsock_t *socket, const uint32_t *route) MUST_USE;

/* Counts a frame that was thrown away and, at most once a second, says so. */
void bus_drop(struct bus *self, uint64_t *counter, const char *reason);

/* ---- bus_endpoint.c ---- */

/* Makes run_dir/bus/<service> and what is above it; what is there keeps its mode. */
int bus_make_directory(const char *run_dir, const char *service, struct error *err) MUST_USE;
/* The path on which that instance listens for that caller; ERR_INTERNAL: it does not fit. */
int bus_socket_path(char path[static BUS_PATH_SIZE], const char *run_dir, const char *service,
                    const char *caller, const char *instance, struct error *err) MUST_USE;
/* Held until bus_lock_drop(). ERR_CONFLICT: another process is that instance. */
int bus_lock_acquire(struct bus *self, struct error *err) MUST_USE;
void bus_lock_drop(struct bus *self);
/* A ROUTER behind socket->path, ready for callers. */
int bus_endpoint_listen(struct bus_socket *socket, struct error *err) MUST_USE;

/* ---- bus_watch.c ---- */

/* Watches the called services' directories and connects to their instances. */
int bus_watch_start(struct bus *self, struct error *err) MUST_USE;
void bus_watch_stop(struct bus *self);
void bus_watch_hosts(struct bus *self);

/* ---- bus_peer.c ---- */

/* There is a socket for this instance: connects now unless connected. */
void bus_peer_found(struct bus *self, struct bus_upstream *upstream, const char *instance);
/* Nothing is in flight to it any more: tells an instance that waits for that. */
void bus_peer_idle(struct bus_peer *self);
/* The connection has ended: open calls end as BUS_LOST, the next attempt follows a pause. */
void bus_peer_lost(struct bus_peer *self, const char *why);
void bus_peer_free(struct bus_peer *self);

/* ---- bus_call.c ---- */

/* An answer came: hands it to its call. Consumes the message. */
void bus_call_answered(struct bus_peer *peer, const struct bus_incoming *incoming,
                       zmq_msg_t *message);
/* Wakes the call's fiber with the outcome (BUS_PENDING: no wake). No effect the second time. */
void bus_call_finish(struct bus *self, struct bus_call *call, enum bus_outcome outcome);

/* ---- bus_listener.c, bus_serve.c ---- */

uint64_t bus_random_boot(void);

/* Whether a request that names this boot may be executed; to be asked right before. Takes a new
 * boot when the process stood still for so long that callers may have given up. */
bool bus_listener_admits(struct bus *self, uint64_t boot);

/* Builds the table of operations; before the first request. */
void bus_serve_prepare(struct bus *self);
/* Consumes the message. */
void bus_serve_request(struct bus_socket *socket, uint32_t route, const struct bus_incoming *in,
                       zmq_msg_t *message);
void bus_serve_free(struct bus *self);

/* Locks and listens, unless the daemon has no operations or the options hold that back. */
int bus_listener_start(struct bus *self, struct error *err) MUST_USE;
/* Closes the sockets and drops the lock; twice is fine. Open requests get no answer. */
void bus_listener_stop(struct bus *self);
/* Consumes the message. */
void bus_listener_frame(struct bus_socket *socket, uint32_t route, const struct bus_incoming *in,
                        zmq_msg_t *message);
/* Sends the frame just written to one caller and forgets a caller that is gone. */
void bus_listener_send(struct bus_socket *socket, uint32_t route);
void bus_drain_update(struct bus *self);

/* ---- bus_tcp.c ---- */

/* Between hosts: our key and its limits for a socket that listens or, with `server`, connects. */
void bus_tcp_secure(const struct bus_hosts *hosts, zsock_t *socket,
                    const uint8_t server[BUS_KEY_SIZE]);
/* Listens where the hosts say, if they do. The ROUTER goes into the sockets that are `tcp`. */
int bus_tcp_listen(struct bus *self, struct error *err) MUST_USE;
bool bus_tcp_wanted(const struct bus *self);
void bus_tcp_open(struct bus *self);
void bus_tcp_stop(struct bus *self);

/* ---- bus_announce.c ---- */

void bus_announce_caller_connect(struct bus_socket *socket, uint32_t route, const char *caller);
void bus_announce_caller_disconnect(struct bus_socket *socket, uint32_t route);
void bus_announce_ack_receive(struct bus_socket *socket, uint32_t route, uint64_t id);
/* Caller's side: hands an announcement to its subscribers and acknowledges it. */
void bus_announce_receive(struct bus_peer *peer, const struct bus_incoming *incoming);

#endif
