/*
 * token_search.h - FHIR's search parameter type token (R4, section 3.1.1.5.9).
 */
#ifndef ATRIUM_BOTD_BOT_TOKEN_SEARCH_H
#define ATRIUM_BOTD_BOT_TOKEN_SEARCH_H

#include "common/base/arena.h"
#include "common/base/base.h"

struct token_search {
    const char *system; /* NULL: any; "": none */
    const char *value;  /* NULL: any */
};

/* Parses "system|value", "|value", "system|" or "value". A backslash escapes | $ , and itself. -1:
 * malformed. */
int token_search_parse(struct arena *arena, const char *text, struct token_search *ret) MUST_USE;

#endif
