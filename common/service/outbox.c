/*
 * outbox.c - the fiber that relays the outbox table's rows, see outbox.h.
 *
 * A batch of due rows is claimed under a lease, called in order and settled by one statement. After
 * a failure the lease expires, and the rows are due again. Rows for a service without instances are
 * not claimed.
 */
#include "common/service/outbox.h"

#include <assert.h>
#include <stdio.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/memory.h"
#include "common/service/sql/outbox.h"

enum {
    BATCH = 64,
    LEASE_MS = 3000, /* a dead instance's rows are relayed after this and a pause */
    CALL_MS = 2000,
    PAUSE_MS = 1000,
    RETRY_MIN_MS = 200,
    RETRY_MAX_MS = 60000,
    LOOK_MS = 5000,       /* between measurements of the oldest row */
    REFUSED_MS = 3600000, /* retry after a rejection: its cause may be mended by then */
    METHOD_NAME_SIZE = 96,
    ARRAY_ITEM = 36, /* a uuid's characters; numbers are shorter */
};

#define TRACE_MEMBER "traceparent"

enum fate { FATE_DELIVERED, FATE_AGAIN, FATE_REFUSED };

struct outbox {
    struct loop *loop;
    struct db *db;
    struct bus *bus;
    const struct bus_method *const *methods;
    const struct seal_keys *keys;
    struct fiber_queue idle, ended;
    bool kicked, stopping, running;
    int64_t retry_mono_ms; /* when the first retry is due that this instance put off */
    int64_t look_mono_ms;  /* next measurement */
    int64_t *waiting_s;
    uint64_t *delivered, *failed, *refused;
};

/* ---- rows ---- */

static void method_name(const struct bus_method *method, char name[static METHOD_NAME_SIZE])
{
    snprintf(name, METHOD_NAME_SIZE, "%s.%s", method->service, method->operation);
}

/* Adds the trace to a traced request's body, in a member that receivers ignore. */
static void add_trace(const struct outbox *self, struct codec_buffer *map)
{
    const struct activity *activity = activity_current(self->loop);
    char traceparent[TRACEPARENT_SIZE];
    msgpack_packer packer;

    /* The first byte of a map of up to 14 members has their number. */
    if (!activity || !activity->spans || (map->bytes[0] & 0xf0) != 0x80 || map->bytes[0] == 0x8f)
        return;
    map->bytes[0]++;
    traceparent_write(&activity->context, traceparent);
    msgpack_packer_init(&packer, map, codec_write);
    codec_pack_text(&packer, TRACE_MEMBER);
    codec_pack_text(&packer, traceparent);
}

struct sql_outbox outbox_row(struct outbox *self, struct arena *arena,
                             const struct bus_method *method, struct uuid id, const void *in)
{
    struct codec_buffer buffer;
    struct sealed body;
    char name[METHOD_NAME_SIZE];

    codec_buffer_init(&buffer, arena);
    fields_pack(method->input, in, &buffer);
    add_trace(self, &buffer);
    method_name(method, name);
    body = seal_value(arena, self->keys, "outbox", buffer.bytes, buffer.size);
    explicit_bzero(buffer.bytes, buffer.size);
    return (struct sql_outbox){
        .id = id,
        .method = arena_strdup(arena, name),
        .body = {body.bytes, body.size},
        .at = clock_real_ms(),
    };
}

void outbox_wake(struct outbox *self)
{
    self->kicked = true;
    fiber_queue_wake_one(&self->idle);
}

int outbox_state(struct outbox *self, const struct request *req, struct outbox_state *ret,
                 struct error *err)
{
    struct sql_outbox_oldest_row row;

    if (sql_outbox_oldest(self->db, req, &row, err) < 0)
        return -1;
    *ret = (struct outbox_state){.waiting = row.waiting,
                                 .oldest_at = row.oldest_at ? *row.oldest_at : 0};
    return 0;
}

/* ---- relaying ---- */

static const struct bus_method *find_method(const struct outbox *self, const char *name)
{
    char known[METHOD_NAME_SIZE];

    for (const struct bus_method *const *method = self->methods; *method; method++) {
        method_name(*method, known);
        if (strcmp(known, name) == 0)
            return *method;
    }
    return NULL;
}

/* Returns methods of services without instances; text NULL if that is all. */
static struct db_array absent_methods(const struct outbox *self, struct arena *arena)
{
    struct db_array absent;
    size_t count = 0;
    bool any = false;
    char name[METHOD_NAME_SIZE];

    while (self->methods[count])
        count++;
    absent = db_array_new(arena, count, METHOD_NAME_SIZE);
    for (const struct bus_method *const *method = self->methods; *method; method++) {
        if (bus_has_peer(self->bus, (*method)->service)) {
            any = true;
            continue;
        }
        method_name(*method, name);
        db_array_add(&absent, name);
    }
    if (!any)
        absent.text = NULL;
    return absent;
}

/* True if the receiver blames the request, so that a retry will not help. */
static bool is_refusal(enum error_code code)
{
    int status = error_kind(code)->status;

    return status >= 400 && status < 500 && code != ERR_THROTTLED;
}

static enum fate refused(const struct sql_outbox_claim_row *claim, const struct error *err)
{
    log_event(LOG_ERR, "outbox", "row rejected, kept for later", "id", claim->id.text, "method",
              claim->method, "code", error_kind(err->code)->wire, "why", err->message, NULL);
    return FATE_REFUSED;
}

static struct activity activity_of(const struct outbox *self,
                                   const struct sql_outbox_claim_row *claim, const uint8_t *plain,
                                   size_t size, struct arena *arena)
{
    struct activity activity = {
        .request_id = claim->id.text, .operation = claim->method, .state = ""};
    const msgpack_object *member;
    msgpack_object map;
    struct error err;

    error_init(&err, arena);
    if (codec_unpack_in_place((const char *)plain, size, arena, &map, &err) < 0)
        return activity;
    member = codec_member(&map, TRACE_MEMBER);
    if (member && member->type == MSGPACK_OBJECT_STR &&
        traceparent_read(arena_strndup(arena, member->via.str.ptr, member->via.str.size),
                         &activity.context) == 0 &&
        activity.context.sampled)
        activity.spans = bus_spans(self->bus);
    return activity;
}

static struct request own_request(struct arena *arena, const char *trace, int64_t deadline_mono_ms)
{
    return (struct request){.arena = arena,
                            .service = "",
                            .trace = trace,
                            .address = "",
                            .userAgent = "",
                            .now_ms = clock_real_ms(),
                            .deadline_mono_ms = deadline_mono_ms};
}

static enum fate deliver(struct outbox *self, const struct sql_outbox_claim_row *claim,
                         struct arena *arena, int64_t deadline_mono_ms)
{
    const struct bus_method *method = find_method(self, claim->method);
    struct request req = own_request(arena, claim->id.text, deadline_mono_ms);
    struct activity activity;
    msgpack_object answer;
    struct error err;
    uint8_t *plain;
    size_t size;
    int rc;

    error_init(&err, arena);
    if (!method) {
        error_set(&err, ERR_NOT_FOUND, "no such method in this build");
        return refused(claim, &err);
    }
    if (seal_open(arena, self->keys, "outbox", (struct sealed){claim->body.bytes, claim->body.size},
                  &plain, &size) < 0) {
        error_set(&err, ERR_BAD_REQUEST, "sealed with another key");
        return refused(claim, &err);
    }
    activity = activity_of(self, claim, plain, size, arena);
    activity_enter(self->loop, &activity);
    rc = bus_call_packed(self->bus, method, &req, plain, size, &answer, &err);
    activity_enter(self->loop, NULL);
    explicit_bzero(plain, size);
    if (rc == 0)
        return FATE_DELIVERED;
    return is_refusal(err.code) ? refused(claim, &err) : FATE_AGAIN;
}

static void settle_row(struct outbox *self, struct sql_outbox_settle_in *settlement,
                       const struct sql_outbox_claim_row *claim, enum fate fate)
{
    int64_t delay_ms = REFUSED_MS;

    if (fate == FATE_DELIVERED) {
        ++*self->delivered;
        db_array_add(&settlement->delivered, claim->id.text);
        return;
    }
    ++*(fate == FATE_REFUSED ? self->refused : self->failed);
    if (fate == FATE_AGAIN) {
        delay_ms = RETRY_MIN_MS << MIN(claim->attempts - 1, (int64_t)20);
        delay_ms = MIN(delay_ms, (int64_t)RETRY_MAX_MS);
        self->retry_mono_ms = MIN(self->retry_mono_ms, loop_mono_ms(self->loop) + delay_ms);
    }
    db_array_add(&settlement->again, claim->id.text);
    db_array_add_int(&settlement->again_at, clock_real_ms() + delay_ms);
}

/* Relays claimed rows while the lease holds; others become due after it. */
static int relay_rows(struct outbox *self, const struct sql_outbox_claim_rows *rows,
                      struct arena *arena, int64_t lease_mono_ms, struct error *err)
{
    CLEANUP(arena_destroy) struct arena *scratch = arena_new();
    struct sql_outbox_settle_in settlement = {
        .delivered = db_array_new(arena, rows->count, ARRAY_ITEM),
        .again = db_array_new(arena, rows->count, ARRAY_ITEM),
        .again_at = db_array_new(arena, rows->count, ARRAY_ITEM),
    };
    struct request req;

    for (size_t i = 0; i < rows->count && !self->stopping; i++) {
        const struct sql_outbox_claim_row *claim = &rows->items[i];
        int64_t now_ms = clock_mono_ms();

        if (now_ms >= lease_mono_ms)
            break;
        arena_reset(scratch);
        settle_row(self, &settlement, claim,
                   deliver(self, claim, scratch, MIN(lease_mono_ms, now_ms + CALL_MS)));
    }
    req = own_request(arena, "", clock_mono_ms() + CALL_MS);
    return sql_outbox_settle(self->db, &req, &settlement, err) < 0 ? -1 : 0;
}

static int relay_batch(struct outbox *self, struct error *err)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    int64_t lease_mono_ms = clock_mono_ms() + LEASE_MS;
    struct request req = own_request(arena, "", clock_mono_ms() + CALL_MS);
    struct sql_outbox_claim_in claim = {.now = req.now_ms,
                                        .lease_until = req.now_ms + LEASE_MS,
                                        .count = BATCH,
                                        .absent = absent_methods(self, arena)};
    struct sql_outbox_claim_rows rows;

    if (!claim.absent.text)
        return 0;
    if (sql_outbox_claim(self->db, &req, &claim, &rows, err) < 0)
        return -1;
    if (rows.count > 0 && relay_rows(self, &rows, arena, lease_mono_ms, err) < 0)
        return -1;
    return (int)rows.count;
}

/* Measures how long the oldest row has waited, also for an absent receiver. */
static int look_at_oldest(struct outbox *self, struct error *err)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    struct request req = own_request(arena, "", clock_mono_ms() + CALL_MS);
    int64_t now_mono_ms = clock_mono_ms();
    struct outbox_state state;

    if (now_mono_ms < self->look_mono_ms)
        return 0;
    self->look_mono_ms = now_mono_ms + LOOK_MS;
    if (outbox_state(self, &req, &state, err) < 0)
        return -1;
    *self->waiting_s =
        state.waiting == 0 ? 0 : MAX(clock_real_ms() - state.oldest_at, (int64_t)0) / 1000;
    return 0;
}

/* Logs a wrong statement once. An absent database is logged by db.c. */
static void log_failure(const struct error *err)
{
    if (err->code == ERR_INTERNAL)
        log_event(LOG_ERR, "outbox", "cannot relay", "detail", err->detail, NULL);
}

static void relay(void *arg)
{
    struct outbox *self = arg;
    enum fiber_wake wake = FIBER_WOKEN;
    struct error err;

    while (!self->stopping && wake != FIBER_CANCELLED) {
        int64_t until;
        int rows;

        self->kicked = false;
        self->retry_mono_ms = INT64_MAX;
        error_init(&err, NULL);
        rows = look_at_oldest(self, &err) < 0 ? -1 : relay_batch(self, &err);
        if (rows < 0)
            log_failure(&err);
        else if (rows == BATCH)
            continue;
        if (self->stopping || (self->kicked && rows >= 0))
            continue;
        until = MIN(clock_mono_ms() + PAUSE_MS, self->retry_mono_ms);
        wake = fiber_queue_wait(self->loop, &self->idle, until);
    }
    self->running = false;
    fiber_queue_wake_all(&self->ended);
}

struct outbox *outbox_new(struct loop *loop, struct db *db, struct bus *bus,
                          struct metrics *metrics, const struct bus_method *const *methods,
                          const struct seal_keys *keys)
{
    struct outbox *self = memory_new(sizeof(*self));
    struct error err;

    *self = (struct outbox){
        .loop = loop,
        .db = db,
        .bus = bus,
        .methods = methods,
        .keys = keys,
        .running = true,
        .waiting_s = metrics_gauge_cell(metrics, "atrium_outbox_waiting_seconds",
                                        "How long the oldest row has waited for its receiver."),
        .delivered = metrics_counter(metrics, "atrium_outbox_delivered_total", "",
                                     "Rows that their receiver accepted."),
        .failed = metrics_counter(metrics, "atrium_outbox_failed_total", "",
                                  "Attempts that will be repeated soon."),
        .refused = metrics_counter(metrics, "atrium_outbox_refused_total", "",
                                   "Attempts that the receiver rejected."),
    };
    db_extend_sql(db, service_outbox_sql);
    error_init(&err, NULL);
    if (fiber_start(loop, relay, self, &err) < 0)
        log_die("outbox", "no fiber for the relay");
    return self;
}

void outbox_destroy(struct outbox **self_p)
{
    struct outbox *self = TAKE_PTR(*self_p);

    if (!self)
        return;
    self->stopping = true;
    outbox_wake(self);
    while (self->running && fiber_self(self->loop))
        if (fiber_queue_wait(self->loop, &self->ended, clock_mono_ms() + LEASE_MS) ==
            FIBER_CANCELLED)
            break;
    assert(!self->running);
    free(self);
}
