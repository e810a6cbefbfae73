/* trace.h - request ids for the log, and the choice of traced requests. */
#ifndef ATRIUM_GATEWAY_HTTP_TRACE_H
#define ATRIUM_GATEWAY_HTTP_TRACE_H

#include "common/base/trace_context.h"

enum { TRACE_SIZE = 65 };

struct trace_source {
    uint64_t prefix, next;
};
void trace_source_init(struct trace_source *self);

/* Uses the client's X-Request-Id if valid ([A-Za-z0-9._-]{1,64}), otherwise its trace id, otherwise
 * a new one. */
void trace_choose(struct trace_source *self, const char *request_id,
                  const struct trace_context *parent, char ret[static TRACE_SIZE]);

/* Requests from trusted_proxies follow the proxy's choice; others are sampled by `sample`, in
 * millionths. */
struct trace_wish {
    const struct trace_context *parent; /* the client's, or NULL */
    bool trusted;
    int64_t sample;
    const char *request_id; /* from trace_choose() */
};

/* Returns the trace of the request's span: the client's, otherwise one from the request id,
 * otherwise a new one. Can be unsampled. */
struct trace_context trace_sample(struct trace_source *self, const struct trace_wish *wish);

#endif
