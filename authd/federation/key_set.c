/*
 * key_set.c - see key_set.h.
 */
#include "authd/federation/key_set.h"

#include <string.h>

#include "common/base/log.h"
#include "common/domain/jwk.h"
#include "common/service/fetch.h"
#include "common/wire/codec.h"

enum {
    SET_KEYS_MAX = 50,
    TRIES_MAX = 4,
    QUICK_MODULUS_TEXT = 683, /* 4096 bits in base64url, checked in 40 ms */
};

json_t *key_set_parse(const char *text, size_t size)
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
    bool ed25519;
    json_t *keys; /* the usable keys, a new reference; NULL: no JWK set */
    size_t count; /* all keys */
    const char *faults[SET_KEYS_MAX];
};

static const char *build_fault(EVP_PKEY *key)
{
    EVP_PKEY_free(key);
    return key ? NULL : "must be a key for signatures";
}

/* Returns why a key is unusable, or NULL. Skips the thorough checks for large keys, since they
 * would occupy a thread for seconds. */
static const char *key_fault(const json_t *jwk, bool ed25519)
{
    if (ed25519 && strcmp(jwt_text(jwk, "kty"), "OKP") == 0)
        return build_fault(jwk_ed25519_key(jwk));
    if (strlen(jwt_text(jwk, "n")) <= QUICK_MODULUS_TEXT)
        return jwk_fault(jwk);
    return build_fault(jwk_key(jwk));
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

static bool has_wanted(const json_t *keys, const char *kid)
{
    return !*kid || has_kid(keys, kid);
}

static void read_set(void *arg)
{
    struct set_reading *self = arg;
    json_t *keys = key_set_parse(self->text, self->size), *each;
    size_t i;

    if (!keys)
        return;
    self->keys = json_array();
    self->count = json_array_size(keys);
    json_array_foreach(keys, i, each)
    {
        self->faults[i] = key_fault(each, self->ed25519);
        if (!self->faults[i] && has_kid(self->keys, jwt_text(each, "kid")))
            self->faults[i] = "kid must differ from that of every other key";
        if (!self->faults[i])
            json_array_append(self->keys, each);
    }
    json_decref(keys);
}

/* Skips unusable keys, so that one does not lock the party out. */
static json_t *usable_keys(struct authd *d, const struct request *req, const char *uri,
                           struct set_reading *reading, struct error *err)
{
    char place[24];

    if (offload_run(d->svc.offload, read_set, reading, req->deadline_mono_ms, err) < 0)
        return NULL;
    for (size_t i = 0; i < reading->count; i++) {
        snprintf(place, sizeof(place), "%zu", i);
        if (reading->faults[i])
            log_event(LOG_NOTICE, reading->ed25519 ? "provider keys" : "client keys",
                      "a key was skipped", "trace", req->trace, "uri", uri, "key", place, "fault",
                      reading->faults[i], NULL);
    }
    if (!reading->keys)
        error_set(err, ERR_BAD_REQUEST, "The response is not a JWK set of at most 50 keys.");
    return reading->keys;
}

static json_t *read_clients(struct authd *d, const struct request *req, const char *url,
                            const struct fetch_answer *answer, struct error *err)
{
    struct set_reading reading = {.text = answer->body, .size = answer->size};

    return usable_keys(d, req, url, &reading, err);
}

static json_t *read_providers(struct authd *d, const struct request *req, const char *url,
                              const struct fetch_answer *answer, struct error *err)
{
    struct set_reading reading = {.text = answer->body, .size = answer->size, .ed25519 = true};

    return usable_keys(d, req, url, &reading, err);
}

const struct document_kind client_key_sets = {KEY_SET_AGAIN, read_clients, has_wanted};
const struct document_kind provider_key_sets = {KEY_SET_AGAIN, read_providers, has_wanted};

/* Compares kid and alg, if given. */
static bool key_matches(const json_t *jwk, const struct jwt *token)
{
    const char *kid = jwt_text(token->header, "kid"), *alg = jwt_text(jwk, "alg");

    return (!*kid || strcmp(jwt_text(jwk, "kid"), kid) == 0) &&
           (!*alg || strcmp(alg, jwt_text(token->header, "alg")) == 0);
}

static bool key_signed(const json_t *jwk, const struct jwt *token, const char *const *algs)
{
    EVP_PKEY *key = jwk_key(jwk);
    bool fits;

    if (!key)
        key = jwk_ed25519_key(jwk);
    fits = key && jwt_verify(token, key, algs);
    EVP_PKEY_free(key);
    return fits;
}

bool key_set_signed(const json_t *keys, const struct jwt *token, const char *const *algs)
{
    size_t tried = 0;

    for (size_t i = 0; i < json_array_size(keys) && tried < TRIES_MAX; i++) {
        const json_t *jwk = json_array_get(keys, i);

        if (!key_matches(jwk, token))
            continue;
        if (key_signed(jwk, token, algs))
            return true;
        tried++;
    }
    return false;
}
