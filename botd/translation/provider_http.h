/*
 * provider_http.h - what the providers that are asked over HTTP share: where they are, how a
 * request's texts are cut into questions, and what their failures mean to who waits.
 */
#ifndef ATRIUM_BOTD_TRANSLATION_PROVIDER_HTTP_H
#define ATRIUM_BOTD_TRANSLATION_PROVIDER_HTTP_H

#include <jansson.h>

#include "botd/translation/provider.h"
#include "common/base/metrics.h"
#include "common/base/secret.h"
#include "common/runtime/loop.h"

struct provider_http_options {
    const char *url;      /* without the last part of the path: "https://host[:port][/v1]" */
    const char *key_file; /* NULL: it takes no key */
    int64_t timeout_ms;   /* of one question */
    bool plain;           /* http:// also to other machines */
};

/* Has its own connections: a bot's call must not reuse one that was opened without a check of the
 * address. */
struct provider_http;

/* What is wrong with the URL, for the operator. */
int provider_http_check(const struct provider_http_options *options, struct error *err) MUST_USE;

/* Registers the counters for local providers too, so that alerts tell "none" from "no metric". */
void provider_http_make_metrics(struct metrics *metrics);

/* Options' texts are borrowed; the key is read. The error is for the operator. */
int provider_http_open(struct loop *loop, struct metrics *metrics,
                       const struct provider_http_options *options, struct provider_http **ret,
                       struct error *err) MUST_USE;
void provider_http_destroy(struct provider_http **self_p);

/* The key as a text that needs no escape in JSON or a header; NULL without one. */
const char *provider_http_key(const struct provider_http *self);

/* Sends a request and reads its JSON answer (new reference). `body` NULL: GET; `header`: one more,
 * or NULL. Parks until the deadline or timeout. ERR_VALIDATION (question refused) and
 * ERR_BAD_REQUEST (no JSON, or too large): another question may work; ERR_DEADLINE; ERR_UNAVAILABLE
 * with Retry-After: none would. */
int provider_http_call(struct provider_http *self, struct arena *arena, const char *path,
                       const char *header, const char *body, int64_t deadline_mono_ms, json_t **ret,
                       struct error *err) MUST_USE;

/* A GET where any status is an answer: *ret is its JSON (new reference) or NULL. Parks. -1: no
 * answer. */
int provider_http_reach(struct provider_http *self, struct arena *arena, const char *path,
                        const char *header, int64_t deadline_mono_ms, long *ret_status,
                        json_t **ret, struct error *err) MUST_USE;

/* Where it is, for the operator. */
const char *provider_http_url(const struct provider_http *self);

/* Translates `count` texts from `from` on with one question into ret[from..], from the arena. Fails
 * as above; another number of texts is ERR_BAD_REQUEST. */
typedef int provider_http_ask(void *self, const struct provider_call *call, size_t from,
                              size_t count, const char **ret, struct error *err);

/* struct provider's translate(): questions of at most 50 texts or 16 KiB, in order; a wrong answer
 * is retried in halves, a single text once. */
int provider_http_translate(struct provider_http *self, provider_http_ask *ask, void *ask_arg,
                            const struct provider_call *call, const char **ret,
                            struct error *err) MUST_USE;

/* The texts of a JSON array; -1 unless there are exactly `count`. */
int provider_http_texts(struct arena *arena, const json_t *list, size_t count,
                        const char **ret) MUST_USE;

#endif
