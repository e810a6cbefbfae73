/*
 * curl_loop.h - libcurl's multi interface on the loop: hundreds of transfers at once on one thread.
 *
 * Host names are resolved by resolver.h and handed to libcurl, which never resolves any: it would
 * wait for its resolver's thread when a transfer is removed, and a silent name server would hold
 * the loop for ten seconds and more.
 */
#ifndef ATRIUM_COMMON_RUNTIME_CURL_LOOP_H
#define ATRIUM_COMMON_RUNTIME_CURL_LOOP_H

#include <curl/curl.h>

#include "common/runtime/fiber.h"
#include "common/runtime/span.h"

struct curl_loop;

struct curl_loop *curl_loop_new(struct loop *loop);
void curl_loop_destroy(struct curl_loop **self_p);

/* Returns a new easy handle for curl_loop_perform(). The first call starts libcurl. */
CURL *curl_loop_easy(struct curl_loop *self);

/* Performs a prepared handle of curl_loop_easy() (borrowed) and parks until it is done or the
 * deadline passes (ERR_DEADLINE; the transfer is removed). *ret is curl's own code when 0 is
 * returned: CURLE_COULDNT_RESOLVE_HOST also while no name server answers. Sets CURLOPT_RESOLVE and
 * CURLOPT_RESOLVER_START_FUNCTION; the URL is that of CURLOPT_URL. */
int curl_loop_perform(struct curl_loop *self, CURL *easy, int64_t deadline_mono_ms, CURLcode *ret,
                      struct error *err) MUST_USE;

/* The span of a request over HTTP, when the fiber's work is traced: begun before its headers are
 * made, which may name it, and ended with what came of it. CURLE_OPERATION_TIMEDOUT stands for a
 * deadline as well. */
void curl_loop_span_begin(const struct curl_loop *self, struct span *ret);
void curl_loop_span_end(struct span *span, CURL *easy, CURLcode code);

/* How what libcurl hands out ends in CLEANUP variables; each takes NULL. */
static inline void curl_loop_free_easy(CURL **easy)
{
    curl_easy_cleanup(*easy);
}

static inline void curl_loop_free_list(struct curl_slist **list)
{
    curl_slist_free_all(*list);
}

static inline void curl_loop_free_url(CURLU **url)
{
    curl_url_cleanup(*url);
}

static inline void curl_loop_free_text(char **text)
{
    curl_free(*text);
}

#endif
