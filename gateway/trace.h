/*
 * trace.h - the id that follows a request through every log line.
 */
#ifndef ATRIUM_GATEWAY_TRACE_H
#define ATRIUM_GATEWAY_TRACE_H

#include "common/base.h"

enum { TRACE_SIZE = 65 };

/* Source of ids for requests that bring none. */
struct trace_source {
    uint64_t prefix, next;
};
void trace_source_init(struct trace_source *self);

/* The client's X-Request-Id when it is sane ([A-Za-z0-9._-], 1-64 characters), else the trace id of its
 * traceparent (W3C Trace Context, section 3.2), else a new one. Both headers may be NULL. */
void trace_choose(struct trace_source *self, const char *request_id, const char *traceparent,
                  char ret[static TRACE_SIZE]);

#endif
