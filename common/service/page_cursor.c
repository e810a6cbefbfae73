/* page_cursor.c - see page_cursor.h. */
#include "common/service/page_cursor.h"

#include <jansson.h>

#include "common/wire/codec.h"

enum { SEALED_MAX = 3072 }; /* bytes of a client's longest text */

static const char purpose[] = "page cursor";

const struct page_cursor page_cursor_start = {.key = "", .id = {UUID_NIL}};

const char *page_cursor_new(struct arena *arena, const struct seal_keys *keys, const char *list,
                            int64_t now_ms, const struct page_cursor *cursor)
{
    json_t *json = json_pack("[I, s, I, s, s]", (json_int_t)now_ms, list, (json_int_t)cursor->phase,
                             cursor->key, cursor->id.text);
    const char *plain = codec_dump_json(arena, json);
    const struct sealed sealed = seal_value(arena, keys, purpose, plain, strlen(plain));

    json_decref(json);
    return secret_encode(arena, sealed.bytes, sealed.size);
}

const char *page_cursor_cut(struct arena *arena, const struct seal_keys *keys, const char *list,
                            int64_t now_ms, int64_t count, size_t size, size_t id,
                            struct field_list *rows)
{
    struct page_cursor last = page_cursor_start;
    const char *row;

    if (rows->count <= (size_t)count)
        return NULL;
    rows->count = (size_t)count;
    row = (const char *)rows->items + (rows->count - 1) * size;
    memcpy(&last.id, row + id, sizeof(last.id));
    return page_cursor_new(arena, keys, list, now_ms, &last);
}

static int decode(struct arena *arena, const struct seal_keys *keys, const char *text, json_t **ret)
{
    uint8_t *bytes = arena_alloc(arena, SEALED_MAX), *plain;
    size_t size;

    if (secret_decode(text, bytes, SEALED_MAX, &size) < 0 ||
        seal_open(arena, keys, purpose, (struct sealed){bytes, size}, &plain, &size) < 0)
        return -1;
    *ret = json_loadb((const char *)plain, size, 0, NULL);
    return *ret ? 0 : -1;
}

int page_cursor_read(struct arena *arena, const struct seal_keys *keys, const char *list,
                     int64_t now_ms, const char *text, struct page_cursor *ret, struct error *err)
{
    const char *made_for, *key, *id;
    json_int_t at, phase;
    json_t *json = NULL;
    bool good;

    *ret = page_cursor_start;
    if (!text)
        return 0;
    good = decode(arena, keys, text, &json) == 0 &&
           json_unpack(json, "[I, s, I, s, s]", &at, &made_for, &phase, &key, &id) == 0 &&
           strcmp(made_for, list) == 0 && now_ms - at < PAGE_CURSOR_LIFE &&
           uuid_parse(id, &ret->id) == 0;
    if (good) {
        ret->phase = phase;
        ret->key = arena_strdup(arena, key);
    }
    json_decref(json);
    return good ? 0 : error_problem(err, "_cursor", "is not of this list, or too old");
}
