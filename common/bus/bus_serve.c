/*
 * bus_serve.c - the instance's side of a request.
 *
 * Each request gets a fiber, which unpacks, checks the access column (not relying on the gateway's
 * check), calls the operation, answers exactly once, logs, counts and wipes secrets.
 */
#include "common/base/log.h"
#include "common/base/memory.h"
#include "common/bus/bus_private.h"
#include "common/domain/request.h"

enum {
    SPARE_MAX = 64,    /* idle requests kept with their 4 KiB arenas */
    SECRET_DEPTH = 32, /* nested tables; no table contains itself */
};

/* An R_PROJECT operation's body contains one of these in addition to its input. */
struct project_name {
    const char *tenantCode;
    struct uuid projectId;
};
static const struct field project_name_rows[] = {
    FIELD_TEXT(struct project_name, tenantCode, 1, BUS_TENANT_MAX, 0,
               "The project, by its code or id", "lakeside"),
    FIELD_UUID(struct project_name, projectId, 0, "The project"),
};
FIELD_TABLE(project_name);

/* ---- the pool ---- */

static struct bus_serving *serving_new(struct bus *self)
{
    struct bus_serving *serving = self->spare;

    if (serving) {
        self->spare = serving->next;
        self->spare_count--;
    } else {
        serving = memory_new(sizeof(*serving));
        serving->arena = arena_new();
    }
    self->serving++;
    return serving;
}

static void serving_end(struct bus_serving *serving)
{
    struct bus *self = serving->socket->bus;

    if (serving->operation && serving->operation->secret)
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

        if ((row->flags & FIELD_SECRET) || (row->table && has_secret(row->table, depth - 1)))
            return true;
    }
    return false;
}

void bus_serve_prepare(struct bus *self)
{
    size_t count = 0, size = 8;

    while (self->options->operations[count].name)
        count++;
    while (size < count * 4)
        size *= 2;
    self->operation_mask = size - 1;
    self->operations = arena_calloc(self->arena, size, sizeof(*self->operations));
    for (const struct operation *row = self->options->operations; row->name; row++) {
        size_t i = hash(row->name, strlen(row->name)) & self->operation_mask;

        while (self->operations[i].row)
            i = (i + 1) & self->operation_mask;
        self->operations[i].row = row;
        self->operations[i].secret = has_secret(row->input, SECRET_DEPTH);
    }
}

static const struct bus_operation *operation_find(const struct bus *self, struct bus_slice name)
{
    size_t i = hash(name.bytes, name.size) & self->operation_mask;

    for (; self->operations[i].row; i = (i + 1) & self->operation_mask)
        if (bus_slice_is(name, self->operations[i].row->name))
            return &self->operations[i];
    return NULL;
}

static bool has_word(const char *list, const char *word)
{
    size_t length = strlen(word);

    for (const char *at = list; (at = strstr(at, word)); at += length)
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

/* ---- answering ---- */

static void answer_error(struct bus_socket *socket, uint32_t route, uint64_t id,
                         const struct error *err)
{
    ++*socket->bus->errors;
    bus_write_error(&socket->bus->frame, id, err);
    bus_listener_send(socket, route);
}

static void answer_refused(struct bus_socket *socket, uint32_t route, uint64_t id)
{
    bus_write(&socket->bus->frame, BUS_REFUSED, id, 1);
    bus_write_uint(&socket->bus->frame, socket->bus->listener_boot);
    bus_listener_send(socket, route);
}

/* If the reply is too large for the bus, sends an error of the operation instead. */
static int answer_reply(struct bus_serving *serving, const void *out, struct error *err)
{
    struct bus *self = serving->socket->bus;

    bus_write_reply(&self->frame, serving->frame.id, serving->operation->row->output, out, err);
    if (self->frame.size > CODEC_FRAME_MAX) {
        error_set(err, ERR_INTERNAL, "Internal error.");
        return error_detail(err, "the reply has %zu bytes", self->frame.size);
    }
    bus_listener_send(serving->socket, serving->route);
    return 0;
}

static void log_outcome(const struct bus_serving *serving, const struct request *req,
                        const struct error *err)
{
    const struct error_kind *kind = error_kind(err->code);
    bool serious = kind->level <= LOG_WARNING;

    log_event(serious ? kind->level : LOG_DEBUG, "bus", "request failed", "operation",
              !serving->operation ? "?" : serving->operation->row->name, "from",
              serving->socket->service, "trace", req->trace, "code", kind->wire, "error",
              err->foreign ? "(not ours)" : err->message, "detail",
              err->detail[0] ? err->detail : NULL, "sqlstate",
              err->sqlstate[0] ? err->sqlstate : NULL, "constraint",
              err->constraint[0] ? err->constraint : NULL, NULL);
}

/* ---- one request ---- */

static int access_check(const struct bus_serving *serving, const struct request *req,
                        struct error *err)
{
    const struct operation *row = serving->operation->row;

    if (!has_word(row->callers, serving->socket->service)) {
        error_set(err, ERR_FORBIDDEN, "You don't have permission to do this.");
        return error_detail(err, "%s may not call it", serving->socket->service);
    }
    if (row->access == ACCESS_PUBLIC || row->access == ACCESS_INTERNAL)
        return 0;
    if (!req->caller)
        return error_set(err, ERR_UNAUTHORIZED,
                         "Authentication is required. Send an access token.");
    if ((row->access == ACCESS_PRACTITIONER && !request_is_practitioner(req)) ||
        (row->access == ACCESS_ADMIN && !request_is_admin(req)) ||
        (request_is_key(req) && !(row->flags & R_KEY)))
        return error_set(err, ERR_FORBIDDEN, "You don't have permission to do this.");
    return 0;
}

static int unpack(struct bus_slice slice, const struct field_table *table, struct arena *arena,
                  void *out, struct error *err)
{
    msgpack_object map;

    if (codec_unpack_in_place(slice.bytes, slice.size, arena, &map, err) < 0)
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

static int project_find(const struct bus_serving *serving, struct request *req, struct error *err)
{
    const struct bus_options *options = serving->socket->bus->options;
    struct project_name name;

    if (!(serving->operation->row->flags & R_PROJECT))
        return 0;
    if (unpack(serving->frame.body, &project_name_table, serving->arena, &name, err) < 0)
        return -1;
    req->project = name.projectId;
    if (!name.tenantCode && uuid_is_set(&name.projectId))
        return 0;
    if (!name.tenantCode || !options->find_project)
        return error_problem(err, "projectId", "is required");
    return options->find_project(options->daemon, req, name.tenantCode, &req->project, err);
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
        .addressKeys = arena_calloc(arena, 1, sizeof(const struct address_key *)),
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

static int serve_checked(struct bus_serving *serving, struct request *req,
                         struct activity *activity, struct error *err)
{
    const struct bus_options *options = serving->socket->bus->options;

    serving->operation = operation_find(serving->socket->bus, serving->frame.name);
    if (!serving->operation) {
        /* During an upgrade, the caller is newer than this instance. */
        error_retry(err, ERR_UNAVAILABLE, 1, "The service is being upgraded. Please try again.");
        return error_detail(err, "no operation %.*s", (int)serving->frame.name.size,
                            serving->frame.name.bytes);
    }
    activity->operation = serving->operation->row->name;
    req->safe = serving->operation->row->flags & R_SAFE;
    req->row = serving->operation->row;
    if (caller_read(serving, req, err) < 0 || access_check(serving, req, err) < 0 ||
        (options->admit &&
         options->admit(options->daemon, req, serving->operation->row, err) < 0) ||
        project_find(serving, req, err) < 0)
        return -1;
    return serve_row(serving, req, err);
}

static struct activity activity_of(const struct bus_serving *serving, const struct request *req)
{
    const struct bus_incoming *frame = &serving->frame;
    struct activity activity = {.request_id = req->trace, .operation = "", .state = ""};

    if (frame->traceparent.size > 0 && serving->socket->bus->options->spans &&
        traceparent_read(slice_text(serving->arena, frame->traceparent), &activity.context) == 0 &&
        activity.context.sampled) {
        activity.spans = serving->socket->bus->options->spans;
        activity.state = slice_text(serving->arena, frame->state);
    }
    return activity;
}

static void span_finish(struct span *span, const struct bus_serving *serving,
                        const struct error *err)
{
    span_text(span, "rpc.system", "atrium");
    span_text(span, "rpc.service", serving->socket->bus->options->service);
    if (serving->operation) {
        span->name = serving->operation->row->name;
        span_text(span, "rpc.method", span->name);
    }
    if (err)
        span_fail(span, error_kind(err->code)->wire);
    span_end(span);
}

static void serve(struct bus_serving *serving, struct request *req, struct error *err)
{
    struct loop *loop = serving->socket->bus->loop;
    struct activity activity = activity_of(serving, req);
    struct span span;
    int result;

    activity_enter(loop, &activity);
    span_begin(&span, &activity, SPAN_SERVER, "unknown operation");
    span_enter(&span);
    result = serve_checked(serving, req, &activity, err);
    if (result < 0) {
        answer_error(serving->socket, serving->route, serving->frame.id, err);
        log_outcome(serving, req, err);
    }
    span_finish(&span, serving, result < 0 ? err : NULL);
    activity_enter(loop, NULL);
}

static void serve_fiber(void *arg)
{
    struct bus_serving *serving = arg;
    struct bus *self = serving->socket->bus;
    struct request req = request_of(serving);
    struct error err;

    /* Check again: fibers start after all frames of the loop's turn were read. */
    if (!bus_listener_admits(self, serving->frame.boot)) {
        answer_refused(serving->socket, serving->route, serving->frame.id);
        serving_end(serving);
        return;
    }
    error_init(&err, serving->arena);
    serve(serving, &req, &err);
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
    /* A short message is inside its zmq_msg_t: pointers into it must follow the move. */
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

void bus_serve_request(struct bus_socket *socket, uint32_t route, const struct bus_incoming *in,
                       zmq_msg_t *message)
{
    struct bus *self = socket->bus;

    ++*self->requests;
    if (!bus_listener_admits(self, in->boot))
        answer_refused(socket, route, in->id);
    else if (in->mono_ms <= loop_mono_ms(self->loop))
        bus_drop(self, self->expired, NULL);
    else if (self->serving >= self->options->serve_max)
        overloaded(socket, route, in->id);
    else
        serve_begin(socket, route, in, message);
    zmq_msg_close(message);
}

struct spans *bus_spans(const struct bus *self)
{
    return self->options->spans;
}

size_t bus_serving(const struct bus *self)
{
    return self->serving;
}

void bus_serve_free(struct bus *self)
{
    while (self->spare) {
        struct bus_serving *serving = self->spare;

        self->spare = serving->next;
        arena_destroy(&serving->arena);
        free(serving);
    }
}
