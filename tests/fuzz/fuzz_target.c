/*
 * fuzz_target.c - request targets: split, path and query decoded. Input: one target.
 */
#include <string.h>

#include "common/wire/codec.h"
#include "gateway/http/decode.h"
#include "tests/fuzz/fuzz.h"

static const char *percent_encoded(struct arena *arena, const char *text)
{
    static const char digits[] = "0123456789ABCDEF";
    char *result = arena_alloc(arena, 3 * strlen(text) + 1), *to = result;

    for (; *text; text++) {
        *to++ = '%';
        *to++ = digits[(uint8_t)*text >> 4];
        *to++ = digits[*text & 15];
    }
    return result;
}

static void check_path(struct arena *arena, const char *raw)
{
    CLEANUP(memory_free) char *scratch = fuzz_bytes((const uint8_t *)raw, strlen(raw) + 1);
    const char *spelt = "";
    struct path path, again;
    struct error err;

    error_init(&err, arena);
    if (path_decode(raw, scratch, &path, &err) < 0) {
        fuzz_require_error(&err);
        return;
    }
    FUZZ_REQUIRE(path.count <= PATH_SEGMENTS_MAX);
    for (size_t i = 0; i < path.count; i++) {
        FUZZ_REQUIRE(codec_is_text(path.segments[i], strlen(path.segments[i])));
        FUZZ_REQUIRE(!strchr(path.segments[i], '/'));
        spelt = arena_printf(arena, "%s/%s", spelt, percent_encoded(arena, path.segments[i]));
    }
    FUZZ_REQUIRE(path_decode(spelt, arena_alloc(arena, strlen(spelt) + 1), &again, &err) == 0);
    FUZZ_REQUIRE(again.count == path.count);
    for (size_t i = 0; i < path.count; i++)
        FUZZ_REQUIRE(strcmp(path.segments[i], again.segments[i]) == 0);
}

static void check_query(struct arena *arena, const char *raw)
{
    const char *spelt = "";
    struct query query, again;
    struct error err;

    error_init(&err, arena);
    if (query_decode(raw, arena, &query, &err) < 0) {
        fuzz_require_error(&err);
        return;
    }
    FUZZ_REQUIRE(query.count <= QUERY_PAIRS_MAX);
    for (size_t i = 0; i < query.count; i++) {
        const struct query_pair *pair = &query.pairs[i];

        FUZZ_REQUIRE(codec_is_text(pair->name, strlen(pair->name)));
        FUZZ_REQUIRE(codec_is_text(pair->value, strlen(pair->value)));
        FUZZ_REQUIRE(query_find(&query, pair->name));
        spelt = arena_printf(arena, "%s&%s=%s", spelt, percent_encoded(arena, pair->name),
                             percent_encoded(arena, pair->value));
    }
    FUZZ_REQUIRE(query_decode(spelt, arena, &again, &err) == 0 && again.count == query.count);
    for (size_t i = 0; i < query.count; i++)
        FUZZ_REQUIRE(strcmp(query.pairs[i].name, again.pairs[i].name) == 0 &&
                     strcmp(query.pairs[i].value, again.pairs[i].value) == 0);
}

int fuzz_target(const uint8_t *data, size_t size)
{
    CLEANUP(memory_free) char *text = fuzz_text(data, size);
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    size_t length = strlen(text);
    struct target target;
    struct error err;

    error_init(&err, arena);
    if (target_split(text, &target, &err) < 0) {
        fuzz_require_error(&err);
        return 0;
    }
    FUZZ_REQUIRE(strlen(target.path) + strlen(target.query) <= MAX(length, (size_t)1));
    FUZZ_REQUIRE(target.path[0] == '/' || strcmp(target.path, "*") == 0);
    FUZZ_REQUIRE(!strchr(target.path, '?'));
    check_path(arena, target.path);
    check_query(arena, target.query);
    return 0;
}
