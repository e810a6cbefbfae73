/*
 * bus_private.h - private to common/bus/.
 *
 * Caller's side: bus_watch.c finds instances, bus_peer.c connects, bus_call.c calls. Instance's
 * side: bus_listener.c and bus_tcp.c accept callers, bus_serve.c answers. Both: bus_wire.c (frames,
 * WIRE.md), bus_endpoint.c (paths, locks), bus_announce.c.
 */
#ifndef ATRIUM_COMMON_BUS_BUS_PRIVATE_H
#define ATRIUM_COMMON_BUS_BUS_PRIVATE_H

#include "common/bus/bus.h"

enum {
    BUS_VERSION = 1,
    BUS_VERSION_TRACED = 2, /* REQUEST with two more elements: its trace */
    BUS_PEER_NAME_MAX = 66, /* "service.instance" and NUL */
    BUS_PATH_SIZE = 108,    /* sun_path: 107 bytes and NUL */
    BUS_OPERATION_MAX = 64, /* limits in bytes of texts in a frame's head, from here ... */
    BUS_TRACE_MAX = 128,
    BUS_TRACEPARENT_MAX = 64,
    BUS_ADDRESS_MAX = 64,
    BUS_AGENT_MAX = 512,
    BUS_TENANT_MAX = 64,
    BUS_TOPIC_MAX = 64,
    BUS_ITEM_NAME_MAX = 256,
    BUS_ITEM_VALUE_MAX = 1024, /* ... to here */
    BUS_BATCH = 256,           /* messages read each time a socket is readable */
    BUS_PEERS_MAX = 256,       /* per service */
    BUS_CALLERS_MAX = 4096,    /* per socket */
    BUS_TRIES_MAX = 8,         /* instances tried per call */
    BUS_TOPICS_MAX = 16,
    BUS_RESEND_MS = 50, /* announcements and DRAIN */
    BUS_HEARTBEAT_MS = 1000,
    BUS_HEARTBEAT_DEAD_MS = 3000,
    BUS_WELCOME_MS = 3000,   /* from connect to WELCOME */
    BUS_PULSE_MS = 500,      /* between clock reads when idle */
    BUS_STILL_MS = 2000,     /* a longer gap is a standstill; below BUS_HEARTBEAT_DEAD_MS */
    BUS_GONE_MS = 2000,      /* another host's instance is logged as absent after this */
    BUS_DEGRADED_MS = 1000,  /* how long an instance that answered UNAVAILABLE is chosen last */
    BUS_CLOCK_MS = 10000,    /* time between measurements of another host's clock, which drifts */
    BUS_CLOCK_TRIP_MS = 200, /* longer round trips are no measurement: half the trip is the error */
    BUS_BACKOFF_MIN_MS = 10,
    BUS_BACKOFF_MAX_MS = 1000,
    BUS_QUEUE_SLACK = 1024,  /* ZeroMQ queue length beyond requests in flight */
    BUS_LINGER_MS = 1000,    /* for an ending instance's last answers */
    BUS_HANDSHAKE_MS = 3000, /* limit for a handshake between hosts */
    BUS_SEALED_SLACK = 64,   /* CURVE's bytes per frame, and spare */
};

/* Suffix of a WELCOME's version: the instance accepts BUS_VERSION_TRACED. */
#define BUS_KNOWS_TRACES " traces"

/* The only service that is trusted about users (request.h). */
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

/* Part of a received frame: borrowed, not NUL-terminated. */
struct bus_slice {
    const char *bytes;
    size_t size;
};

struct bus_reader {
    const uint8_t *at, *end;
    bool bad; /* sticky: all further reads give zero or "" */
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
    struct bus_slice traceparent, state;    /* BUS_VERSION_TRACED */
    struct bus_slice caller;                /* REQUEST; size 0: none */
    struct bus_slice body;                  /* REQUEST REPLY ANNOUNCE */
    struct bus_reader error;
};

/* Checks the head without allocating; slices point into the frame. -1: invalid. */
int bus_read(const void *bytes, size_t size, struct bus_incoming *ret) MUST_USE;

/* Copies the rest of an ERROR frame into err. -1: invalid, err untouched. */
int bus_read_error(struct bus_reader *reader, struct error *err) MUST_USE;

bool bus_error_is(struct bus_reader reader, enum error_code code);

bool bus_slice_is(struct bus_slice slice, const char *text);

/* Starts a frame [version, kind, id, ...] with `elements` after the id; bus_write_version() takes
 * the version. */
void bus_write(struct codec_buffer *self, enum bus_kind kind, uint64_t id, unsigned elements);
void bus_write_version(struct codec_buffer *self, unsigned version, enum bus_kind kind, uint64_t id,
                       unsigned elements);
void bus_write_uint(struct codec_buffer *self, uint64_t value);
void bus_write_int(struct codec_buffer *self, int64_t value);
void bus_write_bool(struct codec_buffer *self, bool value);
/* Cuts between characters. NULL and invalid UTF-8 become "". */
void bus_write_text(struct codec_buffer *self, const char *text, size_t max);
void bus_write_bytes(struct codec_buffer *self, const void *bytes, size_t size);
void bus_write_fields(struct codec_buffer *self, const struct field_table *table, const void *in);
void bus_write_of_project(struct codec_buffer *self, const struct field_table *table,
                          const void *in, const struct request *req);
/* Writes a REPLY with the limit noted in err; bus_read_limit() reads it. */
void bus_write_reply(struct codec_buffer *self, uint64_t id, const struct field_table *table,
                     const void *out, const struct error *err);
void bus_read_limit(const msgpack_object *reply, struct error *err);
void bus_write_again(struct codec_buffer *self, const void *bytes, size_t size);
void bus_write_error(struct codec_buffer *self, uint64_t id, const struct error *err);
/* Moves the frame into a message. A small one is copied and the buffer wiped (passwords); a large
 * one takes the buffer. -1: above CODEC_FRAME_MAX bytes. */
int bus_write_end(struct codec_buffer *self, zmq_msg_t *ret) MUST_USE;
void bus_frame_free(struct codec_buffer *self);

/* ---- caller's side ---- */

struct bus_peer;

enum bus_outcome {
    BUS_PENDING,
    BUS_ANSWERED,
    BUS_UNAVAILABLE, /* answered UNAVAILABLE */
    BUS_WAS_REFUSED,
    BUS_LOST,
};

/* A request in flight, on the waiting fiber's stack. */
struct bus_call {
    struct bus_call *next, **link; /* in the peer's list of calls */
    struct bus_peer *peer;
    struct fiber *fiber;
    uint64_t id;
    enum bus_outcome outcome;
    zmq_msg_t *answer; /* set for BUS_ANSWERED and BUS_UNAVAILABLE */
};

/* The low half of a call's id is its slot's index. The whole id is compared to detect old ones. */
struct bus_slot {
    uint64_t id;
    struct bus_call *call; /* NULL: free */
    uint32_t next_free;
};

enum bus_peer_state {
    PEER_WAITING,    /* unconnected; a timer connects */
    PEER_CONNECTING, /* until WELCOME */
    PEER_READY,
    PEER_LEAVING, /* draining: no new requests */
};

struct bus_peer {
    struct bus *bus;
    struct bus_upstream *upstream;
    char instance[BUS_NAME_MAX + 1];
    char name[BUS_PEER_NAME_MAX];
    char path[BUS_PATH_SIZE];
    enum bus_peer_state state;
    bool far;          /* on another host */
    bool knows_traces; /* the instance's WELCOME said so */
    size_t way;        /* next address and key to try */
    int64_t gone_ms;   /* when the instance became absent; 0: present, or logged */
    zsock_t *dealer, *monitor;
    struct loop_timer *timer;
    int64_t backoff_ms;
    int64_t hello_ms;  /* time of the unanswered HELLO; 0: none */
    int64_t offset_ms; /* the instance's monotonic clock minus this one */
    uint64_t boot;     /* for requests; from the WELCOME or a later REFUSED */
    uint64_t drain_id; /* drain to acknowledge when idle, or 0 */
    struct bus_call *calls;
    size_t outstanding;
    int64_t degraded_until_ms; /* chosen last until then */
};

struct bus_upstream {
    const char *service;
    int watch; /* inotify descriptor or -1 */
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

/* The ROUTER of one calling service, or its share of the ROUTER for other hosts. */
struct bus_socket {
    struct bus *bus;
    const char *service; /* name of the calling service */
    bool tcp;            /* true: uses the ROUTER of bus_tcp.c and has no `path` */
    char path[BUS_PATH_SIZE];
    zsock_t *router;
    struct bus_caller *callers;
    size_t count, capacity;
    size_t sweep_at; /* at this many callers, search for dead ones */
};

struct bus_serving {
    struct bus_serving *next;
    struct bus_socket *socket;
    uint32_t route;
    const struct bus_operation *operation;
    struct arena *arena;
    zmq_msg_t message; /* backs `frame` */
    struct bus_incoming frame;
    int64_t start_us;
};

struct bus_operation {
    const struct operation *row;
    bool secret; /* the input contains a FIELD_SECRET */
};

struct bus {
    struct loop *loop;
    struct clock *clock;
    const struct bus_options *options;
    const struct bus_hosts *hosts; /* from options or bus_use_hosts() */
    bool hosts_removed;            /* a name was removed: see bus_tcp.c */
    struct arena *arena;
    uint64_t boot; /* boot id of this process as a caller */
    struct codec_buffer frame;

    struct bus_upstream *upstreams;
    size_t upstream_count;
    int inotify;
    struct loop_timer *rescan;
    struct bus_slot *slots;
    uint32_t slot_count, slot_free;
    uint64_t monitors; /* number created, for unique names */
    struct bus_topic topics[BUS_TOPICS_MAX];
    size_t topic_count;
    struct arena *news; /* holds the current announcement */
    void (*presence)(void *arg, const char *service);
    void *presence_arg;

    int lock;                   /* descriptor or -1 */
    char beside[BUS_PATH_SIZE]; /* path of bus_listen_beside() or "" */
    uint64_t listener_boot;     /* required in requests; changes after a standstill */
    int64_t pulse_ms;           /* last clock read */
    struct loop_timer *pulse;   /* next read when idle */
    struct bus_socket *sockets;
    size_t socket_count;
    zsock_t *tcp, *zap; /* sockets of bus_tcp.c, or NULL */
    int64_t refused_logged_ms;
    uint64_t refused_logged;
    struct bus_operation *operations; /* hash table by name, open addressing; row NULL: free */
    size_t operation_mask;
    struct bus_serving *spare;
    size_t spare_count, serving;
    uint64_t last_id; /* announcements and drains */
    uint64_t drain_id;
    struct fiber_queue drained;
    struct bus_announcement *announcements;
    struct loop_timer *resend;

    uint64_t *requests, *errors, *expired, *overloaded, *malformed, *late, *unsent, *strangers;
    struct histogram *latency;
    int64_t drop_logged_ms;
    uint64_t drop_logged;
};

/* Returns a socket with the common limits and heartbeats, and no linger. `queue` limits messages
 * each way. */
zsock_t *bus_socket_new(int type, size_t queue);
void bus_socket_option(zsock_t *socket, int option, int value);
void bus_socket_bytes(zsock_t *socket, int option, const void *bytes, size_t size);

/* Reads one frame without waiting into *message, which the caller closes; `route` receives the
 * routing id. Malformed frames are dropped and counted; each decrements *ret_left, so that garbage
 * ends the batch too. */
bool bus_receive(struct bus *self, zsock_t *socket, uint32_t *route, zmq_msg_t *message,
                 struct bus_incoming *ret, int *ret_left);

/* Sends the written frame. -1 with errno. */
int bus_send(struct bus *self, zsock_t *socket, const uint32_t *route) MUST_USE;

/* Counts a dropped frame, and logs it at most once a second. */
void bus_drop(struct bus *self, uint64_t *counter, const char *reason);

/* ---- bus_endpoint.c ---- */

/* Makes the directories of a service's sockets. Existing ones keep their mode. */
int bus_make_directory(const char *run_dir, const char *service, struct error *err) MUST_USE;
/* Writes the path of a socket. ERR_INTERNAL: it is too long. */
int bus_socket_path(char path[static BUS_PATH_SIZE], const char *run_dir, const char *service,
                    const char *caller, const char *instance, struct error *err) MUST_USE;
/* Locks until bus_lock_drop(). ERR_CONFLICT: another process is this instance. */
int bus_lock_acquire(struct bus *self, struct error *err) MUST_USE;
void bus_lock_drop(struct bus *self);
int bus_endpoint_listen(struct bus_socket *socket, struct error *err) MUST_USE;

/* ---- bus_watch.c ---- */

int bus_watch_start(struct bus *self, struct error *err) MUST_USE;
void bus_watch_stop(struct bus *self);
void bus_watch_hosts(struct bus *self);

/* ---- bus_peer.c ---- */

void bus_peer_found(struct bus *self, struct bus_upstream *upstream, const char *instance);
/* Acknowledges a drain when nothing is in flight. */
void bus_peer_idle(struct bus_peer *self);
/* Ends open calls as BUS_LOST and schedules the next connection. */
void bus_peer_lost(struct bus_peer *self, const char *why);
void bus_peer_free(struct bus_peer *self);

/* ---- bus_call.c ---- */

/* Gives an answer to its call. Consumes the message. */
void bus_call_answered(struct bus_peer *peer, const struct bus_incoming *incoming,
                       zmq_msg_t *message);
/* Wakes the call's fiber, except for BUS_PENDING. Idempotent. */
void bus_call_finish(struct bus *self, struct bus_call *call, enum bus_outcome outcome);

/* ---- bus_listener.c, bus_serve.c ---- */

uint64_t bus_random_boot(void);

/* Returns true if a request with this boot id can run; check right before. Takes a new boot id
 * after a standstill, because callers may have given up. */
bool bus_listener_admits(struct bus *self, uint64_t boot);

void bus_serve_prepare(struct bus *self);
/* Serves a request on a fiber. Consumes the message. */
void bus_serve_request(struct bus_socket *socket, uint32_t route, const struct bus_incoming *in,
                       zmq_msg_t *message);
void bus_serve_free(struct bus *self);

/* Starts to listen, unless there are no operations or options.held is set. */
int bus_listener_start(struct bus *self, struct error *err) MUST_USE;
/* Stops to listen; open requests get no answer. Idempotent. */
void bus_listener_stop(struct bus *self);
/* Handles a frame of a caller. Consumes the message. */
void bus_listener_frame(struct bus_socket *socket, uint32_t route, const struct bus_incoming *in,
                        zmq_msg_t *message);
/* Sends the written frame to a caller, which it forgets if the caller is lost. */
void bus_listener_send(struct bus_socket *socket, uint32_t route);
void bus_drain_update(struct bus *self);

/* ---- bus_tcp.c ---- */

/* `server`: the host that the socket connects to; NULL: the socket listens. */
void bus_tcp_secure(const struct bus_hosts *hosts, zsock_t *socket,
                    const uint8_t server[BUS_KEY_SIZE]);
int bus_tcp_listen(struct bus *self, struct error *err) MUST_USE;
bool bus_tcp_wanted(const struct bus *self);
void bus_tcp_open(struct bus *self);
void bus_tcp_stop(struct bus *self);

/* ---- bus_announce.c ---- */

void bus_announce_caller_connect(struct bus_socket *socket, uint32_t route, const char *caller);
void bus_announce_caller_disconnect(struct bus_socket *socket, uint32_t route);
void bus_announce_ack_receive(struct bus_socket *socket, uint32_t route, uint64_t id);
void bus_announce_receive(struct bus_peer *peer, const struct bus_incoming *incoming);

#endif
