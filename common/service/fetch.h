/* fetch.h - one HTTP request to a URL that a project or the operator chose: bots, translation. */
#ifndef ATRIUM_COMMON_SERVICE_FETCH_H
#define ATRIUM_COMMON_SERVICE_FETCH_H

#include "common/runtime/curl_loop.h"
#include "common/service/network.h"

struct fetch {
    const char *url, *body;               /* what is posted; NULL: a GET */
    const char *content_type;             /* of the body; NULL: application/json */
    const char *const *headers;           /* "Name: value", NULL-ended; NULL: none */
    const struct network_rules *networks; /* NULL: anywhere (the operator's own URL) */
    bool plain;                           /* http:// may be used */
    const char *ca_file; /* certificates that the host's must chain to; NULL: the system's */
    size_t answer_max;   /* bytes */
    bool traced;         /* the trace of the request goes along, when it has one (traceparent) */
    int64_t deadline_mono_ms;
};
struct fetch_answer {
    long status;
    const char *body; /* NUL-terminated, from the arena */
    size_t size;
    int64_t retry_after_s; /* of a 429 or 503; 0: not said */
    int64_t max_age_s;     /* of Cache-Control; 0: no-store, no-cache; -1: not said */
};

/* Sends the request and takes the answer of any status: no redirects, no proxy, a valid
 * certificate. Connections are kept: other `networks` need another `curl`. The address is checked
 * at connect, whatever the name says. Parks. Fails: ERR_DEADLINE; ERR_TOO_LARGE; ERR_FORBIDDEN
 * (closed address, or not https); ERR_UNAVAILABLE (no connection, TLS, cut). */
int fetch_perform(struct curl_loop *curl, struct arena *arena, const struct fetch *what,
                  struct fetch_answer *ret, struct error *err) MUST_USE;

#endif
