/*
 * document.h - JSON documents of other parties, such as key sets. A URL is fetched as bots fetch a
 * project's URLs (common/service/fetch.h): https, checked address, no redirects, limited size and
 * time.
 *
 * Documents are cached for their `max-age` (RFC 9111, section 5.2.2.1), at least five minutes,
 * which is also the default, and at most a day; while the host fails, for a day, so that removed
 * keys expire.
 */
#ifndef ATRIUM_AUTHD_FEDERATION_DOCUMENT_H
#define ATRIUM_AUTHD_FEDERATION_DOCUMENT_H

#include <jansson.h>

#include "authd/authd.h"

#define DOCUMENT_FRESH_LEAST MINUTES(5)
#define DOCUMENT_FRESH_MOST HOURS(24)
#define DOCUMENT_STALE HOURS(24)

enum { DOCUMENT_SIZE_MAX = 65536 }; /* bytes */

struct fetch_answer;

struct document_kind {
    int64_t again_ms; /* shortest time between two fetches of a URL */
    /* Returns what to cache, a new reference, or NULL with err set. Can park. */
    json_t *(*read)(struct authd *d, const struct request *req, const char *url,
                    const struct fetch_answer *answer, struct error *err);
    /* False if a fresh document lacks what the caller wants, so that it is fetched again. NULL:
     * always true. */
    bool (*has)(const json_t *document, const char *wanted);
};

struct document_cache;

struct document_cache *document_cache_new(struct authd *d, const struct document_kind *kind);
void document_cache_destroy(struct document_cache **self_p);

/* Sets *ret to a new reference; NULL: no fetch succeeded. *ret_failure, which has no arena, says
 * why the last one failed, also if *ret is an older document. Parks; one request at a time fetches
 * a URL. -1: the wait for that failed. */
int document_get(struct document_cache *self, const struct request *req, const char *url,
                 const char *wanted, json_t **ret, struct error *ret_failure,
                 struct error *err) MUST_USE;

#endif
