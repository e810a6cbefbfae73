/* output.c - see output.h. */
#include "ctl/output.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/wire/codec.h"
#include "common/wire/json_number.h"
#include "ctl/printable.h"

enum { OUTPUT_COLUMNS_MAX = 12, OUTPUT_CELL_MAX = 72 /* characters of a table's cell */ };

/* Decoding an encoded record cannot fail. */
json_t *output_json(struct arena *arena, const struct field_table *table, const void *record)
{
    struct codec_buffer buffer;
    msgpack_object map;
    struct error err;

    error_init(&err, arena);
    codec_buffer_init(&buffer, arena);
    fields_pack(table, record, &buffer);
    if (codec_unpack(buffer.bytes, buffer.size, arena, &map, &err) < 0)
        return json_object();
    return fields_to_json(table, &map);
}

static void print_json(const json_t *json)
{
    printable_json(json, JSON_INDENT(2), stdout);
    putchar('\n');
}

char *output_printable(struct arena *arena, const char *text)
{
    return printable_line(arena_strdup(arena, text));
}

static const char *cell(struct arena *arena, const json_t *value)
{
    if (!value || json_is_null(value) || (json_is_string(value) && !json_string_length(value)))
        return "-";
    if (json_is_string(value) && !json_number_text(value))
        return output_printable(arena, json_string_value(value));
    if (json_is_boolean(value))
        return json_is_true(value) ? "yes" : "no";
    if (json_is_integer(value))
        return arena_printf(arena, "%lld", (long long)json_integer_value(value));
    return output_printable(arena, codec_dump_json(arena, value));
}

static size_t width(const char *text)
{
    return codec_characters(text, strlen(text));
}

static const char *shortened(struct arena *arena, const char *text, size_t max)
{
    const char *c = text;
    size_t count = 0;

    if (width(text) <= max)
        return text;
    for (; *c; c++) {
        if (((unsigned char)*c & 0xc0) != 0x80 && ++count == max)
            break;
    }
    return arena_printf(arena, "%.*s~", (int)(c - text), text);
}

/* Converts "lastUpdated" to "LAST UPDATED". */
static const char *heading(struct arena *arena, const char *name)
{
    char *text = arena_alloc(arena, 2 * strlen(name) + 1), *out = text;

    for (; *name; name++) {
        if (isupper((unsigned char)*name))
            *out++ = ' ';
        *out++ = (char)toupper((unsigned char)*name);
    }
    return text;
}

static void print_row(const char *const *cells, const size_t *widths, size_t columns)
{
    for (size_t c = 0; c < columns; c++) {
        int pad = c + 1 < columns ? (int)(widths[c] - width(cells[c]) + 2) : 0;

        printf("%s%*s", cells[c], pad, "");
    }
    putchar('\n');
}

static void print_table(struct arena *arena, const json_t *rows, const char *const *names)
{
    size_t count = json_array_size(rows), columns = 0, widths[OUTPUT_COLUMNS_MAX];
    const char **cells;

    while (names[columns] && columns < OUTPUT_COLUMNS_MAX)
        columns++;
    cells = arena_calloc(arena, (count + 1) * columns, sizeof(*cells));
    for (size_t c = 0; c < columns; c++) {
        cells[c] = heading(arena, names[c]);
        widths[c] = width(cells[c]);
        for (size_t r = 0; r < count; r++) {
            const json_t *value = json_object_get(json_array_get(rows, r), names[c]);
            const char *text = shortened(arena, cell(arena, value), OUTPUT_CELL_MAX);

            cells[(r + 1) * columns + c] = text;
            widths[c] = MAX(widths[c], width(text));
        }
    }
    for (size_t r = 0; r <= count; r++)
        print_row(cells + r * columns, widths, columns);
}

void output_record(const struct ctl *ctl, const struct field_table *table, const void *record)
{
    json_auto_t *json = output_json(ctl->arena, table, record);

    output_object(ctl, json);
}

void output_object(const struct ctl *ctl, json_t *json)
{
    const char *name;
    json_t *value;
    size_t longest = 0;

    if (ctl->json) {
        print_json(json);
        return;
    }
    json_object_foreach(json, name, value) longest = MAX(longest, strlen(name));
    json_object_foreach(json, name, value)
        printf("%-*s  %s\n", (int)longest, name, cell(ctl->arena, value));
}

void output_list(const struct ctl *ctl, const struct field_table *table,
                 const struct field_list *list, const char *const *columns)
{
    json_auto_t *rows = json_array();

    for (size_t i = 0; i < list->count; i++) {
        const char *record = (const char *)list->items + i * table->size;

        json_array_append_new(rows, output_json(ctl->arena, table, record));
    }
    if (ctl->json)
        print_json(rows);
    else
        print_table(ctl->arena, rows, columns);
}

void output_append(const struct ctl *ctl, const struct field_table *table, struct field_list *list,
                   const struct field_list *page)
{
    char *all = arena_calloc(ctl->arena, list->count + page->count, table->size);

    if (list->count > 0)
        memcpy(all, list->items, list->count * table->size);
    if (page->count > 0)
        memcpy(all + list->count * table->size, page->items, page->count * table->size);
    list->items = all;
    list->count += page->count;
}

void output_note(const struct ctl *ctl, const char *format, ...)
{
    va_list args;

    if (ctl->json)
        return;
    va_start(args, format);
    puts(printable_lines(arena_vprintf(ctl->arena, format, args)));
    va_end(args);
}

void output_done(const struct ctl *ctl, const char *format, ...)
{
    json_auto_t *json = NULL;
    va_list args;
    char *text;

    va_start(args, format);
    text = arena_vprintf(ctl->arena, format, args);
    va_end(args);
    json = json_pack("{s:s}", "message", text);
    if (ctl->json)
        print_json(json);
    else
        puts(printable_lines(text));
}
