/*
 * fuzz_token_search.c - the search parameter that names a bot. Input: one text.
 */
#include <string.h>

#include "botd/bot/token_search.h"
#include "tests/fuzz/fuzz.h"

static const char *escaped(struct arena *arena, const char *text)
{
    char *result = arena_alloc(arena, 2 * strlen(text) + 1), *to = result;

    for (; *text; *to++ = *text++)
        if (strchr("|$,\\", *text))
            *to++ = '\\';
    return result;
}

static bool same(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

int fuzz_token_search(const uint8_t *data, size_t size)
{
    CLEANUP(memory_free) char *text = fuzz_text(data, size);
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    struct token_search read, again;
    const char *value, *spelt;

    if (token_search_parse(arena, text, &read) < 0)
        return 0;
    FUZZ_REQUIRE(arena_used(arena) <= strlen(text) + 1);
    FUZZ_REQUIRE((read.system && *read.system) || read.value);
    FUZZ_REQUIRE(!read.value || *read.value);
    value = read.value ? escaped(arena, read.value) : "";
    spelt = read.system ? arena_printf(arena, "%s|%s", escaped(arena, read.system), value) : value;
    FUZZ_REQUIRE(token_search_parse(arena, spelt, &again) == 0);
    FUZZ_REQUIRE(same(read.system, again.system) && same(read.value, again.value));
    return 0;
}
