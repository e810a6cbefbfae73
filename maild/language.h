/*
 * language.h - language tags (BCP 47) as templates and messages carry them.
 */
#ifndef ATRIUM_MAILD_LANGUAGE_H
#define ATRIUM_MAILD_LANGUAGE_H

#include "common/arena.h"

/* The tag in its usual case ("PT-br" -> "pt-BR", RFC 5646 section 2.1.1), from the arena; "" for NULL and "";
 * NULL when it is no language tag. */
char *language_tag(struct arena *arena, const char *text);

/* The tag's first subtag ("pt-BR" -> "pt"), from the arena. */
char *language_base(struct arena *arena, const char *tag);

#endif
