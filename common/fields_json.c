/*
 * fields_json.c - the answer of a daemon as the JSON that a client gets.
 *
 * Called by the gateway for each answer with a body, and by atriumctl. The text is written straight from the
 * msgpack: building a tree and dumping it took four times as long, on the one thread that serves everybody.
 */
#include <stdio.h>
#include <string.h>

#include "common/clock.h"
#include "common/codec.h"
#include "common/fields_value.h"

static void write_text(struct codec_buffer *buffer, const char *text)
{
    codec_write(buffer, text, strlen(text));
}

/* A comma before every element but the first. */
static void write_separator(struct codec_buffer *buffer, bool *first)
{
    if (!*first)
        codec_write(buffer, ",", 1);
    *first = false;
}

static bool fits(const struct field *row, const struct value *value)
{
    switch (row->type) {
    case FIELD_TYPE_TEXT:
    case FIELD_TYPE_EMAIL:
    case FIELD_TYPE_UUID:
        return value->kind == VALUE_TEXT;
    case FIELD_TYPE_INT:
        return value->kind == VALUE_INT;
    case FIELD_TYPE_BOOL:
    case FIELD_TYPE_TRISTATE:
        return value->kind == VALUE_BOOL;
    case FIELD_TYPE_TIME:
        return value->kind == VALUE_INT && value->integer >= 0 && value->integer <= VALUE_TIME_MAX;
    case FIELD_TYPE_OBJECT:
        return value->kind == VALUE_OBJECT;
    case FIELD_TYPE_OBJECTS:
    case FIELD_TYPE_TEXTS:
        return value->kind == VALUE_ARRAY;
    case FIELD_TYPE_JSON:
    case FIELD_TYPE_JSON_OBJECT:
        return value->kind == VALUE_JSON; /* unread: the daemon decides what its answer says */
    case FIELD_TYPE_BYTES:
        break;
    }
    return false;
}

static void write_integer(struct codec_buffer *buffer, int64_t number)
{
    char text[24];

    codec_write(buffer, text, (size_t)snprintf(text, sizeof(text), "%jd", (intmax_t)number));
}

static void write_time(struct codec_buffer *buffer, int64_t ms)
{
    char text[25];

    clock_format_iso(ms, text);
    codec_write_json_string(buffer, text, strlen(text));
}

static void write_list(struct codec_buffer *buffer, const struct field *row,
                       const struct value *value)
{
    bool first = true;

    codec_write(buffer, "[", 1);
    for (size_t i = 0; i < value->size; i++) {
        struct value element = value_element(value, i);

        if (element.kind != (row->type == FIELD_TYPE_TEXTS ? VALUE_TEXT : VALUE_OBJECT))
            continue;
        write_separator(buffer, &first);
        if (row->type == FIELD_TYPE_TEXTS)
            codec_write_json_string(buffer, element.text, element.size);
        else
            fields_write_json(row->table, element.packed, buffer);
    }
    codec_write(buffer, "]", 1);
}

/* The value fits the row. */
static void write_value(struct codec_buffer *buffer, const struct field *row,
                        const struct value *value)
{
    switch (row->type) {
    case FIELD_TYPE_TEXT:
    case FIELD_TYPE_EMAIL:
    case FIELD_TYPE_UUID:
        codec_write_json_string(buffer, value->text, value->size);
        break;
    case FIELD_TYPE_INT:
        write_integer(buffer, value->integer);
        break;
    case FIELD_TYPE_BOOL:
    case FIELD_TYPE_TRISTATE:
        write_text(buffer, value->boolean ? "true" : "false");
        break;
    case FIELD_TYPE_TIME:
        write_time(buffer, value->integer);
        break;
    case FIELD_TYPE_OBJECT:
        fields_write_json(row->table, value->packed, buffer);
        break;
    case FIELD_TYPE_OBJECTS:
    case FIELD_TYPE_TEXTS:
        write_list(buffer, row, value);
        break;
    case FIELD_TYPE_JSON:
    case FIELD_TYPE_JSON_OBJECT:
        codec_write(buffer, value->text, value->size);
        break;
    case FIELD_TYPE_BYTES:
        break;
    }
}

/* What stands for an absent member, NULL: nothing. */
static const char *absent_text(const struct field *row)
{
    bool list = row->type == FIELD_TYPE_OBJECTS || row->type == FIELD_TYPE_TEXTS;

    if (row->flags & FIELD_NULLABLE)
        return "null";
    return list && !(row->flags & FIELD_OMIT_EMPTY) ? "[]" : NULL;
}

void fields_write_json(const struct field_table *table, const msgpack_object *map,
                       struct codec_buffer *buffer)
{
    bool first = true;
    uint32_t cursor = 0;

    codec_write(buffer, "{", 1);
    for (size_t i = 0; i < table->count; i++) {
        const struct field *row = &table->rows[i];
        struct value value;
        bool there;

        if (row->flags & (FIELD_INTERNAL | FIELD_HEADER) || row->type == FIELD_TYPE_BYTES)
            continue;
        value = value_of_packed(value_packed_member(map, row->name, &cursor));
        there = fits(row, &value);
        if (!there && !absent_text(row))
            continue;
        write_separator(buffer, &first);
        codec_write_json_string(buffer, row->name, strlen(row->name));
        codec_write(buffer, ":", 1);
        if (there)
            write_value(buffer, row, &value);
        else
            write_text(buffer, absent_text(row));
    }
    codec_write(buffer, "}", 1);
}

json_t *fields_to_json(const struct field_table *table, const msgpack_object *map)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    struct codec_buffer buffer;
    json_t *json;

    codec_buffer_init(&buffer, arena);
    fields_write_json(table, map, &buffer);
    json = json_loadb((const char *)buffer.bytes, buffer.size, 0, NULL);
    return json ? json : json_object();
}
