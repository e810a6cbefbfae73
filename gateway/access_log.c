/*
 * access_log.c - the access log's buffer.  Filled by exchange.c at the end of each request, flushed by
 * gateway.c at the end of each turn.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "gateway/access_log.h"

enum { LINE_MAX_SIZE = 512 };

/* The methods that appear by name; a client may send any word of any length as its method. */
static const char *method_name(const char *method)
{
    static const char *const known[] = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"};

    for (size_t i = 0; i < ARRAY_SIZE(known); i++)
        if (strcmp(method, known[i]) == 0)
            return known[i];
    return "other";
}

void access_log_add(struct access_log *self, const struct access_line *line)
{
    int length;

    if (sizeof(self->buffer) - self->size < LINE_MAX_SIZE)
        access_log_flush(self);
    length =
        snprintf(self->buffer + self->size, LINE_MAX_SIZE,
                 "<6>topic=access method=%s route=%s status=%u us=%" PRId64 " trace=%s%s%s\n",
                 method_name(line->method), line->route, line->status, line->duration_us,
                 line->trace, line->address ? " address=" : "", line->address ? line->address : "");
    self->size += MIN((size_t)length, (size_t)LINE_MAX_SIZE - 1);
}

void access_log_flush(struct access_log *self)
{
    size_t done = 0;

    while (done < self->size) {
        ssize_t n = write(STDERR_FILENO, self->buffer + done, self->size - done);

        /* A log that cannot be written is no reason to stop serving. */
        if (n <= 0)
            break;
        done += (size_t)n;
    }
    self->size = 0;
}
