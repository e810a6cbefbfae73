/*
 * jws.c - see jws.h.
 */
#include "authd/session/jws.h"

#include <jansson.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/rsa.h>
#include <openssl/sha.h>
#include <openssl/x509.h>
#include <string.h>

#include "authd/openssl_free.h"
#include "common/base/secret.h"
#include "common/domain/jwt.h"
#include "common/wire/codec.h"

enum { P256_SIZE = 32, DER_SIGNATURE_MAX = 80, RSA_NUMBER_MAX = 1024 };

static const char *const names[JWS_ALGS] = {"ES256", "RS256"};

const char *jws_alg_name(enum jws_alg alg)
{
    return names[alg];
}

int jws_alg_parse(const char *name, enum jws_alg *ret)
{
    for (size_t i = 0; i < JWS_ALGS; i++) {
        if (strcmp(names[i], name) == 0) {
            *ret = (enum jws_alg)i;
            return 0;
        }
    }
    return -1;
}

int jws_key_generate(enum jws_alg alg, uint8_t **ret_der, size_t *ret_size)
{
    CLEANUP(openssl_free_pkey)
    EVP_PKEY *pkey = alg == JWS_RS256 ? EVP_RSA_gen(JWS_RSA_BITS) : EVP_EC_gen("P-256");
    int size;

    *ret_der = NULL;
    size = pkey ? i2d_PrivateKey(pkey, ret_der) : -1;
    *ret_size = size > 0 ? (size_t)size : 0;
    return size > 0 ? 0 : -1;
}

/* Returns a number of the key as base64url of `size` bytes, or of as many as needed if that is
 * 0. */
static char *number(struct arena *arena, const EVP_PKEY *pkey, const char *name, int size)
{
    CLEANUP(openssl_free_bignum) BIGNUM *value = NULL;
    uint8_t bytes[RSA_NUMBER_MAX];

    if (EVP_PKEY_get_bn_param(pkey, name, &value) != 1)
        return NULL;
    if (size == 0)
        size = BN_num_bytes(value);
    if (size > RSA_NUMBER_MAX || BN_bn2binpad(value, bytes, size) != size)
        return NULL;
    return secret_encode(arena, bytes, (size_t)size);
}

/* RFC 7638, section 3.2: required members in lexical order; NULL: wrong key. */
static json_t *members_of(struct arena *arena, enum jws_alg alg, const EVP_PKEY *pkey)
{
    const char *one, *other;
    char group[32];
    size_t size;

    if (alg == JWS_RS256) {
        if (!EVP_PKEY_is_a(pkey, "RSA") || EVP_PKEY_get_bits(pkey) < JWS_RSA_BITS)
            return NULL;
        one = number(arena, pkey, OSSL_PKEY_PARAM_RSA_E, 0);
        other = number(arena, pkey, OSSL_PKEY_PARAM_RSA_N, 0);
        return one && other ? json_pack("{s:s, s:s, s:s}", "e", one, "kty", "RSA", "n", other)
                            : NULL;
    }
    if (!EVP_PKEY_is_a(pkey, "EC") ||
        EVP_PKEY_get_group_name(pkey, group, sizeof(group), &size) != 1 ||
        strcmp(group, "prime256v1") != 0)
        return NULL;
    one = number(arena, pkey, OSSL_PKEY_PARAM_EC_PUB_X, P256_SIZE);
    other = number(arena, pkey, OSSL_PKEY_PARAM_EC_PUB_Y, P256_SIZE);
    return one && other ? json_pack("{s:s, s:s, s:s, s:s}", "crv", "P-256", "kty", "EC", "x", one,
                                    "y", other)
                        : NULL;
}

static int key_fill(struct jws_key *self)
{
    json_auto_t *jwk = members_of(self->arena, self->alg, self->pkey);
    uint8_t hash[SHA256_DIGEST_LENGTH];
    const char *text;

    if (!jwk)
        return -1;
    text = codec_dump_json(self->arena, jwk);
    SHA256((const uint8_t *)text, strlen(text), hash);
    self->kid = secret_encode(self->arena, hash, sizeof(hash));
    json_object_set_new(jwk, "use", json_string("sig"));
    json_object_set_new(jwk, "alg", json_string(jws_alg_name(self->alg)));
    json_object_set_new(jwk, "kid", json_string(self->kid));
    self->jwk = codec_dump_json(self->arena, jwk);
    self->pem = jwt_public_pem(self->pkey, self->arena);
    if (!self->pem || self->alg != JWS_ES256)
        return self->pem ? 0 : -1;
    self->x = arena_strdup(self->arena, json_string_value(json_object_get(jwk, "x")));
    self->y = arena_strdup(self->arena, json_string_value(json_object_get(jwk, "y")));
    self->signer = EVP_PKEY_CTX_new(self->pkey, NULL);
    return self->signer && EVP_PKEY_sign_init(self->signer) == 1 ? 0 : -1;
}

struct jws_key *jws_key_parse(enum jws_alg alg, const uint8_t *der, size_t size)
{
    EVP_PKEY *pkey = d2i_AutoPrivateKey(NULL, &der, (long)size);
    struct arena *arena;
    struct jws_key *self;

    if (!pkey)
        return NULL;
    arena = arena_new();
    self = arena_alloc(arena, sizeof(*self));
    *self = (struct jws_key){.alg = alg, .pkey = pkey, .arena = arena};
    if (key_fill(self) < 0)
        jws_key_destroy(&self);
    return self;
}

void jws_key_destroy(struct jws_key **self_p)
{
    struct jws_key *self = *self_p;
    struct arena *arena;

    if (!self)
        return;
    EVP_PKEY_CTX_free(self->signer);
    EVP_PKEY_free(self->pkey);
    arena = self->arena;
    arena_destroy(&arena);
    *self_p = NULL;
}

/* Converts OpenSSL's DER to ES256's r and s. */
static int unwrap(const uint8_t *der, size_t size, uint8_t ret[static 2 * P256_SIZE])
{
    CLEANUP(openssl_free_signature) ECDSA_SIG *signature = d2i_ECDSA_SIG(NULL, &der, (long)size);

    if (!signature || BN_bn2binpad(ECDSA_SIG_get0_r(signature), ret, P256_SIZE) != P256_SIZE ||
        BN_bn2binpad(ECDSA_SIG_get0_s(signature), ret + P256_SIZE, P256_SIZE) != P256_SIZE)
        return -1;
    return 0;
}

int jws_sign_es256(EVP_PKEY_CTX *signer, const char *text, uint8_t ret[static JWS_SIGNATURE_MAX],
                   size_t *ret_size)
{
    uint8_t hash[SHA256_DIGEST_LENGTH], der[DER_SIGNATURE_MAX];
    size_t size = sizeof(der);

    SHA256((const uint8_t *)text, strlen(text), hash);
    if (EVP_PKEY_sign(signer, der, &size, hash, sizeof(hash)) != 1 || unwrap(der, size, ret) < 0)
        return -1;
    *ret_size = 2 * P256_SIZE;
    return 0;
}

int jws_sign_rs256(EVP_PKEY *pkey, const char *text, uint8_t ret[static JWS_SIGNATURE_MAX],
                   size_t *ret_size)
{
    CLEANUP(openssl_free_context) EVP_MD_CTX *context = EVP_MD_CTX_new();

    *ret_size = JWS_SIGNATURE_MAX;
    return context && EVP_DigestSignInit(context, NULL, EVP_sha256(), NULL, pkey) == 1 &&
                   EVP_DigestSign(context, ret, ret_size, (const uint8_t *)text, strlen(text)) == 1
               ? 0
               : -1;
}
