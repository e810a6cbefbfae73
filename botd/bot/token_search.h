/*
 * token_search.h - the search parameter of type token (FHIR R4, section 3.1.1.5.9) by which a bot
 * is named.
 */
#ifndef ATRIUM_BOTD_BOT_TOKEN_SEARCH_H
#define ATRIUM_BOTD_BOT_TOKEN_SEARCH_H

#include "common/base/arena.h"
#include "common/base/base.h"

struct token_search {
    const char *system; /* NULL: any; "": none */
    const char *value;  /* NULL: any */
};

/* Reads "system|value", "|value" (without a system), "system|" (any value) or "value" (any system).
 * A backslash takes its special meaning from | $ , and itself. -1 when it is none of these. Texts
 * from the arena. */
int token_search_parse(struct arena *arena, const char *text, struct token_search *ret) MUST_USE;

#endif
