/*
 * page.h - a page that people see in their browser: what the gateway tells a daemon of the request,
 * and what it gets back.
 *
 * A row PAGE of the daemon's routes has an input with a member `const struct page_visit *visit`,
 * which the gateway fills, beside rows for the path and for the fields of the form
 * (application/x-www-form-urlencoded), which are texts. Its output is struct page_answer.
 *
 * A browser has one cookie for each tenant. The gateway knows nothing of what it stands for: it
 * gives one to a browser that has none, so that a form can be bound to it before anyone has signed
 * in, and hands it on.
 *
 * A page may answer with a file instead (content.h), whose bytes the gateway fetches from the
 * service of the R_CONTENT routes. It is answered as pages are: no cache keeps it, and no script of
 * another site reads it.
 */
#ifndef ATRIUM_COMMON_DOMAIN_PAGE_H
#define ATRIUM_COMMON_DOMAIN_PAGE_H

#include "common/domain/content.h"
#include "common/wire/fields.h"

enum { PAGE_COOKIE_MAX = 64, PAGE_NEXT_MAX = 7168, PAGE_HTML_MAX = 512 * 1024 };

struct page_visit {
    const char *url;       /* public_url: "https://id.example.org" */
    const char *cookie;    /* of this browser and tenant; of a new visitor a new one */
    const char *formToken; /* for the forms of the answer */
    const char *languages; /* Accept-Language (RFC 9110, section 12.5.4); NULL: none */
    const char *next;
    bool own; /* the form was sent by a page of this origin, for this browser */
    /* Sent by a page of this origin for an older cookie: it may navigate, and does nothing. */
    bool stale;
    /* Of an own form: which one it is. The same browser, page and fields give the same text. */
    const char *submission;
    bool isNew; /* the browser has shown no cookie: this one has been made for the answer */
};
FIELD_DECLARE(page_visit);

struct page_answer {
    int64_t status;       /* 200 or 303, or an error's */
    const char *location; /* with 303: a path of this host */
    const char *html;     /* else */
    const char *policy;   /* Content-Security-Policy of the html */
    const char *cookie;   /* takes the place of the visitor's; "": it ends; NULL: it stays */
    int64_t retryAfter;   /* seconds; 0: not said */
    const struct content *content; /* with 200: the file that takes the place of html; NULL: none */
};
FIELD_DECLARE(page_answer);

/* The member of an input that the gateway fills. */
#define FIELD_VISIT(s) \
    FIELD_OBJECT(s, visit, page_visit, FIELD_INTERNAL, "What the gateway knows of the browser.")

/* "https://host[:port]", or http on localhost, 127.0.0.1 or [::1], and nothing after it. */
bool page_is_origin(const char *url);

/* The code of the installation's own pages, for accounts of no tenant. */
#define PAGE_INSTALLATION_CODE "-"

/* Whether a tenant of this code can have pages: the name of a cookie and a path can hold it. */
bool page_is_code(const char *code);

#endif
