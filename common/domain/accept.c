/* accept.c - see accept.h. */
#include "common/domain/accept.h"

#include <stdlib.h>
#include <string.h>

int accept_weight(const char *entry, size_t length)
{
    const char *end = entry + length, *at = entry;

    while ((at = memchr(at, ';', (size_t)(end - at)))) {
        double quality;

        at += 1 + strspn(at + 1, " \t");
        if (at >= end || (*at != 'q' && *at != 'Q') || !strchr("=;, \t", at[1]))
            continue;
        if (at[1] != '=' || at + 2 >= end)
            return 0;
        quality = strtod(at + 2, NULL);
        return quality >= 0 && quality <= 1 ? (int)(quality * 1000) : 0; /* rejects NaN and 1e300 */
    }
    return 1000;
}
