/*
 * name.h - names that people and admins choose: what may be in one, and how one is shown where it
 * must do no harm.
 */
#ifndef ATRIUM_COMMON_DOMAIN_NAME_H
#define ATRIUM_COMMON_DOMAIN_NAME_H

#include "common/base/arena.h"

/* A field_check (fields.h) for names: no control characters (U+0000-1F, U+007F-9F, U+2028, U+2029),
 * no bidirectional overrides and isolates (U+202A-E, U+2066-9), something visible. 0, or -1 with
 * what is wrong. */
int name_check(const char *value, char why[static 96]);

enum { NAME_SHOWN_MAX = 64 }; /* characters of a name in a mail */

/* A name as it stands in a mail: what name_check() refuses is left out of it or is a space, at most
 * NAME_SHOWN_MAX characters are left, and U+2060 (word joiner) keeps mail programs from making a
 * link of it: behind a dot or '@' between letters or digits, and behind the colon of "://". */
char *name_shown(struct arena *arena, const char *name);

#endif
