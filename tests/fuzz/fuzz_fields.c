/*
 * fuzz_fields.c - a map from another daemon, read by a field table and printed for a client. Input:
 * a line with the table's name, then a msgpack value.
 */
#include <string.h>

#include "common/wire/codec.h"
#include "tests/fuzz/fuzz.h"

static void check_printed(struct arena *arena, const struct field_table *table,
                          const msgpack_object *map)
{
    size_t size;
    const char *text = fields_print(table, map, arena, &size);
    json_error_t mistake;
    json_t *json = json_loadb(text, size, JSON_DECODE_ANY, &mistake);

    FUZZ_REQUIRE(strlen(text) == size && codec_is_json(text, size));
    FUZZ_REQUIRE(json || json_error_code(&mistake) == json_error_numeric_overflow);
    json_decref(json);
}

int fuzz_fields(const uint8_t *data, size_t size)
{
    CLEANUP(memory_free) char *name = fuzz_line(&data, &size);
    CLEANUP(memory_free) void *bytes = fuzz_bytes(data, size);
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    const struct field_table *table = fuzz_field_table(arena, name);
    struct field_bytes packed, again;
    msgpack_object map;
    struct error err;
    void *read = arena_alloc(arena, table->size);

    error_init(&err, arena);
    if (codec_unpack_in_place(bytes, size, arena, &map, &err) < 0)
        return 0;
    check_printed(arena, table, &map);
    if (fields_unpack(table, &map, arena, read, &err) < 0) {
        fuzz_require_error(&err);
        return 0;
    }
    /* An accepted value is accepted again, unchanged. */
    map = fuzz_pack(arena, table, read, &packed);
    check_printed(arena, table, &map);
    FUZZ_REQUIRE(fields_unpack(table, &map, arena, read, &err) == 0);
    (void)fuzz_pack(arena, table, read, &again);
    FUZZ_REQUIRE(packed.size == again.size);
    FUZZ_REQUIRE(memcmp(packed.bytes, again.bytes, packed.size) == 0);
    fields_wipe(table, read);
    return 0;
}
