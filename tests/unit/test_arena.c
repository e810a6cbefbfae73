/*
 * test_arena.c - a request's memory: alignment, zeroing, growth, reuse, finalizers.
 */
#include <string.h>

#include "common/base/arena.h"
#include "tests/support/unit.h"

static void test_sizes_alignment_and_zeroes_again_after_a_reset(void)
{
    static const size_t sizes[] = {0, 1, 15, 16, 17, 100, 4000, 4096, 5000, 70000, 1000000};
    CLEANUP(arena_destroy) struct arena *arena = arena_new();

    for (int round = 0; round < 3; round++) {
        uint8_t *blocks[ARRAY_SIZE(sizes)];
        size_t total = 0;

        for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
            blocks[i] = arena_alloc(arena, sizes[i]);
            UNIT_CHECK((uintptr_t)blocks[i] % _Alignof(max_align_t) == 0, "size %zu", sizes[i]);
            for (size_t j = 0; j < sizes[i]; j++)
                if (blocks[i][j] != 0) {
                    UNIT_CHECK(false, "size %zu is not zeroed at %zu", sizes[i], j);
                    break;
                }
            memset(blocks[i], (int)i + 1, sizes[i]);
            total += sizes[i];
        }
        for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
            UNIT_CHECK(sizes[i] == 0 || (blocks[i][0] == i + 1 && blocks[i][sizes[i] - 1] == i + 1),
                       "size %zu was overwritten", sizes[i]);
        CU_ASSERT(arena_used(arena) == total);
        arena_reset(arena);
        CU_ASSERT(arena_used(arena) == 0);
    }
}

static void test_many_small_ones_do_not_overlap(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    uint32_t *previous = NULL;

    for (uint32_t i = 0; i < 100000; i++) {
        uint32_t *value = arena_alloc(arena, sizeof(*value));

        *value = i;
        if (previous && *previous != i - 1) {
            UNIT_CHECK(false, "value %u was overwritten", i - 1);
            return;
        }
        previous = value;
    }
    CU_ASSERT(arena_used(arena) == 400000);
}

static void test_texts(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    char *text = arena_printf(arena, "%s-%d", "x", 42);

    CU_ASSERT_STRING_EQUAL(text, "x-42");
    CU_ASSERT_PTR_NULL(arena_strdup(arena, NULL));
    CU_ASSERT_STRING_EQUAL(arena_strdup(arena, ""), "");
    CU_ASSERT_STRING_EQUAL(arena_strndup(arena, "abcdef", 3), "abc");
    CU_ASSERT(memcmp(arena_memdup(arena, "a\0b", 3), "a\0b", 3) == 0);
    CU_ASSERT(strlen(arena_printf(arena, "%09999d", 7)) == 9999);
    CU_ASSERT_STRING_EQUAL(text, "x-42");
}

static void test_formatted_texts_are_whole_at_any_length(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();

    for (int length = 0; length < 1100; length++) {
        const char *text = arena_printf(arena, "%.*s%s", length > 0, "<", length > 1 ? ">" : "");
        const char *wide = arena_printf(arena, "%*s", length, text);

        UNIT_CHECK(strlen(wide) == (size_t)length, "%d: %zu", length, strlen(wide));
        UNIT_CHECK(strcmp(wide + strspn(wide, " "), text) == 0, "%d: %s", length, wide);
    }
}

static char order[8];

static void note(void *data)
{
    strncat(order, data, 1);
}

static void test_finalizers_run_last_first(void)
{
    struct arena *arena = arena_new();
    char a[] = "a", b[] = "b", c[] = "c";

    order[0] = '\0';
    arena_on_destroy(arena, note, a);
    arena_on_destroy(arena, note, b);
    arena_reset(arena);
    CU_ASSERT_STRING_EQUAL(order, "ba");
    arena_on_destroy(arena, note, c);
    arena_destroy(&arena);
    CU_ASSERT_STRING_EQUAL(order, "bac");
    CU_ASSERT_PTR_NULL(arena);
    arena_destroy(&arena);
}

static const struct unit_case cases[] = {
    CASE(test_sizes_alignment_and_zeroes_again_after_a_reset),
    CASE(test_many_small_ones_do_not_overlap),
    CASE(test_texts),
    CASE(test_formatted_texts_are_whole_at_any_length),
    CASE(test_finalizers_run_last_first),
};

int main(void)
{
    return unit_run("arena", cases, ARRAY_SIZE(cases));
}
