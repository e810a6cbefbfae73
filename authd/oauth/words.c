/*
 * words.c - see words.h.
 */
#include "authd/oauth/words.h"

#include <string.h>

bool words_have(const char *list, const char *word)
{
    size_t length = strlen(word);

    for (const char *at = list; at && *at;) {
        size_t size;

        at += strspn(at, " ");
        size = strcspn(at, " ");
        if (size == length && size > 0 && memcmp(at, word, size) == 0)
            return true;
        at += size;
    }
    return false;
}

const char *words_common(struct arena *arena, const char *list, const char *other)
{
    char *rest = NULL, *text = arena_strdup(arena, list);
    const char *both = "";

    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        if (words_have(other, word))
            both = arena_printf(arena, "%s%s%s", both, *both ? " " : "", word);
    return both;
}

bool words_have_prefix(const char *list, const char *prefix)
{
    size_t length = strlen(prefix);

    for (const char *at = list; at; at = strchr(at, ' ')) {
        at += strspn(at, " ");
        if (strncmp(at, prefix, length) == 0)
            return true;
    }
    return false;
}
