/*
 * redirect.c - see redirect.h.
 */
#include "authd/oauth/redirect.h"

#include <stdio.h>
#include <string.h>

static const char *encoded(struct arena *arena, const char *text)
{
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
    char *out = arena_alloc(arena, 3 * strlen(text) + 1), *at = out;

    for (; *text; text++) {
        if (strchr(plain, *text))
            *at++ = *text;
        else
            at += sprintf(at, "%%%02X", (unsigned char)*text);
    }
    *at = '\0';
    return out;
}

const char *redirect_add(struct arena *arena, const char *url, const char *name, const char *value)
{
    if (!value)
        return url;
    return arena_printf(arena, "%s%c%s=%s", url, strchr(url, '?') ? '&' : '?', name,
                        encoded(arena, value));
}

void redirect_to_page(const struct page_answer *page, struct endpoint_answer *out)
{
    *out = (struct endpoint_answer){.status = page->status,
                                    .contentType = page->html ? "text/html; charset=utf-8" : NULL,
                                    .body = page->html,
                                    .policy = page->policy,
                                    .location = page->location,
                                    .cookie = page->cookie,
                                    .retryAfter = page->retryAfter};
}
