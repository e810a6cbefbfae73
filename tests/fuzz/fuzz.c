/*
 * fuzz.c - see fuzz.h.
 */
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/wire/codec.h"
#include "gateway/endpoint/routes.h"

static const char *input_path;

void fuzz_input_from(const char *path)
{
    input_path = path;
}

void fuzz_failed(const char *condition, const char *file, int line)
{
    fprintf(stderr, "%s:%d: does not hold: %s%s%s\n", file, line, condition,
            input_path ? ", for " : "", input_path ? input_path : "");
    abort();
}

void *fuzz_bytes(const uint8_t *data, size_t size)
{
    void *copy = malloc(size);

    FUZZ_REQUIRE(copy || size == 0);
    if (size > 0)
        memcpy(copy, data, size);
    return copy;
}

char *fuzz_text(const uint8_t *data, size_t size)
{
    char *copy = strndup(size > 0 ? (const char *)data : "", size);

    FUZZ_REQUIRE(copy);
    return copy;
}

char *fuzz_line(const uint8_t **data, size_t *size)
{
    const uint8_t *end = *size > 0 ? memchr(*data, '\n', *size) : NULL;
    size_t length = end ? (size_t)(end - *data) : *size;
    char *line = fuzz_text(*data, length);

    *data += length + (end != NULL);
    *size -= length + (end != NULL);
    return line;
}

static void require_text(const char *text)
{
    FUZZ_REQUIRE(text[0] != '\0');
    FUZZ_REQUIRE(codec_is_text(text, strlen(text)));
}

void fuzz_require_error(const struct error *err)
{
    int kept = 0;

    FUZZ_REQUIRE(err->code != ERR_NONE);
    require_text(err->message);
    for (const struct error_item *item = err->problems; item; item = item->next, kept++) {
        require_text(item->name);
        require_text(item->value);
    }
    FUZZ_REQUIRE(kept == MIN(err->problem_count, (int)ERROR_ITEMS_MAX));
}

/* ---- tables ---- */

struct fuzz_part {
    const char *label;
    int64_t weight;
    struct field_texts words;
};
FIELD_DECLARE(fuzz_part);
static const struct field fuzz_part_rows[] = {
    FIELD_TEXT(struct fuzz_part, label, 1, 4, FIELD_REQUIRED, "Label.", "ab"),
    FIELD_INT(struct fuzz_part, weight, 0, 0, 5, 0, "Any number.", "5"),
    FIELD_TEXTS(struct fuzz_part, words, 0, 5, 3, 0, "Words.", "word"),
};
FIELD_TABLE(fuzz_part);

struct fuzz_whole {
    const char *text, *name, *choice, *email;
    struct uuid id;
    int64_t number, zero, below;
    bool flag;
    enum tristate maybe, loose;
    int64_t at;
    const struct fuzz_part *part;
    struct field_list parts, rare;
    struct field_texts words, filled;
    struct field_bytes bytes;
    const char *json, *object, *internal, *nullable;
};
FIELD_DECLARE(fuzz_whole);
static const char *const colours[] = {"red", "green", NULL};
static const struct field fuzz_whole_rows[] = {
    FIELD_TEXT(struct fuzz_whole, text, 1, 8, FIELD_SECRET, "Bytes.", "hidden"),
    FIELD_TEXT(struct fuzz_whole, name, 1, 4, FIELD_CHARACTERS, "Characters.", "Ana"),
    FIELD_CHOICE(struct fuzz_whole, choice, colours, 0, "Colour.", "red"),
    FIELD_EMAIL(struct fuzz_whole, email, 0, "Address.", "ana@example.org"),
    FIELD_UUID(struct fuzz_whole, id, 0, "Identifier."),
    FIELD_INT(struct fuzz_whole, number, -5, 10, 3, 0, "Number.", "4"),
    FIELD_INT(struct fuzz_whole, zero, 0, INT64_MAX, 0, FIELD_OMIT_ZERO, "Left out.", "1"),
    FIELD_INT(struct fuzz_whole, below, -1, 9, -1, FIELD_OMIT_NEGATIVE, "Left out.", "1"),
    FIELD_BOOL(struct fuzz_whole, flag, true, 0, "Flag."),
    FIELD_TRISTATE(struct fuzz_whole, maybe, 0, "Perhaps."),
    FIELD_TRISTATE(struct fuzz_whole, loose, FIELD_LOOSE_BOOL, "Also as text."),
    FIELD_TIME(struct fuzz_whole, at, 0, "When."),
    FIELD_OBJECT(struct fuzz_whole, part, fuzz_part, 0, "A part."),
    FIELD_OBJECTS(struct fuzz_whole, parts, fuzz_part, 3, 0, "Parts."),
    FIELD_OBJECTS(struct fuzz_whole, rare, fuzz_part, 3, FIELD_OMIT_EMPTY, "Left out."),
    FIELD_TEXTS(struct fuzz_whole, words, 1, 5, 3, 0, "Words.", "word"),
    FIELD_TEXTS_FILLED(struct fuzz_whole, filled, 1, 5, 3, 0, "Some.", "word"),
    FIELD_BYTES(struct fuzz_whole, bytes, 4, 0, "Raw."),
    FIELD_JSON(struct fuzz_whole, json, 64, 0, "Anything.", "[1]"),
    FIELD_JSON_OBJECT(struct fuzz_whole, object, 64, 0, "Any object.", "{}"),
    FIELD_TEXT(struct fuzz_whole, internal, 0, 8, FIELD_INTERNAL, "Unseen.", "x"),
    FIELD_TEXT(struct fuzz_whole, nullable, 0, 8, FIELD_NULLABLE, "Or null.", "x"),
};
FIELD_TABLE(fuzz_whole);

const struct field_table *fuzz_field_table(struct arena *arena, const char *name)
{
    size_t count, choice = 0;
    const struct endpoint *endpoints;

    if (strcmp(name, fuzz_whole_table.name) == 0)
        return &fuzz_whole_table;
    endpoints = routes_all(arena, &count);
    for (size_t i = 0; i < count; i++) {
        const struct bus_method *method = &endpoints[i].method;

        if (strcmp(name, method->input->name) == 0)
            return method->input;
        if (strcmp(name, method->output->name) == 0)
            return method->output;
    }
    for (; *name; name++)
        choice = 31 * choice + (uint8_t)*name;
    return choice % 2 ? endpoints[choice / 2 % count].method.input
                      : endpoints[choice / 2 % count].method.output;
}

msgpack_object fuzz_pack(struct arena *arena, const struct field_table *table, const void *in,
                         struct field_bytes *ret_bytes)
{
    msgpack_object object;
    struct codec_buffer buffer;
    struct error err;

    error_init(&err, arena);
    codec_buffer_init(&buffer, arena);
    fields_pack(table, in, &buffer);
    FUZZ_REQUIRE(codec_unpack_in_place(buffer.bytes, buffer.size, arena, &object, &err) == 0);
    *ret_bytes = (struct field_bytes){buffer.bytes, buffer.size};
    return object;
}
