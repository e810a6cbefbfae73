/*
 * redirect.c - see redirect.h.
 */
#include "authd/oauth/redirect.h"

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
