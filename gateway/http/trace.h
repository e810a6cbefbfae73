/* trace.h - request ids, and the choice of requests to trace. */
#ifndef ATRIUM_GATEWAY_HTTP_TRACE_H
#define ATRIUM_GATEWAY_HTTP_TRACE_H

#include "common/base/trace_context.h"

enum { TRACE_SIZE = 65 };

struct trace_source {
    uint64_t prefix, next;
};
void trace_source_init(struct trace_source *self);

/* Uses a valid X-Request-Id ([A-Za-z0-9._-], 1-64), or the client's trace id, or makes an id. */
void trace_choose(struct trace_source *self, const char *request_id,
                  const struct trace_context *parent, char ret[static TRACE_SIZE]);

/* A request from trusted_proxies with a traceparent is traced if that says so, any other with
 * probability `sample` / 1,000,000. */
struct trace_wish {
    const struct trace_context *parent; /* trace context of the client, or NULL */
    bool trusted;
    int64_t sample;
    const char *request_id;
};

/* Uses the client's trace id, or if possible the request id, or makes one. Can be unsampled. */
struct trace_context trace_sample(struct trace_source *self, const struct trace_wish *wish);

#endif
