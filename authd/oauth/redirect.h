/*
 * redirect.h - redirects from browser endpoints to a client or a page.
 */
#ifndef ATRIUM_AUTHD_OAUTH_REDIRECT_H
#define ATRIUM_AUTHD_OAUTH_REDIRECT_H

#include "common/base/arena.h"
#include "common/domain/endpoint.h"

/* Adds an encoded parameter (RFC 3986, section 2.1), unless value is NULL. From the arena. */
const char *redirect_add(struct arena *arena, const char *url, const char *name, const char *value);

/* Answers as the page would, with a text or redirect. */
void redirect_to_page(const struct page_answer *page, struct endpoint_answer *out);

#endif
