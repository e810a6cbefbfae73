/* span_json.h - one instance's ended spans in OTLP form. */
#ifndef ATRIUM_COMMON_SERVICE_SPAN_JSON_H
#define ATRIUM_COMMON_SERVICE_SPAN_JSON_H

#include "common/runtime/span.h"

/* Drains up to SPANS_TAKEN_MAX spans as a JSON array of OTLP Spans. */
const char *span_json_drain(struct spans *self, struct arena *arena, size_t *ret_count);

#endif
