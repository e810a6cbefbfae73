/*
 * language_choice.h - chooses a page's language.
 */
#ifndef ATRIUM_AUTHD_PAGE_LANGUAGE_CHOICE_H
#define ATRIUM_AUTHD_PAGE_LANGUAGE_CHOICE_H

#include "authd/page/page.h"

/* Returns the preferred language of Accept-Language (RFC 9110, section 12.5.4; NULL: none) by first
 * subtags, or `fallback` (the tenant's, or NULL), or English. */
enum page_language language_choice(const char *accept, const char *fallback);

/* Finds a list's first known language (ui_locales of OpenID Connect Core 1.0, section 3.1.2.1;
 * NULL: none). Fails without changing *ret. */
bool language_of_locales(const char *locales, enum page_language *ret);

#endif
