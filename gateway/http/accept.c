/*
 * accept.c - see accept.h.
 */
#include "gateway/http/accept.h"

#include <string.h>
#include <strings.h>

#include "common/domain/accept.h"

/* Returns 3 for the type itself, 2 for "text/...", 1 for any, 0 for no match. */
static int match(const char *range, size_t length, const char *type)
{
    size_t major = strcspn(type, "/") + 1;

    if (length == strlen(type) && strncasecmp(range, type, length) == 0)
        return 3;
    if (length == major + 1 && range[major] == '*' && strncasecmp(range, type, major) == 0)
        return 2;
    return length == 3 && strncmp(range, "*/*", 3) == 0;
}

static int weight_of(const char *accept, const char *type)
{
    int best = 0, weight = 0;

    for (const char *at = accept; *at;) {
        size_t length;
        int found;

        at += strspn(at, ", \t");
        length = strcspn(at, ",");
        found = match(at, strcspn(at, ";, \t"), type);
        if (found > best) {
            best = found;
            weight = accept_weight(at, length);
        }
        at += length;
    }
    return weight;
}

bool accept_prefers_html(const char *accept)
{
    return accept && weight_of(accept, "text/html") > weight_of(accept, "application/json");
}
