/*
 * marked_text.h - difficult texts for translation.
 */
#ifndef ATRIUM_TESTS_SUPPORT_MARKED_TEXT_H
#define ATRIUM_TESTS_SUPPORT_MARKED_TEXT_H

#include "common/base/base.h"

/* Makes a text of words in several scripts, nested and stray tags, entities, variables, emoji,
 * Markdown and code (caller frees). */
char *marked_text(unsigned *seed);

/* True when each piece of markup occurs equally often in both. */
bool marked_text_kept(const char *text, const char *result);

#endif
