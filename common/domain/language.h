/* language.h - language tags (BCP 47). */
#ifndef ATRIUM_COMMON_DOMAIN_LANGUAGE_H
#define ATRIUM_COMMON_DOMAIN_LANGUAGE_H

#include "common/base/arena.h"

enum { LANGUAGE_TAG_MAX = 35 }; /* RFC 5646, section 4.4.1 */

/* Pattern for OpenAPI. */
#define LANGUAGE_PATTERN "^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$"

/* Returns the tag in its usual case ("PT-br" -> "pt-BR"); "" for NULL and ""; NULL if malformed
 * (RFC 5646, section 2.1), irregular or private. */
char *language_tag(struct arena *arena, const char *text);

char *language_base(struct arena *arena, const char *tag);

#endif
