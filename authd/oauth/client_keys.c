/*
 * client_keys.c - see client_keys.h.
 */
#include "authd/oauth/client_keys.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/cache.h"
#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/domain/jwk.h"
#include "common/domain/jwt.h"
#include "common/runtime/curl_loop.h"
#include "common/runtime/flight.h"
#include "common/service/fetch.h"
#include "common/wire/codec.h"
#include "settingsd/client_api.h"

enum {
    SETS_MAX = 512,       /* at most 64 KiB each */
    SET_SIZE_MAX = 65536, /* bytes */
    SET_KEYS_MAX = 50,
    FETCH_MS = 5000,
    STATUS_OK = 200,
    QUICK_MODULUS_TEXT = 683, /* 4096 bits in base64url, checked in 40 ms */
};

struct client_keys {
    struct curl_loop *curl;
    struct flight flight;
    struct cache *sets;
};

/* Empty until a fetch succeeds. */
struct key_set {
    json_t *keys;
    int64_t fetched_ms; /* last success */
    int64_t fresh_ms;   /* lifetime from fetched_ms */
    int64_t tried_ms;
};

static void key_set_drop(void *value)
{
    struct key_set *set = value;

    json_decref(set->keys);
    free(set);
}

struct client_keys *client_keys_new(struct authd *d)
{
    struct client_keys *self = calloc(1, sizeof(*self));

    if (!self)
        log_die("client keys", "out of memory");
    self->curl = curl_loop_new(d->svc.loop);
    flight_init(&self->flight, d->svc.loop);
    self->sets = cache_new(SETS_MAX, key_set_drop);
    return self;
}

void client_keys_destroy(struct client_keys **self_p)
{
    if (!*self_p)
        return;
    cache_destroy(&(*self_p)->sets);
    curl_loop_destroy(&(*self_p)->curl);
    free(*self_p);
    *self_p = NULL;
}

/* Returns a new reference to a JWK set's `keys` (RFC 7517, section 5), or NULL. */
static json_t *keys_of(const char *text, size_t size)
{
    struct error ignored;
    json_t *set, *keys;

    error_init(&ignored, NULL);
    set = codec_parse_exact(text, size, true, &ignored);
    keys = json_incref(json_object_get(set, "keys"));
    json_decref(set);
    if (json_is_array(keys) && json_array_size(keys) <= SET_KEYS_MAX)
        return keys;
    json_decref(keys);
    return NULL;
}

/* A fetched set, checked on a thread. */
struct set_reading {
    const char *text;
    size_t size;
    json_t *keys; /* the usable keys, a new reference; NULL: no JWK set */
    size_t count; /* all keys */
    const char *faults[SET_KEYS_MAX];
};

/* Returns why a key is unusable, or NULL. Skips the thorough checks for large keys, since they
 * would occupy a thread for seconds. */
static const char *key_fault(const json_t *jwk)
{
    EVP_PKEY *key;

    if (strlen(jwt_text(jwk, "n")) <= QUICK_MODULUS_TEXT)
        return jwk_fault(jwk);
    key = jwk_key(jwk);
    EVP_PKEY_free(key);
    return key ? NULL : "must be a key for signatures";
}

static bool has_kid(const json_t *keys, const char *kid)
{
    const json_t *each;
    size_t i;

    json_array_foreach(keys, i, each)
    {
        if (*kid && strcmp(jwt_text(each, "kid"), kid) == 0)
            return true;
    }
    return false;
}

static void read_set(void *arg)
{
    struct set_reading *self = arg;
    json_t *keys = keys_of(self->text, self->size), *each;
    size_t i;

    if (!keys)
        return;
    self->keys = json_array();
    self->count = json_array_size(keys);
    json_array_foreach(keys, i, each)
    {
        self->faults[i] = key_fault(each);
        if (!self->faults[i] && has_kid(self->keys, jwt_text(each, "kid")))
            self->faults[i] = "kid must differ from that of every other key";
        if (!self->faults[i])
            json_array_append(self->keys, each);
    }
    json_decref(keys);
}

/* Returns a new reference, or NULL. Skips unusable keys, so that one does not lock the client
 * out. */
static json_t *usable_keys(struct authd *d, const struct request *req, const char *uri,
                           const struct fetch_answer *answer, struct error *err)
{
    struct set_reading reading = {.text = answer->body, .size = answer->size};
    char place[16];

    if (offload_run(d->svc.offload, read_set, &reading, req->deadline_mono_ms, err) < 0)
        return NULL;
    for (size_t i = 0; i < reading.count; i++) {
        snprintf(place, sizeof(place), "%zu", i);
        if (reading.faults[i])
            log_event(LOG_NOTICE, "client keys", "a key was skipped", "trace", req->trace, "uri",
                      uri, "key", place, "fault", reading.faults[i], NULL);
    }
    return reading.keys;
}

/* max_age_s: negative if absent. */
static int64_t fresh_ms_of(int64_t max_age_s)
{
    return MAX(CLIENT_KEYS_FRESH_LEAST, MIN(max_age_s * 1000, CLIENT_KEYS_FRESH_MOST));
}

/* False also if the clock was set back. */
static bool is_within(int64_t since_ms, int64_t life_ms, int64_t now)
{
    return now >= since_ms && now - since_ms < life_ms;
}

/* True if no fetch is needed for the key id. */
static bool is_enough(const struct key_set *set, const char *kid, int64_t now)
{
    size_t index;
    const json_t *key;

    if (!set)
        return false;
    if (is_within(set->tried_ms, CLIENT_KEYS_AGAIN, now))
        return true;
    if (!set->keys || !is_within(set->fetched_ms, set->fresh_ms, now))
        return false;
    if (!*kid)
        return true;
    json_array_foreach(set->keys, index, key)
    {
        const char *own = json_string_value(json_object_get(key, "kid"));

        if (own && strcmp(own, kid) == 0)
            return true;
    }
    return false;
}

/* Fetches a key set. After a failure, the old set stays. */
static void keys_fetch(struct authd *d, const struct request *req, const char *uri)
{
    struct client_keys *self = d->client_keys;
    const struct cache_key key = cache_key_of(self->sets, &uri, 1);
    const struct fetch what = {.url = uri,
                               .networks = &d->networks,
                               .ca_file = d->config->client_ca_file,
                               .answer_max = SET_SIZE_MAX,
                               .deadline_mono_ms = clock_mono_ms() + FETCH_MS};
    struct fetch_answer answer = {.status = 0, .max_age_s = -1};
    struct key_set *set = calloc(1, sizeof(*set)), *old;
    json_t *keys = NULL;
    struct error err;

    if (!set)
        log_die("client keys", "out of memory");
    error_init(&err, NULL);
    if (fetch_perform(self->curl, req->arena, &what, &answer, &err) == 0 &&
        answer.status == STATUS_OK)
        keys = usable_keys(d, req, uri, &answer, &err);
    set->tried_ms = set->fetched_ms = req->now_ms;
    set->fresh_ms = fresh_ms_of(answer.max_age_s);
    set->keys = keys;
    old = cache_get(self->sets, &key);
    if (!keys && old && is_within(old->fetched_ms, CLIENT_KEYS_STALE, set->tried_ms)) {
        set->keys = json_incref(old->keys);
        set->fetched_ms = old->fetched_ms;
        set->fresh_ms = old->fresh_ms;
    }
    cache_put(self->sets, &key, set);
}

/* Runs one fetch per set at a time. */
static int keys_update(struct authd *d, const struct request *req, const char *uri,
                       struct error *err)
{
    struct flight_call call;
    int rc = flight_begin(&d->client_keys->flight, uri, req->deadline_mono_ms, &call, err);

    if (rc != FLIGHT_LEADS)
        return rc;
    keys_fetch(d, req, uri);
    flight_end(&call, 0, NULL);
    return 0;
}

static json_t *keys_at(struct authd *d, const struct request *req, const char *uri, const char *kid,
                       struct error *err)
{
    struct cache *sets = d->client_keys->sets;
    const struct cache_key key = cache_key_of(sets, &uri, 1);
    const struct key_set *set = cache_get(sets, &key);

    if (!is_enough(set, kid, req->now_ms)) {
        if (keys_update(d, req, uri, err) < 0)
            return NULL;
        set = cache_get(sets, &key);
    }
    return set && set->keys ? json_incref(set->keys) : json_array();
}

json_t *client_keys_get(struct authd *d, const struct request *req,
                        const struct oauth_client *client, const char *kid, struct error *err)
{
    const struct oauth_settings *settings = client->settings;
    json_t *keys;

    if (settings->jwksUri)
        return keys_at(d, req, settings->jwksUri, kid, err);
    keys = settings->jwks ? keys_of(settings->jwks, strlen(settings->jwks)) : NULL;
    return keys ? keys : json_array();
}
