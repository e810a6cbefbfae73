/*
 * access_log.h - one line per answered request, written once per turn; journal entries at once.
 *
 * It names the route's template, never the URL, which may carry tokens. The client's address,
 * personal data, is there only when the operator asked for it.
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
    const char *method, *route; /* route: template, "-" without one */
    unsigned status;            /* 0: the client went away before the answer */
    int64_t duration_us;
    const char *trace, *trace_id; /* the request's id; that of its trace, NULL: it has none */
    const char *address;          /* NULL: left out */
};

void access_log_add(struct access_log *self, const struct access_line *line);

/* The method, or "other": a client may send any word of any length as one. */
const char *access_log_method(const char *method);

/* Writes what has replies to stderr. */
void access_log_flush(struct access_log *self);

#endif
