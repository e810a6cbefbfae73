/*
 * span.h - what a fiber works on, and the spans of a trace (OpenTelemetry) that this makes.
 *
 * A sampled request carries its trace over the bus (WIRE.md). Each process records ended spans in a
 * ring, which the gateway empties (service_spans) and exports; it drops what does not fit, and no
 * caller waits. Attributes follow the semantic conventions without personal data: names of routes,
 * operations and statements, never a path, query, parameter or id.
 */
#ifndef ATRIUM_COMMON_RUNTIME_SPAN_H
#define ATRIUM_COMMON_RUNTIME_SPAN_H

#include "common/base/arena.h"
#include "common/base/metrics.h"
#include "common/base/trace_context.h"
#include "common/runtime/loop.h"

struct spans;

struct spans *spans_new(struct metrics *metrics);
void spans_destroy(struct spans **self_p);

enum { SPANS_MAX = 2048, SPANS_TAKEN_MAX = 512 };

/* Takes up to SPANS_TAKEN_MAX of the oldest spans out, calling `each`; returns their number. */
struct span_ended;
typedef void spans_each_fn(void *arg, const struct span_ended *ended);
size_t spans_drain(struct spans *self, spans_each_fn *each, void *arg);

/* Taken ones that reached no receiver. */
void spans_count_dropped(struct spans *self, size_t count);

/* ---- what a fiber works on ---- */

enum { ACTIVITY_SERVICES_MAX = 8 };

struct activity {
    const char *request_id; /* "" without one */
    const char *operation;  /* or the route, or the task; "" */
    struct spans *spans;    /* NULL: not sampled, no span is recorded */
    struct trace_context context;
    const char *state; /* tracestate; "" */
    /* What it took from others: for the log of slow requests. */
    struct {
        const char *service;
        int64_t count, us;
    } calls[ACTIVITY_SERVICES_MAX];
};

/* Of the running fiber; NULL: it has said nothing, or no fiber runs. */
struct activity *activity_current(const struct loop *loop);

/* The running fiber works on this until it ends or NULL is entered. */
void activity_enter(struct loop *loop, struct activity *activity);

/* Counts a call of another service; activity may be NULL. */
void activity_count_call(struct activity *activity, const char *service, int64_t us);

/* ---- one span ---- */

enum span_kind { /* numbers of OTLP */
                 SPAN_INTERNAL = 1,
                 SPAN_SERVER,
                 SPAN_CLIENT,
                 SPAN_PRODUCER,
                 SPAN_CONSUMER,
};

enum { SPAN_ATTRIBUTES_MAX = 8, SPAN_HOST_SIZE = 64 };

struct span_attribute {
    const char *key, *text; /* text NULL: a number */
    int64_t number;
};

struct span {
    struct activity *activity; /* NULL: not recorded; then nothing else is set */
    struct spans *spans;
    struct trace_context context; /* span_id: its own */
    uint8_t parent_id[SPAN_ID_BYTES];
    enum span_kind kind;
    const char *name, *state;
    int64_t start_us; /* monotonic */
    bool failed;
    size_t count;
    struct span_attribute attributes[SPAN_ATTRIBUTES_MAX];
    char host[SPAN_HOST_SIZE];
};

struct span_ended {
    struct span span;
    char *state; /* a copy; NULL: none */
    int64_t start_ns, end_ns;
};

/* Begins a child of the activity's innermost span (NULL: nothing). Texts are borrowed until the
 * ring was emptied: literals, rows of tables. */
void span_begin(struct span *self, struct activity *activity, enum span_kind kind,
                const char *name);

/* The same as of an earlier moment (clock_mono_us()). */
void span_begin_at(struct span *self, struct activity *activity, enum span_kind kind,
                   const char *name, int64_t start_us);

/* Makes it the innermost span of its activity: what begins before span_end() are its children. */
void span_enter(struct span *self);

/* Beyond SPAN_ATTRIBUTES_MAX attributes are left out; a text of NULL too. */
void span_text(struct span *self, const char *key, const char *text);
void span_number(struct span *self, const char *key, int64_t number);

/* server.address; copied, and cut. */
void span_host(struct span *self, const char *host);

/* error.type, and the status ERROR. */
void span_fail(struct span *self, const char *type);

void span_end(struct span *self);

#endif
