/*
 * word_list.h - lists of words between blanks, as scopes are written (RFC 6749, section 3.3).
 */
#ifndef ATRIUM_AUTHD_OAUTH_WORD_LIST_H
#define ATRIUM_AUTHD_OAUTH_WORD_LIST_H

#include <stdbool.h>

#include "common/base/arena.h"

/* Whether a word is in a list of words between blanks. */
bool word_list_has(const char *list, const char *word);

/* Whether all words of `wanted` are in the list. */
bool word_list_has_all(const char *list, const char *wanted);

/* The words of the one list that are in the other, too; in the arena, or "". */
const char *word_list_common(struct arena *arena, const char *list, const char *other);

/* Whether one of the words begins so. */
bool word_list_has_prefix(const char *list, const char *prefix);

#endif
