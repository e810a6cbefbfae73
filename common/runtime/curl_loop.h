/*
 * curl_loop.h - concurrent libcurl transfers on the loop's thread.
 *
 * resolver.h resolves host names: libcurl would wait for its resolver's thread when a transfer is
 * removed, and a silent name server would block the loop for ten seconds.
 */
#ifndef ATRIUM_COMMON_RUNTIME_CURL_LOOP_H
#define ATRIUM_COMMON_RUNTIME_CURL_LOOP_H

#include <curl/curl.h>

#include "common/runtime/fiber.h"
#include "common/runtime/span.h"

struct curl_loop;

struct curl_loop *curl_loop_new(struct loop *loop);
void curl_loop_destroy(struct curl_loop **self_p);

/* Returns an easy handle. The first call starts libcurl. */
CURL *curl_loop_easy(struct curl_loop *self);

/* Parks until a curl_loop_easy() handle's transfer ends, or removes it at the deadline
 * (ERR_DEADLINE). *ret is curl's code: CURLE_COULDNT_RESOLVE_HOST also if no name server answers.
 * Sets CURLOPT_RESOLVE and CURLOPT_RESOLVER_START_FUNCTION. */
int curl_loop_perform(struct curl_loop *self, CURL *easy, int64_t deadline_mono_ms, CURLcode *ret,
                      struct error *err) MUST_USE;

/* Begins a traced request's span before its headers are set, so that they can name it. In
 * curl_loop_span_end(), CURLE_OPERATION_TIMEDOUT also stands for a passed deadline. */
void curl_loop_span_begin(const struct curl_loop *self, struct span *ret);
void curl_loop_span_end(struct span *span, CURL *easy, CURLcode code);

/* For CLEANUP; accepts NULL. */
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
