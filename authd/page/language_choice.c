/*
 * language_choice.c - see language_choice.h.
 */
#include "authd/page/language_choice.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Whether a first subtag is one of our languages. */
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

/* How much an entry "de-CH;q=0.8" is wanted, in thousandths (RFC 9110, section 12.4.2). */
static int weight_of(const char *entry, size_t length)
{
    const char *parameter = memchr(entry, ';', length);
    double quality;

    if (!parameter)
        return 1000;
    parameter += 1 + strspn(parameter + 1, " \t");
    if (parameter + 2 >= entry + length || strncasecmp(parameter, "q=", 2) != 0)
        return 0;
    quality = strtod(parameter + 2, NULL);
    return quality >= 0 && quality <= 1 ? (int)(quality * 1000) : 0; /* neither NaN nor 1e300 */
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
        if (is_language(at, strcspn(at, "-;, \t"), &language) && weight_of(at, length) > most) {
            most = weight_of(at, length);
            best = language;
        }
        at += length;
    }
    if (most == 0 && fallback && is_language(fallback, strcspn(fallback, "-"), &language))
        best = language;
    return best;
}
