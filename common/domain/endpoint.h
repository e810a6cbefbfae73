/*
 * endpoint.h - endpoints whose request and answer a standard defines (rows ENDPOINT).
 *
 * The input has `const struct endpoint_visit *visit`, and texts from the path and a GET's query or
 * a POST's form. Empty parameters are absent, unknown ones ignored; a repeated one is an error (RFC
 * 6749, sections 3.1 and 3.2) or, with R_REPEATED, dropped and reported. The output is struct
 * endpoint_answer. Errors have the form of RFC 6749, section 5.2: `invalid_request` for 4xx,
 * `temporarily_unavailable` for 429, 503 and 504, `server_error` for 500, or the error's member
 * `error`; `WWW-Authenticate` and `DPoP-Nonce` become headers.
 *
 * R_CACHED: cached for seconds, and for a day while no daemon answers. R_CORS: open to all origins'
 * scripts. R_SCIM: takes a JSON object in a FIELD_BODY, its query is FIELD_QUERY; errors have the
 * form of RFC 7644, section 3.12, with the error's member `scimType`. R_BROWSER: has the tenant's
 * cookie, is closed to other origins' scripts, and shows errors as pages.
 */
#ifndef ATRIUM_COMMON_DOMAIN_ENDPOINT_H
#define ATRIUM_COMMON_DOMAIN_ENDPOINT_H

#include "common/domain/page.h"

enum {
    ENDPOINT_HEADER_MAX = 8192, /* bytes of a header */
    ENDPOINT_LOCATION_MAX = 8192,
    ENDPOINT_BODY_MAX = PAGE_HTML_MAX,
};

/* Cache-Control of R_CACHED. */
#define ENDPOINT_PUBLIC_CACHE "public, max-age=300"

struct endpoint_visit {
    const char *url;           /* public_url: "https://id.example.org" */
    const char *method, *path; /* "POST", "/t/demo/token": url and path form a proof's `htu` */
    const char *authorization;
    const char *dpop; /* DPoP header (RFC 9449, section 4.1); "": repeated; NULL: absent */
    const char *origin;
    const char *accept;
    bool repeated;                 /* R_REPEATED: a repeated parameter was dropped */
    const struct page_visit *page; /* R_BROWSER; NULL: a cross-site POST without cookie */
};
FIELD_DECLARE(endpoint_visit);

struct endpoint_answer {
    int64_t status;
    const char *contentType; /* NULL: application/json */
    const char *body;
    struct field_bytes bytes; /* binary body */
    const char *policy;
    const char *location;        /* for 303 */
    const char *wwwAuthenticate; /* NULL: none */
    const char *dpopNonce;       /* RFC 9449, section 8.1 */
    const char *cacheControl;    /* NULL: no-store */
    const char *cookie;          /* R_BROWSER: as in struct page_answer */
    int64_t retryAfter;          /* seconds, or 0 */
};
FIELD_DECLARE(endpoint_answer);

#define FIELD_ENDPOINT(s)                                  \
    FIELD_OBJECT(s, visit, endpoint_visit, FIELD_INTERNAL, \
                 "What the gateway knows about the request.")

#endif
