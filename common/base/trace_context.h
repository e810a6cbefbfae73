/* trace_context.h - the headers traceparent and tracestate (W3C Trace Context, level 1). */
#ifndef ATRIUM_COMMON_BASE_TRACE_CONTEXT_H
#define ATRIUM_COMMON_BASE_TRACE_CONTEXT_H

#include "common/base/base.h"

enum {
    TRACE_ID_BYTES = 16,
    SPAN_ID_BYTES = 8,
    TRACEPARENT_SIZE = 56, /* with NUL */
    TRACESTATE_MAX = 512,  /* bytes; section 3.3.1.5 asks for so many */
};

struct trace_context {
    uint8_t trace_id[TRACE_ID_BYTES];
    uint8_t span_id[SPAN_ID_BYTES]; /* that the next span is a child of; all 0: none */
    bool sampled;
};

/* Strict (section 3.2.2; a version above 00 by its first four parts). -1: *ret is untouched. */
int traceparent_read(const char *text, struct trace_context *ret) MUST_USE;

void traceparent_write(const struct trace_context *context, char ret[static TRACEPARENT_SIZE]);

/* Whether it has the grammar of section 3.3.1, at most 32 members and TRACESTATE_MAX bytes. */
bool tracestate_is_valid(const char *text);

/* Lowercase hex and a NUL: 2 * size + 1 bytes. */
void trace_hex(const uint8_t *bytes, size_t size, char *ret);

bool trace_id_is_set(const uint8_t *bytes, size_t size);

#endif
