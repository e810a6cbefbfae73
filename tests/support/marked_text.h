/*
 * marked_text.h - texts as clients may want them translated, at their worst.
 */
#ifndef ATRIUM_TESTS_SUPPORT_MARKED_TEXT_H
#define ATRIUM_TESTS_SUPPORT_MARKED_TEXT_H

#include "common/base/base.h"

/* A text of words in several scripts, nested and stray tags, entities, variables, emoji, Markdown
 * and code. Caller frees. */
char *marked_text(unsigned *seed);

/* Whether each piece of markup that there is occurs in both equally often. */
bool marked_text_kept(const char *text, const char *result);

#endif
