/* name.h - names that people choose: validation and safe display. */
#ifndef ATRIUM_COMMON_DOMAIN_NAME_H
#define ATRIUM_COMMON_DOMAIN_NAME_H

#include "common/base/arena.h"

/* Rejects control characters, bidirectional overrides and isolates (U+202A-E, U+2066-9) and
 * invisible names. */
int name_check(const char *value, char why[static 96]);

enum { NAME_SHOWN_MAX = 64 }; /* characters in an email */

/* Makes a name safe for an email: replaces or drops invalid characters, cuts to NAME_SHOWN_MAX, and
 * adds U+2060 (after '.', '@' or "://"), which prevents links. */
char *name_shown(struct arena *arena, const char *name);

#endif
