/*
 * jws.h - JSON Web Tokens' signatures (RFC 7515) with ES256 and RS256 (RFC 7518, sections 3.3 and
 * 3.4), and JSON Web Keys (RFC 7517). Pure: no database, no loop.
 *
 * RS256 takes milliseconds and belongs on a thread; several can use its key. ES256 uses the key's
 * own context, on one thread, so that OpenSSL looks up its algorithms once.
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
    char *jwk;   /* public, with kid, use and alg */
    char *pem;   /* public (SubjectPublicKeyInfo) */
    char *x, *y; /* ES256: public point, base64url */
    EVP_PKEY *pkey;
    EVP_PKEY_CTX *signer;                     /* ES256 only */
    int64_t created_at, active_at, retire_at; /* contract time; retire_at 0: not scheduled */
    struct arena *arena;                      /* owns all members */
};

const char *jws_alg_name(enum jws_alg alg) __attribute__((returns_nonnull));

int jws_alg_parse(const char *name, enum jws_alg *ret) MUST_USE;

/* Returns a private key as DER, for OPENSSL_clear_free(). RS256 takes some 100 ms. */
int jws_key_generate(enum jws_alg alg, uint8_t **ret_der, size_t *ret_size) MUST_USE;

/* Returns NULL if the DER is no private key for the algorithm. */
struct jws_key *jws_key_parse(enum jws_alg alg, const uint8_t *der, size_t size);
void jws_key_destroy(struct jws_key **self_p);

/* Sign a text with the key's `signer` (ES256) or `pkey` (RS256). */
int jws_sign_es256(EVP_PKEY_CTX *signer, const char *text, uint8_t ret[static JWS_SIGNATURE_MAX],
                   size_t *ret_size) MUST_USE;
int jws_sign_rs256(EVP_PKEY *pkey, const char *text, uint8_t ret[static JWS_SIGNATURE_MAX],
                   size_t *ret_size) MUST_USE;

#endif
