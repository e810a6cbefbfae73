/*
 * language_choice.h - which of the languages of the pages a browser gets. Pure.
 */
#ifndef ATRIUM_AUTHD_PAGE_LANGUAGE_CHOICE_H
#define ATRIUM_AUTHD_PAGE_LANGUAGE_CHOICE_H

#include "authd/page/page.h"

/* The language that Accept-Language (RFC 9110, section 12.5.4; NULL: none) wants most among ours,
 * by its first subtag; else that of `fallback`, the tenant's language (NULL: none); else
 * English. */
enum page_language language_choice(const char *accept, const char *fallback);

/* The first language of the pages in a list of tags between blanks, by its first subtag (OpenID
 * Connect Core 1.0, section 3.1.2.1, ui_locales; NULL: none). False, and *ret is as it was: there
 * is none. */
bool language_of_locales(const char *locales, enum page_language *ret);

#endif
