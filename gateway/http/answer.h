/* answer.h - a response and its wire format. */
#ifndef ATRIUM_GATEWAY_HTTP_ANSWER_H
#define ATRIUM_GATEWAY_HTTP_ANSWER_H

#include <microhttpd.h>

#include "common/base/arena.h"
#include "common/base/error.h"

struct answer_header {
    const char *name, *value; /* `value` NULL: omitted */
};

struct answer {
    unsigned status;
    const char *body; /* borrowed until sent; NULL: none */
    size_t size;
    const char *content_type;                  /* NULL: application/json */
    const char *cache;                         /* Cache-Control; NULL: no-store */
    const char *etag, *allow;                  /* NULL: omitted */
    const char *encoding;                      /* Content-Encoding; NULL: none */
    bool encodable;                            /* depends on Accept-Encoding */
    const char *allow_methods, *allow_headers; /* CORS preflight */
    struct MHD_Response *response;             /* consumed; NULL: created from `body` */
    const struct answer_header *more;          /* ended by name NULL; NULL: none */
    const struct error *error;                 /* for Retry-After and RateLimit-*; NULL: none */
    const char *trace;                         /* X-Request-Id */
    bool page;                                 /* for people; other sites' scripts can't read it */
    bool close;
};

/* Makes an error's answer. 500 hides the message; 503 and 504 have a default. */
void answer_from_error(const struct error *err, struct arena *arena, struct answer *ret);

/* RFC 6749, section 5.2: `invalid_request`, `temporarily_unavailable` or `server_error`. */
void answer_oauth_from_error(const struct error *err, struct arena *arena, struct answer *ret);

void answer_scim_from_error(const struct error *err, struct arena *arena, struct answer *ret);

void answer_page_from_error(const struct error *err, struct arena *arena, struct answer *ret);

struct MHD_Response *answer_response(const struct answer *self);

/* Returns the wire format, in the arena, for when libmicrohttpd can't answer. */
const char *answer_text(const struct answer *self, int64_t now_ms, struct arena *arena);

#endif
