/*
 * fold.h - texts as they are searched for: a search and what it looks through are folded alike.
 *
 * Letters are in small case (Unicode's full case folding) and in their compatible forms (NFKC):
 * full-width Latin is Latin, a ligature its letters. Marks are left out where they do not make
 * another letter for a person who searches: accents of Latin, Greek and Cyrillic, Arabic vowels,
 * Hebrew points, the nukta. They stay in the scripts of India and South East Asia, whose vowels
 * they are, and as voiced kana. Letters that are searched for as others are in fold_letters.def.
 * Digits are those of ASCII. All else parts words.
 */
#ifndef ATRIUM_COMMON_DOMAIN_FOLD_H
#define ATRIUM_COMMON_DOMAIN_FOLD_H

#include "common/base/arena.h"

/* Folds the first `most` characters (UTF-8) to words with a space between. An apostrophe between
 * letters stays: it parts words of a text, but not of a name. Idempotent. */
char *fold(struct arena *arena, const char *text, size_t most);

enum fold_kind {
    FOLD_WORD, /* letters and digits of a script with spaces between words */
    FOLD_PAIR, /* two characters of Chinese, Japanese, Thai; also Korean */
    FOLD_LAST, /* the last character of a run of them: no pair begins with it */
};

struct fold_word {
    const char *text; /* not terminated */
    size_t size;
    enum fold_kind kind;
};

/* The next word of a folded text; false: none. Without spaces each character begins one, so a part
 * of a run is found by its pairs and one character by what begins with it. */
bool fold_next(const char **at, struct fold_word *ret);

#endif
