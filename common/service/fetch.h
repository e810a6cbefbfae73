/* fetch.h - HTTP requests to URLs that a project or the operator chose. */
#ifndef ATRIUM_COMMON_SERVICE_FETCH_H
#define ATRIUM_COMMON_SERVICE_FETCH_H

#include "common/runtime/curl_loop.h"
#include "common/service/network.h"

struct fetch {
    const char *url, *body;               /* body of a POST; NULL: GET */
    const char *content_type;             /* NULL: application/json */
    const char *const *headers;           /* "Name: value", NULL-ended, or NULL */
    const struct network_rules *networks; /* NULL: no limits, for the operator's own URL */
    bool plain;                           /* allows http:// */
    const char *ca_file; /* trusted certificates; NULL: the system's certificates */
    size_t answer_max;   /* bytes */
    bool traced;         /* sends a traced request's traceparent */
    int64_t deadline_mono_ms;
};
struct fetch_answer {
    long status;
    const char *body; /* NUL-terminated */
    size_t size;
    int64_t retry_after_s; /* for 429 and 503, or 0 */
    int64_t max_age_s;     /* max-age in Cache-Control; 0: no-store, no-cache; -1: absent */
};

/* Sends a request and returns an answer of any status. Requires a valid certificate; no redirects,
 * no proxy. Checks the address at connect. Keeps connections, so other `networks` need another
 * `curl`. Parks. Fails: ERR_DEADLINE; ERR_TOO_LARGE (ret->status is set); ERR_FORBIDDEN (closed
 * address, or not https); ERR_UNAVAILABLE (connection, TLS, or cut short). */
int fetch_perform(struct curl_loop *curl, struct arena *arena, const struct fetch *what,
                  struct fetch_answer *ret, struct error *err) MUST_USE;

#endif
