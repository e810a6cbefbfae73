/*
 * authenticator.c - see authenticator.h.
 */
#include "tests/support/authenticator.h"

#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BASE64 = sodium_base64_VARIANT_URLSAFE_NO_PADDING, FLAG_CREDENTIAL = 0x40 };

static void die(const char *what)
{
    fprintf(stderr, "authenticator: %s\n", what);
    abort();
}

static void add(struct authenticator_bytes *self, const void *bytes, size_t size)
{
    if (size > sizeof(self->bytes) - self->size)
        die("an answer is too long");
    if (size > 0)
        memcpy(self->bytes + self->size, bytes, size);
    self->size += size;
}

static void add_byte(struct authenticator_bytes *self, unsigned byte)
{
    uint8_t value = (uint8_t)byte;

    add(self, &value, 1);
}

static void add_cbor_bytes(struct authenticator_bytes *self, const void *bytes, size_t size)
{
    if (size < 256) {
        add_byte(self, 0x58);
    } else {
        add_byte(self, 0x59);
        add_byte(self, (unsigned)size >> 8);
    }
    add_byte(self, size & 0xff);
    add(self, bytes, size);
}

static char *to_base64(const void *bytes, size_t size)
{
    size_t room = sodium_base64_encoded_len(size, BASE64);
    char *text = malloc(room);

    if (!text)
        die("out of memory");
    return sodium_bin2base64(text, room, bytes, size, BASE64);
}

static json_t *json_base64(const void *bytes, size_t size)
{
    char *text = to_base64(bytes, size);
    json_t *json = json_string(text);

    free(text);
    return json;
}

static EVP_PKEY *make_key(int algorithm)
{
    EVP_PKEY *key = algorithm == AUTHENTICATOR_ES256   ? EVP_EC_gen("P-256")
                    : algorithm == AUTHENTICATOR_RS256 ? EVP_RSA_gen(2048)
                                                       : EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");

    if (!key)
        die("no key");
    return key;
}

void authenticator_public_key(const struct authenticator *self, struct authenticator_bytes *ret)
{
    uint8_t point[65], n[256];
    size_t size = sizeof(point);
    BIGNUM *modulus = NULL;

    ret->size = 0;
    if (self->algorithm == AUTHENTICATOR_ES256) {
        EVP_PKEY_get_octet_string_param(self->key, "pub", point, sizeof(point), &size);
        add(ret, "\xa5\x01\x02\x03\x26\x20\x01\x21", 8);
        add_cbor_bytes(ret, point + 1, 32);
        add_byte(ret, 0x22);
        add_cbor_bytes(ret, point + 33, 32);
    } else if (self->algorithm == AUTHENTICATOR_EDDSA) {
        EVP_PKEY_get_raw_public_key(self->key, point, &size);
        add(ret, "\xa4\x01\x01\x03\x27\x20\x06\x21", 8);
        add_cbor_bytes(ret, point, 32);
    } else {
        EVP_PKEY_get_bn_param(self->key, "n", &modulus);
        BN_bn2binpad(modulus, n, sizeof(n));
        BN_free(modulus);
        add(ret, "\xa4\x01\x03\x03\x39\x01\x00\x20", 8);
        add_cbor_bytes(ret, n, sizeof(n));
        add(ret, "\x21\x43\x01\x00\x01", 5);
    }
}

struct authenticator *authenticator_new(int algorithm, const char *origin)
{
    struct authenticator *self = calloc(1, sizeof(*self));

    if (!self)
        die("out of memory");
    *self = (struct authenticator){.key = make_key(algorithm),
                                   .algorithm = algorithm,
                                   .count = 1,
                                   .flags = AUTHENTICATOR_PRESENT | AUTHENTICATOR_VERIFIED,
                                   .origin = origin};
    randombytes_buf(self->id, sizeof(self->id));
    return self;
}

void authenticator_destroy(struct authenticator **self_p)
{
    if (*self_p)
        EVP_PKEY_free((*self_p)->key);
    free(*self_p);
    *self_p = NULL;
}

static void add_client_data(const struct authenticator *self, const char *type,
                            const char *challenge, struct authenticator_bytes *ret)
{
    json_t *json =
        json_pack("{s:s, s:s, s:s, s:b}", "type", self->type ? self->type : type, "challenge",
                  challenge, "origin", self->origin, "crossOrigin", self->cross_origin);
    char *text = json_dumps(json, JSON_COMPACT);

    add(ret, text, strlen(text));
    free(text);
    json_decref(json);
}

static void add_head(struct authenticator *self, const char *rp_id, unsigned flags,
                     struct authenticator_bytes *ret)
{
    uint8_t hash[crypto_hash_sha256_BYTES];

    rp_id = self->rp_id ? self->rp_id : rp_id;
    crypto_hash_sha256(hash, (const uint8_t *)rp_id, strlen(rp_id));
    add(ret, hash, sizeof(hash));
    add_byte(ret, self->flags | flags);
    for (int shift = 24; shift >= 0; shift -= 8)
        add_byte(ret, self->count >> shift & 0xff);
    if (self->count > 0)
        self->count++;
}

void authenticator_make(struct authenticator *self, const char *rp_id, const char *challenge,
                        struct authenticator_answer *ret)
{
    static const uint8_t aaguid[16];
    struct authenticator_bytes key;

    *ret = (struct authenticator_answer){.auth_data.size = 0};
    add_client_data(self, "webauthn.create", challenge, &ret->client_data);
    add_head(self, rp_id, FLAG_CREDENTIAL, &ret->auth_data);
    add(&ret->auth_data, aaguid, sizeof(aaguid));
    add_byte(&ret->auth_data, 0);
    add_byte(&ret->auth_data, sizeof(self->id));
    add(&ret->auth_data, self->id, sizeof(self->id));
    authenticator_public_key(self, &key);
    add(&ret->auth_data, key.bytes, key.size);
    add(&ret->auth_data, self->tail, self->tail_size);
    add(&ret->attestation,
        "\xa3\x63"
        "fmt\x64none\x67"
        "attStmt\xa0\x68"
        "authData",
        28);
    add_cbor_bytes(&ret->attestation, ret->auth_data.bytes, ret->auth_data.size);
}

void authenticator_sign(struct authenticator *self, const char *rp_id, const char *challenge,
                        struct authenticator_answer *ret)
{
    struct authenticator_bytes text;
    uint8_t hash[crypto_hash_sha256_BYTES];
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    const EVP_MD *digest = self->algorithm == AUTHENTICATOR_EDDSA ? NULL : EVP_sha256();

    *ret = (struct authenticator_answer){.auth_data.size = 0};
    add_client_data(self, "webauthn.get", challenge, &ret->client_data);
    add_head(self, rp_id, 0, &ret->auth_data);
    add(&ret->auth_data, self->tail, self->tail_size);
    text = ret->auth_data;
    crypto_hash_sha256(hash, ret->client_data.bytes, ret->client_data.size);
    add(&text, hash, sizeof(hash));
    ret->signature.size = sizeof(ret->signature.bytes);
    if (!context || EVP_DigestSignInit(context, NULL, digest, NULL, self->key) != 1 ||
        EVP_DigestSign(context, ret->signature.bytes, &ret->signature.size, text.bytes,
                       text.size) != 1)
        die("no signature");
    EVP_MD_CTX_free(context);
}

static const char *text_of(const json_t *options, const char *name)
{
    const char *text = json_string_value(json_object_get(options, name));

    return text ? text : "";
}

json_t *authenticator_create(struct authenticator *self, const json_t *options)
{
    struct authenticator_answer answer;

    authenticator_make(self, text_of(json_object_get(options, "rp"), "id"),
                       text_of(options, "challenge"), &answer);
    snprintf(self->handle, sizeof(self->handle), "%s",
             text_of(json_object_get(options, "user"), "id"));
    return json_pack("{s:s, s:o, s:{s:o, s:o}}", "type", "public-key", "id",
                     json_base64(self->id, sizeof(self->id)), "response", "clientDataJSON",
                     json_base64(answer.client_data.bytes, answer.client_data.size),
                     "attestationObject",
                     json_base64(answer.attestation.bytes, answer.attestation.size));
}

json_t *authenticator_get(struct authenticator *self, const json_t *options)
{
    struct authenticator_answer answer;

    authenticator_sign(self, text_of(options, "rpId"), text_of(options, "challenge"), &answer);
    return json_pack("{s:s, s:o, s:{s:o, s:o, s:o, s:s*}}", "type", "public-key", "id",
                     json_base64(self->id, sizeof(self->id)), "response", "clientDataJSON",
                     json_base64(answer.client_data.bytes, answer.client_data.size),
                     "authenticatorData",
                     json_base64(answer.auth_data.bytes, answer.auth_data.size), "signature",
                     json_base64(answer.signature.bytes, answer.signature.size), "userHandle",
                     self->handle[0] != '\0' ? self->handle : NULL);
}
