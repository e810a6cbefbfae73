/* languages.c - see languages.h and languages.def. */
#include "botd/translation/languages.h"

#include <string.h>
#include <strings.h>

#include "common/domain/language.h"

static const struct language languages[] = {
#define LANGUAGE(code, codes, names) {code, codes, names},
#include "botd/translation/languages.def"
};

static bool is_among(const char *words, const char *text)
{
    size_t length = strlen(text);

    for (const char *word = words; word; word = strchr(word, '|') ? strchr(word, '|') + 1 : NULL)
        if (strcspn(word, "|") == length && strncasecmp(word, text, length) == 0)
            return true;
    return false;
}

static const struct language *find(const char *text)
{
    for (size_t i = 0; i < ARRAY_SIZE(languages); i++)
        if (strcasecmp(languages[i].code, text) == 0 || is_among(languages[i].codes, text) ||
            is_among(languages[i].names, text))
            return &languages[i];
    return NULL;
}

const struct language *language_find(struct arena *arena, const char *text)
{
    const struct language *found = find(text);
    const char *tag = found ? NULL : language_tag(arena, text);

    return tag && strchr(tag, '-') ? find(language_base(arena, tag)) : found;
}

const char *language_name(struct arena *arena, const struct language *language)
{
    return arena_strndup(arena, language->names, strcspn(language->names, "|"));
}
