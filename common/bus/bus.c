/* bus.c - construction, destruction and state of the bus; see bus.h. */
#include <errno.h>
#include <sys/random.h>

#include "common/base/log.h"
#include "common/base/memory.h"
#include "common/bus/bus_private.h"

enum { DROP_LOG_MS = 1000 };

/* ---- sockets ---- */

void bus_socket_option(zsock_t *socket, int option, int value)
{
    if (zmq_setsockopt(zsock_resolve(socket), option, &value, sizeof(value)) != 0)
        log_die("bus", "a ZeroMQ option was refused");
}

void bus_socket_bytes(zsock_t *socket, int option, const void *bytes, size_t size)
{
    if (zmq_setsockopt(zsock_resolve(socket), option, bytes, size) != 0)
        log_die("bus", "a ZeroMQ option was refused");
}

zsock_t *bus_socket_new(int type, size_t queue)
{
    const int64_t largest = CODEC_FRAME_MAX;
    zsock_t *socket = zsock_new(type);

    if (!socket)
        log_die("bus", "cannot create a ZeroMQ socket");
    bus_socket_option(socket, ZMQ_LINGER, 0);
    bus_socket_option(socket, ZMQ_SNDHWM, (int)queue);
    bus_socket_option(socket, ZMQ_RCVHWM, (int)queue);
    bus_socket_option(socket, ZMQ_HEARTBEAT_IVL, BUS_HEARTBEAT_MS);
    bus_socket_option(socket, ZMQ_HEARTBEAT_TIMEOUT, BUS_HEARTBEAT_DEAD_MS);
    bus_socket_option(socket, ZMQ_HEARTBEAT_TTL, BUS_HEARTBEAT_DEAD_MS);
    bus_socket_bytes(socket, ZMQ_MAXMSGSIZE, &largest, sizeof(largest));
    return socket;
}

static bool receive_part(void *socket, zmq_msg_t *message)
{
    zmq_msg_init(message);
    if (zmq_msg_recv(message, socket, ZMQ_DONTWAIT) >= 0)
        return true;
    zmq_msg_close(message);
    return false;
}

/* Returns true if there were unexpected parts. */
static bool skip_parts(void *socket, zmq_msg_t *message)
{
    bool any = false;

    while (zmq_msg_more(message)) {
        any = true;
        zmq_msg_close(message);
        if (!receive_part(socket, message)) {
            zmq_msg_init(message);
            break;
        }
    }
    return any;
}

/* Returns -1 if there is no frame, or if its id is not one that ZeroMQ generated: a zero byte and
 * four more. */
static int take_route(void *socket, zmq_msg_t *message, uint32_t *route)
{
    const uint8_t *bytes = zmq_msg_data(message);

    if (zmq_msg_size(message) != 5 || bytes[0] != 0 || !zmq_msg_more(message))
        return -1;
    memcpy(route, bytes + 1, sizeof(*route));
    zmq_msg_close(message);
    if (receive_part(socket, message))
        return 0;
    zmq_msg_init(message);
    return -1;
}

bool bus_receive(struct bus *self, zsock_t *socket, uint32_t *route, zmq_msg_t *message,
                 struct bus_incoming *ret, int *ret_left)
{
    void *raw = zsock_resolve(socket);

    for (; *ret_left > 0; zmq_msg_close(message)) {
        bool broken;

        if (!receive_part(raw, message))
            return false;
        --*ret_left;
        broken = route && take_route(raw, message, route) < 0;
        if (skip_parts(raw, message) || broken)
            bus_drop(self, self->malformed, "wrong number of parts");
        else if (bus_read(zmq_msg_data(message), zmq_msg_size(message), ret) < 0)
            bus_drop(self, self->malformed, "not a frame of the bus");
        else
            return true;
    }
    return false;
}

static int send_message(void *raw, const uint32_t *route, zmq_msg_t *message)
{
    uint8_t id[5] = {0};

    if (route) {
        memcpy(id + 1, route, sizeof(*route));
        if (zmq_send(raw, id, sizeof(id), ZMQ_SNDMORE | ZMQ_DONTWAIT) < 0)
            return -1;
    }
    return zmq_msg_send(message, raw, ZMQ_DONTWAIT) < 0 ? -1 : 0;
}

int bus_send(struct bus *self, zsock_t *socket, const uint32_t *route)
{
    zmq_msg_t message;
    int result;

    if (bus_write_end(&self->frame, &message) < 0) {
        errno = EMSGSIZE;
        return -1;
    }
    result = send_message(zsock_resolve(socket), route, &message);
    if (result < 0)
        zmq_msg_close(&message);
    loop_socket_used(self->loop, socket);
    return result;
}

void bus_drop(struct bus *self, uint64_t *counter, const char *reason)
{
    int64_t now = loop_mono_ms(self->loop);
    char count[24];

    ++*counter;
    if (!reason)
        return;
    self->drop_logged++;
    if (now - self->drop_logged_ms < DROP_LOG_MS)
        return;
    snprintf(count, sizeof(count), "%" PRIu64, self->drop_logged);
    log_event(LOG_WARNING, "bus", "dropped", "reason", reason, "count", count, NULL);
    self->drop_logged = 0;
    self->drop_logged_ms = now;
}

/* ---- construction ---- */

uint64_t bus_random_boot(void)
{
    uint64_t boot = 0;

    while (boot == 0)
        if (getrandom(&boot, sizeof(boot), 0) != sizeof(boot))
            log_die("bus", "no random bytes");
    return boot;
}

static int64_t read_serving(void *arg)
{
    const struct bus *self = arg;

    return (int64_t)self->serving;
}

static int64_t read_outstanding(void *arg)
{
    const struct bus *self = arg;
    int64_t count = 0;

    for (size_t i = 0; i < self->upstream_count; i++)
        for (size_t j = 0; j < self->upstreams[i].count; j++)
            count += (int64_t)self->upstreams[i].peers[j]->outstanding;
    return count;
}

static void metrics_register(struct bus *self, struct metrics *metrics)
{
    static const char dropped[] = "Frames that were dropped.";

    self->requests = metrics_counter(metrics, "atrium_bus_requests_total", "",
                                     "Requests that came in from other services.");
    self->errors =
        metrics_counter(metrics, "atrium_bus_errors_total", "", "Requests that returned an error.");
    self->expired = metrics_counter(metrics, "atrium_bus_expired_total", "",
                                    "Requests dropped because their deadline had passed.");
    self->overloaded = metrics_counter(metrics, "atrium_bus_overloaded_total", "",
                                       "Requests rejected because too many were in progress.");
    self->malformed =
        metrics_counter(metrics, "atrium_bus_dropped_total", "reason=\"malformed\"", dropped);
    self->late = metrics_counter(metrics, "atrium_bus_dropped_total", "reason=\"late\"", dropped);
    self->unsent =
        metrics_counter(metrics, "atrium_bus_dropped_total", "reason=\"unsent\"", dropped);
    self->strangers = metrics_counter(metrics, "atrium_bus_strangers_total", "",
                                      "Callers from other hosts rejected because of their key.");
    self->latency = metrics_histogram(metrics, "atrium_bus_serve_us", "",
                                      "Microseconds from a request's arrival to its answer.");
    metrics_gauge(metrics, "atrium_bus_serving", "Requests in progress.", read_serving, self);
    metrics_gauge(metrics, "atrium_bus_outstanding", "Calls to other services in progress.",
                  read_outstanding, self);
}

/* The labels live as long as the bus. Metrics are not read after bus_destroy(). */
static void upstream_add(struct bus *self, struct metrics *metrics, const char *service)
{
    struct bus_upstream *upstream = &self->upstreams[self->upstream_count++];
    const char *label = arena_printf(self->arena, "service=\"%s\"", service);

    upstream->service = service;
    upstream->watch = -1;
    upstream->peers = arena_calloc(self->arena, BUS_PEERS_MAX, sizeof(struct bus_peer *));
    upstream->calls =
        metrics_counter(metrics, "atrium_bus_calls_total", label, "Calls to other services.");
    upstream->failures = metrics_counter(metrics, "atrium_bus_call_failures_total", label,
                                         "Calls that no instance answered.");
    upstream->resent =
        metrics_counter(metrics, "atrium_bus_resent_total", label,
                        "Requests sent to another instance after a connection was lost.");
    upstream->latency = metrics_histogram(metrics, "atrium_bus_call_us", label,
                                          "Microseconds from a call to its answer.");
}

static int bus_start(struct bus *self, struct metrics *metrics, struct error *err)
{
    const struct bus_options *options = self->options;
    size_t count = 0;

    if (!bus_name_ok(options->service, strlen(options->service)) ||
        !bus_name_ok(options->instance, strlen(options->instance)))
        return error_set(err, ERR_INTERNAL,
                         "\"%s.%s\" is no name of an instance: [a-z0-9-], 1 to 32.",
                         options->service, options->instance);
    metrics_register(self, metrics);
    while (options->upstreams && options->upstreams[count])
        count++;
    self->upstreams = arena_calloc(self->arena, count + 1, sizeof(*self->upstreams));
    for (size_t i = 0; i < count; i++)
        upstream_add(self, metrics, options->upstreams[i]);
    if (bus_listener_start(self, err) < 0)
        return -1;
    return bus_watch_start(self, err);
}

struct bus *bus_new(struct loop *loop, struct clock *clock, struct metrics *metrics,
                    const struct bus_options *options, struct error *err)
{
    CLEANUP(bus_destroy) struct bus *self = memory_new(sizeof(*self));

    self->loop = loop;
    self->clock = clock;
    self->options = options;
    self->hosts = options->hosts;
    self->arena = arena_new();
    self->news = arena_new();
    self->boot = bus_random_boot();
    self->inotify = self->lock = -1;
    self->drop_logged_ms = -DROP_LOG_MS;
    if (bus_start(self, metrics, err) < 0)
        return NULL;
    return TAKE_PTR(self);
}

void bus_destroy(struct bus **self_p)
{
    struct bus *self = *self_p;

    if (!self)
        return;
    bus_watch_stop(self);
    for (size_t i = 0; i < self->upstream_count; i++)
        while (self->upstreams[i].count > 0)
            bus_peer_free(self->upstreams[i].peers[--self->upstreams[i].count]);
    loop_cancel(self->loop, &self->resend);
    bus_listener_stop(self);
    bus_serve_free(self);
    bus_frame_free(&self->frame);
    free(self->slots);
    arena_destroy(&self->news);
    arena_destroy(&self->arena);
    free(self);
    *self_p = NULL;
}

/* ---- questions ---- */

bool bus_has_peer(const struct bus *self, const char *service)
{
    for (size_t i = 0; i < self->upstream_count; i++) {
        const struct bus_upstream *upstream = &self->upstreams[i];

        if (strcmp(upstream->service, service) != 0)
            continue;
        for (size_t j = 0; j < upstream->count; j++)
            if (upstream->peers[j]->state == PEER_READY)
                return true;
    }
    return false;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

const char **bus_peers(const struct bus *self, const char *service, struct arena *arena)
{
    size_t room = 1, count = 0;
    const char **names;

    for (size_t i = 0; i < self->upstream_count; i++)
        room += self->upstreams[i].count;
    names = arena_calloc(arena, room, sizeof(*names));
    for (size_t i = 0; i < self->upstream_count; i++) {
        const struct bus_upstream *upstream = &self->upstreams[i];

        for (size_t j = 0; j < upstream->count; j++)
            if ((!service || strcmp(service, upstream->service) == 0) &&
                upstream->peers[j]->state == PEER_READY)
                names[count++] = arena_strdup(arena, upstream->peers[j]->name);
    }
    qsort(names, count, sizeof(*names), compare_names);
    return names;
}

bool bus_peer_knows_traces(const struct bus *self, const char *peer)
{
    for (size_t i = 0; i < self->upstream_count; i++) {
        const struct bus_upstream *upstream = &self->upstreams[i];

        for (size_t j = 0; j < upstream->count; j++)
            if (strcmp(upstream->peers[j]->name, peer) == 0)
                return upstream->peers[j]->state == PEER_READY && upstream->peers[j]->knows_traces;
    }
    return false;
}

void bus_on_presence(struct bus *self, void (*fn)(void *arg, const char *service), void *arg)
{
    self->presence = fn;
    self->presence_arg = arg;
}
