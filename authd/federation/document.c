/*
 * document.c - see document.h.
 */
#include "authd/federation/document.h"

#include <stdlib.h>

#include "common/base/cache.h"
#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/runtime/curl_loop.h"
#include "common/runtime/flight.h"
#include "common/service/fetch.h"

enum { DOCUMENTS_MAX = 512, FETCH_MS = 5000, STATUS_OK = 200, STATUS_FAILED = 500 };

struct document_cache {
    struct authd *d;
    const struct document_kind *kind;
    struct curl_loop *curl;
    struct flight flight;
    struct cache *documents;
};

/* Empty until a fetch succeeds. */
struct document {
    json_t *json;
    int64_t fetched_ms; /* last success */
    int64_t fresh_ms;   /* lifetime from fetched_ms */
    int64_t tried_ms;
    struct error failure; /* the last fetch's */
};

static void document_drop(void *value)
{
    struct document *document = value;

    json_decref(document->json);
    free(document);
}

struct document_cache *document_cache_new(struct authd *d, const struct document_kind *kind)
{
    struct document_cache *self = calloc(1, sizeof(*self));

    if (!self)
        log_die("documents", "out of memory");
    self->d = d;
    self->kind = kind;
    self->curl = curl_loop_new(d->svc.loop);
    flight_init(&self->flight, d->svc.loop);
    self->documents = cache_new(DOCUMENTS_MAX, document_drop);
    return self;
}

void document_cache_destroy(struct document_cache **self_p)
{
    if (!*self_p)
        return;
    cache_destroy(&(*self_p)->documents);
    curl_loop_destroy(&(*self_p)->curl);
    free(*self_p);
    *self_p = NULL;
}

/* max_age_s: negative if absent. */
static int64_t fresh_ms_of(int64_t max_age_s)
{
    return MAX(DOCUMENT_FRESH_LEAST, MIN(max_age_s * 1000, DOCUMENT_FRESH_MOST));
}

/* False also if the clock was set back. */
static bool is_within(int64_t since_ms, int64_t life_ms, int64_t now)
{
    return now >= since_ms && now - since_ms < life_ms;
}

/* True if no fetch is needed. */
static bool is_enough(const struct document_cache *self, const struct document *document,
                      const char *wanted, int64_t now)
{
    if (!document)
        return false;
    if (is_within(document->tried_ms, self->kind->again_ms, now))
        return true;
    if (!document->json || !is_within(document->fetched_ms, document->fresh_ms, now))
        return false;
    return !self->kind->has || self->kind->has(document->json, wanted);
}

static json_t *fetch(struct document_cache *self, const struct request *req, const char *url,
                     int64_t *ret_max_age_s, struct error *err)
{
    struct authd *d = self->d;
    const struct fetch what = {.url = url,
                               .networks = &d->networks,
                               .ca_file = d->config->client_ca_file,
                               .answer_max = DOCUMENT_SIZE_MAX,
                               .deadline_mono_ms = clock_mono_ms() + FETCH_MS};
    struct fetch_answer answer = {.status = 0};

    if (fetch_perform(self->curl, req->arena, &what, &answer, err) < 0)
        return NULL;
    *ret_max_age_s = answer.max_age_s;
    if (answer.status == STATUS_OK)
        return self->kind->read(d, req, url, &answer, err);
    error_set(err, answer.status >= STATUS_FAILED ? ERR_UNAVAILABLE : ERR_BAD_REQUEST,
              "The response has status %ld.", answer.status);
    return NULL;
}

/* After a failure, the old document stays. */
static void document_fetch(struct document_cache *self, const struct request *req, const char *url)
{
    const struct cache_key key = cache_key_of(self->documents, &url, 1);
    struct document *document = calloc(1, sizeof(*document)), *old;
    int64_t max_age_s = -1;

    if (!document)
        log_die("documents", "out of memory");
    error_init(&document->failure, NULL);
    document->json = fetch(self, req, url, &max_age_s, &document->failure);
    document->tried_ms = document->fetched_ms = req->now_ms;
    document->fresh_ms = fresh_ms_of(max_age_s);
    old = cache_get(self->documents, &key);
    if (!document->json && old && is_within(old->fetched_ms, DOCUMENT_STALE, document->tried_ms)) {
        document->json = json_incref(old->json);
        document->fetched_ms = old->fetched_ms;
        document->fresh_ms = old->fresh_ms;
    }
    cache_put(self->documents, &key, document);
}

/* Runs one fetch per URL at a time. */
static int document_update(struct document_cache *self, const struct request *req, const char *url,
                           struct error *err)
{
    struct flight_call call;
    int rc = flight_begin(&self->flight, url, req->deadline_mono_ms, &call, err);

    if (rc != FLIGHT_LEADS)
        return rc;
    document_fetch(self, req, url);
    flight_end(&call, 0, NULL);
    return 0;
}

int document_get(struct document_cache *self, const struct request *req, const char *url,
                 const char *wanted, json_t **ret, struct error *ret_failure, struct error *err)
{
    const struct cache_key key = cache_key_of(self->documents, &url, 1);
    const struct document *document = cache_get(self->documents, &key);

    if (!is_enough(self, document, wanted, req->now_ms)) {
        if (document_update(self, req, url, err) < 0)
            return -1;
        document = cache_get(self->documents, &key);
    }
    *ret = document ? json_incref(document->json) : NULL;
    error_init(ret_failure, NULL);
    if (!document)
        error_set(ret_failure, ERR_UNAVAILABLE, "There was no response.");
    else
        error_copy(ret_failure, &document->failure);
    return 0;
}
