/*
 * issuer_key.c - see issuer_key.h.
 */
#include "authd/session/issuer_key.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/crypto.h>

#include "authd/session/key_api.h"
#include "authd/session/key_ring.h"
#include "authd/sql/key.h"
#include "authd/sql/oauth.h"
#include "common/base/cache.h"
#include "common/base/log.h"
#include "common/domain/jwt.h"
#include "common/wire/codec.h"

enum {
    SIGNATURE_QUEUE = 512, /* RS256: up to two seconds of work */
    VERIFIED_MAX = 8192,   /* tokens, 2.4 KB each */
    KID_SIZE = 44          /* SHA-256 thumbprint */
};

/* A token with a verified signature, by kind and text. Clients reuse tokens. */
struct verified {
    json_t *claims;
    char kid[KID_SIZE];
};

static void verified_destroy(void *value)
{
    struct verified *self = value;

    json_decref(self->claims);
    free(self);
}

int issuer_key_reload(struct authd *d, const struct request *req, struct error *err)
{
    return key_ring_read(d, req, sql_issuer_key_list_statement, ISSUER_KEY_SEAL_PURPOSE,
                         d->issuer_keys, err);
}

/* ---- creating ---- */

struct generation {
    enum jws_alg alg;
    uint8_t *der;
    size_t size;
    int result;
};

static void generate(void *arg)
{
    struct generation *job = arg;

    job->result = jws_key_generate(job->alg, &job->der, &job->size);
}

static int insert(struct authd *d, const struct request *req, const struct jws_key *key,
                  const struct generation *made, bool anyway, int64_t active_at, struct error *err)
{
    const struct sealed sealed =
        seal_value(req->arena, &d->svc.seal, ISSUER_KEY_SEAL_PURPOSE, made->der, made->size);
    const struct sql_issuer_key_create_in create = {
        .kid = key->kid,
        .alg = jws_alg_name(key->alg),
        .private_sealed = {sealed.bytes, sealed.size},
        .now = req->now_ms,
        .active_at = active_at,
        .retire_at = active_at + ACCESS_TOKEN_LIFE + ISSUER_KEY_LEAD,
        .anyway = anyway,
        .audit = audit_row(req, &(struct audit){.action = "key.create", .detail = key->kid})};
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    struct sql_issuer_key_create_row row;

    if (db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        sql_key_lock(tx, req, err) < 0 || sql_issuer_key_create(tx, req, &create, &row, err) < 0)
        return -1;
    return db_commit(&tx, err);
}

/* Creates a key and lets older ones of its algorithm retire. Unless `anyway` is set, does nothing
 * if there is one already that does not retire. */
static int key_create(struct authd *d, const struct request *req, enum jws_alg alg, bool anyway,
                      int64_t active_at, struct error *err)
{
    CLEANUP(jws_key_destroy) struct jws_key *key = NULL;
    struct generation made = {.alg = alg, .result = -1};
    int result;

    if (offload_run(d->signatures, generate, &made, req->deadline_mono_ms, err) < 0)
        return -1;
    key = made.result == 0 ? jws_key_parse(alg, made.der, made.size) : NULL;
    result = key ? insert(d, req, key, &made, anyway, active_at, err)
                 : error_set(err, ERR_INTERNAL, "A key for the issuers cannot be created.");
    OPENSSL_clear_free(made.der, made.size);
    return result;
}

static bool is_complete(const struct authd *d, int64_t now_ms)
{
    return key_ring_current(d->issuer_keys, JWS_ES256, now_ms) &&
           key_ring_current(d->issuer_keys, JWS_RS256, now_ms);
}

int issuer_key_open(struct authd *d, const struct request *req, struct error *err)
{
    d->issuer_keys = arena_alloc(d->svc.arena, sizeof(*d->issuer_keys));
    d->signatures = offload_new(d->svc.loop, 0, SIGNATURE_QUEUE);
    d->issuer_verified = cache_new(VERIFIED_MAX, verified_destroy);
    if (!d->svc.common->public_url)
        return 0;
    if (issuer_key_reload(d, req, err) < 0)
        return -1;
    for (int alg = 0; alg < JWS_ALGS; alg++)
        if (!key_ring_current(d->issuer_keys, (enum jws_alg)alg, req->now_ms) &&
            key_create(d, req, (enum jws_alg)alg, false, req->now_ms, err) < 0)
            return -1;
    if (issuer_key_reload(d, req, err) < 0)
        return -1;
    if (!is_complete(d, req->now_ms))
        return error_set(err, ERR_INTERNAL, "There is no key for the issuers.");
    return 0;
}

void issuer_key_close(struct authd *d)
{
    if (d->issuer_keys)
        key_ring_clear(d->issuer_keys);
    offload_destroy(&d->signatures);
    cache_destroy(&d->issuer_verified);
}

int issuer_key_rotate(struct authd *d, const struct request *req, struct error *err)
{
    if (!d->svc.common->public_url)
        return error_set(err, ERR_CONFLICT,
                         "OpenID Connect is not available: the operator has not set public_url.");
    if (issuer_key_reload(d, req, err) < 0)
        return -1;
    if (d->issuer_keys->count > KEYS_MAX - 2 * JWS_ALGS)
        return error_set(err, ERR_CONFLICT, "Too many keys are live. Wait until one retires.");
    for (int alg = 0; alg < JWS_ALGS; alg++)
        if (key_create(d, req, (enum jws_alg)alg, true, req->now_ms + ISSUER_KEY_LEAD, err) < 0)
            return -1;
    return issuer_key_reload(d, req, err);
}

/* ---- listing ---- */

struct field_list issuer_key_list(const struct authd *d, const struct request *req)
{
    const struct key_ring *ring = d->issuer_keys;
    struct public_key *list = arena_calloc(req->arena, ring->count, sizeof(*list));

    for (size_t i = 0; i < ring->count; i++) {
        const struct jws_key *key = ring->keys[i];

        list[i] = (struct public_key){.kid = arena_strdup(req->arena, key->kid),
                                      .use = "issuer",
                                      .alg = jws_alg_name(key->alg),
                                      .active = key == key_ring_current(d->issuer_keys, key->alg,
                                                                        req->now_ms),
                                      .createdAt = key->created_at,
                                      .retireAt = key->retire_at};
    }
    return (struct field_list){list, ring->count};
}

struct field_list issuer_key_public(const struct authd *d, const struct request *req)
{
    const struct key_ring *ring = d->issuer_keys;
    struct public_key *list = arena_calloc(req->arena, ring->count, sizeof(*list));
    size_t count = 0;

    for (size_t i = 0; i < ring->count; i++) {
        const struct jws_key *key = ring->keys[i];

        if (key->alg == JWS_ES256)
            list[count++] = (struct public_key){.kid = arena_strdup(req->arena, key->kid),
                                                .pem = arena_strdup(req->arena, key->pem),
                                                .retireAt = key->retire_at};
    }
    return (struct field_list){list, count};
}

const char *issuer_key_set(const struct authd *d, const struct request *req)
{
    const struct key_ring *ring = d->issuer_keys;
    const char *text = "";

    for (size_t i = 0; i < ring->count; i++) {
        const struct jws_key *key = ring->keys[i];

        if (key->retire_at == 0 || key->retire_at > req->now_ms)
            text = arena_printf(req->arena, "%s%s%s", text, *text ? "," : "", key->jwk);
    }
    return arena_printf(req->arena, "{\"keys\":[%s]}", text);
}

/* ---- signing ---- */

struct signing {
    EVP_PKEY *pkey; /* for RS256 */
    const char *text;
    uint8_t signature[JWS_SIGNATURE_MAX];
    size_t size;
    int result;
};

static void sign(void *arg)
{
    struct signing *job = arg;

    job->result = jws_sign_rs256(job->pkey, job->text, job->signature, &job->size);
}

static const char *encode_json(const struct request *req, json_t *json)
{
    const char *text = codec_dump_json(req->arena, json);

    json_decref(json);
    return secret_encode(req->arena, text, strlen(text));
}

/* Signs a text. A thread holds its own reference to the key, because the key can be retired
 * meanwhile. */
static int run(struct authd *d, const struct request *req, const struct jws_key *key,
               struct signing *job, struct error *err)
{
    int result = 0;

    job->result = -1;
    if (key->alg == JWS_ES256) {
        job->result = jws_sign_es256(key->signer, job->text, job->signature, &job->size);
    } else {
        job->pkey = key->pkey;
        EVP_PKEY_up_ref(job->pkey);
        result = offload_run(d->signatures, sign, job, req->deadline_mono_ms, err);
        EVP_PKEY_free(job->pkey);
    }
    if (result == 0 && job->result < 0)
        return error_set(err, ERR_INTERNAL, "The token cannot be signed.");
    return result;
}

const char *issuer_sign(struct authd *d, const struct request *req, enum jws_alg alg,
                        const char *typ, json_t *claims, struct error *err)
{
    const struct jws_key *key = key_ring_current(d->issuer_keys, alg, req->now_ms);
    struct signing job;
    json_t *header;

    if (!key) {
        json_decref(claims);
        (void)error_set(err, ERR_INTERNAL, "There is no key for the issuers.");
        return NULL;
    }
    header = json_pack("{s:s, s:s, s:s}", "alg", jws_alg_name(alg), "typ", typ, "kid", key->kid);
    job.text =
        arena_printf(req->arena, "%s.%s", encode_json(req, header), encode_json(req, claims));
    if (run(d, req, key, &job, err) < 0)
        return NULL;
    return arena_printf(req->arena, "%s.%s", job.text,
                        secret_encode(req->arena, job.signature, job.size));
}

/* ---- verifying ---- */

static bool is_of(const json_t *claims, const char *issuer)
{
    return strcmp(jwt_text(claims, "iss"), issuer) == 0;
}

static json_t *verify_by(const struct jws_key *key, const struct jwt *jwt, const char *typ,
                         const char *issuer)
{
    static const char *const algs[] = {"ES256", "RS256", NULL};

    if (strcmp(jwt_text(jwt->header, "typ"), typ) == 0 &&
        strcmp(jwt_text(jwt->header, "alg"), jws_alg_name(key->alg)) == 0 &&
        is_of(jwt->claims, issuer) && jwt_verify(jwt, key->pkey, algs))
        return json_incref(jwt->claims);
    return NULL;
}

static void remember(struct authd *d, const struct cache_key *at, const struct jws_key *key,
                     json_t *claims)
{
    struct verified *self = malloc(sizeof(*self));

    if (!self)
        log_die("issuer", "out of memory");
    self->claims = json_incref(claims);
    snprintf(self->kid, sizeof(self->kid), "%s", key->kid);
    cache_put(d->issuer_verified, at, self);
}

static json_t *verify(struct authd *d, const struct request *req, const struct cache_key *at,
                      const char *token, const char *typ, const char *issuer)
{
    const struct jws_key *key;
    json_t *claims;
    struct jwt jwt;

    if (jwt_read(token, req->arena, &jwt) < 0)
        return NULL;
    key = key_ring_find(d->issuer_keys, jwt_text(jwt.header, "kid"));
    claims = key ? verify_by(key, &jwt, typ, issuer) : NULL;
    if (claims)
        remember(d, at, key, claims);
    jwt_clear(&jwt);
    return claims;
}

json_t *issuer_verify(struct authd *d, const struct request *req, const char *token,
                      const char *typ, const char *issuer)
{
    const char *const texts[] = {typ, token};
    const struct cache_key at = cache_key_of(d->issuer_verified, texts, ARRAY_SIZE(texts));
    const struct verified *known = cache_get(d->issuer_verified, &at);

    if (!known || !key_ring_find(d->issuer_keys, known->kid))
        return verify(d, req, &at, token, typ, issuer);
    return is_of(known->claims, issuer) ? json_incref(known->claims) : NULL;
}

static int verify_by_former(struct authd *d, const struct request *req, const struct jwt *jwt,
                            const char *typ, const char *issuer, json_t **ret, struct error *err)
{
    const struct sql_issuer_key_get_in get = {.kid = jwt_text(jwt->header, "kid")};
    CLEANUP(jws_key_destroy) struct jws_key *key = NULL;
    struct sql_issuer_key_get_row row;
    int found = sql_issuer_key_get(d->svc.db, req, &get, &row, err);

    if (found <= 0)
        return found;
    key = key_open_sealed(d, req->arena, ISSUER_KEY_SEAL_PURPOSE, get.kid, row.alg,
                          row.private_sealed, err);
    if (!key)
        return -1;
    *ret = verify_by(key, jwt, typ, issuer);
    return 0;
}

int issuer_verify_former(struct authd *d, const struct request *req, const char *token,
                         const char *typ, const char *issuer, json_t **ret, struct error *err)
{
    struct jwt jwt;
    int result = 0;

    *ret = issuer_verify(d, req, token, typ, issuer);
    if (*ret || jwt_read(token, req->arena, &jwt) < 0)
        return 0;
    if (!key_ring_find(d->issuer_keys, jwt_text(jwt.header, "kid")))
        result = verify_by_former(d, req, &jwt, typ, issuer, ret, err);
    jwt_clear(&jwt);
    return result;
}
