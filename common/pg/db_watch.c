/* db_watch.c - logs slow statements and records traced ones' spans, for db.c. */
#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/pg/db_private.h"
#include "common/runtime/span.h"

enum { SLOW_LINES_MAX = 20 }; /* per second, because a stalled database makes all statements slow */

static const char *name_of(const struct db_call *call)
{
    return call->statement ? call->statement->name : call->text;
}

static int64_t wait_us(const struct db_call *call, int64_t now_us)
{
    return (call->sent_us ? call->sent_us : now_us) - call->started_us;
}

static bool may_log(struct db *self, int64_t now_us)
{
    if (self->slow_log.second != now_us / 1000000) {
        self->slow_log.second = now_us / 1000000;
        self->slow_log.lines = 0;
    }
    if (self->slow_log.lines++ < SLOW_LINES_MAX)
        return true;
    self->slow_log.suppressed++;
    return false;
}

static void log_slow(struct db *self, const struct db_call *call, const struct activity *activity,
                     const struct error *err, int64_t now_us)
{
    int64_t waited_us = wait_us(call, now_us), all_us = now_us - call->started_us;
    const struct log_field fields[] = {
        LOG_TEXT("statement", name_of(call)),
        LOG_NUMBER("ms", all_us / 1000),
        LOG_NUMBER("wait_ms", waited_us / 1000),
        LOG_NUMBER("run_ms", (all_us - waited_us) / 1000),
        LOG_TEXT("code", err ? error_kind(err->code)->wire : NULL),
        LOG_TEXT("operation", activity && activity->operation[0] ? activity->operation : NULL),
        LOG_TEXT("trace", activity && activity->request_id[0] ? activity->request_id : NULL),
        LOG_NUMBER("suppressed", self->slow_log.suppressed),
    };

    /* The last field is optional. */
    log_fields(LOG_WARNING, "slow", "slow statement", fields,
               ARRAY_SIZE(fields) - (self->slow_log.suppressed == 0));
    self->slow_log.suppressed = 0;
}

static void record(const struct db *self, const struct db_call *call, struct activity *activity,
                   const struct error *err, int64_t now_us)
{
    struct span span;

    span_begin_at(&span, activity, SPAN_CLIENT, name_of(call), call->started_us);
    span_text(&span, "db.system.name", "postgresql");
    span_text(&span, "db.namespace", self->options->schema);
    span_text(&span, "db.operation.name", name_of(call));
    span_number(&span, "atrium.db.wait_us", wait_us(call, now_us));
    if (err)
        span_fail(&span, error_kind(err->code)->wire);
    span_end(&span);
}

void db_set_slow(struct db *self, int64_t us)
{
    self->slow_us = us;
}

void db_watch(struct db *self, const struct db_call *call, const struct error *err)
{
    struct activity *activity = activity_current(self->loop);
    bool traced = activity && activity->spans;
    int64_t now_us;

    if (call->kind == CALL_VERIFY || call->kind == CALL_SCRIPT || (!traced && self->slow_us == 0))
        return;
    now_us = clock_mono_us();
    if (traced)
        record(self, call, activity, err, now_us);
    if (self->slow_us == 0 || now_us - call->started_us <= self->slow_us)
        return;
    ++*self->count_slow;
    if (may_log(self, now_us))
        log_slow(self, call, activity, err, now_us);
}
