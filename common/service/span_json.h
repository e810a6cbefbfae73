/* span_json.h - the ended spans of one instance in the form of OTLP. */
#ifndef ATRIUM_COMMON_SERVICE_SPAN_JSON_H
#define ATRIUM_COMMON_SERVICE_SPAN_JSON_H

#include "common/runtime/span.h"

/* Drains up to SPANS_TAKEN_MAX spans: a JSON array of OTLP's Span objects in the arena, and its
 * length. */
const char *span_json_drain(struct spans *self, struct arena *arena, size_t *ret_count);

#endif
