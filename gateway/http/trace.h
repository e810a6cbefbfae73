/*
 * trace.h - the id that follows a request through every log line, and which requests are traced.
 */
#ifndef ATRIUM_GATEWAY_HTTP_TRACE_H
#define ATRIUM_GATEWAY_HTTP_TRACE_H

#include "common/base/trace_context.h"

enum { TRACE_SIZE = 65 };

/* Source of ids for requests that bring none. */
struct trace_source {
    uint64_t prefix, next;
};
void trace_source_init(struct trace_source *self);

/* The client's X-Request-Id when it is sane ([A-Za-z0-9._-], 1-64 characters), else the trace id of
 * its traceparent, else a new one. Both may be NULL. */
void trace_choose(struct trace_source *self, const char *request_id,
                  const struct trace_context *parent, char ret[static TRACE_SIZE]);

/* Whether a request is traced. Whom trusted_proxies name decides it for its own requests; for
 * others chance does, by `sample` in millionths: a client cannot have more traced. */
struct trace_wish {
    const struct trace_context *parent; /* the client's; NULL: none */
    bool trusted;
    int64_t sample;
    const char *request_id; /* as trace_choose() gave it */
};

/* The trace that the request's span belongs to; not sampled: none. The trace is the client's, else
 * named by the request's id where that is one, else new. */
struct trace_context trace_sample(struct trace_source *self, const struct trace_wish *wish);

#endif
