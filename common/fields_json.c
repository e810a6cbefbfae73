/*
 * fields_json.c - the answer of a daemon as the JSON that a client gets.
 *
 * Called by the gateway for each answer with a body, and by atriumctl --json.
 */
#include "common/clock.h"
#include "common/codec.h"
#include "common/fields_value.h"

static json_t *json_of_time(const struct value *value)
{
    char text[25];

    if (value->kind != VALUE_INT || value->integer < 0 || value->integer > VALUE_TIME_MAX)
        return NULL;
    clock_format_iso(value->integer, text);
    return json_string_nocheck(text);
}

static json_t *json_of_texts(const struct value *value)
{
    json_t *list;

    if (value->kind != VALUE_ARRAY)
        return NULL;
    list = json_array();
    for (size_t i = 0; i < value->size; i++) {
        struct value element = value_element(value, i);

        if (element.kind == VALUE_TEXT)
            json_array_append_new(list, json_stringn_nocheck(element.text, element.size));
    }
    return list;
}

static json_t *json_of_objects(const struct field *row, const struct value *value)
{
    json_t *list;

    if (value->kind != VALUE_ARRAY)
        return NULL;
    list = json_array();
    for (size_t i = 0; i < value->size; i++) {
        struct value element = value_element(value, i);

        if (element.kind == VALUE_OBJECT)
            json_array_append_new(list, fields_to_json(row->table, element.packed));
    }
    return list;
}

static json_t *json_of_json(const struct value *value)
{
    struct error unused;

    if (value->kind != VALUE_JSON)
        return NULL;
    error_init(&unused, NULL);
    return codec_parse_json(value->text, value->size, false, &unused);
}

/* NULL when the value is not of the row's type. */
static json_t *json_of_member(const struct field *row, const struct value *value)
{
    switch (row->type) {
    case FIELD_TYPE_TEXT:
    case FIELD_TYPE_EMAIL:
    case FIELD_TYPE_UUID:
        return value->kind == VALUE_TEXT ? json_stringn_nocheck(value->text, value->size) : NULL;
    case FIELD_TYPE_INT:
        return value->kind == VALUE_INT ? json_integer(value->integer) : NULL;
    case FIELD_TYPE_BOOL:
    case FIELD_TYPE_TRISTATE:
        return value->kind == VALUE_BOOL ? json_boolean(value->boolean) : NULL;
    case FIELD_TYPE_TIME:
        return json_of_time(value);
    case FIELD_TYPE_OBJECT:
        return value->kind == VALUE_OBJECT ? fields_to_json(row->table, value->packed) : NULL;
    case FIELD_TYPE_OBJECTS:
        return json_of_objects(row, value);
    case FIELD_TYPE_TEXTS:
        return json_of_texts(value);
    case FIELD_TYPE_JSON:
    case FIELD_TYPE_JSON_OBJECT:
        return json_of_json(value);
    case FIELD_TYPE_BYTES:
        break;
    }
    return NULL;
}

/* What stands for an absent member, NULL: nothing. */
static json_t *json_of_absent(const struct field *row)
{
    bool list = row->type == FIELD_TYPE_OBJECTS || row->type == FIELD_TYPE_TEXTS;

    if (row->flags & FIELD_NULLABLE)
        return json_null();
    return list && !(row->flags & FIELD_OMIT_EMPTY) ? json_array() : NULL;
}

json_t *fields_to_json(const struct field_table *table, const msgpack_object *map)
{
    json_t *object = json_object();
    uint32_t cursor = 0;

    for (size_t i = 0; i < table->count; i++) {
        const struct field *row = &table->rows[i];
        struct value value;
        json_t *member;

        if (row->flags & FIELD_INTERNAL || row->type == FIELD_TYPE_BYTES)
            continue;
        value = value_of_packed(value_packed_member(map, row->name, &cursor));
        member = json_of_member(row, &value);
        if (!member)
            member = json_of_absent(row);
        if (member)
            json_object_set_new_nocheck(object, row->name, member);
    }
    return object;
}
