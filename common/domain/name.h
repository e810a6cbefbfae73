/* name.h - names that people choose: what may be in one, and how one is shown harmlessly. */
#ifndef ATRIUM_COMMON_DOMAIN_NAME_H
#define ATRIUM_COMMON_DOMAIN_NAME_H

#include "common/base/arena.h"

/* A field_check (fields.h): refuses control characters, bidirectional overrides and isolates
 * (U+202A-E, U+2066-9) and names with nothing visible. -1 with what is wrong. */
int name_check(const char *value, char why[static 96]);

enum { NAME_SHOWN_MAX = 64 }; /* characters of a name in a mail */

/* A name for a mail: refused characters become a space or nothing, at most NAME_SHOWN_MAX are kept,
 * and U+2060 keeps mail programs from linking it (after '.', '@' or "://"). */
char *name_shown(struct arena *arena, const char *name);

#endif
