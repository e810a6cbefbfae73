/*
 * page.h - writes HTML with every value escaped for its place.
 *
 * Templates (authd/page/template) become functions that call page_raw() and page_put(); pagegen.pl
 * chooses the context from the place of the variable. See docs/pages.md.
 */
#ifndef ATRIUM_AUTHD_PAGE_PAGE_H
#define ATRIUM_AUTHD_PAGE_PAGE_H

#include "common/base/arena.h"

enum page_language { PAGE_EN, PAGE_DE, PAGE_ES };
enum { PAGE_LANGUAGES = PAGE_ES + 1 };

enum page_context {
    PAGE_HTML,        /* text of an element that may hold entities */
    PAGE_ATTRIBUTE,   /* a value in double quotes */
    PAGE_URL,         /* all of an address: https, http, or a path of this host; else "#" */
    PAGE_IMAGE,       /* all of the address of a picture: PNG data, or a path of this host */
    PAGE_URL_SEGMENT, /* between two slashes of a path: never empty, "." or ".." ("-" instead) */
    PAGE_URL_QUERY,   /* behind ? or # */
    PAGE_JSON,        /* a string with its quotes, in a script of data */
};

/* A page being written; its text is in the arena and always ends in a NUL. */
struct page {
    struct arena *arena;
    enum page_language language;
    char *text;
    size_t length, capacity;
};

void page_init(struct page *self, struct arena *arena, enum page_language language);

/* "en", "de", "es". */
const char *page_language_tag(enum page_language language) __attribute__((returns_nonnull));

/* Text of a template, as it is. */
void page_raw(struct page *self, const char *text, size_t length);

/* A value; NULL is "". Each byte that is not UTF-8, each control other than tab and line feed, and
 * each noncharacter becomes U+FFFD. */
void page_put(struct page *self, enum page_context context, const char *value);

/* Neither NULL nor "". */
bool page_has(const char *value);

#endif
