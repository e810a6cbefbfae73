/* answer.h - a response and its form on the wire. */
#ifndef ATRIUM_GATEWAY_HTTP_ANSWER_H
#define ATRIUM_GATEWAY_HTTP_ANSWER_H

#include <microhttpd.h>

#include "common/base/arena.h"
#include "common/base/error.h"

struct answer_header {
    const char *name, *value; /* `value` NULL: not sent */
};

struct answer {
    unsigned status;
    const char *body; /* borrowed until sent; NULL: none */
    size_t size;
    const char *content_type;                  /* NULL: application/json if there is a body */
    const char *cache;                         /* Cache-Control; NULL: no-store */
    const char *etag, *allow;                  /* NULL: not sent */
    const char *encoding;                      /* Content-Encoding; NULL: none */
    bool encodable;                            /* depends on Accept-Encoding */
    const char *allow_methods, *allow_headers; /* for CORS preflights */
    struct MHD_Response *response;    /* includes the body, consumed; NULL: created from `body` */
    const struct answer_header *more; /* ended by name NULL; NULL: none */
    const struct error *error;        /* source of Retry-After and RateLimit-*; NULL: none */
    const char *trace;                /* X-Request-Id */
    bool page;                        /* for people: scripts of other sites can't read it */
    bool close;                       /* close the connection after this answer */
};

/* Sets status, body and headers. Never shows messages of 500. 503 and 504 have default messages. */
void answer_from_error(const struct error *err, struct arena *arena, struct answer *ret);

/* Answers as in RFC 6749, section 5.2: `invalid_request`, `temporarily_unavailable` or
 * `server_error`. */
void answer_oauth_from_error(const struct error *err, struct arena *arena, struct answer *ret);

/* Answers a browser with a short English page. */
void answer_page_from_error(const struct error *err, struct arena *arena, struct answer *ret);

struct MHD_Response *answer_response(const struct answer *self);

/* Returns the response as wire text from the arena, for when libmicrohttpd can't send it. */
const char *answer_text(const struct answer *self, int64_t now_ms, struct arena *arena);

#endif
