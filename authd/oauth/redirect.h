/*
 * redirect.h - where endpoints that browsers are sent to send them on: to an address of a client,
 * or to a page.
 */
#ifndef ATRIUM_AUTHD_OAUTH_REDIRECT_H
#define ATRIUM_AUTHD_OAUTH_REDIRECT_H

#include "common/base/arena.h"
#include "common/domain/endpoint.h"

/* The address with one parameter more, its value encoded (RFC 3986, section 2.1), from the arena;
 * value NULL: the address as it is. */
const char *redirect_add(struct arena *arena, const char *url, const char *name, const char *value);

/* Answers with what a page would: its text, or the address that it leads to. */
void redirect_to_page(const struct page_answer *page, struct endpoint_answer *out);

#endif
