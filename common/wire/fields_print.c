/*
 * fields_print.c - a daemon's answer as JSON text, in one pass.
 *
 * A jansson tree took a third of the gateway's time for a read.
 */
#include "common/base/clock.h"
#include "common/wire/codec.h"
#include "common/wire/fields_value.h"
#include "common/wire/json_number.h"

static inline void put(struct codec_buffer *out, const char *bytes, size_t size)
{
    codec_buffer_reserve(out, size);
    if (size > 0)
        memcpy(out->bytes + out->size, bytes, size);
    out->size += size;
}

static void put_word(struct codec_buffer *out, const char *word)
{
    put(out, word, strlen(word));
}

static const char *escape_of(unsigned char c, char spelt[static 8])
{
    static const char shorts[] = "\b\f\n\r\t\"\\", names[] = "bfnrt\"\\";
    const char *found = c != '\0' ? strchr(shorts, c) : NULL;

    if (!found && c >= 0x20)
        return NULL;
    if (found)
        snprintf(spelt, 8, "\\%c", names[found - shorts]);
    else
        snprintf(spelt, 8, "\\u%04X", c);
    return spelt;
}

/* Returns 0 unless one of eight bytes is below `limit`, at most 128. */
static uint64_t has_less(uint64_t bytes, uint64_t limit)
{
    return (bytes - EIGHT_TIMES(limit)) & ~bytes & EIGHT_TIMES(0x80);
}

static inline bool are_plain(const char *text)
{
    uint64_t eight;

    memcpy(&eight, text, sizeof(eight));
    return (has_less(eight, 0x20) | has_less(eight ^ EIGHT_TIMES('"'), 1) |
            has_less(eight ^ EIGHT_TIMES('\\'), 1)) == 0;
}

/* Returns the length of text without escapes. Checks the last eight bytes as one word. */
static size_t plain_length(const char *text, size_t size)
{
    size_t length = 0;

    while (size - length >= 8 && are_plain(text + length))
        length += 8;
    if (size >= 8 && size - length < 8 && are_plain(text + size - 8))
        return size;
    while (length < size && (unsigned char)text[length] >= 0x20 && text[length] != '"' &&
           text[length] != '\\')
        length++;
    return length;
}

static void put_plain(struct codec_buffer *out, const char *text, size_t size)
{
    uint8_t *at = out->bytes + out->size;

    *at++ = '"';
    memcpy(at, text, size);
    at[size] = '"';
    out->size += size + 2;
}

static void put_text(struct codec_buffer *out, const char *text, size_t size)
{
    size_t plain = plain_length(text, size);

    codec_buffer_reserve(out, size + 2);
    if (plain == size) {
        put_plain(out, text, size);
        return;
    }
    put(out, "\"", 1);
    for (; plain < size; plain = plain_length(text, size)) {
        char spelt[8];

        put(out, text, plain);
        put_word(out, escape_of((unsigned char)text[plain], spelt));
        text += plain + 1;
        size -= plain + 1;
    }
    put(out, text, size);
    put(out, "\"", 1);
}

/* A list has hundreds of numbers, and snprintf() takes several times as long. */
static bool put_int(struct codec_buffer *out, const struct value *value)
{
    char digits[24], *end = digits + sizeof(digits), *at = end;
    uint64_t left = (uint64_t)value->integer;

    if (value->kind != VALUE_INT)
        return false;
    if (value->integer < 0)
        left = -left;
    do
        *--at = (char)('0' + left % 10);
    while ((left /= 10) > 0);
    if (value->integer < 0)
        *--at = '-';
    put(out, at, (size_t)(end - at));
    return true;
}

static bool put_time(struct codec_buffer *out, const struct value *value)
{
    char text[25];

    if (value->kind != VALUE_INT || value->integer < 0 || value->integer > VALUE_TIME_MAX)
        return false;
    clock_format_iso(value->integer, text);
    codec_buffer_reserve(out, sizeof(text) + 1);
    put_plain(out, text, sizeof(text) - 1);
    return true;
}

static void put_object(struct codec_buffer *out, const struct field_table *table,
                       const msgpack_object *map);

static bool put_list(struct codec_buffer *out, const struct field_table *table,
                     const struct value *value)
{
    bool first = true;

    if (value->kind != VALUE_ARRAY)
        return false;
    put(out, "[", 1);
    for (size_t i = 0; i < value->size; i++) {
        struct value element = value_element(value, i);

        if (element.kind != (table ? VALUE_OBJECT : VALUE_TEXT))
            continue;
        if (!first)
            put(out, ",", 1);
        first = false;
        if (table)
            put_object(out, table, element.packed);
        else
            put_text(out, element.text, element.size);
    }
    put(out, "]", 1);
    return true;
}

/* False: nothing was written. */
static bool put_value(struct codec_buffer *out, const struct field *row, const struct value *value)
{
    switch (row->type) {
    case FIELD_TYPE_TEXT:
    case FIELD_TYPE_EMAIL:
    case FIELD_TYPE_ENUM:
    case FIELD_TYPE_UUID:
        if (value->kind == VALUE_TEXT)
            put_text(out, value->text, value->size);
        return value->kind == VALUE_TEXT;
    case FIELD_TYPE_INT:
        return put_int(out, value);
    case FIELD_TYPE_BOOL:
    case FIELD_TYPE_TRISTATE:
        if (value->kind == VALUE_BOOL)
            put_word(out, value->boolean ? "true" : "false");
        return value->kind == VALUE_BOOL;
    case FIELD_TYPE_TIME:
        return put_time(out, value);
    case FIELD_TYPE_OBJECT:
        if (value->kind == VALUE_OBJECT)
            put_object(out, row->table, value->packed);
        return value->kind == VALUE_OBJECT;
    case FIELD_TYPE_OBJECTS:
        return put_list(out, row->table, value);
    case FIELD_TYPE_TEXTS:
        return put_list(out, NULL, value);
    case FIELD_TYPE_JSON:
    case FIELD_TYPE_JSON_OBJECT:
        if (value->kind != VALUE_JSON || !codec_is_json(value->text, value->size))
            return false;
        put(out, value->text, value->size);
        return true;
    case FIELD_TYPE_BYTES:
        break;
    }
    return false;
}

static const char *absent_word(const struct field *row)
{
    bool list = row->type == FIELD_TYPE_OBJECTS || row->type == FIELD_TYPE_TEXTS;

    if (row->absent)
        return row->absent;
    if (row->flags & FIELD_NULLABLE)
        return "null";
    return list && !(row->flags & FIELD_OMIT_EMPTY) ? "[]" : NULL;
}

static void put_member(struct codec_buffer *out, const struct field *row, const struct value *value)
{
    size_t before = out->size;
    const char *absent;

    codec_buffer_reserve(out, row->name_size + 4);
    if (out->bytes[before - 1] != '{')
        out->bytes[out->size++] = ',';
    put_plain(out, row->name, row->name_size);
    out->bytes[out->size++] = ':';
    if (put_value(out, row, value))
        return;
    absent = absent_word(row);
    if (absent)
        put_word(out, absent);
    else
        out->size = before;
}

static void put_object(struct codec_buffer *out, const struct field_table *table,
                       const msgpack_object *map)
{
    const struct field *body = fields_body(table);
    uint32_t cursor = 0;

    if (body) {
        struct value value = value_of_packed(value_packed_member(map, body, &cursor));

        if (!put_value(out, body, &value))
            put_word(out, "null");
        return;
    }
    put(out, "{", 1);
    for (size_t i = 0; i < table->count; i++) {
        const struct field *row = &table->rows[i];
        struct value value;

        if (row->flags & FIELD_INTERNAL || row->type == FIELD_TYPE_BYTES)
            continue;
        value = value_of_packed(value_packed_member(map, row, &cursor));
        put_member(out, row, &value);
    }
    put(out, "}", 1);
}

char *fields_print(const struct field_table *table, const msgpack_object *map, struct arena *arena,
                   size_t *ret_size)
{
    struct codec_buffer out;

    codec_buffer_init(&out, arena);
    put_object(&out, table, map);
    *ret_size = out.size;
    put(&out, "", 1);
    return (char *)out.bytes;
}

json_t *fields_to_json(const struct field_table *table, const msgpack_object *map)
{
    struct arena *arena = arena_new();
    size_t size;
    const char *text = fields_print(table, map, arena, &size);
    struct codec_buffer marked;
    json_t *json;

    codec_buffer_init(&marked, arena);
    if (json_number_mark(text, size, &marked))
        json = json_loadb((const char *)marked.bytes, marked.size, JSON_ALLOW_NUL, NULL);
    else
        json = json_loadb(text, size, 0, NULL);
    arena_destroy(&arena);
    return json;
}

char *fields_text(const struct field_table *table, const void *in, struct arena *arena)
{
    struct codec_buffer buffer;
    msgpack_object map;
    struct error ignored;

    error_init(&ignored, arena);
    codec_buffer_init(&buffer, arena);
    fields_pack(table, in, &buffer);
    return codec_unpack(buffer.bytes, buffer.size, arena, &map, &ignored) < 0
               ? NULL
               : fields_print(table, &map, arena, &(size_t){0});
}
