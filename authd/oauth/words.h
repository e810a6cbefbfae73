/*
 * words.h - lists of words between blanks, as scopes are written (RFC 6749, section 3.3).
 */
#ifndef ATRIUM_AUTHD_OAUTH_WORDS_H
#define ATRIUM_AUTHD_OAUTH_WORDS_H

#include <stdbool.h>

#include "common/base/arena.h"

/* Whether a word is in a list of words between blanks. */
bool words_have(const char *list, const char *word);

/* Whether all words of `wanted` are in the list. */
bool words_have_all(const char *list, const char *wanted);

/* The words of the one list that are in the other, too; in the arena, or "". */
const char *words_common(struct arena *arena, const char *list, const char *other);

/* Whether one of the words begins so. */
bool words_have_prefix(const char *list, const char *prefix);

#endif
