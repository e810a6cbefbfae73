/*
 * fields_value.h - one value for the field checks, from JSON, msgpack or plain text.
 *
 * Private to fields_*.c: a daemon's data is held to exactly a client's bounds.
 */
#ifndef ATRIUM_COMMON_WIRE_FIELDS_VALUE_H
#define ATRIUM_COMMON_WIRE_FIELDS_VALUE_H

#include "common/wire/fields.h"

enum value_kind {
    VALUE_ABSENT, /* not there, or null */
    VALUE_NULL,
    VALUE_BOOL,
    VALUE_INT,
    VALUE_TEXT,  /* may lack the NUL */
    VALUE_BYTES, /* msgpack only */
    VALUE_JSON,  /* msgpack only: JSON as text, not yet parsed */
    VALUE_ARRAY,
    VALUE_OBJECT,
    VALUE_OTHER, /* numbers that are no int64 */
};

struct value {
    enum value_kind kind;
    bool boolean;
    bool loose; /* TEXT of path, query or header: numbers and booleans are spelt out in it */
    int64_t integer;
    const char *text;             /* TEXT, BYTES, JSON */
    size_t size;                  /* of text; elements of ARRAY */
    json_t *json;                 /* NULL unless it came as JSON */
    const msgpack_object *packed; /* NULL unless it came as msgpack */
};

enum { VALUE_EXT_JSON = 1 };

/* 9999-12-31T23:59:59.999Z: later times have no ISO 8601 form of four-digit years. */
#define VALUE_TIME_MAX INT64_C(253402300799999)

/* A value as it came: `json`, `packed` and `text` are borrowed for as long as it is used. */
struct value value_of_json(json_t *json);
struct value value_of_packed(const msgpack_object *packed);
struct value value_of_text(const char *text);

/* Element `index` of an ARRAY. */
struct value value_element(const struct value *array, size_t index);

/* *cursor (0 at first) remembers the last place: members in table order are found at once. */
const msgpack_object *value_packed_member(const msgpack_object *map, const struct field *row,
                                          uint32_t *cursor);

#endif
