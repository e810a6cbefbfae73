/*
 * endpoint.h - an endpoint whose request and answer a standard defines (rows ENDPOINT).
 *
 * The input has `const struct endpoint_visit *visit`, filled by the gateway, and texts: of the
 * path, and of a GET's query or a POST's form. Empty parameters are absent; a repeated one is
 * refused (RFC 6749, sections 3.1 and 3.2) or, with R_REPEATED, dropped and told; unknown ones are
 * ignored. The output is struct endpoint_answer. Errors have the form of RFC 6749, section 5.2:
 * `invalid_request` for 4xx, `temporarily_unavailable` for 429, 503 and 504, `server_error` for
 * 500, or the error's member `error`; `WWW-Authenticate` and `DPoP-Nonce` become headers.
 *
 * R_CACHED: kept for seconds, and for a day while no daemon answers. R_CORS: scripts of all origins
 * may call it. R_BROWSER: it has the tenant's cookie, no foreign script reads it, errors are pages.
 */
#ifndef ATRIUM_COMMON_DOMAIN_ENDPOINT_H
#define ATRIUM_COMMON_DOMAIN_ENDPOINT_H

#include "common/domain/page.h"

enum {
    ENDPOINT_HEADER_MAX = 8192, /* bytes of one header that is handed on */
    ENDPOINT_LOCATION_MAX = 8192,
    ENDPOINT_BODY_MAX = PAGE_HTML_MAX,
};

/* Cache-Control of R_CACHED, whose answers are JSON. */
#define ENDPOINT_PUBLIC_CACHE "public, max-age=300"

struct endpoint_visit {
    const char *url;           /* public_url: "https://id.example.org" */
    const char *method, *path; /* "POST", "/t/demo/token": behind url it is what a proof names */
    const char *authorization; /* as it was sent; NULL: none */
    const char *dpop;          /* RFC 9449, section 4.1; "": it stands twice; NULL: none */
    const char *origin;        /* NULL: none */
    const char *accept;        /* NULL: none */
    bool repeated;             /* R_REPEATED: a parameter stands twice, and is left out */
    const struct page_visit *page; /* R_BROWSER; NULL: a POST without the cookie, cross-site */
};
FIELD_DECLARE(endpoint_visit);

struct endpoint_answer {
    int64_t status;
    const char *contentType;     /* NULL: application/json */
    const char *body;            /* NULL: none, or `bytes` */
    struct field_bytes bytes;    /* a body that is no text */
    const char *policy;          /* Content-Security-Policy of a page */
    const char *location;        /* with 303: where the browser goes */
    const char *wwwAuthenticate; /* NULL: none, as in all that follow */
    const char *dpopNonce;       /* RFC 9449, section 8.1 */
    const char *cacheControl;    /* NULL: no-store */
    const char *cookie;          /* R_BROWSER: as in struct page_answer */
    int64_t retryAfter;          /* seconds; 0: not said */
};
FIELD_DECLARE(endpoint_answer);

#define FIELD_ENDPOINT(s) \
    FIELD_OBJECT(s, visit, endpoint_visit, FIELD_INTERNAL, "What the gateway knows of the request.")

#endif
