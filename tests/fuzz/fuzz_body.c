/*
 * fuzz_body.c - a request's JSON: read by the gateway, packed, read by the daemon, printed. Input:
 * a line with the table's name, then the body.
 */
#include <string.h>

#include "common/wire/codec.h"
#include "tests/fuzz/fuzz.h"

struct source {
    struct arena *arena;
    const json_t *body;
};

/* Returns the body's member of that name for path, query and headers. */
static const char *lookup(const void *context, unsigned where UNUSED, const char *name)
{
    const struct source *source = context;
    const json_t *value = json_object_get(source->body, name);

    if (json_is_string(value))
        return json_string_value(value);
    if (json_is_integer(value))
        return arena_printf(source->arena, "%lld", (long long)json_integer_value(value));
    return json_is_boolean(value) ? (json_is_true(value) ? "true" : "false") : NULL;
}

static int read_body(struct arena *arena, const struct field_table *table, json_t *body, void *ret,
                     struct error *err)
{
    struct source source = {arena, body};
    struct field_source from = {.body = body, .lookup = lookup, .context = &source};

    error_init(err, arena);
    return fields_read(table, &from, arena, ret, err);
}

static bool is_plain(const struct field_table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct field *row = &table->rows[i];

        if (row->flags & (FIELD_HEADER | FIELD_BODY | FIELD_INTERNAL) ||
            (row->table && !is_plain(row->table)))
            return false;
    }
    return true;
}

static void require_same(struct field_bytes a, struct field_bytes b)
{
    FUZZ_REQUIRE(a.size == b.size && memcmp(a.bytes, b.bytes, a.size) == 0);
}

static void check_read(struct arena *arena, const struct field_table *table, const void *read)
{
    struct field_bytes packed, again;
    msgpack_object map = fuzz_pack(arena, table, read, &packed);
    void *copy = arena_alloc(arena, table->size);
    json_t *printed = fields_to_json(table, &map);
    struct error err;

    error_init(&err, arena);
    FUZZ_REQUIRE(fields_unpack(table, &map, arena, copy, &err) == 0);
    (void)fuzz_pack(arena, table, copy, &again);
    require_same(packed, again);
    if (is_plain(table)) {
        FUZZ_REQUIRE(printed);
        FUZZ_REQUIRE(read_body(arena, table, printed, copy, &err) == 0);
        (void)fuzz_pack(arena, table, copy, &again);
        require_same(packed, again);
    }
    json_decref(printed);
}

static void check_json(struct arena *arena, const char *text, size_t size, json_t *json)
{
    const char *dumped = codec_dump_json(arena, json);
    struct error err;
    json_t *again;

    error_init(&err, arena);
    codec_skip_mark(&text, &size);
    FUZZ_REQUIRE(codec_is_json(text, size) && codec_is_json(dumped, strlen(dumped)));
    again = codec_parse_json(dumped, strlen(dumped), false, &err);
    FUZZ_REQUIRE(json_equal(json, again));
    json_decref(again);
}

/* Checks that keeping numbers as text changes neither jansson's results nor its refusals, except of
 * numbers that it cannot hold. */
static void check_exact(struct arena *arena, const char *text, size_t size, const json_t *plain,
                        const struct error *refused)
{
    json_t *json, *again;
    const char *dumped;
    struct error err;

    error_init(&err, arena);
    json = codec_parse_exact(text, size, false, &err);
    if (!json) {
        FUZZ_REQUIRE(!plain);
        fuzz_require_error(&err);
        return;
    }
    FUZZ_REQUIRE(plain || strstr(refused->message, "number out of range"));
    dumped = codec_dump_json(arena, json);
    FUZZ_REQUIRE(codec_is_json(dumped, strlen(dumped)));
    again = codec_parse_exact(dumped, strlen(dumped), false, &err);
    FUZZ_REQUIRE(json_equal(json, again));
    FUZZ_REQUIRE(strcmp(dumped, codec_dump_json(arena, again)) == 0);
    json_decref(again);
    json_decref(json);
}

int fuzz_body(const uint8_t *data, size_t size)
{
    CLEANUP(memory_free) char *name = fuzz_line(&data, &size);
    CLEANUP(memory_free) char *text = fuzz_bytes(data, size);
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    const struct field_table *table = fuzz_field_table(arena, name);
    void *read = arena_alloc(arena, table->size);
    struct error err;
    json_t *json;

    error_init(&err, arena);
    json = codec_parse_json(text, size, false, &err);
    check_exact(arena, text, size, json, &err);
    if (!json) {
        fuzz_require_error(&err);
        return 0;
    }
    check_json(arena, text, size, json);
    if (read_body(arena, table, json_is_object(json) ? json : NULL, read, &err) < 0)
        fuzz_require_error(&err);
    else
        check_read(arena, table, read);
    json_decref(json);
    return 0;
}
