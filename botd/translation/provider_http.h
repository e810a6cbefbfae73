/*
 * provider_http.h - what HTTP providers share: URL, questions and errors.
 */
#ifndef ATRIUM_BOTD_TRANSLATION_PROVIDER_HTTP_H
#define ATRIUM_BOTD_TRANSLATION_PROVIDER_HTTP_H

#include <jansson.h>

#include "botd/translation/provider.h"
#include "common/base/metrics.h"
#include "common/base/secret.h"
#include "common/runtime/loop.h"

struct provider_http_options {
    const char *url;      /* "https://host[:port][/v1]" */
    const char *key_file; /* NULL: no key */
    int64_t timeout_ms;
    bool plain; /* http:// to other machines */
};

/* A provider has its own connections: a bot must not reuse one whose address was not checked. */
struct provider_http;

int provider_http_check(const struct provider_http_options *options, struct error *err) MUST_USE;

/* Makes the metrics. Local providers call it too, because alerts need a zero, not a missing
 * metric. */
void provider_http_make_metrics(struct metrics *metrics);

/* Reads the key; borrows texts. The error is for the operator. */
int provider_http_open(struct loop *loop, struct metrics *metrics,
                       const struct provider_http_options *options, struct provider_http **ret,
                       struct error *err) MUST_USE;
void provider_http_destroy(struct provider_http **self_p);

/* Returns a key that needs no escaping in JSON or a header; NULL: none. */
const char *provider_http_key(const struct provider_http *self);

/* Sends a request and returns its JSON (new reference). `body` NULL: GET. `header` can be NULL.
 * Parks. ERR_VALIDATION (question refused) and ERR_BAD_REQUEST (no JSON, or too large): another
 * question may work. */
int provider_http_call(struct provider_http *self, struct arena *arena, const char *path,
                       const char *header, const char *body, int64_t deadline_mono_ms, json_t **ret,
                       struct error *err) MUST_USE;

/* Sends a GET for which any status is an answer: *ret is its JSON (new reference) or NULL. Parks.
 * -1: no answer. */
int provider_http_reach(struct provider_http *self, struct arena *arena, const char *path,
                        const char *header, int64_t deadline_mono_ms, long *ret_status,
                        json_t **ret, struct error *err) MUST_USE;

const char *provider_http_url(const struct provider_http *self);

/* Translates `count` texts from `from` into ret[from..]. ERR_BAD_REQUEST: another number of
 * texts. */
typedef int provider_http_ask(void *self, const struct provider_call *call, size_t from,
                              size_t count, const char **ret, struct error *err);

/* Asks for at most 50 texts or 16 KiB at a time. Retries a wrong answer in halves, a single text
 * once. */
int provider_http_translate(struct provider_http *self, provider_http_ask *ask, void *ask_arg,
                            const struct provider_call *call, const char **ret,
                            struct error *err) MUST_USE;

/* Returns the array's texts; -1 unless there are `count`. */
int provider_http_texts(struct arena *arena, const json_t *list, size_t count,
                        const char **ret) MUST_USE;

#endif
