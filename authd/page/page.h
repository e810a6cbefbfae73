/*
 * page.h - writes HTML with each value escaped for its context.
 *
 * pagegen.pl compiles templates (authd/page/template) to calls of page_raw() and page_put(). A
 * variable's place decides its context. See TEMPLATES.md.
 */
#ifndef ATRIUM_AUTHD_PAGE_PAGE_H
#define ATRIUM_AUTHD_PAGE_PAGE_H

#include "common/base/arena.h"

enum page_language { PAGE_EN, PAGE_DE, PAGE_ES };
enum { PAGE_LANGUAGES = PAGE_ES + 1 };

enum page_context {
    PAGE_HTML,        /* text that can have entities */
    PAGE_ATTRIBUTE,   /* in double quotes */
    PAGE_URL,         /* whole URL: https, http, or a path of this host; otherwise "#" */
    PAGE_IMAGE,       /* whole image URL: PNG data, or a path of this host */
    PAGE_URL_SEGMENT, /* whole path segment; "-" instead of "", "." and ".." */
    PAGE_URL_QUERY,   /* after ? or # */
    PAGE_JSON,        /* string with quotes, in a data script */
};

/* Text in the arena, always terminated by NUL. */
struct page {
    struct arena *arena;
    enum page_language language;
    char *text;
    size_t length, capacity;
};

void page_init(struct page *self, struct arena *arena, enum page_language language);

const char *page_language_tag(enum page_language language) __attribute__((returns_nonnull));

/* Writes template text. */
void page_raw(struct page *self, const char *text, size_t length);

/* NULL is "". Invalid UTF-8, noncharacters, and controls except tab and line feed become U+FFFD. */
void page_put(struct page *self, enum page_context context, const char *value);

/* True unless NULL or "". */
bool page_has(const char *value);

#endif
