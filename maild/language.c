/*
 * language.c - see language.h.  Used by template.c and queue.c, so that what they compare is spelt alike.
 */
#include "maild/language.h"

#include <ctype.h>
#include <string.h>

enum { SUBTAG_MAX = 8, TAG_MAX = 35 };

static bool is_subtag(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (!isalnum((unsigned char)text[i]))
            return false;
    }
    return length >= 1 && length <= SUBTAG_MAX;
}

char *language_tag(struct arena *arena, const char *text)
{
    char *tag = arena_strdup(arena, text ? text : "");
    size_t length;

    if (tag[0] == '\0')
        return tag;
    if (strlen(tag) > TAG_MAX || strcspn(tag, "-") < 2)
        return NULL;
    for (char *p = tag;; p += length + 1) {
        length = strcspn(p, "-");
        if (!is_subtag(p, length))
            return NULL;
        for (size_t i = 0; i < length; i++) {
            bool upper = p != tag && (length == 2 || (length == 4 && i == 0));

            p[i] = (char)(upper ? toupper((unsigned char)p[i]) : tolower((unsigned char)p[i]));
        }
        if (p[length] == '\0')
            return tag;
    }
}

char *language_base(struct arena *arena, const char *tag)
{
    return arena_strndup(arena, tag, strcspn(tag, "-"));
}
