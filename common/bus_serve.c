/*
 * bus_serve.c - the instance's side: one ROUTER per calling service, each request on a fiber of its own.
 *
 * The loop checks the head of a frame and hands it to a fiber; the fiber unpacks, checks the access column
 * again (the gateway has done so, but nothing here depends on it), calls the operation, answers exactly once,
 * logs, counts, and wipes what was secret.  Draining lives here too: see WIRE.md.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "common/bus_private.h"
#include "common/log.h"

enum {
    SPARE_MAX = 64,    /* idle requests kept with their arenas: 4 KiB each */
    SWEEP_FIRST = 64,  /* callers on a socket before the first look for dead ones */
    SECRET_DEPTH = 32, /* nesting of tables; no table contains itself */
};

/* ---- the pool ---- */

static struct bus_serving *serving_new(struct bus *self)
{
    struct bus_serving *serving = self->spare;

    if (serving != NULL) {
        self->spare = serving->next;
        self->spare_count--;
    } else {
        serving = calloc(1, sizeof(*serving));
        if (serving == NULL)
            log_die("bus", "out of memory");
        serving->arena = arena_new();
    }
    self->serving++;
    return serving;
}

static void serving_end(struct bus_serving *serving)
{
    struct bus *self = serving->socket->bus;

    if (serving->operation != NULL && serving->operation->secret)
        explicit_bzero(zmq_msg_data(&serving->message), zmq_msg_size(&serving->message));
    zmq_msg_close(&serving->message);
    self->serving--;
    if (self->spare_count < SPARE_MAX) {
        arena_reset(serving->arena);
        serving->next = self->spare;
        self->spare = serving;
        self->spare_count++;
    } else {
        arena_destroy(&serving->arena);
        free(serving);
    }
    bus_drain_update(self);
}

/* ---- the table of operations ---- */

static uint32_t hash(const char *bytes, size_t size)
{
    uint32_t value = 2166136261u; /* FNV-1a */

    for (size_t i = 0; i < size; i++)
        value = (value ^ (uint8_t)bytes[i]) * 16777619u;
    return value;
}

static bool has_secret(const struct field_table *table, int depth)
{
    for (size_t i = 0; i < table->count && depth > 0; i++) {
        const struct field *row = &table->rows[i];

        if ((row->flags & FIELD_SECRET) ||
            (row->table != NULL && has_secret(row->table, depth - 1)))
            return true;
    }
    return false;
}

static void operations_build(struct bus *self)
{
    size_t count = 0, size = 8;

    while (self->options->operations[count].name != NULL)
        count++;
    while (size < count * 4)
        size *= 2;
    self->operation_mask = size - 1;
    self->operations = arena_calloc(self->arena, size, sizeof(*self->operations));
    for (const struct operation *row = self->options->operations; row->name != NULL; row++) {
        size_t i = hash(row->name, strlen(row->name)) & self->operation_mask;

        while (self->operations[i].row != NULL)
            i = (i + 1) & self->operation_mask;
        self->operations[i].row = row;
        self->operations[i].secret = has_secret(row->input, SECRET_DEPTH);
    }
}

static const struct bus_operation *operation_find(const struct bus *self, struct bus_slice name)
{
    size_t i = hash(name.bytes, name.size) & self->operation_mask;

    for (; self->operations[i].row != NULL; i = (i + 1) & self->operation_mask) {
        if (bus_slice_is(name, self->operations[i].row->name))
            return &self->operations[i];
    }
    return NULL;
}

/* Is the word among those of a list that is separated by spaces? */
static bool has_word(const char *list, const char *word)
{
    size_t length = strlen(word);

    for (const char *at = list; (at = strstr(at, word)) != NULL; at += length) {
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    }
    return false;
}

/* ---- answering ---- */

void bus_serve_send(struct bus_socket *socket, uint32_t route)
{
    struct bus *self = socket->bus;

    if (socket->router == NULL || bus_send(self, socket->router, &route) == 0)
        return;
    if (errno != EHOSTUNREACH) {
        bus_drop(self, self->unsent, "a caller does not read");
        return;
    }
    for (size_t i = 0; i < socket->count; i++) {
        if (socket->callers[i].route == route)
            socket->callers[i] = socket->callers[--socket->count];
    }
    bus_announce_left(socket, route);
    bus_drain_update(self);
}

static void answer_error(struct bus_socket *socket, uint32_t route, uint64_t id,
                         const struct error *err)
{
    ++*socket->bus->errors;
    bus_write_error(&socket->bus->frame, id, err);
    bus_serve_send(socket, route);
}

/* A reply that is too large for the bus is an error of the operation. */
static int answer_reply(struct bus_serving *serving, const void *out, struct error *err)
{
    struct bus *self = serving->socket->bus;

    bus_write(&self->frame, BUS_REPLY, serving->frame.id, 1);
    bus_write_fields(&self->frame, serving->operation->row->output, out);
    if (self->frame.size > CODEC_FRAME_MAX) {
        error_set(err, ERR_INTERNAL, "Internal error.");
        return error_detail(err, "the reply has %zu bytes", self->frame.size);
    }
    bus_serve_send(serving->socket, serving->route);
    return 0;
}

static void log_outcome(const struct bus_serving *serving, const struct request *req,
                        const struct error *err)
{
    const struct error_kind *kind = error_kind(err->code);
    bool serious = kind->level <= LOG_WARNING;

    log_event(serious ? kind->level : LOG_DEBUG, "bus", "request failed", "operation",
              serving->operation == NULL ? "?" : serving->operation->row->name, "from",
              serving->socket->service, "trace", req->trace, "code", kind->wire, "error",
              err->message, "detail", err->detail[0] ? err->detail : NULL, "sqlstate",
              err->sqlstate[0] ? err->sqlstate : NULL, "constraint",
              err->constraint[0] ? err->constraint : NULL, NULL);
}

/* ---- one request ---- */

static int access_check(const struct bus_serving *serving, const struct request *req,
                        struct error *err)
{
    const struct operation *row = serving->operation->row;

    if (!has_word(row->callers, serving->socket->service)) {
        error_set(err, ERR_FORBIDDEN, "You are not allowed to do this.");
        return error_detail(err, "%s may not call it", serving->socket->service);
    }
    if (row->access == ACCESS_PUBLIC || row->access == ACCESS_INTERNAL)
        return 0;
    if (req->caller == NULL)
        return error_set(err, ERR_UNAUTHORIZED, "Authentication is required.");
    if ((row->access == ACCESS_PRACTITIONER && !request_is_practitioner(req)) ||
        (row->access == ACCESS_ADMIN && !request_is_admin(req)))
        return error_set(err, ERR_FORBIDDEN, "You are not allowed to do this.");
    return 0;
}

/* Fills a struct of the table from a slice that should hold a packed map. */
static int unpack(struct bus_slice slice, const struct field_table *table, struct arena *arena,
                  void *out, struct error *err)
{
    msgpack_object map;

    if (codec_unpack(slice.bytes, slice.size, arena, &map, err) < 0)
        return -1;
    if (map.type != MSGPACK_OBJECT_MAP)
        return error_set(err, ERR_BAD_REQUEST, "The body must be an object.");
    return fields_unpack(table, &map, arena, out, err);
}

static const char *slice_text(struct arena *arena, struct bus_slice slice)
{
    return slice.size == 0 ? "" : arena_strndup(arena, slice.bytes, slice.size);
}

static int caller_read(const struct bus_serving *serving, struct request *req, struct error *err)
{
    struct caller *caller;

    if (serving->frame.caller.size == 0 || strcmp(serving->socket->service, BUS_GATEWAY) != 0)
        return 0;
    caller = arena_alloc(serving->arena, sizeof(*caller));
    if (unpack(serving->frame.caller, &caller_table, serving->arena, caller, err) < 0)
        return -1;
    req->caller = caller;
    return 0;
}

static struct request request_of(struct bus_serving *serving)
{
    struct arena *arena = serving->arena;

    return (struct request){
        .arena = arena,
        .service = serving->socket->service,
        .trace = slice_text(arena, serving->frame.trace),
        .address = slice_text(arena, serving->frame.address),
        .userAgent = slice_text(arena, serving->frame.agent),
        .now_ms = clock_now_ms(serving->socket->bus->clock),
        .deadline_mono_ms = serving->frame.mono_ms,
    };
}

static int serve_row(struct bus_serving *serving, const struct request *req, struct error *err)
{
    const struct operation *row = serving->operation->row;
    void *in = arena_alloc(serving->arena, row->input->size);
    void *out = arena_alloc(serving->arena, row->output->size);
    int result = unpack(serving->frame.body, row->input, serving->arena, in, err);

    if (result == 0)
        result = row->call(serving->socket->bus->options->daemon, req, in, out, err);
    if (result == 0)
        result = answer_reply(serving, out, err);
    if (serving->operation->secret)
        fields_wipe(row->input, in);
    return result;
}

static int serve_checked(struct bus_serving *serving, struct request *req, struct error *err)
{
    serving->operation = operation_find(serving->socket->bus, serving->frame.name);
    if (serving->operation == NULL) {
        error_set(err, ERR_INTERNAL, "Internal error.");
        return error_detail(err, "no operation %.*s", (int)serving->frame.name.size,
                            serving->frame.name.bytes);
    }
    if (caller_read(serving, req, err) < 0 || access_check(serving, req, err) < 0)
        return -1;
    return serve_row(serving, req, err);
}

static void serve_fiber(void *arg)
{
    struct bus_serving *serving = arg;
    struct bus *self = serving->socket->bus;
    struct request req = request_of(serving);
    struct error err;

    error_init(&err, serving->arena);
    if (serve_checked(serving, &req, &err) < 0) {
        answer_error(serving->socket, serving->route, serving->frame.id, &err);
        log_outcome(serving, &req, &err);
    }
    histogram_add(self->latency, clock_mono_us() - serving->start_us);
    serving_end(serving);
}

static void overloaded(struct bus_socket *socket, uint32_t route, uint64_t id)
{
    struct error err;

    error_init(&err, NULL);
    error_retry(&err, ERR_OVERLOADED, 1, "The service is overloaded.");
    answer_error(socket, route, id, &err);
    bus_drop(socket->bus, socket->bus->overloaded, "too many requests at once");
}

/* Consumes the message. */
static void serve_begin(struct bus_socket *socket, uint32_t route, const struct bus_incoming *in,
                        zmq_msg_t *message)
{
    struct bus *self = socket->bus;
    struct bus_serving *serving = serving_new(self);
    const void *before = zmq_msg_data(message);
    struct error err;

    serving->socket = socket;
    serving->route = route;
    serving->operation = NULL;
    serving->frame = *in;
    serving->start_us = clock_mono_us();
    zmq_msg_init(&serving->message);
    zmq_msg_move(&serving->message, message);
    /* A message of a few bytes lies inside its zmq_msg_t, and what points into it must move along. */
    if (zmq_msg_data(&serving->message) != before &&
        bus_read(zmq_msg_data(&serving->message), zmq_msg_size(&serving->message),
                 &serving->frame) < 0)
        log_die("bus", "a frame changed while it was moved");
    error_init(&err, NULL);
    if (fiber_start(self->loop, serve_fiber, serving, &err) < 0) {
        overloaded(socket, route, in->id);
        serving_end(serving);
    }
}

/* Consumes the message. */
static void on_request(struct bus_socket *socket, uint32_t route, const struct bus_incoming *in,
                       zmq_msg_t *message)
{
    struct bus *self = socket->bus;

    ++*self->requests;
    if (in->boot != self->boot) {
        bus_write(&self->frame, BUS_REFUSED, in->id, 1);
        bus_write_uint(&self->frame, self->boot);
        bus_serve_send(socket, route);
    } else if (in->mono_ms <= loop_mono_ms(self->loop)) {
        bus_drop(self, self->expired, NULL);
    } else if (self->serving >= self->options->serve_max) {
        overloaded(socket, route, in->id);
    } else {
        serve_begin(socket, route, in, message);
    }
    zmq_msg_close(message);
}

/* ---- callers ---- */

static struct bus_caller *caller_find(struct bus_socket *socket, uint32_t route)
{
    for (size_t i = 0; i < socket->count; i++) {
        if (socket->callers[i].route == route)
            return &socket->callers[i];
    }
    return NULL;
}

/* A ROUTER does not tell when a connection ends; a send does. */
static void callers_sweep(struct bus_socket *socket)
{
    for (size_t i = socket->count; i-- > 0;) {
        bus_write(&socket->bus->frame, BUS_PING, 0, 0);
        bus_serve_send(socket, socket->callers[i].route); /* may fill the gap with the last one */
    }
    socket->sweep_at = MAX(socket->count * 2, (size_t)SWEEP_FIRST);
}

/* The same process has connected anew: its older connection is history. */
static void caller_replace(struct bus_socket *socket, const char *name, uint64_t boot)
{
    for (size_t i = 0; i < socket->count; i++) {
        if (socket->callers[i].boot != boot || strcmp(socket->callers[i].name, name) != 0)
            continue;
        bus_announce_left(socket, socket->callers[i].route);
        socket->callers[i] = socket->callers[--socket->count];
        return;
    }
}

static struct bus_caller *caller_add(struct bus_socket *socket)
{
    if (socket->count == socket->capacity) {
        socket->capacity = MAX(socket->capacity * 2, (size_t)8);
        socket->callers = realloc(socket->callers, socket->capacity * sizeof(*socket->callers));
        if (socket->callers == NULL)
            log_die("bus", "out of memory");
    }
    return &socket->callers[socket->count++];
}

static void welcome(struct bus_socket *socket, uint32_t route)
{
    struct bus *self = socket->bus;
    struct bus_frame *frame = &self->frame;

    bus_write(frame, BUS_WELCOME, 0, 6);
    bus_write_text(frame, self->options->service, BUS_NAME_MAX);
    bus_write_text(frame, self->options->instance, BUS_NAME_MAX);
    bus_write_uint(frame, self->boot);
    bus_write_text(frame, self->options->version, 64);
    bus_write_int(frame, clock_mono_ms());
    bus_write_bool(frame, self->drain_id != 0);
    bus_serve_send(socket, route);
}

static void on_hello(struct bus_socket *socket, uint32_t route, const struct bus_incoming *in)
{
    struct bus *self = socket->bus;
    struct bus_caller *caller;
    char name[BUS_PEER_NAME_MAX];

    if (in->boot == 0 || !bus_slice_is(in->service, socket->service) ||
        !bus_name_ok(in->instance.bytes, in->instance.size) || caller_find(socket, route) != NULL) {
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
    /* Who comes during a drain is told by the WELCOME and has nothing to stop. */
    *caller =
        (struct bus_caller){.route = route, .boot = in->boot, .drain_acked = self->drain_id != 0};
    memcpy(caller->name, name, sizeof(name));
    welcome(socket, route);
    bus_announce_joined(socket, route, name);
}

static void on_ack(struct bus_socket *socket, uint32_t route, uint64_t id)
{
    struct bus_caller *caller = caller_find(socket, route);

    if (caller == NULL)
        bus_drop(socket->bus, socket->bus->malformed, "ACK before HELLO");
    else if (id == socket->bus->drain_id && id != 0)
        caller->drain_acked = true;
    else
        bus_announce_ack(socket, route, id);
    bus_drain_update(socket->bus);
}

static void on_router(void *arg)
{
    struct bus_socket *socket = arg;
    struct bus *self = socket->bus;
    struct bus_incoming in;
    zmq_msg_t message;
    uint32_t route;
    int left = BUS_BATCH;

    while (left > 0 && bus_receive(self, socket->router, &route, &message, &in, &left)) {
        if (in.kind == BUS_REQUEST) {
            on_request(socket, route, &in, &message);
            continue;
        }
        if (in.kind == BUS_HELLO)
            on_hello(socket, route, &in);
        else if (in.kind == BUS_ACK)
            on_ack(socket, route, in.id);
        else
            bus_drop(self, self->malformed, "kind from the wrong side");
        zmq_msg_close(&message);
    }
}

/* ---- drain ---- */

static bool drain_done(const struct bus *self)
{
    for (size_t i = 0; i < self->socket_count; i++) {
        for (size_t j = 0; j < self->sockets[i].count; j++) {
            if (!self->sockets[i].callers[j].drain_acked)
                return false;
        }
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
            bus_serve_send(socket, socket->callers[j].route);
        }
    }
}

/* Told again and again: a caller that ended without an ACK, as when all of a host stop at once, shows only in
 * that sending to it fails. */
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
    bus_serve_stop(self);
}

/* ---- start and stop ---- */

static struct bus_socket *socket_find(struct bus *self, const char *service, size_t length)
{
    for (size_t i = 0; i < self->socket_count; i++) {
        if (strlen(self->sockets[i].service) == length &&
            strncmp(self->sockets[i].service, service, length) == 0)
            return &self->sockets[i];
    }
    return NULL;
}

/* A socket for each word that stands in any operation's callers. */
static int sockets_name(struct bus *self, struct error *err)
{
    const struct bus_options *options = self->options;
    size_t words = 0;

    for (const struct operation *row = options->operations; row->name != NULL; row++)
        words += strlen(row->callers) / 2 + 1;
    self->sockets = arena_calloc(self->arena, words, sizeof(*self->sockets));
    for (const struct operation *row = options->operations; row->name != NULL; row++) {
        for (const char *at = row->callers; *at != '\0'; at += strspn(at, " ")) {
            size_t length = strcspn(at, " ");
            struct bus_socket *socket = &self->sockets[self->socket_count];

            if (!bus_name_ok(at, length))
                return error_set(err, ERR_INTERNAL, "%s names a wrong caller.", row->name);
            if (socket_find(self, at, length) == NULL) {
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

int bus_serve_start(struct bus *self, struct error *err)
{
    const struct bus_options *options = self->options;

    operations_build(self);
    if (bus_make_directory(options->run_dir, options->service, err) < 0 ||
        bus_lock_take(self, err) < 0 || sockets_name(self, err) < 0)
        return -1;
    for (size_t i = 0; i < self->socket_count; i++) {
        struct bus_socket *socket = &self->sockets[i];

        if (bus_socket_path(socket->path, options->run_dir, options->service, socket->service,
                            options->instance, err) < 0 ||
            bus_endpoint_listen(socket, err) < 0)
            return -1;
    }
    if (!options->held)
        bus_open(self);
    return 0;
}

void bus_open(struct bus *self)
{
    for (size_t i = 0; i < self->socket_count; i++) {
        if (self->sockets[i].router != NULL) /* a stop may have come before the start was done */
            loop_watch_socket(self->loop, self->sockets[i].router, on_router, &self->sockets[i]);
    }
}

size_t bus_serving(const struct bus *self)
{
    return self->serving;
}

/* Strict order: no new connection, no socket, and only then the lock, which lets a successor in. */
void bus_serve_stop(struct bus *self)
{
    for (size_t i = 0; i < self->socket_count; i++) {
        struct bus_socket *socket = &self->sockets[i];

        if (socket->router == NULL)
            continue;
        unlink(socket->path);
        loop_unwatch_socket(self->loop, socket->router);
        zsock_destroy(&socket->router);
        free(socket->callers);
        socket->callers = NULL;
        socket->count = socket->capacity = 0;
    }
    bus_lock_drop(self);
}

void bus_serve_free(struct bus *self)
{
    while (self->spare != NULL) {
        struct bus_serving *serving = self->spare;

        self->spare = serving->next;
        arena_destroy(&serving->arena);
        free(serving);
    }
}
