/* answer.h - what goes back to the client, and its form on the wire. */
#ifndef ATRIUM_GATEWAY_HTTP_ANSWER_H
#define ATRIUM_GATEWAY_HTTP_ANSWER_H

#include <microhttpd.h>

#include "common/base/arena.h"
#include "common/base/error.h"

struct answer_header {
    const char *name, *value; /* value NULL: left out */
};

struct answer {
    unsigned status;
    const char *body;                          /* borrowed until the answer was sent; NULL: none */
    size_t size;                               /* that lies ready */
    const char *content_type;                  /* NULL: application/json when there is a body */
    const char *cache;                         /* Cache-Control; NULL: no-store */
    const char *etag, *allow;                  /* NULL: no such header */
    const char *encoding;                      /* Content-Encoding of the body; NULL: none */
    bool encodable;                            /* it depends on Accept-Encoding */
    const char *allow_methods, *allow_headers; /* of a CORS preflight */
    struct MHD_Response *response;             /* with the body, consumed; NULL: made of it */
    const struct answer_header *more;          /* further headers, ended by name NULL; NULL: none */
    const struct error *error;                 /* Retry-After and RateLimit-* of it; NULL: none */
    const char *trace;                         /* X-Request-Id */
    bool page;                                 /* for people: no other site's script reads it */
    bool close;                                /* the connection ends with this answer */
};

/* Status, body, headers. Messages of 500 are never shown; 503 and 504 have a default. */
void answer_from_error(const struct error *err, struct arena *arena, struct answer *ret);

/* As RFC 6749, section 5.2: `invalid_request`, `temporarily_unavailable` or `server_error`. */
void answer_oauth_from_error(const struct error *err, struct arena *arena, struct answer *ret);

/* The same for a browser: a page of its own, in English, that says no more. */
void answer_page_from_error(const struct error *err, struct arena *arena, struct answer *ret);

/* The answer as libmicrohttpd sends it; the caller owns it. */
struct MHD_Response *answer_response(const struct answer *self);

/* The same as it goes over the wire, where libmicrohttpd cannot send it; from the arena. */
const char *answer_text(const struct answer *self, int64_t now_ms, struct arena *arena);

#endif
