/*
 * endpoint.h - an endpoint whose request and answer a standard defines: what the gateway tells a
 * daemon of the request, and what it gets back.
 *
 * A row ENDPOINT of the daemon's routes has an input with a member
 * `const struct endpoint_visit *visit`, which the gateway fills, beside rows for the path and for
 * the parameters, which are texts: those of the query of a GET, those of the form
 * (application/x-www-form-urlencoded) of a POST. A parameter without a value counts as absent, one
 * that stands twice is refused before the daemon is asked (RFC 6749, sections 3.1 and 3.2), or with
 * R_REPEATED left out and told; what no row names is ignored. The output is struct endpoint_answer.
 *
 * Errors of such routes, the gateway's own among them, have the form of RFC 6749, section 5.2. A
 * handler that fails with a struct error is answered so, too: `invalid_request` for 4xx,
 * `temporarily_unavailable` for 429, 503 and 504, `server_error` for 500. Members of the error say
 * more: `error` is another word, `WWW-Authenticate` and `DPoP-Nonce` become headers.
 *
 * With R_CACHED the gateway keeps a good answer for some seconds, and for a day while no daemon
 * answers. With R_CORS scripts of all origins may call the route. With R_BROWSER it is a browser
 * that is sent here: it has the cookie of the tenant, other sites' scripts read nothing, errors are
 * pages.
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

/* The member of an input that the gateway fills. */
#define FIELD_ENDPOINT(s) \
    FIELD_OBJECT(s, visit, endpoint_visit, FIELD_INTERNAL, "What the gateway knows of the request.")

#endif
