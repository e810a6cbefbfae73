/* languages.h - finds languages by code or name. */
#ifndef ATRIUM_BOTD_TRANSLATION_LANGUAGES_H
#define ATRIUM_BOTD_TRANSLATION_LANGUAGES_H

#include "common/base/arena.h"

struct language {
    const char *code;          /* ISO 639-1: "es" */
    const char *codes, *names; /* ISO 639-2; English and native; `|` separates */
};

/* Accepts ISO 639-1 or 639-2 codes, names, or tags ("pt-BR"); NULL: none. Static. */
const struct language *language_find(struct arena *arena, const char *text);

const char *language_name(struct arena *arena, const struct language *language);

#endif
