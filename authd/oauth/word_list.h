/*
 * word_list.h - space-separated lists, such as scopes (RFC 6749, section 3.3).
 */
#ifndef ATRIUM_AUTHD_OAUTH_WORD_LIST_H
#define ATRIUM_AUTHD_OAUTH_WORD_LIST_H

#include <stdbool.h>

#include "common/base/arena.h"

bool word_list_has(const char *list, const char *word);

bool word_list_has_all(const char *list, const char *wanted);

/* Returns the words in both lists, from the arena, or "". */
const char *word_list_common(struct arena *arena, const char *list, const char *other);

bool word_list_has_prefix(const char *list, const char *prefix);

#endif
