/* trace.h - the id that follows a request through every log line, and which requests are traced. */
#ifndef ATRIUM_GATEWAY_HTTP_TRACE_H
#define ATRIUM_GATEWAY_HTTP_TRACE_H

#include "common/base/trace_context.h"

enum { TRACE_SIZE = 65 };

/* Source of ids for requests that bring none. */
struct trace_source {
    uint64_t prefix, next;
};
void trace_source_init(struct trace_source *self);

/* The client's X-Request-Id if sane ([A-Za-z0-9._-], 1-64), else its trace id, else a new one. */
void trace_choose(struct trace_source *self, const char *request_id,
                  const struct trace_context *parent, char ret[static TRACE_SIZE]);

/* trusted_proxies decide for their requests; for others chance, by `sample` in millionths. */
struct trace_wish {
    const struct trace_context *parent; /* the client's; NULL: none */
    bool trusted;
    int64_t sample;
    const char *request_id; /* as trace_choose() gave it */
};

/* The trace of the request's span: the client's, else by its id, else new. Or unsampled. */
struct trace_context trace_sample(struct trace_source *self, const struct trace_wish *wish);

#endif
