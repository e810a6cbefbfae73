/*
 * access_log.h - one line per answered request, written once per turn, for the journal immediately.
 *
 * A line has the route's template, never the URL, which can contain tokens. It has the client's
 * address, which is personal data, only if the operator enabled that.
 */
#ifndef ATRIUM_GATEWAY_HTTP_ACCESS_LOG_H
#define ATRIUM_GATEWAY_HTTP_ACCESS_LOG_H

#include "common/base/base.h"

enum { ACCESS_LOG_BUFFER_SIZE = 64 * 1024 };

struct access_log {
    size_t size;
    char buffer[ACCESS_LOG_BUFFER_SIZE];
};

struct access_line {
    const char *method, *route; /* `route`: template, or "-" */
    unsigned status;            /* 0: the client left before the answer */
    int64_t duration_us;
    const char *trace, *trace_id; /* request id; trace id or NULL */
    const char *address;          /* NULL: not logged */
};

void access_log_add(struct access_log *self, const struct access_line *line);

/* Returns a known method, or "other", because a client can send any word of any length. */
const char *access_log_method(const char *method);

/* Writes the buffered lines to stderr. */
void access_log_flush(struct access_log *self);

#endif
