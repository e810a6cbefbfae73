/* trace_context.h - headers traceparent and tracestate (W3C Trace Context, level 1). */
#ifndef ATRIUM_COMMON_BASE_TRACE_CONTEXT_H
#define ATRIUM_COMMON_BASE_TRACE_CONTEXT_H

#include "common/base/base.h"

enum {
    TRACE_ID_BYTES = 16,
    SPAN_ID_BYTES = 8,
    TRACEPARENT_SIZE = 56,
    TRACESTATE_MAX = 512, /* bytes (section 3.3.1.5) */
};

struct trace_context {
    uint8_t trace_id[TRACE_ID_BYTES];
    uint8_t span_id[SPAN_ID_BYTES]; /* parent of the next span; all 0: none */
    bool sampled;
};

/* Reads strictly (section 3.2.2), four parts for versions above 00. Returns -1 and leaves *ret. */
int traceparent_read(const char *text, struct trace_context *ret) MUST_USE;

void traceparent_write(const struct trace_context *context, char ret[static TRACEPARENT_SIZE]);

/* True for the grammar of section 3.3.1, with at most 32 members. */
bool tracestate_is_valid(const char *text);

void trace_hex(const uint8_t *bytes, size_t size, char *ret);

bool trace_id_is_set(const uint8_t *bytes, size_t size);

#endif
