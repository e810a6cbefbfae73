/*
 * fields_value.h - one JSON, msgpack or text value for fields_*.c. Daemons' and clients' data has
 * the same limits.
 */
#ifndef ATRIUM_COMMON_WIRE_FIELDS_VALUE_H
#define ATRIUM_COMMON_WIRE_FIELDS_VALUE_H

#include "common/wire/fields.h"

enum value_kind {
    VALUE_ABSENT, /* absent or null */
    VALUE_NULL,
    VALUE_BOOL,
    VALUE_INT,
    VALUE_TEXT,  /* not always NUL-terminated */
    VALUE_BYTES, /* msgpack only */
    VALUE_JSON,  /* msgpack only: unparsed text */
    VALUE_ARRAY,
    VALUE_OBJECT,
    VALUE_OTHER, /* numbers beyond int64 */
};

struct value {
    enum value_kind kind;
    bool boolean;
    bool loose; /* TEXT from path, query or header, with numbers and Booleans as text */
    int64_t integer;
    const char *text; /* TEXT, BYTES, JSON */
    size_t size;      /* bytes of `text`, or elements of an ARRAY */
    json_t *json;
    const msgpack_object *packed;
};

enum { VALUE_EXT_JSON = 1 };

/* 9999-12-31T23:59:59.999Z, the last with a four-digit year. */
#define VALUE_TIME_MAX INT64_C(253402300799999)

struct value value_of_json(json_t *json);
struct value value_of_packed(const msgpack_object *packed);
struct value value_of_text(const char *text);

struct value value_element(const struct value *array, size_t index);

/* Looks up a member; *cursor (first 0) makes table order fast. */
const msgpack_object *value_packed_member(const msgpack_object *map, const struct field *row,
                                          uint32_t *cursor);

#endif
