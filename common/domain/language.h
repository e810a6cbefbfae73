/* language.h - language tags (BCP 47) as locales, templates and messages carry them. */
#ifndef ATRIUM_COMMON_DOMAIN_LANGUAGE_H
#define ATRIUM_COMMON_DOMAIN_LANGUAGE_H

#include "common/base/arena.h"

enum { LANGUAGE_TAG_MAX = 35 }; /* bytes; RFC 5646, section 4.4.1 */

/* What every well-formed tag matches, for the OpenAPI page. */
#define LANGUAGE_PATTERN "^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$"

/* The tag in its usual case ("PT-br" -> "pt-BR"); "" for NULL and ""; NULL when malformed (RFC
 * 5646, section 2.1; neither irregular nor purely private tags). */
char *language_tag(struct arena *arena, const char *text);

/* The tag's first subtag ("pt-BR" -> "pt"), from the arena. */
char *language_base(struct arena *arena, const char *tag);

#endif
