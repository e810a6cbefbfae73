/*
 * page.h - pages that people see in their browser (rows PAGE).
 *
 * The input has `const struct page_visit *visit`, and texts from path and form. The output is
 * struct page_answer, or an R_CONTENT file that is answered as pages are. A browser has a cookie
 * per tenant; the gateway gives one to a new browser, so that forms are bound to it before sign-in.
 */
#ifndef ATRIUM_COMMON_DOMAIN_PAGE_H
#define ATRIUM_COMMON_DOMAIN_PAGE_H

#include "common/domain/content.h"
#include "common/wire/fields.h"

enum { PAGE_COOKIE_MAX = 64, PAGE_NEXT_MAX = 7168, PAGE_HTML_MAX = 512 * 1024 };
enum { PAGE_HERE_MAX = 8192 }; /* a longer URL offers no languages */

struct page_visit {
    const char *url;       /* public_url: "https://id.example.org" */
    const char *cookie;    /* the browser's cookie for the tenant; new for a new visitor */
    const char *formToken; /* for the answer's forms */
    const char *languages; /* Accept-Language (RFC 9110, section 12.5.4) or NULL */
    const char *language;  /* chosen on a page before: "de"; NULL: none */
    const char *here;      /* for a GET: path and query of the page, without a choice of language */
    const char *next;
    bool own; /* a page of this origin sent the form, and this browser got that page */
    /* A page of this origin sent the form with an older cookie: it can navigate, but changes
     * nothing. */
    bool stale;
    /* Identifies a submission of an own form: equal if browser, page and fields are equal. */
    const char *submission;
    bool isNew; /* the cookie was made for this answer */
};
FIELD_DECLARE(page_visit);

struct page_answer {
    int64_t status;
    const char *location;          /* for 303: a path of this host */
    const char *html;              /* for every other status */
    const char *policy;            /* Content-Security-Policy */
    const char *cookie;            /* replaces the visitor's cookie; "" deletes it; NULL keeps it */
    int64_t retryAfter;            /* seconds, or 0 */
    const struct content *content; /* for 200: a file instead of html, or NULL */
};
FIELD_DECLARE(page_answer);

#define FIELD_VISIT(s) \
    FIELD_OBJECT(s, visit, page_visit, FIELD_INTERNAL, "What the gateway knows about the browser.")

/* True for "https://host[:port]", and for http on localhost, 127.0.0.1 or [::1]. */
bool page_is_origin(const char *url);

/* Code of the installation's own pages, without a tenant. */
#define PAGE_INSTALLATION_CODE "-"

/* True if a cookie's name and a path can contain the tenant code. */
bool page_is_code(const char *code);

#endif
