/*
 * trail_checkpoint.c - the head of a project's tree as a signed note: what C2SP calls a checkpoint
 * (https://c2sp.org/tlog-checkpoint, https://c2sp.org/signed-note).
 *
 *     lakeside.example/t/north/audit
 *     1203
 *     <root, base64>
 *
 *     - lakeside.example/t/north/audit <key hash and Ed25519 signature, base64>
 *
 * (The last line begins with an em dash.) One key signs for all projects of the installation; a
 * verifier knows it by the origin of the project.
 */
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "authd/sql/trail.h"
#include "authd/trail/trail.h"
#include "common/service/audit.h"
#include "settingsd/settingsd_api.h"

enum {
    ED25519 = 1, /* the algorithm, in front of a public key */
    KEY_HASH_SIZE = 4,
    VERIFIER_SIZE = 1 + crypto_sign_PUBLICKEYBYTES,
    SIGNATURE_SIZE = KEY_HASH_SIZE + crypto_sign_BYTES,
};

static const char *base64(struct arena *arena, const void *bytes, size_t size)
{
    size_t most = sodium_base64_ENCODED_LEN(size, sodium_base64_VARIANT_ORIGINAL);
    char *text = arena_alloc(arena, most);

    return sodium_bin2base64(text, most, bytes, size, sodium_base64_VARIANT_ORIGINAL);
}

/* ---- the key ---- */

int trail_key_open(struct authd *d, const struct request *req, struct error *err)
{
    uint8_t public[crypto_sign_PUBLICKEYBYTES], secret[crypto_sign_SECRETKEYBYTES];
    struct sql_trail_key_make_in make = {
        .public = {public, sizeof(public)},
        .audit = audit_row(req, &(struct audit){.action = "key.create", .detail = "trail"})};
    struct sql_trail_key_get_row row;
    struct sealed sealed;
    int found = sql_trail_key_get(d->svc.db, req, &row, err);

    if (found != 0)
        return MIN(found, 0);
    crypto_sign_keypair(public, secret);
    sealed = seal_value(req->arena, &d->svc.seal, TRAIL_KEY_PURPOSE, secret, sizeof(secret));
    sodium_memzero(secret, sizeof(secret));
    make.secret = (struct field_bytes){sealed.bytes, sealed.size};
    return MIN(sql_trail_key_make(d->svc.db, req, &make, err), 0);
}

/* Signs, and gives the public key behind its algorithm. */
static int sign(struct authd *d, const struct request *req, const char *text,
                uint8_t ret_signature[static crypto_sign_BYTES],
                uint8_t ret_key[static VERIFIER_SIZE], struct error *err)
{
    struct sql_trail_key_get_row row;
    uint8_t *secret = NULL;
    size_t size = 0;

    if (sql_require(sql_trail_key_get(d->svc.db, req, &row, err), err, ERR_INTERNAL,
                    "There is no key that signs trails.") < 0)
        return -1;
    if (row.public.size != crypto_sign_PUBLICKEYBYTES ||
        seal_open(req->arena, &d->svc.seal, TRAIL_KEY_PURPOSE,
                  (struct sealed){row.secret.bytes, row.secret.size}, &secret, &size) < 0 ||
        size != crypto_sign_SECRETKEYBYTES)
        return error_set(err, ERR_INTERNAL, "The key that signs trails cannot be opened.");
    crypto_sign_detached(ret_signature, NULL, (const uint8_t *)text, strlen(text), secret);
    sodium_memzero(secret, size);
    ret_key[0] = ED25519;
    memcpy(ret_key + 1, row.public.bytes, crypto_sign_PUBLICKEYBYTES);
    return 0;
}

/* The first bytes of SHA-256(name, line feed, algorithm and key). */
static void key_hash(const char *name, const uint8_t key[static VERIFIER_SIZE],
                     uint8_t ret[static KEY_HASH_SIZE])
{
    uint8_t hash[crypto_hash_sha256_BYTES];
    crypto_hash_sha256_state state;

    crypto_hash_sha256_init(&state);
    crypto_hash_sha256_update(&state, (const uint8_t *)name, strlen(name));
    crypto_hash_sha256_update(&state, (const uint8_t *)"\n", 1);
    crypto_hash_sha256_update(&state, key, VERIFIER_SIZE);
    crypto_hash_sha256_final(&state, hash);
    memcpy(ret, hash, KEY_HASH_SIZE);
}

/* ---- the note ---- */

/* "<host>/t/<tenantCode>/audit": the host of public_url, else what the issuer is called. A project
 * without a code has its id. */
static const char *origin_of(struct authd *d, const struct request *req,
                             const struct tenant *tenant)
{
    const char *url = d->svc.common->public_url ? d->svc.common->public_url : d->config->issuer;
    const char *host = strstr(url, "://") ? strstr(url, "://") + 3 : url;

    return arena_printf(req->arena, "%.*s/t/%s/audit", (int)strcspn(host, "/ +"), host,
                        tenant->tenantCode ? tenant->tenantCode : tenant->projectId.text);
}

int trail_checkpoint(struct authd *d, const struct request *req, struct uuid project, int64_t size,
                     const char **ret_note, const char **ret_key, struct error *err)
{
    const struct tenant_lookup_in which = {.projectId = project};
    uint8_t signature[SIGNATURE_SIZE], key[VERIFIER_SIZE];
    struct tenant tenant = {0};
    const char *origin, *text;
    struct merkle_hash root;

    if (settingsd_tenant_lookup(d->svc.bus, req, &which, &tenant, err) < 0 ||
        trail_root(d, req, project, size, &root, err) < 0)
        return -1;
    origin = origin_of(d, req, &tenant);
    text = arena_printf(req->arena, "%s\n%lld\n%s\n", origin, (long long)size,
                        base64(req->arena, root.bytes, sizeof(root.bytes)));
    if (sign(d, req, text, signature + KEY_HASH_SIZE, key, err) < 0)
        return -1;
    key_hash(origin, key, signature);
    *ret_note = arena_printf(req->arena, "%s\n\xe2\x80\x94 %s %s\n", text, origin,
                             base64(req->arena, signature, sizeof(signature)));
    *ret_key =
        arena_printf(req->arena, "%s+%02x%02x%02x%02x+%s", origin, signature[0], signature[1],
                     signature[2], signature[3], base64(req->arena, key, sizeof(key)));
    return 0;
}
