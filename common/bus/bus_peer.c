/*
 * bus_peer.c - the caller's side of a connection: one DEALER per instance.
 *
 * A DEALER lives for one connection. Its monitor reports the handshake, which triggers the HELLO,
 * and the end, which loses all requests in flight. A new DEALER retries with back-off while the
 * socket file exists, or forever on another host.
 */
#include <inttypes.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/descriptors.h"
#include "common/base/log.h"
#include "common/base/memory.h"
#include "common/bus/bus_private.h"

enum {
    MONITORED = ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_DISCONNECTED | ZMQ_EVENT_CLOSED |
                ZMQ_EVENT_CONNECT_RETRIED | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL |
                ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH,
    PEER_DESCRIPTORS = 12, /* per connection: two sockets, their signals, the wire, spare */
    NEVER_MS = DAYS(1),    /* libzmq's own reconnect never happens: the DEALER ends first */
};

static void peer_connect(void *arg);
static void say_hello(struct bus_peer *self);

static struct bus_peer *peer_find(const struct bus_upstream *upstream, const char *instance)
{
    for (size_t i = 0; i < upstream->count; i++)
        if (strcmp(upstream->peers[i]->instance, instance) == 0)
            return upstream->peers[i];
    return NULL;
}

static void presence_update(struct bus *self, struct bus_upstream *upstream)
{
    bool present = bus_has_peer(self, upstream->service);

    if (present == upstream->present)
        return;
    upstream->present = present;
    if (self->presence)
        self->presence(self->presence_arg, upstream->service);
}

static void peer_schedule(struct bus_peer *self, int64_t delay_ms, void (*fn)(void *arg))
{
    loop_cancel(self->bus->loop, &self->timer);
    self->timer = loop_at(self->bus->loop, clock_mono_ms() + delay_ms, fn, self);
}

static void peer_close(struct bus_peer *self)
{
    if (self->monitor) {
        loop_unwatch_socket(self->bus->loop, self->monitor);
        zmq_socket_monitor(zsock_resolve(self->dealer), NULL, 0);
    }
    if (self->dealer)
        loop_unwatch_socket(self->bus->loop, self->dealer);
    zsock_destroy(&self->monitor);
    zsock_destroy(&self->dealer);
}

void bus_peer_free(struct bus_peer *self)
{
    self->drain_id = 0;
    while (self->calls)
        bus_call_finish(self->bus, self->calls, BUS_LOST);
    loop_cancel(self->bus->loop, &self->timer);
    peer_close(self);
    free(self);
}

static void peer_forget(struct bus_peer *self)
{
    struct bus_upstream *upstream = self->upstream;

    for (size_t i = 0; i < upstream->count; i++)
        if (upstream->peers[i] == self)
            upstream->peers[i] = upstream->peers[--upstream->count];
    bus_peer_free(self);
}

/* ---- frames from the instance ---- */

/* Ignores differences within the measuring error: one host has one monotonic clock. */
static void take_clock(struct bus_peer *self, int64_t mono_ms, int64_t now)
{
    self->offset_ms = 0;
    if (mono_ms < self->hello_ms || mono_ms > now)
        self->offset_ms = mono_ms - (self->hello_ms + (now - self->hello_ms) / 2);
}

static void ask_clock(void *arg)
{
    struct bus_peer *self = arg;

    self->timer = NULL; /* frees itself */
    peer_schedule(self, BUS_CLOCK_MS, ask_clock);
    say_hello(self);
}

static void enter(struct bus_peer *self, bool draining)
{
    self->backoff_ms = 0;
    self->gone_ms = 0;
    self->state = draining ? PEER_LEAVING : PEER_READY;
    loop_cancel(self->bus->loop, &self->timer);
    if (self->far)
        peer_schedule(self, BUS_CLOCK_MS, ask_clock);
    log_event(LOG_INFO, "bus", "peer connected", "peer", self->name, NULL);
    presence_update(self->bus, self->upstream);
}

static void on_welcome(struct bus_peer *self, const struct bus_incoming *in)
{
    bool first = self->state == PEER_CONNECTING;
    int64_t now = clock_mono_ms();

    if (self->hello_ms == 0 || in->boot == 0 ||
        !bus_slice_is(in->service, self->upstream->service) ||
        !bus_slice_is(in->instance, self->instance)) {
        bus_drop(self->bus, self->bus->malformed, "unexpected WELCOME");
        return;
    }
    if (first || now - self->hello_ms <= BUS_CLOCK_TRIP_MS)
        take_clock(self, in->mono_ms, now);
    self->hello_ms = 0;
    self->boot = in->boot;
    self->knows_traces = memmem(in->version.bytes, in->version.size, BUS_KNOWS_TRACES,
                                strlen(BUS_KNOWS_TRACES)) != NULL;
    if (first)
        enter(self, in->draining);
}

/* Acknowledges the drain only after the last request and answer, so the instance needs to flush no
 * queues. */
void bus_peer_idle(struct bus_peer *self)
{
    if (self->drain_id == 0 || self->outstanding > 0)
        return;
    bus_write(&self->bus->frame, BUS_ACK, self->drain_id, 0);
    self->drain_id = 0;
    if (bus_send(self->bus, self->dealer, NULL) < 0)
        bus_drop(self->bus, self->bus->unsent, "ACK not sent");
}

static void on_drain(struct bus_peer *self, uint64_t id)
{
    if (self->state == PEER_READY) {
        self->state = PEER_LEAVING;
        presence_update(self->bus, self->upstream);
    }
    self->drain_id = id;
    bus_peer_idle(self);
}
static void on_frame(struct bus_peer *self, const struct bus_incoming *in, zmq_msg_t *message)
{
    switch (in->kind) {
    case BUS_REPLY:
    case BUS_ERROR:
    case BUS_REFUSED:
        bus_call_answered(self, in, message);
        return;
    case BUS_WELCOME:
        on_welcome(self, in);
        break;
    case BUS_DRAIN:
        on_drain(self, in->id);
        break;
    case BUS_ANNOUNCE:
        bus_announce_receive(self, in);
        break;
    case BUS_PING:
        break;
    case BUS_HELLO:
    case BUS_REQUEST:
    case BUS_ACK:
        bus_drop(self->bus, self->bus->malformed, "kind from the wrong side");
        break;
    }
    zmq_msg_close(message);
}

static bool read_batch(struct bus_peer *self)
{
    struct bus_incoming in;
    zmq_msg_t message;
    int left = BUS_BATCH;

    while (left > 0 && bus_receive(self->bus, self->dealer, NULL, &message, &in, &left))
        on_frame(self, &in, &message);
    return left < BUS_BATCH;
}

static void on_dealer(void *arg)
{
    read_batch(arg);
}

/* ---- the connection ---- */

/* Logs nothing if the socket file has no listener: that instance was killed. */
static void not_reached(struct bus_peer *self, const char *why)
{
    const struct bus_host *rows[BUS_HOST_KEYS_MAX];

    self->way++;
    if (self->gone_ms == 0 || clock_mono_ms() - self->gone_ms < BUS_GONE_MS ||
        bus_hosts_by_name(self->bus->hosts, self->name, rows) == 0)
        return;
    self->gone_ms = 0;
    log_event(LOG_WARNING, "bus", "peer cannot be reached", "peer", self->name, "why", why, NULL);
}

void bus_peer_lost(struct bus_peer *self, const char *why)
{
    if (self->state == PEER_WAITING)
        return;
    if (self->state == PEER_CONNECTING) {
        not_reached(self, why);
    } else {
        log_event(LOG_NOTICE, "bus", "peer lost", "peer", self->name, "why", why, NULL);
        self->gone_ms = clock_mono_ms();
    }
    /* Answers that arrived before the end count; no more can arrive. */
    for (int batch = 0; self->calls && batch < 16 && read_batch(self); batch++)
        ;
    self->state = PEER_WAITING;
    self->hello_ms = 0;
    self->drain_id = 0;
    while (self->calls)
        bus_call_finish(self->bus, self->calls, BUS_LOST);
    self->backoff_ms =
        MIN(MAX(self->backoff_ms * 2, (int64_t)BUS_BACKOFF_MIN_MS), (int64_t)BUS_BACKOFF_MAX_MS);
    /* peer_connect() closes the sockets: one of them may be calling this function. */
    peer_schedule(self, self->backoff_ms, peer_connect);
    presence_update(self->bus, self->upstream);
}

static void on_timeout(void *arg)
{
    struct bus_peer *self = arg;

    self->timer = NULL; /* frees itself */
    bus_peer_lost(self, "timeout");
}

static void say_hello(struct bus_peer *self)
{
    const struct bus_options *options = self->bus->options;
    struct codec_buffer *frame = &self->bus->frame;

    bus_write(frame, BUS_HELLO, 0, 3);
    bus_write_text(frame, options->service, BUS_NAME_MAX);
    bus_write_text(frame, options->instance, BUS_NAME_MAX);
    bus_write_uint(frame, self->bus->boot);
    self->hello_ms = clock_mono_ms();
    if (bus_send(self->bus, self->dealer, NULL) < 0)
        bus_peer_lost(self, "cannot send");
}

/* Reads an event: number (16 bits) and value (32 bits) in host order, then the address. */
static int monitor_event(zsock_t *monitor)
{
    uint8_t bytes[6];
    uint16_t event;
    char address[256];

    if (zmq_recv(zsock_resolve(monitor), bytes, sizeof(bytes), ZMQ_DONTWAIT) != sizeof(bytes))
        return -1;
    zmq_recv(zsock_resolve(monitor), address, sizeof(address), ZMQ_DONTWAIT);
    memcpy(&event, bytes, sizeof(event));
    return event;
}

static void on_monitor(void *arg)
{
    struct bus_peer *self = arg;
    int event;

    while ((event = monitor_event(self->monitor)) >= 0)
        if (event == ZMQ_EVENT_HANDSHAKE_FAILED_AUTH)
            bus_peer_lost(self, "it refuses our key");
        else if (event != ZMQ_EVENT_HANDSHAKE_SUCCEEDED)
            bus_peer_lost(self, "disconnected");
        else if (self->state == PEER_CONNECTING && self->hello_ms == 0)
            say_hello(self);
}

static void monitor_start(struct bus_peer *self)
{
    char name[64];

    snprintf(name, sizeof(name), "inproc://bus-monitor-%016" PRIx64 "-%" PRIu64, self->bus->boot,
             self->bus->monitors++);
    self->monitor = bus_socket_new(ZMQ_PAIR, 0);
    if (zmq_socket_monitor(zsock_resolve(self->dealer), name, MONITORED) != 0 ||
        zmq_connect(zsock_resolve(self->monitor), name) != 0)
        log_die("bus", "a socket could not be monitored");
}

/* Tries the socket on this host (*ret NULL), then the keys. -1: none left. */
static int choose_way(const struct bus_peer *self, const struct bus_host **ret)
{
    const struct bus_host *rows[1 + BUS_HOST_KEYS_MAX] = {NULL};
    bool here = access(self->path, F_OK) == 0;
    size_t count = here + bus_hosts_by_name(self->bus->hosts, self->name, rows + here);

    if (count == 0)
        return -1;
    *ret = rows[self->way % count];
    return 0;
}

/* Reports if there are descriptors for libzmq's own sockets, without which it ends the process. */
static bool can_open_sockets(struct bus_peer *self)
{
    if (descriptors_available(PEER_DESCRIPTORS))
        return true;
    if (self->backoff_ms < BUS_BACKOFF_MAX_MS)
        log_event(LOG_ERR, "bus", "out of descriptors: a peer will be connected later", "peer",
                  self->name, NULL);
    self->backoff_ms = BUS_BACKOFF_MAX_MS;
    peer_schedule(self, self->backoff_ms, peer_connect);
    return false;
}

/* Closes a lost connection's sockets, then connects. */
static void peer_connect(void *arg)
{
    struct bus_peer *self = arg;
    const struct bus_host *host;
    char endpoint[BUS_PATH_SIZE + sizeof("ipc://")];

    self->timer = NULL;
    peer_close(self);
    if (choose_way(self, &host) < 0) {
        peer_forget(self);
        return;
    }
    if (!can_open_sockets(self))
        return;
    self->state = PEER_CONNECTING;
    self->hello_ms = 0;
    self->far = host != NULL;
    self->dealer = bus_socket_new(ZMQ_DEALER, self->bus->options->peer_max + BUS_QUEUE_SLACK);
    bus_socket_option(self->dealer, ZMQ_IMMEDIATE, 1);
    bus_socket_option(self->dealer, ZMQ_RECONNECT_IVL, NEVER_MS);
    if (host)
        bus_tcp_secure(self->bus->hosts, self->dealer, host->key);
    monitor_start(self);
    loop_watch_socket(self->bus->loop, self->monitor, on_monitor, self);
    loop_watch_socket(self->bus->loop, self->dealer, on_dealer, self);
    peer_schedule(self, BUS_WELCOME_MS, on_timeout);
    snprintf(endpoint, sizeof(endpoint), "ipc://%s", self->path);
    if (zmq_connect(zsock_resolve(self->dealer), !host ? endpoint : host->endpoint) != 0)
        bus_peer_lost(self, zmq_strerror(zmq_errno()));
}

void bus_peer_found(struct bus *self, struct bus_upstream *upstream, const char *instance)
{
    struct bus_peer *peer = peer_find(upstream, instance);
    struct error err;

    if (strcmp(upstream->service, self->options->service) == 0 &&
        strcmp(instance, self->options->instance) == 0)
        return;
    if (peer) {
        /* A new socket has that name; the old one's loss is known or imminent. */
        peer->backoff_ms = 0;
        peer->way = 0;
        if (peer->state == PEER_WAITING)
            peer_schedule(peer, 0, peer_connect);
        return;
    }
    if (upstream->count == BUS_PEERS_MAX)
        return;
    peer = memory_new(sizeof(*peer));
    error_init(&err, NULL);
    if (bus_socket_path(peer->path, self->options->run_dir, upstream->service,
                        self->options->service, instance, &err) < 0) {
        log_event(LOG_WARNING, "bus", err.message, "service", upstream->service, NULL);
        free(peer);
        return;
    }
    peer->bus = self;
    peer->upstream = upstream;
    peer->gone_ms = clock_mono_ms();
    snprintf(peer->instance, sizeof(peer->instance), "%s", instance);
    snprintf(peer->name, sizeof(peer->name), "%s.%s", upstream->service, instance);
    upstream->peers[upstream->count++] = peer;
    peer_schedule(peer, 0, peer_connect);
}
