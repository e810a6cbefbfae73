/* fields_value.c - see fields_value.h. */
#include "common/wire/fields_value.h"

#include <errno.h>
#include <math.h>

#include "common/wire/json_number.h"

/* "3.0" is an integer too; doubles are inexact beyond 2^53. */
static void take_real(struct value *value, double real)
{
    value->kind = VALUE_OTHER;
    if (fabs(real) <= 0x1p53 && real == trunc(real)) {
        value->kind = VALUE_INT;
        value->integer = (int64_t)real;
    }
}

static void take_number(struct value *value, const char *number)
{
    char *end;

    errno = 0;
    value->integer = strtoll(number, &end, 10);
    if (*end == '\0' && errno == 0)
        value->kind = VALUE_INT;
    else
        take_real(value, strtod(number, NULL));
}

struct value value_of_json(json_t *json)
{
    struct value value = {.kind = VALUE_ABSENT, .json = json};

    if (!json)
        return value;
    switch (json_typeof(json)) {
    case JSON_OBJECT:
        value.kind = VALUE_OBJECT;
        break;
    case JSON_ARRAY:
        value.kind = VALUE_ARRAY;
        value.size = json_array_size(json);
        break;
    case JSON_STRING:
        if (json_number_text(json)) {
            take_number(&value, json_number_text(json));
            break;
        }
        value.kind = VALUE_TEXT;
        value.text = json_string_value(json);
        value.size = json_string_length(json);
        break;
    case JSON_INTEGER:
        value.kind = VALUE_INT;
        value.integer = json_integer_value(json);
        break;
    case JSON_REAL:
        take_real(&value, json_real_value(json));
        break;
    case JSON_TRUE:
    case JSON_FALSE:
        value.kind = VALUE_BOOL;
        value.boolean = json_is_true(json);
        break;
    case JSON_NULL:
        value.kind = VALUE_NULL;
        break;
    }
    return value;
}

struct value value_of_packed(const msgpack_object *packed)
{
    struct value value = {.kind = VALUE_OTHER, .packed = packed};

    if (!packed || packed->type == MSGPACK_OBJECT_NIL) {
        value.kind = VALUE_ABSENT;
    } else if (packed->type == MSGPACK_OBJECT_BOOLEAN) {
        value.kind = VALUE_BOOL;
        value.boolean = packed->via.boolean;
    } else if (packed->type == MSGPACK_OBJECT_NEGATIVE_INTEGER ||
               (packed->type == MSGPACK_OBJECT_POSITIVE_INTEGER && packed->via.u64 <= INT64_MAX)) {
        value.kind = VALUE_INT;
        value.integer = packed->via.i64;
    } else if (packed->type == MSGPACK_OBJECT_STR) {
        value.kind = VALUE_TEXT;
        value.text = packed->via.str.ptr;
        value.size = packed->via.str.size;
    } else if (packed->type == MSGPACK_OBJECT_BIN) {
        value.kind = VALUE_BYTES;
        value.text = packed->via.bin.ptr;
        value.size = packed->via.bin.size;
    } else if (packed->type == MSGPACK_OBJECT_EXT && packed->via.ext.type == VALUE_EXT_JSON) {
        value.kind = VALUE_JSON;
        value.text = packed->via.ext.ptr;
        value.size = packed->via.ext.size;
    } else if (packed->type == MSGPACK_OBJECT_ARRAY) {
        value.kind = VALUE_ARRAY;
        value.size = packed->via.array.size;
    } else if (packed->type == MSGPACK_OBJECT_MAP) {
        value.kind = VALUE_OBJECT;
    }
    return value;
}

struct value value_of_text(const char *text)
{
    if (!text)
        return (struct value){.kind = VALUE_ABSENT};
    return (struct value){.kind = VALUE_TEXT, .loose = true, .text = text, .size = strlen(text)};
}

struct value value_element(const struct value *array, size_t index)
{
    if (array->packed)
        return value_of_packed(&array->packed->via.array.ptr[index]);
    return value_of_json(json_array_get(array->json, index));
}

const msgpack_object *value_packed_member(const msgpack_object *map, const struct field *row,
                                          uint32_t *cursor)
{
    uint32_t count;

    if (!map || map->type != MSGPACK_OBJECT_MAP)
        return NULL;
    count = map->via.map.size;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = *cursor + i < count ? *cursor + i : *cursor + i - count;
        const msgpack_object_kv *pair = &map->via.map.ptr[at];

        if (pair->key.type == MSGPACK_OBJECT_STR && pair->key.via.str.size == row->name_size &&
            memcmp(pair->key.via.str.ptr, row->name, row->name_size) == 0) {
            *cursor = at + 1;
            return &pair->val;
        }
    }
    return NULL;
}
