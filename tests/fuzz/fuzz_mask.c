/*
 * fuzz_mask.c - protection of markup in any text and any translation. Input: a text, a line
 * "-----", a translation.
 */
#include <string.h>

#include "botd/translation/mask.h"
#include "common/wire/codec.h"
#include "tests/fuzz/fuzz.h"

static const char split[] = "\n-----\n";

static void check_pieces(const struct mask *mask)
{
    size_t end = 0, texts = 0;

    for (size_t i = 0; i < mask->count; i++) {
        const struct mask_piece *piece = &mask->pieces[i];

        FUZZ_REQUIRE(piece->start == end && piece->size > 0);
        end += piece->size;
        texts += piece->kind == MASK_TEXT;
        if (piece->kind == MASK_OPEN)
            FUZZ_REQUIRE(piece->partner > i && piece->partner < mask->count &&
                         mask->pieces[piece->partner].kind == MASK_CLOSE);
        if (piece->kind == MASK_OPEN || piece->kind == MASK_CLOSE)
            FUZZ_REQUIRE(mask->pieces[piece->partner].partner == i);
    }
    FUZZ_REQUIRE(end == mask->size && texts == mask->texts);
}

static void check_unchanged(struct arena *arena, const struct mask *mask)
{
    const char *result, *shown;

    for (enum mask_style style = MASK_SUPERBLANK; style <= MASK_ELEMENT; style++) {
        result = NULL;
        shown = mask_render(arena, mask, style);
        FUZZ_REQUIRE(codec_is_text(shown, strlen(shown)));
        FUZZ_REQUIRE(mask_restore(arena, mask, style, shown, &result) == 0);
        FUZZ_REQUIRE(strcmp(result, mask->text) == 0);
    }
    result = NULL;
    FUZZ_REQUIRE(mask_join(arena, mask, mask_texts(arena, mask), &result) == 0);
    FUZZ_REQUIRE(strcmp(result, mask->text) == 0);
}

/* Returns an order-independent sum of everything except words and blanks. */
static size_t sum_of_marks(const struct mask *mask)
{
    size_t sum = 0;

    for (size_t i = 0; i < mask->count; i++) {
        const struct mask_piece *piece = &mask->pieces[i];
        const char *bytes = mask->text + piece->start;
        size_t hash = 1;

        if (piece->kind == MASK_TEXT || piece->kind == MASK_SPACE ||
            strspn(bytes, " \t") >= piece->size)
            continue;
        for (size_t at = 0; at < piece->size; at++)
            hash = hash * 31 + (uint8_t)bytes[at];
        sum += hash;
    }
    return sum;
}

static void check_answer(struct arena *arena, const struct mask *mask, const char *answer)
{
    for (enum mask_style style = MASK_SUPERBLANK; style <= MASK_ELEMENT; style++) {
        const char *result = NULL;
        struct mask taken;

        if (mask_restore(arena, mask, style, answer, &result) < 0)
            continue;
        FUZZ_REQUIRE(codec_is_text(result, strlen(result)));
        taken = mask_scan(arena, result);
        check_pieces(&taken);
        check_unchanged(arena, &taken);
        FUZZ_REQUIRE(sum_of_marks(&taken) == sum_of_marks(mask));
    }
}

int fuzz_mask(const uint8_t *data, size_t size)
{
    CLEANUP(memory_free) char *text = fuzz_text(data, size);
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    CLEANUP(memory_free) char *first = NULL;
    const char *answer = strstr(text, split);
    struct mask mask;

    if (!codec_is_text(text, strlen(text)))
        return 0;
    first = fuzz_text((const uint8_t *)text, answer ? (size_t)(answer - text) : strlen(text));
    mask = mask_scan(arena, first);
    check_pieces(&mask);
    check_unchanged(arena, &mask);
    if (answer)
        check_answer(arena, &mask, answer + sizeof(split) - 1);
    mask = mask_plain(arena, first);
    FUZZ_REQUIRE(mask.texts == 1 && mask.count == 1);
    return 0;
}
