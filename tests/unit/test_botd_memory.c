/*
 * test_botd_memory.c - the translation memory: keys, which differ if anything differs, and storing
 * a text that was translated in stretches.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "botd/translation/memory.h"
#include "tests/support/marked_text.h"
#include "tests/support/unit.h"

static void test_each_part_counts(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    const struct uuid mine = {"6f1c0a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"},
                      other = {"6f1c0a52-8c1e-4d8a-9b0e-0e8f1c2d3a4c"};
    const struct language *en = language_find(arena, "en"), *es = language_find(arena, "es"),
                          *de = language_find(arena, "de");
    const struct {
        uint8_t key;
        struct uuid project;
        const char *provider;
        struct provider_call call;
        const char *shown;
    } rows[] = {
        {1, mine, "apertium", {.from = en, .to = es}, "Hello [0]"},
        {2, mine, "apertium", {.from = en, .to = es}, "Hello [0]"},
        {1, other, "apertium", {.from = en, .to = es}, "Hello [0]"},
        {1, mine, "libretranslate", {.from = en, .to = es}, "Hello [0]"},
        {1, mine, "openai a", {.from = en, .to = es}, "Hello [0]"},
        {1, mine, "openai b", {.from = en, .to = es}, "Hello [0]"},
        {1, mine, "apertium", {.from = es, .to = en}, "Hello [0]"},
        {1, mine, "apertium", {.from = de, .to = es}, "Hello [0]"},
        {1, mine, "apertium", {.from = en, .to = de}, "Hello [0]"},
        {1, mine, "apertium", {.from = en, .to = es}, "hello [0]"},
        {1, mine, "apertium", {.from = en, .to = es}, "Hello [0] "},
        {1, mine, "apertium", {.from = en, .to = es}, ""},
    };
    uint8_t keys[ARRAY_SIZE(rows)][MEMORY_KEY_SIZE], again[MEMORY_KEY_SIZE];

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct secret seal_key = {.length = SEAL_KEY_SIZE};

        memset(seal_key.bytes, rows[i].key, SEAL_KEY_SIZE);
        memory_key(&seal_key, rows[i].project, rows[i].provider, &rows[i].call, rows[i].shown,
                   keys[i]);
        memory_key(&seal_key, rows[i].project, rows[i].provider, &rows[i].call, rows[i].shown,
                   again);
        CU_ASSERT_EQUAL(memcmp(keys[i], again, MEMORY_KEY_SIZE), 0);
        for (size_t k = 0; k < i; k++)
            UNIT_CHECK(memcmp(keys[i], keys[k], MEMORY_KEY_SIZE) != 0, "rows %zu and %zu", k, i);
    }
}

/* Returns the text with upper-case stretches, or NULL if they cannot be joined. */
static const char *joined(struct arena *arena, const struct mask *mask)
{
    const char **texts = mask_texts(arena, mask), *result = NULL;

    for (size_t i = 0; i < mask->texts; i++) {
        char *text = arena_strdup(arena, texts[i]);

        for (char *c = text; *c; c++)
            *c = (char)toupper((unsigned char)*c);
        texts[i] = text;
    }
    return mask_join(arena, mask, texts, &result) == 0 ? result : NULL;
}

/* The stored text is as if the provider had translated it as a whole, with all marks in place. */
static void test_what_was_joined_can_be_shown(void)
{
    static const enum mask_style styles[] = {MASK_SUPERBLANK, MASK_ELEMENT};
    enum { MANY = 1000 };
    unsigned seed = 1812;
    size_t count = 0, restored = 0;

    for (size_t i = 0; i < MANY; i++) {
        CLEANUP(arena_destroy) struct arena *arena = arena_new();
        char *source = marked_text(&seed);
        struct mask mask = mask_scan(arena, source), again;
        const char *result = joined(arena, &mask), *back = "";

        for (size_t k = 0; result && k < ARRAY_SIZE(styles); k++) {
            again = mask_scan(arena, result);
            count++;
            restored += mask_restore(arena, &mask, styles[k], mask_render(arena, &again, styles[k]),
                                     &back) == 0 &&
                        strcmp(back, result) == 0;
        }
        free(source);
    }
    UNIT_CHECK(count > MANY, "%zu", count);
    UNIT_CHECK(restored == count, "%zu of %zu", restored, count);
}

static const struct unit_case cases[] = {
    CASE(test_each_part_counts),
    CASE(test_what_was_joined_can_be_shown),
};

int main(void)
{
    return unit_run("botd memory", cases, ARRAY_SIZE(cases));
}
