/*
 * access_log.h - one line per answered request. Lines are buffered until the end of the loop's
 * turn, except for the journal.
 *
 * A line has no URL, which can contain tokens, only the route's template. The client's address is
 * personal data, so it is logged only if the operator enabled that.
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
    const char *method, *route; /* template, or "-" */
    unsigned status;            /* 0: the client left early */
    int64_t duration_us;
    const char *trace, *trace_id; /* request id; trace id or NULL */
    const char *address;          /* NULL: not logged */
};

void access_log_add(struct access_log *self, const struct access_line *line);

/* Returns "other" for unknown methods, because clients can send any word. */
const char *access_log_method(const char *method);

void access_log_flush(struct access_log *self);

#endif
