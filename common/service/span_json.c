/* span_json.c - see span_json.h. */
#include "common/service/span_json.h"

#include <inttypes.h>

#include <jansson.h>

#include "common/wire/codec.h"

/* ---- OTLP (opentelemetry-proto 1.x, trace/v1/trace.proto, in its JSON encoding) ---- */

static json_t *decimal(int64_t number)
{
    return json_sprintf("%" PRId64, number); /* OTLP's JSON has int64 as a string */
}

static json_t *attribute_json(const char *key, const char *text, int64_t number)
{
    if (text)
        return json_pack("{s:s, s:{s:s}}", "key", key, "value", "stringValue", text);
    return json_pack("{s:s, s:{s:o}}", "key", key, "value", "intValue", decimal(number));
}

static json_t *attributes_json(const struct span *span)
{
    json_t *list = json_array();

    for (size_t i = 0; i < span->count; i++)
        json_array_append_new(list,
                              attribute_json(span->attributes[i].key, span->attributes[i].text,
                                             span->attributes[i].number));
    if (span->host[0] != '\0')
        json_array_append_new(list, attribute_json("server.address", span->host, 0));
    return list;
}

static void set_hex(json_t *object, const char *key, const uint8_t *bytes, size_t size)
{
    char text[2 * TRACE_ID_BYTES + 1];

    if (!trace_id_is_set(bytes, size))
        return;
    trace_hex(bytes, size, text);
    json_object_set_new(object, key, json_string(text));
}

static json_t *span_json(const struct span_ended *ended)
{
    const struct span *span = &ended->span;
    json_t *object = json_object();

    set_hex(object, "traceId", span->context.trace_id, TRACE_ID_BYTES);
    set_hex(object, "spanId", span->context.span_id, SPAN_ID_BYTES);
    set_hex(object, "parentSpanId", span->parent_id, SPAN_ID_BYTES);
    if (ended->state)
        json_object_set_new(object, "traceState", json_string(ended->state));
    json_object_set_new(object, "name", json_string(span->name));
    json_object_set_new(object, "kind", json_integer(span->kind));
    json_object_set_new(object, "startTimeUnixNano", decimal(ended->start_ns));
    json_object_set_new(object, "endTimeUnixNano", decimal(ended->end_ns));
    json_object_set_new(object, "attributes", attributes_json(span));
    if (span->failed)
        json_object_set_new(object, "status", json_pack("{s:i}", "code", 2));
    return object;
}

static void span_append(void *arg, const struct span_ended *ended)
{
    json_array_append_new(arg, span_json(ended));
}

const char *span_json_drain(struct spans *self, struct arena *arena, size_t *ret_count)
{
    json_t *list = json_array();
    const char *text;

    *ret_count = spans_drain(self, span_append, list);
    text = codec_dump_json(arena, list);
    json_decref(list);
    return text;
}
