/*
 * jws.h - signatures of JSON Web Tokens (RFC 7515) by ES256 and RS256 (RFC 7518, sections 3.3 and
 * 3.4), and their keys as JSON Web Keys (RFC 7517).
 *
 * Pure: no database, no loop. A signature by RS256 takes milliseconds: it belongs on a thread,
 * which is why such a key may be used on several at once. One by ES256 is made on one thread, by a
 * context that the key keeps, so that OpenSSL looks up its algorithms once.
 */
#ifndef ATRIUM_AUTHD_SESSION_JWS_H
#define ATRIUM_AUTHD_SESSION_JWS_H

#include <openssl/evp.h>

#include "common/base/arena.h"
#include "common/base/base.h"

enum jws_alg { JWS_ES256, JWS_RS256 };
enum { JWS_ALGS = JWS_RS256 + 1, JWS_RSA_BITS = 3072, JWS_SIGNATURE_MAX = 512 };

struct jws_key {
    enum jws_alg alg;
    char *kid;   /* thumbprint (RFC 7638) */
    char *jwk;   /* the public half with kid, use and alg, as JSON */
    char *pem;   /* the same, SubjectPublicKeyInfo */
    char *x, *y; /* of ES256: the public point, base64url */
    EVP_PKEY *pkey;
    EVP_PKEY_CTX *signer;                     /* of ES256, else NULL */
    int64_t created_at, active_at, retire_at; /* contract time; retire_at 0: not scheduled */
    struct arena *arena;                      /* holds all of it */
};

/* "ES256". */
const char *jws_alg_name(enum jws_alg alg) __attribute__((returns_nonnull));

/* -1: none of these. */
int jws_alg_parse(const char *name, enum jws_alg *ret) MUST_USE;

/* The private half of a new key as DER, from malloc(): wipe and free it by OPENSSL_clear_free().
 * -1: OpenSSL failed. For RS256 it takes some 100 ms. */
int jws_key_generate(enum jws_alg alg, uint8_t **ret_der, size_t *ret_size) MUST_USE;

/* A key from its private half in DER. NULL when it is none for that algorithm. */
struct jws_key *jws_key_parse(enum jws_alg alg, const uint8_t *der, size_t size);
void jws_key_destroy(struct jws_key **self_p);

/* Sign a text, by ES256 with the key's `signer`, by RS256 with its `pkey`. -1: OpenSSL failed. */
int jws_sign_es256(EVP_PKEY_CTX *signer, const char *text, uint8_t ret[static JWS_SIGNATURE_MAX],
                   size_t *ret_size) MUST_USE;
int jws_sign_rs256(EVP_PKEY *pkey, const char *text, uint8_t ret[static JWS_SIGNATURE_MAX],
                   size_t *ret_size) MUST_USE;

#endif
