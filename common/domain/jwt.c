/* jwt.c - see jwt.h. */
#include "common/domain/jwt.h"

#include <openssl/ecdsa.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/sha.h>

#include "common/base/log.h"
#include "common/base/memory.h"
#include "common/base/secret.h"
#include "common/wire/codec.h"

enum { COORDINATE_MAX = 48, DER_MAX = 2 * COORDINATE_MAX + 16 };

/* RFC 7518, section 3.1. */
static const struct algorithm {
    const char *name, *key, *digest;
    size_t coordinate;
    bool pss;
} algorithms[] = {
    {"RS256", "RSA", "SHA256", 0, false}, {"RS384", "RSA", "SHA384", 0, false},
    {"PS256", "RSA", "SHA256", 0, true},  {"ES256", "EC", "SHA256", 32, false},
    {"ES384", "EC", "SHA384", 48, false}, {"EdDSA", "ED25519", NULL, 0, false}, /* RFC 8037 */
};

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

char *jwt_public_pem(EVP_PKEY *key, struct arena *arena)
{
    BIO *bio = memory_ensure(BIO_new(BIO_s_mem()));
    char *text = NULL, *pem = NULL;
    long size;

    if (PEM_write_bio_PUBKEY(bio, key) == 1) {
        size = BIO_get_mem_data(bio, &text);
        pem = arena_strndup(arena, text, (size_t)size);
    }
    BIO_free(bio);
    return pem;
}

/* Converts JWS's raw r and s (RFC 7518, section 3.4) to OpenSSL's DER. Returns the size or -1. */
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
    EVP_MD_CTX *context = memory_ensure(EVP_MD_CTX_new());
    EVP_PKEY_CTX *options = NULL;
    const uint8_t *signature = self->signature;
    size_t size = self->signature_size;
    uint8_t der[DER_MAX];
    bool fits;

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
    for (size_t i = 0; i < ARRAY_SIZE(algorithms) && allowed; i++)
        if (strcmp(algorithms[i].name, name) == 0)
            return key_fits(key, &algorithms[i]) && signature_fits(self, key, &algorithms[i]);
    return false;
}
