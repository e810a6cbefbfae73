/*
 * jwt.c - see jwt.h.
 */
#include "common/domain/jwt.h"

#include <string.h>

#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/sha.h>

#include "common/base/log.h"
#include "common/base/secret.h"
#include "common/wire/codec.h"

enum {
    COORDINATE_MAX = 48, /* bytes of one of P-384 */
    MODULUS_MIN = 256,
    MODULUS_MAX = 1024,
    EXPONENT_MAX = 8,
    DER_MAX = 2 * COORDINATE_MAX + 16
};

/* What an algorithm is (RFC 7518, section 3.1). */
static const struct algorithm {
    const char *name, *key, *digest;
    size_t coordinate; /* bytes, of an elliptic curve */
    bool pss;
} algorithms[] = {
    {"RS256", "RSA", "SHA256", 0, false}, {"RS384", "RSA", "SHA384", 0, false},
    {"PS256", "RSA", "SHA256", 0, true},  {"ES256", "EC", "SHA256", 32, false},
    {"ES384", "EC", "SHA384", 48, false},
};

static const struct curve {
    const char *name, *group;
    size_t coordinate;
} curves[] = {{"P-256", "P-256", 32}, {"P-384", "P-384", 48}};

/* ---- the parts ---- */

static json_t *part_json(const char *part, struct arena *arena)
{
    size_t max = strlen(part), size;
    uint8_t *text = arena_alloc_raw(arena, max);
    struct error ignored;

    error_init(&ignored, NULL);
    if (secret_decode(part, text, max, &size) < 0)
        return NULL;
    return codec_parse_json((const char *)text, size, true, &ignored);
}

int jwt_read(const char *token, struct arena *arena, struct jwt *ret)
{
    size_t size = strnlen(token, JWT_SIZE_MAX + 1);
    char *header, *claims, *signature;

    *ret = (struct jwt){.header = NULL};
    if (size > JWT_SIZE_MAX)
        return -1;
    header = arena_strndup(arena, token, size);
    claims = strchr(header, '.');
    signature = claims ? strchr(claims + 1, '.') : NULL;
    if (!signature)
        return -1;
    ret->text = arena_strndup(arena, header, (size_t)(signature - header));
    ret->text_size = (size_t)(signature - header);
    *claims++ = '\0';
    *signature++ = '\0';
    if (secret_decode(signature, ret->signature, sizeof(ret->signature), &ret->signature_size) < 0)
        return -1;
    ret->header = part_json(header, arena);
    ret->claims = part_json(claims, arena);
    if (ret->header && ret->claims && !json_object_get(ret->header, "crit") &&
        !json_object_get(ret->header, "b64"))
        return 0;
    jwt_clear(ret);
    return -1;
}

void jwt_clear(struct jwt *self)
{
    json_decref(self->header);
    json_decref(self->claims);
    self->header = self->claims = NULL;
}

const char *jwt_text(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));

    return text ? text : "";
}

int64_t jwt_time(const struct jwt *self, const char *name)
{
    const json_t *value = json_object_get(self->claims, name);
    double seconds = json_number_value(value);

    return json_is_number(value) && seconds > 0 && seconds < 1e12 ? (int64_t)(seconds * 1000) : 0;
}

/* ---- keys ---- */

char *jwt_public_pem(EVP_PKEY *key, struct arena *arena)
{
    BIO *bio = BIO_new(BIO_s_mem());
    char *text = NULL, *pem = NULL;
    long size;

    if (!bio)
        log_die("jwt", "out of memory");
    if (PEM_write_bio_PUBKEY(bio, key) == 1) {
        size = BIO_get_mem_data(bio, &text);
        pem = arena_strndup(arena, text, (size_t)size);
    }
    BIO_free(bio);
    return pem;
}

static const struct curve *curve_of(const json_t *jwk)
{
    for (size_t i = 0; i < ARRAY_SIZE(curves); i++) {
        if (strcmp(jwt_text(jwk, "crv"), curves[i].name) == 0)
            return &curves[i];
    }
    return NULL;
}

static EVP_PKEY *key_build(const char *type, OSSL_PARAM_BLD *builder)
{
    OSSL_PARAM *params = OSSL_PARAM_BLD_to_param(builder);
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, type, NULL);
    EVP_PKEY *key = NULL;

    if (!params || !context)
        log_die("jwt", "out of memory");
    if (EVP_PKEY_fromdata_init(context) != 1 ||
        EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, params) != 1)
        key = NULL;
    EVP_PKEY_CTX_free(context);
    OSSL_PARAM_free(params);
    return key;
}

/* RFC 7518, section 6.2.1; OpenSSL refuses a point that is not on the curve. */
static EVP_PKEY *key_ec(const json_t *jwk)
{
    const struct curve *curve = curve_of(jwk);
    uint8_t point[1 + 2 * COORDINATE_MAX];
    size_t x_size, y_size;
    OSSL_PARAM_BLD *builder;
    EVP_PKEY *key = NULL;

    if (!curve || secret_decode(jwt_text(jwk, "x"), point + 1, curve->coordinate, &x_size) < 0 ||
        secret_decode(jwt_text(jwk, "y"), point + 1 + curve->coordinate, curve->coordinate,
                      &y_size) < 0 ||
        x_size != curve->coordinate || y_size != curve->coordinate)
        return NULL;
    point[0] = POINT_CONVERSION_UNCOMPRESSED;
    builder = OSSL_PARAM_BLD_new();
    if (!builder)
        log_die("jwt", "out of memory");
    if (OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_PKEY_PARAM_GROUP_NAME, curve->group, 0) ==
            1 &&
        OSSL_PARAM_BLD_push_octet_string(builder, OSSL_PKEY_PARAM_PUB_KEY, point,
                                         1 + 2 * curve->coordinate) == 1)
        key = key_build("EC", builder);
    OSSL_PARAM_BLD_free(builder);
    return key;
}

/* RFC 7518, section 6.3.1. */
static EVP_PKEY *key_rsa(const json_t *jwk)
{
    uint8_t modulus[MODULUS_MAX], exponent[EXPONENT_MAX];
    size_t modulus_size, exponent_size;
    OSSL_PARAM_BLD *builder;
    BIGNUM *n, *e;
    EVP_PKEY *key = NULL;

    if (secret_decode(jwt_text(jwk, "n"), modulus, sizeof(modulus), &modulus_size) < 0 ||
        secret_decode(jwt_text(jwk, "e"), exponent, sizeof(exponent), &exponent_size) < 0 ||
        modulus_size < MODULUS_MIN || !modulus[0] || !exponent_size)
        return NULL;
    builder = OSSL_PARAM_BLD_new();
    n = BN_bin2bn(modulus, (int)modulus_size, NULL);
    e = BN_bin2bn(exponent, (int)exponent_size, NULL);
    if (!builder || !n || !e)
        log_die("jwt", "out of memory");
    if (OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, n) == 1 &&
        OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, e) == 1)
        key = key_build("RSA", builder);
    OSSL_PARAM_BLD_free(builder);
    BN_free(n);
    BN_free(e);
    return key;
}

EVP_PKEY *jwk_key(const json_t *jwk)
{
    if (json_object_get(jwk, "d") || json_object_get(jwk, "k"))
        return NULL;
    if (strcmp(jwt_text(jwk, "kty"), "EC") == 0)
        return key_ec(jwk);
    return strcmp(jwt_text(jwk, "kty"), "RSA") == 0 ? key_rsa(jwk) : NULL;
}

/* The required members alone, in their order (RFC 7638, section 3.2). */
const char *jwk_thumbprint(const json_t *jwk, struct arena *arena)
{
    EVP_PKEY *key = jwk_key(jwk);
    bool curve = strcmp(jwt_text(jwk, "kty"), "EC") == 0;
    uint8_t hash[SHA256_DIGEST_LENGTH];
    const char *text;

    if (!key)
        return NULL;
    EVP_PKEY_free(key);
    text = curve ? arena_printf(arena, "{\"crv\":\"%s\",\"kty\":\"EC\",\"x\":\"%s\",\"y\":\"%s\"}",
                                jwt_text(jwk, "crv"), jwt_text(jwk, "x"), jwt_text(jwk, "y"))
                 : arena_printf(arena, "{\"e\":\"%s\",\"kty\":\"RSA\",\"n\":\"%s\"}",
                                jwt_text(jwk, "e"), jwt_text(jwk, "n"));
    SHA256((const uint8_t *)text, strlen(text), hash);
    return secret_encode(arena, hash, sizeof(hash));
}

/* ---- the signature ---- */

/* JWS carries r and s as they are (RFC 7518, section 3.4); OpenSSL wants them in DER. The size, or
 * -1. */
static int signature_to_der(const struct jwt *self, size_t coordinate, uint8_t ret[static DER_MAX])
{
    ECDSA_SIG *signature;
    BIGNUM *r, *s;
    int size;

    if (self->signature_size != 2 * coordinate)
        return -1;
    signature = ECDSA_SIG_new();
    r = BN_bin2bn(self->signature, (int)coordinate, NULL);
    s = BN_bin2bn(self->signature + coordinate, (int)coordinate, NULL);
    if (!signature || !r || !s)
        log_die("jwt", "out of memory");
    ECDSA_SIG_set0(signature, r, s);
    size = i2d_ECDSA_SIG(signature, &ret);
    ECDSA_SIG_free(signature);
    return size;
}

static bool key_fits(EVP_PKEY *key, const struct algorithm *algorithm)
{
    if (!EVP_PKEY_is_a(key, algorithm->key))
        return false;
    return !algorithm->coordinate || (size_t)EVP_PKEY_get_bits(key) == algorithm->coordinate * 8;
}

static bool signature_fits(const struct jwt *self, EVP_PKEY *key, const struct algorithm *algorithm)
{
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    EVP_PKEY_CTX *options = NULL;
    const uint8_t *signature = self->signature;
    size_t size = self->signature_size;
    uint8_t der[DER_MAX];
    bool fits;

    if (!context)
        log_die("jwt", "out of memory");
    if (algorithm->coordinate) {
        int der_size = signature_to_der(self, algorithm->coordinate, der);

        signature = der;
        size = der_size > 0 ? (size_t)der_size : 0;
    }
    fits = size && EVP_DigestVerifyInit_ex(context, &options, algorithm->digest, NULL, NULL, key,
                                           NULL) == 1;
    if (fits && algorithm->pss) /* RFC 7518, section 3.5: the salt is as long as the hash */
        fits = EVP_PKEY_CTX_set_rsa_padding(options, RSA_PKCS1_PSS_PADDING) == 1 &&
               EVP_PKEY_CTX_set_rsa_pss_saltlen(options, RSA_PSS_SALTLEN_DIGEST) == 1;
    fits = fits && EVP_DigestVerify(context, signature, size, (const uint8_t *)self->text,
                                    self->text_size) == 1;
    EVP_MD_CTX_free(context);
    return fits;
}

bool jwt_verify(const struct jwt *self, EVP_PKEY *key, const char *const *algs)
{
    const char *name = jwt_text(self->header, "alg");
    bool allowed = false;

    for (; *algs && !allowed; algs++)
        allowed = strcmp(*algs, name) == 0;
    for (size_t i = 0; i < ARRAY_SIZE(algorithms) && allowed; i++) {
        if (strcmp(algorithms[i].name, name) == 0)
            return key_fits(key, &algorithms[i]) && signature_fits(self, key, &algorithms[i]);
    }
    return false;
}
