/*
 * span.h - fibers' activities and their spans (OpenTelemetry).
 *
 * A sampled request carries its trace over the bus (WIRE.md). Each process records ended spans in a
 * ring, which the gateway empties (service_spans) and exports; a full ring drops spans. Attributes
 * follow the semantic conventions without personal data: names of routes, operations and
 * statements, never a path, query, parameter or id.
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

struct span_ended;
typedef void spans_each_fn(void *arg, const struct span_ended *ended);

/* Removes up to SPANS_TAKEN_MAX of the oldest spans, calling `each`. */
size_t spans_drain(struct spans *self, spans_each_fn *each, void *arg);

/* Counts removed spans that no receiver got. */
void spans_count_dropped(struct spans *self, size_t count);

/* ---- activities ---- */

enum { ACTIVITY_SERVICES_MAX = 8 };

struct activity {
    const char *request_id; /* or "" */
    const char *operation;  /* operation, route or task; or "" */
    struct spans *spans;    /* NULL: not sampled */
    struct trace_context context;
    const char *state; /* tracestate or "" */
    /* Calls to other services, for the log of slow requests. */
    struct {
        const char *service;
        int64_t count, us;
    } calls[ACTIVITY_SERVICES_MAX];
};

struct activity *activity_current(const struct loop *loop);

/* Sets the running fiber's activity; NULL ends it. */
void activity_enter(struct loop *loop, struct activity *activity);

void activity_count_call(struct activity *activity, const char *service, int64_t us);

/* ---- one span ---- */

enum span_kind { /* OTLP's numbers */
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
    struct activity *activity; /* NULL: not recorded, rest unset */
    struct spans *spans;
    struct trace_context context; /* span_id: of this span */
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
    char *state; /* copy or NULL */
    int64_t start_ns, end_ns;
};

/* Begins a child of the innermost span (NULL: nothing). Texts must be literals or table rows, which
 * are borrowed until the ring is emptied. */
void span_begin(struct span *self, struct activity *activity, enum span_kind kind,
                const char *name);

/* Like span_begin(), with an earlier start (clock_mono_us()). */
void span_begin_at(struct span *self, struct activity *activity, enum span_kind kind,
                   const char *name, int64_t start_us);

/* Makes it the parent of spans that begin before span_end(). */
void span_enter(struct span *self);

/* Adds an attribute, unless text is NULL or SPAN_ATTRIBUTES_MAX are set. */
void span_text(struct span *self, const char *key, const char *text);
void span_number(struct span *self, const char *key, int64_t number);

/* Sets server.address to a copy, cut to size. */
void span_host(struct span *self, const char *host);

/* Sets error.type and status ERROR. */
void span_fail(struct span *self, const char *type);
void span_end(struct span *self);

#endif
