/* token_search.c - see token_search.h. */
#include "botd/bot/token_search.h"

#include <string.h>

int token_search_parse(struct arena *arena, const char *text, struct token_search *ret)
{
    char *plain = arena_alloc(arena, strlen(text) + 1), *to = plain, *bar = NULL;

    for (const char *from = text; *from; from++) {
        if (*from == '\\' && from[1] != '\0' && strchr("|$,\\", from[1])) {
            *to++ = *++from;
        } else if (*from == '|') {
            if (bar)
                return -1;
            bar = to;
            *to++ = '\0';
        } else {
            *to++ = *from;
        }
    }
    *to = '\0';
    if (!bar) {
        *ret = (struct token_search){.value = plain};
        return *plain ? 0 : -1;
    }
    *ret = (struct token_search){.system = plain, .value = bar[1] ? bar + 1 : NULL};
    return *plain || ret->value ? 0 : -1;
}
