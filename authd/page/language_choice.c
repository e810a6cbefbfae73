/*
 * language_choice.c - see language_choice.h.
 */
#include "authd/page/language_choice.h"

#include <string.h>
#include <strings.h>

#include "common/domain/accept.h"

/* Compares a first subtag with our languages. */
static bool is_language(const char *text, size_t length, enum page_language *ret)
{
    for (size_t i = 0; i < PAGE_LANGUAGES; i++) {
        const char *tag = page_language_tag((enum page_language)i);

        if (length == strlen(tag) && strncasecmp(text, tag, length) == 0) {
            *ret = (enum page_language)i;
            return true;
        }
    }
    return false;
}

bool language_of_locales(const char *locales, enum page_language *ret)
{
    for (const char *at = locales ? locales : ""; *at; at += strcspn(at, " ")) {
        at += strspn(at, " ");
        if (is_language(at, strcspn(at, "- "), ret))
            return true;
    }
    return false;
}

enum page_language language_choice(const char *accept, const char *fallback)
{
    enum page_language best = PAGE_EN, language;
    int most = 0;

    for (const char *at = accept ? accept : ""; *at;) {
        size_t length;

        at += strspn(at, ", \t");
        length = strcspn(at, ",");
        if (is_language(at, strcspn(at, "-;, \t"), &language) && accept_weight(at, length) > most) {
            most = accept_weight(at, length);
            best = language;
        }
        at += length;
    }
    if (most == 0 && fallback && is_language(fallback, strcspn(fallback, "-"), &language))
        best = language;
    return best;
}
