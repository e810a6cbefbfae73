/*
 * token.c - see token.h.
 */
#include "authd/session/token.h"

#include <jansson.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/sha.h>
#include <openssl/x509.h>
#include <string.h>

#include "authd/openssl_free.h"
#include "common/base/secret.h"
#include "common/domain/jwt.h"
#include "common/wire/codec.h"

enum { P256_SIZE = 32, DER_SIGNATURE_MAX = 80 };

static char *encode_json(struct arena *arena, json_t *json)
{
    const char *text = codec_dump_json(arena, json);

    json_decref(json);
    return secret_encode(arena, text, strlen(text));
}

/* A coordinate of the public point, base64url; NULL: not a P-256 key. */
static char *coordinate(struct arena *arena, const EVP_PKEY *pkey, const char *name)
{
    CLEANUP(openssl_free_bignum) BIGNUM *number = NULL;
    uint8_t bytes[P256_SIZE];

    if (EVP_PKEY_get_bn_param(pkey, name, &number) != 1 ||
        BN_bn2binpad(number, bytes, sizeof(bytes)) != sizeof(bytes))
        return NULL;
    return secret_encode(arena, bytes, sizeof(bytes));
}

/* RFC 7638: the hash of the required members in lexical order, without white space. */
static char *thumbprint(struct arena *arena, const char *x, const char *y)
{
    const char *text =
        arena_printf(arena, "{\"crv\":\"P-256\",\"kty\":\"EC\",\"x\":\"%s\",\"y\":\"%s\"}", x, y);
    uint8_t hash[SHA256_DIGEST_LENGTH];

    SHA256((const uint8_t *)text, strlen(text), hash);
    return secret_encode(arena, hash, sizeof(hash));
}

static int key_fill(struct signing_key *self, EVP_PKEY *pkey)
{
    char group[32];
    size_t size;

    if (EVP_PKEY_get_group_name(pkey, group, sizeof(group), &size) != 1 ||
        strcmp(group, "prime256v1") != 0)
        return -1;
    self->x = coordinate(self->arena, pkey, OSSL_PKEY_PARAM_EC_PUB_X);
    self->y = coordinate(self->arena, pkey, OSSL_PKEY_PARAM_EC_PUB_Y);
    self->public_pem = jwt_public_pem(pkey, self->arena);
    if (!self->x || !self->y || !self->public_pem)
        return -1;
    self->kid = thumbprint(self->arena, self->x, self->y);
    self->header = encode_json(self->arena, json_pack("{s:s, s:s, s:s}", "alg", "ES256", "typ",
                                                      "JWT", "kid", self->kid));
    self->signer = EVP_PKEY_CTX_new(pkey, NULL);
    return self->signer && EVP_PKEY_sign_init(self->signer) == 1 ? 0 : -1;
}

static struct signing_key *key_new(EVP_PKEY *pkey)
{
    struct arena *arena = arena_new();
    struct signing_key *self = arena_alloc(arena, sizeof(*self));

    self->arena = arena;
    if (key_fill(self, pkey) < 0)
        signing_key_destroy(&self);
    return self;
}

struct signing_key *signing_key_generate(struct arena *arena, uint8_t **ret_der, size_t *ret_size)
{
    CLEANUP(openssl_free_pkey) EVP_PKEY *pkey = EVP_EC_gen("P-256");
    uint8_t *der = NULL;
    int size = pkey ? i2d_PrivateKey(pkey, &der) : -1;
    struct signing_key *self;

    if (size <= 0)
        return NULL;
    self = key_new(pkey);
    if (self) {
        *ret_der = arena_memdup(arena, der, (size_t)size);
        *ret_size = (size_t)size;
    }
    OPENSSL_clear_free(der, (size_t)size);
    return self;
}

struct signing_key *signing_key_parse(const uint8_t *der, size_t size)
{
    CLEANUP(openssl_free_pkey) EVP_PKEY *pkey = d2i_AutoPrivateKey(NULL, &der, (long)size);

    return pkey && EVP_PKEY_is_a(pkey, "EC") ? key_new(pkey) : NULL;
}

void signing_key_destroy(struct signing_key **self_p)
{
    struct signing_key *self = *self_p;
    struct arena *arena;

    if (!self)
        return;
    EVP_PKEY_CTX_free(self->signer);
    arena = self->arena;
    arena_destroy(&arena);
    *self_p = NULL;
}

/* ES256 wants r and s as 32 bytes each, not the DER that OpenSSL makes. */
static int sign(struct signing_key *key, const char *text, uint8_t ret[static 2 * P256_SIZE])
{
    CLEANUP(openssl_free_signature) ECDSA_SIG *signature = NULL;
    uint8_t hash[SHA256_DIGEST_LENGTH], der[DER_SIGNATURE_MAX];
    const uint8_t *cursor = der;
    size_t size = sizeof(der);

    SHA256((const uint8_t *)text, strlen(text), hash);
    if (EVP_PKEY_sign(key->signer, der, &size, hash, sizeof(hash)) != 1)
        return -1;
    signature = d2i_ECDSA_SIG(NULL, &cursor, (long)size);
    if (!signature || BN_bn2binpad(ECDSA_SIG_get0_r(signature), ret, P256_SIZE) != P256_SIZE ||
        BN_bn2binpad(ECDSA_SIG_get0_s(signature), ret + P256_SIZE, P256_SIZE) != P256_SIZE)
        return -1;
    return 0;
}

char *token_mint(struct signing_key *key, const struct token_claims *claims, struct arena *arena)
{
    const char *subject =
        arena_printf(arena, "%s/%s", role_text(claims->role), claims->profile.text);
    json_int_t now_s = claims->now_ms / 1000;
    uint8_t signature[2 * P256_SIZE];
    char *body, *signed_part;

    body = encode_json(arena, json_pack("{s:s, s:s, s:s, s:I, s:I, s:s, s:s, s:s, s:s, s:b}", "iss",
                                        claims->issuer, "sub", subject, "aud", claims->audience,
                                        "exp", now_s + claims->life_ms / 1000, "iat", now_s, "jti",
                                        claims->id.text, "sid", claims->session.text, "prj",
                                        claims->project.text, "mem", claims->membership.text, "adm",
                                        claims->admin));
    signed_part = arena_printf(arena, "%s.%s", key->header, body);
    if (sign(key, signed_part, signature) < 0)
        return NULL;
    return arena_printf(arena, "%s.%s", signed_part,
                        secret_encode(arena, signature, sizeof(signature)));
}
