/*
 * bus_listener.c - the instance's sockets, one ROUTER per calling service, and the drain.
 *
 * The socket determines the calling service, whatever frames say; bus_tcp.c passes on other hosts'
 * frames. A process that was suspended can find requests that their callers have given up. It
 * notices the pause by its clock, and rejects them by taking a new boot id.
 */
#include <errno.h>
#include <inttypes.h>
#include <unistd.h>

#include "common/base/log.h"
#include "common/base/memory.h"
#include "common/bus/bus_private.h"

enum {
    CALLERS_MAX = 16, /* all calling services, and spare */
    SWEEP_FIRST = 64, /* callers on a socket before the first search for dead ones */
};

/* ---- standstill ---- */

/* Reads the clock itself: the loop's cached time can be from before a pause of the process. */
static void look_at_clock(struct bus *self)
{
    int64_t now = clock_mono_ms(), still_ms = now - self->pulse_ms;
    char text[24];

    self->pulse_ms = now;
    if (still_ms <= BUS_STILL_MS)
        return;
    self->listener_boot = bus_random_boot();
    snprintf(text, sizeof(text), "%" PRId64, still_ms);
    log_event(LOG_WARNING, "bus", "the process was stopped for a while", "ms", text, NULL);
}

bool bus_listener_admits(struct bus *self, uint64_t boot)
{
    look_at_clock(self);
    return boot == self->listener_boot;
}

static void on_pulse(void *arg)
{
    struct bus *self = arg;

    look_at_clock(self);
    self->pulse = loop_at(self->loop, self->pulse_ms + BUS_PULSE_MS, on_pulse, self);
}

/* ---- callers ---- */

void bus_listener_send(struct bus_socket *socket, uint32_t route)
{
    struct bus *self = socket->bus;

    if (!socket->router || bus_send(self, socket->router, &route) == 0)
        return;
    if (errno != EHOSTUNREACH) {
        bus_drop(self, self->unsent, "a caller does not read");
        return;
    }
    for (size_t i = 0; i < socket->count; i++)
        if (socket->callers[i].route == route)
            socket->callers[i] = socket->callers[--socket->count];
    bus_announce_caller_disconnect(socket, route);
    bus_drain_update(self);
}

static struct bus_caller *caller_find(struct bus_socket *socket, uint32_t route)
{
    for (size_t i = 0; i < socket->count; i++)
        if (socket->callers[i].route == route)
            return &socket->callers[i];
    return NULL;
}

/* Removes dead callers, because a ROUTER reports the end of a connection only when a send fails. */
static void callers_sweep(struct bus_socket *socket)
{
    for (size_t i = socket->count; i-- > 0;) {
        bus_write(&socket->bus->frame, BUS_PING, 0, 0);
        /* can move the last caller to this index */
        bus_listener_send(socket, socket->callers[i].route);
    }
    socket->sweep_at = MAX(socket->count * 2, (size_t)SWEEP_FIRST);
}

/* Removes the older connection of a process that reconnected. */
static void caller_replace(struct bus_socket *socket, const char *name, uint64_t boot)
{
    for (size_t i = 0; i < socket->count; i++) {
        if (socket->callers[i].boot != boot || strcmp(socket->callers[i].name, name) != 0)
            continue;
        bus_announce_caller_disconnect(socket, socket->callers[i].route);
        socket->callers[i] = socket->callers[--socket->count];
        return;
    }
}

static struct bus_caller *caller_add(struct bus_socket *socket)
{
    if (socket->count == socket->capacity) {
        socket->capacity = MAX(socket->capacity * 2, (size_t)8);
        socket->callers =
            memory_resize(socket->callers, socket->capacity, sizeof(*socket->callers));
    }
    return &socket->callers[socket->count++];
}

static void welcome(struct bus_socket *socket, uint32_t route)
{
    struct bus *self = socket->bus;
    struct codec_buffer *frame = &self->frame;
    char version[64];

    snprintf(version, sizeof(version), "%.32s%s", self->options->version,
             self->options->spans ? BUS_KNOWS_TRACES : "");
    bus_write(frame, BUS_WELCOME, 0, 6);
    bus_write_text(frame, self->options->service, BUS_NAME_MAX);
    bus_write_text(frame, self->options->instance, BUS_NAME_MAX);
    bus_write_uint(frame, self->listener_boot);
    bus_write_text(frame, version, 64);
    bus_write_int(frame, clock_mono_ms());
    bus_write_bool(frame, self->drain_id != 0);
    bus_listener_send(socket, route);
}

static void on_hello(struct bus_socket *socket, uint32_t route, const struct bus_incoming *in)
{
    struct bus *self = socket->bus;
    struct bus_caller *caller;
    char name[BUS_PEER_NAME_MAX];

    caller = caller_find(socket, route);
    if (caller && caller->boot == in->boot) {
        welcome(socket, route); /* the answer lets the other host measure this clock */
        return;
    }
    if (in->boot == 0 || !bus_slice_is(in->service, socket->service) ||
        !bus_name_ok(in->instance.bytes, in->instance.size) || caller) {
        bus_drop(self, self->malformed, "wrong or second HELLO");
        return;
    }
    snprintf(name, sizeof(name), "%s.%.*s", socket->service, (int)in->instance.size,
             in->instance.bytes);
    caller_replace(socket, name, in->boot);
    if (socket->count >= socket->sweep_at)
        callers_sweep(socket);
    if (socket->count >= BUS_CALLERS_MAX) {
        bus_drop(self, self->malformed, "too many callers");
        return;
    }
    caller = caller_add(socket);
    /* New callers learn of a drain from the WELCOME, and have nothing in flight. */
    *caller =
        (struct bus_caller){.route = route, .boot = in->boot, .drain_acked = self->drain_id != 0};
    memcpy(caller->name, name, sizeof(name));
    welcome(socket, route);
    bus_announce_caller_connect(socket, route, name);
}

static void on_ack(struct bus_socket *socket, uint32_t route, uint64_t id)
{
    struct bus_caller *caller = caller_find(socket, route);

    if (!caller)
        bus_drop(socket->bus, socket->bus->malformed, "ACK before HELLO");
    else if (id == socket->bus->drain_id && id != 0)
        caller->drain_acked = true;
    else
        bus_announce_ack_receive(socket, route, id);
    bus_drain_update(socket->bus);
}

void bus_listener_frame(struct bus_socket *socket, uint32_t route, const struct bus_incoming *in,
                        zmq_msg_t *message)
{
    if (in->kind == BUS_REQUEST) {
        bus_serve_request(socket, route, in, message);
        return;
    }
    if (in->kind == BUS_HELLO)
        on_hello(socket, route, in);
    else if (in->kind == BUS_ACK)
        on_ack(socket, route, in->id);
    else
        bus_drop(socket->bus, socket->bus->malformed, "kind from the wrong side");
    zmq_msg_close(message);
}

static void on_router(void *arg)
{
    struct bus_socket *socket = arg;
    struct bus_incoming in;
    zmq_msg_t message;
    uint32_t route;
    int left = BUS_BATCH;

    while (left > 0 && bus_receive(socket->bus, socket->router, &route, &message, &in, &left))
        bus_listener_frame(socket, route, &in, &message);
}

/* ---- drain ---- */

static bool drain_done(const struct bus *self)
{
    for (size_t i = 0; i < self->socket_count; i++) {
        for (size_t j = 0; j < self->sockets[i].count; j++)
            if (!self->sockets[i].callers[j].drain_acked)
                return false;
    }
    return self->serving == 0;
}

void bus_drain_update(struct bus *self)
{
    if (self->drain_id != 0 && drain_done(self))
        fiber_queue_wake_all(&self->drained);
}

static void tell_drain(struct bus *self)
{
    for (size_t i = 0; i < self->socket_count; i++) {
        struct bus_socket *socket = &self->sockets[i];

        for (size_t j = socket->count; j-- > 0;) {
            if (socket->callers[j].drain_acked)
                continue;
            bus_write(&self->frame, BUS_DRAIN, self->drain_id, 0);
            bus_listener_send(socket, socket->callers[j].route);
        }
    }
}

/* Announces repeatedly: only a failed send reveals a caller that ended without ACK. */
void bus_drain(struct bus *self, int64_t deadline_mono_ms)
{
    enum fiber_wake wake = FIBER_WOKEN;

    self->drain_id = ++self->last_id;
    tell_drain(self);
    while (!drain_done(self) && wake != FIBER_CANCELLED && clock_mono_ms() < deadline_mono_ms) {
        wake = fiber_queue_wait(self->loop, &self->drained,
                                MIN(clock_mono_ms() + BUS_RESEND_MS, deadline_mono_ms));
        if (wake == FIBER_TIMEOUT)
            tell_drain(self);
    }
    bus_listener_stop(self);
}

/* ---- start and stop ---- */

static struct bus_socket *socket_find(struct bus *self, const char *service, size_t length)
{
    for (size_t i = 0; i < self->socket_count; i++)
        if (strlen(self->sockets[i].service) == length &&
            strncmp(self->sockets[i].service, service, length) == 0)
            return &self->sockets[i];
    return NULL;
}

static int sockets_name(struct bus *self, struct error *err)
{
    const struct bus_options *options = self->options;

    self->sockets = arena_calloc(self->arena, CALLERS_MAX * 2, sizeof(*self->sockets));
    for (const struct operation *row = options->operations; row->name; row++) {
        for (const char *at = row->callers; *at != '\0'; at += strspn(at, " ")) {
            size_t length = strcspn(at, " ");
            struct bus_socket *socket = &self->sockets[self->socket_count];

            if (!bus_name_ok(at, length))
                return error_set(err, ERR_INTERNAL, "%s names a wrong caller.", row->name);
            if (!socket_find(self, at, length)) {
                if (self->socket_count == CALLERS_MAX)
                    return error_set(err, ERR_INTERNAL, "%s has one caller too many.", row->name);
                socket->bus = self;
                socket->service = arena_strndup(self->arena, at, length);
                socket->sweep_at = SWEEP_FIRST;
                self->socket_count++;
            }
            at += length;
        }
    }
    return 0;
}

static int listen_here(struct bus *self, struct error *err)
{
    const struct bus_options *options = self->options;

    for (size_t i = 0; i < self->socket_count; i++) {
        struct bus_socket *socket = &self->sockets[i];

        if (bus_socket_path(socket->path, options->run_dir, options->service, socket->service,
                            options->instance, err) < 0 ||
            bus_endpoint_listen(socket, err) < 0)
            return -1;
    }
    return 0;
}

/* Adds a bus_socket per calling service for callers on other hosts. These share one ROUTER, where
 * keys identify callers. */
static int listen_elsewhere(struct bus *self, struct error *err)
{
    size_t count = self->socket_count;

    if (!bus_tcp_wanted(self))
        return 0;
    for (size_t i = 0; i < count; i++)
        self->sockets[count + i] = (struct bus_socket){
            .bus = self, .service = self->sockets[i].service, .tcp = true, .sweep_at = SWEEP_FIRST};
    self->socket_count = count * 2;
    return bus_tcp_listen(self, err);
}

int bus_listener_start(struct bus *self, struct error *err)
{
    const struct bus_options *options = self->options;

    self->listener_boot = bus_random_boot();
    bus_serve_prepare(self);
    if (!options->operations->name)
        return 0; /* a program such as atriumctl has no directory and cannot create one */
    if (bus_make_directory(options->run_dir, options->service, err) < 0 ||
        bus_lock_acquire(self, err) < 0 || sockets_name(self, err) < 0 ||
        listen_here(self, err) < 0 || listen_elsewhere(self, err) < 0)
        return -1;
    if (!options->held)
        bus_open(self);
    return 0;
}

void bus_open(struct bus *self)
{
    self->pulse_ms = clock_mono_ms();
    for (size_t i = 0; i < self->socket_count; i++) {
        if (!self->sockets[i].router || self->sockets[i].tcp)
            continue; /* closed again: the stop came before the start had finished */
        loop_watch_socket(self->loop, self->sockets[i].router, on_router, &self->sockets[i]);
        if (!self->pulse)
            self->pulse = loop_at(self->loop, self->pulse_ms + BUS_PULSE_MS, on_pulse, self);
    }
    bus_tcp_open(self);
}

/* Stops in a strict order: connections, sockets, and last the lock, which admits a successor. */
void bus_listener_stop(struct bus *self)
{
    for (size_t i = 0; i < self->socket_count; i++) {
        struct bus_socket *socket = &self->sockets[i];

        if (!socket->router)
            continue;
        if (!socket->tcp) {
            unlink(socket->path);
            loop_unwatch_socket(self->loop, socket->router);
            zsock_destroy(&socket->router);
        }
        socket->router = NULL;
        free(socket->callers);
        socket->callers = NULL;
        socket->count = socket->capacity = 0;
    }
    if (self->beside[0])
        unlink(self->beside);
    self->beside[0] = '\0';
    bus_tcp_stop(self);
    loop_cancel(self->loop, &self->pulse);
    bus_lock_drop(self);
}
