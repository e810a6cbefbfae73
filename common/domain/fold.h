/*
 * fold.h - folds texts for search; the query is folded alike.
 *
 * Letters become lower case (Unicode's full case folding) and compatible forms (NFKC), so a
 * ligature becomes its letters. Marks that do not matter to a searcher disappear: accents of Latin,
 * Greek and Cyrillic, Arabic vowels, Hebrew points, the nukta. Vowels of Indian and South East
 * Asian scripts and voiced kana stay. fold_letters.def lists letters that match others. Digits
 * become ASCII. All other characters separate words.
 */
#ifndef ATRIUM_COMMON_DOMAIN_FOLD_H
#define ATRIUM_COMMON_DOMAIN_FOLD_H

#include "common/base/arena.h"

/* Folds the first `most` characters (UTF-8) into words separated by a space. An apostrophe between
 * letters stays: it separates words of a text, not of a name. Idempotent. */
char *fold(struct arena *arena, const char *text, size_t most);

enum fold_kind {
    FOLD_WORD, /* a word of a script with spaces */
    FOLD_PAIR, /* two characters of Chinese, Japanese, Thai or Korean */
    FOLD_LAST, /* last character of such a run, so no pair */
};

struct fold_word {
    const char *text; /* not NUL-terminated */
    size_t size;
    enum fold_kind kind;
};

/* Reads the next word of a folded text. In scripts without spaces each character starts a word:
 * pairs find part of a run, and a prefix finds one character. */
bool fold_next(const char **at, struct fold_word *ret);

#endif
