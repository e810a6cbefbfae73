/*
 * jose.c - see jose.h. Shares no code with common/domain/jwt.c, which it tests.
 */
#include "tests/support/jose.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <sodium.h>

enum { NUMBER_MAX = 512, SIGNATURE_MAX = 512 };

struct jose {
    const char *alg;
    char *kid;
    EVP_PKEY *key;
    size_t coordinate; /* bytes; 0: RSA */
};

static void require(bool fine, const char *what)
{
    if (fine)
        return;
    fprintf(stderr, "jose: %s failed\n", what);
    abort();
}

static struct jose *with_key(EVP_PKEY *key, const char *alg, const char *kid)
{
    struct jose *self = calloc(1, sizeof(*self));

    require(key, "making a key");
    self->alg = alg;
    self->kid = kid ? strdup(kid) : NULL;
    self->coordinate = strcmp(alg, "ES256") == 0 ? 32 : strcmp(alg, "ES384") == 0 ? 48 : 0;
    self->key = key;
    return self;
}

struct jose *jose_new(const char *alg, const char *kid)
{
    EVP_PKEY *key;

    if (strcmp(alg, "EdDSA") == 0)
        key = EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
    else if (alg[0] == 'E')
        key = EVP_PKEY_Q_keygen(NULL, NULL, "EC", strcmp(alg, "ES256") == 0 ? "P-256" : "P-384");
    else
        key = EVP_PKEY_Q_keygen(NULL, NULL, "RSA", (size_t)2048);
    return with_key(key, alg, kid);
}

struct jose *jose_share(const struct jose *from, const char *alg, const char *kid)
{
    EVP_PKEY_up_ref(from->key);
    return with_key(from->key, alg, kid);
}

void jose_destroy(struct jose **self_p)
{
    if (!*self_p)
        return;
    EVP_PKEY_free((*self_p)->key);
    free((*self_p)->kid);
    free(*self_p);
    *self_p = NULL;
}

char *jose_encode(const void *bytes, size_t size)
{
    size_t length = sodium_base64_encoded_len(size, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    char *text = malloc(length);

    return sodium_bin2base64(text, length, bytes, size, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
}

/* Sets a number of the key, padded to `size` bytes; 0: not padded. */
static void set_number(json_t *jwk, const char *name, EVP_PKEY *key, const char *param, size_t size)
{
    BIGNUM *number = NULL;
    uint8_t bytes[NUMBER_MAX];
    char *text;

    require(EVP_PKEY_get_bn_param(key, param, &number) == 1, param);
    if (!size)
        size = (size_t)BN_num_bytes(number);
    require(BN_bn2binpad(number, bytes, (int)size) == (int)size, param);
    text = jose_encode(bytes, size);
    json_object_set_new(jwk, name, json_string(text));
    free(text);
    BN_free(number);
}

static bool is_eddsa(const struct jose *self)
{
    return EVP_PKEY_is_a(self->key, "ED25519");
}

/* RFC 8037, section 2. */
static void set_ed25519(json_t *jwk, EVP_PKEY *key)
{
    uint8_t bytes[32];
    size_t size = sizeof(bytes);
    char *text;

    require(EVP_PKEY_get_raw_public_key(key, bytes, &size) == 1, "reading a key");
    text = jose_encode(bytes, size);
    json_object_set_new(jwk, "kty", json_string("OKP"));
    json_object_set_new(jwk, "crv", json_string("Ed25519"));
    json_object_set_new(jwk, "x", json_string(text));
    free(text);
}

json_t *jose_jwk(const struct jose *self)
{
    json_t *jwk = json_object();

    if (self->kid)
        json_object_set_new(jwk, "kid", json_string(self->kid));
    if (is_eddsa(self)) {
        set_ed25519(jwk, self->key);
        return jwk;
    }
    json_object_set_new(jwk, "kty", json_string(self->coordinate ? "EC" : "RSA"));
    if (self->coordinate) {
        json_object_set_new(jwk, "crv", json_string(self->coordinate == 32 ? "P-256" : "P-384"));
        set_number(jwk, "x", self->key, OSSL_PKEY_PARAM_EC_PUB_X, self->coordinate);
        set_number(jwk, "y", self->key, OSSL_PKEY_PARAM_EC_PUB_Y, self->coordinate);
    } else {
        set_number(jwk, "n", self->key, OSSL_PKEY_PARAM_RSA_N, 0);
        set_number(jwk, "e", self->key, OSSL_PKEY_PARAM_RSA_E, 0);
    }
    return jwk;
}

char *jose_pem(const struct jose *self)
{
    BIO *bio = BIO_new(BIO_s_mem());
    char *text = NULL, *pem;
    long size;

    require(PEM_write_bio_PUBKEY(bio, self->key) == 1, "writing a key");
    size = BIO_get_mem_data(bio, &text);
    pem = strndup(text, (size_t)size);
    BIO_free(bio);
    return pem;
}

static size_t flatten(uint8_t *signature, size_t size, size_t coordinate)
{
    const uint8_t *der = signature;
    ECDSA_SIG *pair = d2i_ECDSA_SIG(NULL, &der, (long)size);

    require(pair, "reading a signature");
    BN_bn2binpad(ECDSA_SIG_get0_r(pair), signature, (int)coordinate);
    BN_bn2binpad(ECDSA_SIG_get0_s(pair), signature + coordinate, (int)coordinate);
    ECDSA_SIG_free(pair);
    return 2 * coordinate;
}

static char *signature_of(const struct jose *self, const char *text)
{
    const EVP_MD *digest = strstr(self->alg, "384") ? EVP_sha384() : EVP_sha256();
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    EVP_PKEY_CTX *options = NULL;
    uint8_t signature[SIGNATURE_MAX];
    size_t size = sizeof(signature);

    require(EVP_DigestSignInit(context, &options, is_eddsa(self) ? NULL : digest, NULL,
                               self->key) == 1,
            "signing");
    if (self->alg[0] == 'P')
        require(EVP_PKEY_CTX_set_rsa_padding(options, RSA_PKCS1_PSS_PADDING) == 1 &&
                    EVP_PKEY_CTX_set_rsa_pss_saltlen(options, RSA_PSS_SALTLEN_DIGEST) == 1,
                "PSS");
    require(EVP_DigestSign(context, signature, &size, (const uint8_t *)text, strlen(text)) == 1,
            "signing");
    EVP_MD_CTX_free(context);
    if (self->coordinate)
        size = flatten(signature, size, self->coordinate);
    return jose_encode(signature, size);
}

static char *encode_json(json_t *json)
{
    char *text = json_dumps(json, JSON_COMPACT), *encoded = jose_encode(text, strlen(text));

    json_decref(json);
    free(text);
    return encoded;
}

char *jose_sign(const struct jose *self, json_t *header, json_t *claims)
{
    char *parts[3], *text, *token;
    size_t size;

    if (!header)
        header = json_object();
    if (!json_object_get(header, "alg"))
        json_object_set_new(header, "alg", json_string(self->alg));
    if (self->kid && !json_object_get(header, "kid"))
        json_object_set_new(header, "kid", json_string(self->kid));
    parts[0] = encode_json(header);
    parts[1] = encode_json(claims);
    size = strlen(parts[0]) + strlen(parts[1]) + 2;
    text = malloc(size);
    snprintf(text, size, "%s.%s", parts[0], parts[1]);
    parts[2] = signature_of(self, text);
    size += strlen(parts[2]) + 1;
    token = malloc(size);
    snprintf(token, size, "%s.%s", text, parts[2]);
    for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
        free(parts[i]);
    free(text);
    return token;
}
