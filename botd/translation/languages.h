/* languages.h - languages by whatever a client calls them. */
#ifndef ATRIUM_BOTD_TRANSLATION_LANGUAGES_H
#define ATRIUM_BOTD_TRANSLATION_LANGUAGES_H

#include "common/base/arena.h"

struct language {
    const char *code;          /* ISO 639-1: "es" */
    const char *codes, *names; /* ISO 639-2; English and its own; `|` between them */
};

/* Finds a language by ISO 639-1 or 639-2 code, English or own name, or tag ("pt-BR"); NULL: none.
 * Static. */
const struct language *language_find(struct arena *arena, const char *text);

/* Its English name, from the arena. */
const char *language_name(struct arena *arena, const struct language *language);

#endif
