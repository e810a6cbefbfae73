/*
 * bus_call.c - the caller's side of a call.
 *
 * The arguments stay on the fiber's stack, so a retry encodes them again. An id is a slot's index
 * with a counter in the upper half, so a late answer finds no call.
 */
#include "common/base/memory.h"
#include "common/bus/bus_private.h"

enum { SLOTS_FIRST = 64, SLOT_NONE = UINT32_MAX };

/* The call's input: a struct with its table, or a packed map. */
struct question {
    const struct bus_method *method;
    const struct request *req;
    const void *in;
    size_t size;      /* packed size; SIZE_MAX: a struct */
    const char *peer; /* required instance, or NULL */
    const struct span *span;
};

/* ---- slots ---- */

static void slots_grow(struct bus *self)
{
    uint32_t count = self->slot_count == 0 ? SLOTS_FIRST : self->slot_count * 2;

    self->slots = memory_resize(self->slots, count, sizeof(*self->slots));
    for (uint32_t i = self->slot_count; i < count; i++)
        self->slots[i] =
            (struct bus_slot){.id = i, .next_free = i + 1 == count ? SLOT_NONE : i + 1};
    self->slot_free = self->slot_count;
    self->slot_count = count;
}

/* fiber.h bounds the number of waiting fibers, hence of slots. */
static void slot_acquire(struct bus *self, struct bus_call *call)
{
    struct bus_slot *slot;

    if (self->slot_count == 0 || self->slot_free == SLOT_NONE)
        slots_grow(self);
    slot = &self->slots[self->slot_free];
    self->slot_free = slot->next_free;
    slot->id += (uint64_t)1 << 32;
    slot->call = call;
    call->id = slot->id;
}

static void slot_give(struct bus *self, const struct bus_call *call)
{
    uint32_t index = (uint32_t)call->id;

    self->slots[index].call = NULL;
    self->slots[index].next_free = self->slot_free;
    self->slot_free = index;
}

static struct bus_call *slot_find(const struct bus *self, uint64_t id)
{
    uint32_t index = (uint32_t)id;

    return index < self->slot_count && self->slots[index].id == id ? self->slots[index].call : NULL;
}

/* ---- the life of a call ---- */

static void call_begin(struct bus *self, struct bus_call *call, struct bus_peer *peer,
                       zmq_msg_t *answer)
{
    *call = (struct bus_call){.peer = peer, .fiber = fiber_self(self->loop), .answer = answer};
    slot_acquire(self, call);
    call->next = peer->calls;
    call->link = &peer->calls;
    if (call->next)
        call->next->link = &call->next;
    peer->calls = call;
    peer->outstanding++;
}

/* Removes the call from its slot, and from its peer, which can die before the fiber runs.
 * Idempotent. */
void bus_call_finish(struct bus *self, struct bus_call *call, enum bus_outcome outcome)
{
    struct bus_peer *peer = call->peer;

    if (!peer)
        return;
    slot_give(self, call);
    *call->link = call->next;
    if (call->next)
        call->next->link = call->link;
    call->peer = NULL;
    call->outcome = outcome;
    if (outcome != BUS_PENDING)
        fiber_wake(call->fiber);
    peer->outstanding--;
    bus_peer_idle(peer);
}

void bus_call_answered(struct bus_peer *peer, const struct bus_incoming *incoming,
                       zmq_msg_t *message)
{
    struct bus *self = peer->bus;
    struct bus_call *call = slot_find(self, incoming->id);
    bool cannot = incoming->kind == BUS_ERROR && bus_error_is(incoming->error, ERR_UNAVAILABLE);

    if (!call || call->peer != peer) {
        bus_drop(self, self->late, NULL); /* normal after a deadline */
        zmq_msg_close(message);
        return;
    }
    if (incoming->kind == BUS_REFUSED) {
        zmq_msg_close(message);
        peer->boot = incoming->boot; /* on the same connection, so from the same process */
        bus_call_finish(self, call, BUS_WAS_REFUSED);
        return;
    }
    if (cannot)
        peer->degraded_until_ms = clock_mono_ms() + BUS_DEGRADED_MS;
    zmq_msg_move(call->answer, message);
    zmq_msg_close(message);
    bus_call_finish(self, call, cannot ? BUS_UNAVAILABLE : BUS_ANSWERED);
}

/* ---- choosing ---- */

static struct bus_upstream *upstream_find(const struct bus *self, const char *service)
{
    for (size_t i = 0; i < self->upstream_count; i++)
        if (strcmp(self->upstreams[i].service, service) == 0)
            return &self->upstreams[i];
    return NULL;
}

static int no_instance(const struct bus_upstream *upstream, struct error *err)
{
    error_retry(err, ERR_UNAVAILABLE, 1, "The service is temporarily unavailable.");
    return error_detail(err, "no instance of %s", upstream->service);
}

static bool is_degraded(const struct bus_peer *peer)
{
    return peer->degraded_until_ms > clock_mono_ms();
}

/* Compares two instances. Degraded ones come last: without a database, for example, they fail
 * fastest and would attract every request. */
static bool is_better(const struct bus_peer *peer, const struct bus_peer *than)
{
    if (is_degraded(peer) != is_degraded(than))
        return is_degraded(than);
    return peer->outstanding < than->outstanding;
}

/* Returns the healthy instance with the fewest requests in flight; equally busy instances take
 * turns. */
static int choose(const struct bus *self, struct bus_upstream *upstream, const char *name,
                  struct bus_peer **ret, struct error *err)
{
    struct bus_peer *best = NULL;
    size_t turn = upstream->turn++;

    for (size_t i = 0; i < upstream->count; i++) {
        struct bus_peer *peer = upstream->peers[(turn + i) % upstream->count];

        if (peer->state != PEER_READY || (name && strcmp(peer->name, name) != 0))
            continue;
        if (!best || is_better(peer, best))
            best = peer;
    }
    if (!best)
        return no_instance(upstream, err);
    if (best->outstanding >= self->options->peer_max) {
        error_retry(err, ERR_OVERLOADED, 1, "The service is overloaded.");
        return error_detail(err, "%zu requests in flight to %s", best->outstanding, best->name);
    }
    *ret = best;
    return 0;
}

/* ---- sending and waiting ---- */

static void write_trace(struct codec_buffer *frame, const struct span *span)
{
    char traceparent[TRACEPARENT_SIZE];

    traceparent_write(&span->context, traceparent);
    bus_write_text(frame, traceparent, BUS_TRACEPARENT_MAX);
    bus_write_text(frame, span->state, TRACESTATE_MAX);
}

static void write_call_body(struct bus *self, const struct question *question,
                            const struct bus_call *call, const struct bus_peer *peer)
{
    bool traced = question->span->activity && peer->knows_traces;
    const struct request *req = question->req;
    struct codec_buffer *frame = &self->frame;

    if (traced)
        bus_write_version(frame, BUS_VERSION_TRACED, BUS_REQUEST, call->id, 10);
    else
        bus_write(frame, BUS_REQUEST, call->id, 8);
    bus_write_uint(frame, peer->boot);
    bus_write_text(frame, question->method->operation, BUS_OPERATION_MAX);
    bus_write_int(frame, MIN(req->deadline_mono_ms, INT64_MAX / 2) + peer->offset_ms);
    bus_write_text(frame, req->trace, BUS_TRACE_MAX);
    bus_write_text(frame, req->address, BUS_ADDRESS_MAX);
    bus_write_text(frame, req->userAgent, BUS_AGENT_MAX);
    /* Instances believe only the gateway about users. */
    if (req->caller && strcmp(self->options->service, BUS_GATEWAY) == 0)
        bus_write_fields(frame, &caller_table, req->caller);
    else
        bus_write_bytes(frame, NULL, 0);
    if (question->method->flags & R_PROJECT)
        bus_write_of_project(frame, question->method->input, question->in, req);
    else if (question->size == SIZE_MAX)
        bus_write_fields(frame, question->method->input, question->in);
    else
        bus_write_bytes(frame, question->in, question->size);
    if (traced)
        write_trace(frame, question->span);
}

static int call_wait(struct bus *self, struct bus_call *call, int64_t deadline, struct error *err)
{
    while (call->outcome == BUS_PENDING) {
        enum fiber_wake wake = fiber_park(self->loop, deadline);

        if (call->outcome != BUS_PENDING || wake == FIBER_WOKEN)
            continue;
        bus_call_finish(self, call, BUS_PENDING);
        if (wake == FIBER_TIMEOUT)
            return error_set(err, ERR_DEADLINE, "The request took too long. Please try again.");
        return fiber_wake_error(FIBER_CANCELLED, err);
    }
    return 0;
}

/* Returns -1 if the call failed and another try makes no sense. */
static int call_once(struct bus *self, const struct question *question, struct bus_peer *peer,
                     zmq_msg_t *answer, enum bus_outcome *ret, struct error *err)
{
    struct bus_call call;

    call_begin(self, &call, peer, answer);
    write_call_body(self, question, &call, peer);
    if (self->frame.size > CODEC_FRAME_MAX) {
        bus_call_finish(self, &call, BUS_PENDING);
        return error_set(err, ERR_TOO_LARGE, "The request is too large.");
    }
    if (bus_send(self, peer->dealer, NULL) < 0) {
        bus_call_finish(self, &call, BUS_PENDING);
        bus_peer_lost(peer, "cannot send");
        *ret = BUS_WAS_REFUSED; /* the request was not sent, so it can be retried */
        return 0;
    }
    if (call_wait(self, &call, question->req->deadline_mono_ms, err) < 0)
        return -1;
    *ret = call.outcome;
    return 0;
}

static void close_message(void *message)
{
    zmq_msg_close(message);
}

/* Uses the request's arena: texts of a packed answer point into the message. */
static zmq_msg_t *message_new(struct arena *arena)
{
    zmq_msg_t *message = arena_alloc(arena, sizeof(*message));

    zmq_msg_init(message);
    arena_on_destroy(arena, close_message, message);
    return message;
}

/* True if a failed read is worth a retry on another instance. */
static bool others_are_healthy(const struct bus_upstream *upstream, const struct question *question)
{
    if (!(question->method->flags & R_SAFE) || question->peer)
        return false;
    for (size_t i = 0; i < upstream->count; i++)
        if (upstream->peers[i]->state == PEER_READY && !is_degraded(upstream->peers[i]))
            return true;
    return false;
}

static int call_until_answered(struct bus *self, struct bus_upstream *upstream,
                               const struct question *question, zmq_msg_t *answer,
                               struct error *err)
{
    struct bus_peer *peer = NULL;
    enum bus_outcome outcome = BUS_PENDING;

    for (int tries = 0; tries < BUS_TRIES_MAX; tries++) {
        if (clock_mono_ms() >= question->req->deadline_mono_ms)
            return error_set(err, ERR_DEADLINE, "The request took too long. Please try again.");
        if (choose(self, upstream, question->peer, &peer, err) < 0 ||
            call_once(self, question, peer, answer, &outcome, err) < 0)
            return -1;
        if (outcome == BUS_ANSWERED ||
            (outcome == BUS_UNAVAILABLE && !others_are_healthy(upstream, question)))
            return 0;
        if (outcome == BUS_LOST && !(question->method->flags & R_SAFE)) {
            error_retry(err, ERR_UNAVAILABLE, 1, "The service is temporarily unavailable.");
            return error_detail(err, "%s was lost while it served", upstream->service);
        }
        ++*upstream->resent;
    }
    return no_instance(upstream, err);
}

static int broken_answer(struct bus *self, const struct bus_method *method, struct error *err)
{
    bus_drop(self, self->malformed, "answer does not fit");
    error_clear(err);
    error_set(err, ERR_INTERNAL, "Internal error.");
    return error_detail(err, "%s.%s answered with something else", method->service,
                        method->operation);
}

static int read_answer(struct bus *self, const struct question *question, zmq_msg_t *answer,
                       msgpack_object *ret, struct error *err)
{
    struct bus_incoming in;

    if (bus_read(zmq_msg_data(answer), zmq_msg_size(answer), &in) < 0)
        return broken_answer(self, question->method, err);
    if (in.kind == BUS_ERROR) {
        if (bus_read_error(&in.error, err) < 0)
            return broken_answer(self, question->method, err);
        return -1;
    }
    if (codec_unpack_in_place(in.body.bytes, in.body.size, question->req->arena, ret, err) < 0 ||
        ret->type != MSGPACK_OBJECT_MAP)
        return broken_answer(self, question->method, err);
    bus_read_limit(ret, err);
    return 0;
}

static int ask_service(struct bus *self, struct bus_upstream *upstream,
                       const struct question *question, int64_t start_us, msgpack_object *ret,
                       struct error *err)
{
    zmq_msg_t *answer = message_new(question->req->arena);

    ++*upstream->calls;
    if (call_until_answered(self, upstream, question, answer, err) < 0) {
        ++*upstream->failures;
        return -1;
    }
    histogram_add(upstream->latency, clock_mono_us() - start_us);
    return read_answer(self, question, answer, ret, err);
}

static void span_describe(struct span *span, const struct bus_method *method)
{
    span_text(span, "rpc.system", "atrium");
    span_text(span, "rpc.service", method->service);
    span_text(span, "rpc.method", method->operation);
}

static int ask(struct bus *self, const struct question *question, msgpack_object *ret,
               struct error *err)
{
    struct bus_upstream *upstream = upstream_find(self, question->method->service);
    struct activity *activity = activity_current(self->loop);
    int64_t start_us = clock_mono_us();
    struct question traced = *question;
    struct span span;
    int result;

    if (!upstream) {
        error_set(err, ERR_INTERNAL, "Internal error.");
        return error_detail(err, "%s is not among the services asked", question->method->service);
    }
    span_begin_at(&span, activity, SPAN_CLIENT, question->method->operation, start_us);
    span_describe(&span, question->method);
    traced.span = &span;
    result = ask_service(self, upstream, &traced, start_us, ret, err);
    if (result < 0)
        span_fail(&span, error_kind(err->code)->wire);
    span_end(&span);
    activity_count_call(activity, upstream->service, clock_mono_us() - start_us);
    return result;
}

static int ask_struct(struct bus *self, const struct question *question, void *out,
                      struct error *err)
{
    msgpack_object body;

    if (ask(self, question, &body, err) < 0)
        return -1;
    if (fields_unpack(question->method->output, &body, question->req->arena, out, err) < 0)
        return broken_answer(self, question->method, err);
    return 0;
}

int bus_call(struct bus *self, const struct bus_method *method, const struct request *req,
             const void *in, void *out, struct error *err)
{
    const struct question question = {.method = method, .req = req, .in = in, .size = SIZE_MAX};

    return ask_struct(self, &question, out, err);
}

int bus_call_instance(struct bus *self, const char *peer, const struct bus_method *method,
                      const struct request *req, const void *in, void *out, struct error *err)
{
    const struct question question = {
        .method = method, .req = req, .in = in, .size = SIZE_MAX, .peer = peer};

    return ask_struct(self, &question, out, err);
}

int bus_call_packed(struct bus *self, const struct bus_method *method, const struct request *req,
                    const void *body, size_t size, msgpack_object *ret_body, struct error *err)
{
    const struct question question = {.method = method, .req = req, .in = body, .size = size};

    return ask(self, &question, ret_body, err);
}
