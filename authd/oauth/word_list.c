/*
 * word_list.c - see word_list.h.
 */
#include "authd/oauth/word_list.h"

#include <string.h>

static bool has(const char *list, const char *word, size_t length)
{
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

bool word_list_has(const char *list, const char *word)
{
    return has(list, word, strlen(word));
}

bool word_list_has_all(const char *list, const char *wanted)
{
    for (const char *at = wanted; *at;) {
        size_t size;

        at += strspn(at, " ");
        size = strcspn(at, " ");
        if (size > 0 && !has(list, at, size))
            return false;
        at += size;
    }
    return true;
}

const char *word_list_common(struct arena *arena, const char *list, const char *other)
{
    char *rest = NULL, *text = arena_strdup(arena, list);
    const char *both = "";

    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        if (word_list_has(other, word))
            both = arena_printf(arena, "%s%s%s", both, *both ? " " : "", word);
    return both;
}

bool word_list_has_prefix(const char *list, const char *prefix)
{
    size_t length = strlen(prefix);

    for (const char *at = list; at; at = strchr(at, ' ')) {
        at += strspn(at, " ");
        if (strncmp(at, prefix, length) == 0)
            return true;
    }
    return false;
}
