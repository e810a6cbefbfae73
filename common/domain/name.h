/* name.h - names that people choose: validation and safe display. */
#ifndef ATRIUM_COMMON_DOMAIN_NAME_H
#define ATRIUM_COMMON_DOMAIN_NAME_H

#include "common/base/arena.h"

/* A field_check (fields.h): rejects control characters, bidirectional overrides and isolates
 * (U+202A-E, U+2066-9) and invisible names. Returns -1 with the fault. */
int name_check(const char *value, char why[static 96]);

enum { NAME_SHOWN_MAX = 64 }; /* characters in an email */

/* Returns a name for an email: invalid characters become a space or nothing, NAME_SHOWN_MAX are
 * kept, and U+2060 (after '.', '@' or "://") keeps email programs from linking it. */
char *name_shown(struct arena *arena, const char *name);

#endif
