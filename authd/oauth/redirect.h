/*
 * redirect.h - redirects from browser endpoints to a client or a page.
 */
#ifndef ATRIUM_AUTHD_OAUTH_REDIRECT_H
#define ATRIUM_AUTHD_OAUTH_REDIRECT_H

#include "common/domain/endpoint.h"

/* Answers as the page would, with a text or redirect. */
void redirect_to_page(const struct page_answer *page, struct endpoint_answer *out);

#endif
