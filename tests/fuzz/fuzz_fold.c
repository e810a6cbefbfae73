/*
 * fuzz_fold.c - folding of names and texts for search. Input: one text.
 */
#include <string.h>

#include "common/domain/fold.h"
#include "common/wire/codec.h"
#include "tests/fuzz/fuzz.h"

enum { GROWS = 18 }; /* longest expansion of one character, U+FDFA */

static void check_words(const char *folded)
{
    const char *at = folded, *end = folded + strlen(folded), *before = folded;
    struct fold_word word;

    while (fold_next(&at, &word)) {
        FUZZ_REQUIRE(word.size > 0 && word.text >= before && word.text + word.size <= end);
        FUZZ_REQUIRE(word.text - before <= 1 && at > word.text);
        FUZZ_REQUIRE(!memchr(word.text, ' ', word.size) && !memchr(word.text, '\'', word.size));
        before = at;
    }
    FUZZ_REQUIRE(before == end);
}

int fuzz_fold(const uint8_t *data, size_t size)
{
    CLEANUP(memory_free) char *text = fuzz_text(data, size);
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    const char *folded = fold(arena, text, SIZE_MAX);

    if (!codec_is_text(text, strlen(text)))
        return 0;
    FUZZ_REQUIRE(codec_is_text(folded, strlen(folded)));
    FUZZ_REQUIRE(strlen(folded) <= GROWS * strlen(text));
    FUZZ_REQUIRE(strcmp(fold(arena, folded, SIZE_MAX), folded) == 0);
    check_words(folded);
    return 0;
}
