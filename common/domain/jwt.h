/*
 * jwt.h - signed tokens that a client made: assertions and proofs (RFC 7519, RFC 7515), verified
 * by keys that it published or sent (RFC 7517).
 *
 * Pure: no database, no loop. One verification takes 0.02 ms with RSA and 0.1 ms with P-256.
 */
#ifndef ATRIUM_COMMON_DOMAIN_JWT_H
#define ATRIUM_COMMON_DOMAIN_JWT_H

#include <jansson.h>
#include <openssl/evp.h>

#include "common/base/arena.h"
#include "common/base/base.h"
#include "common/base/clock.h"

enum {
    JWT_SIZE_MAX = 8192,      /* characters of one token */
    JWT_SIGNATURE_MAX = 1024, /* bytes: RSA of 8192 bits */
    JWT_CLOCK_SKEW_MS = MINUTES(1),
};

/* A token in its parts, not verified yet. Holds references: jwt_clear() ends them. */
struct jwt {
    json_t *header, *claims;
    const char *text; /* what is signed, from the arena */
    size_t text_size;
    uint8_t signature[JWT_SIGNATURE_MAX];
    size_t signature_size;
};

/* Takes a token in compact form (RFC 7515, section 7.1) apart. -1 unless it has three parts, a
 * header and claims that are JSON objects without duplicate members, and no `crit` (RFC 7515,
 * section 4.1.11: we understand none) or `b64`. */
int jwt_read(const char *token, struct arena *arena, struct jwt *ret) MUST_USE;
void jwt_clear(struct jwt *self);

/* A text of the header or the claims; "" when it is absent or no text. */
const char *jwt_text(const json_t *object, const char *name) __attribute__((returns_nonnull));

/* A time of the claims in ms (RFC 7519, section 2, NumericDate); 0: absent or out of range. */
int64_t jwt_time(const struct jwt *self, const char *name);

/* The public half of a key as SubjectPublicKeyInfo in PEM, from the arena. NULL: it has none. */
char *jwt_public_pem(EVP_PKEY *key, struct arena *arena);

/* Whether the header's `alg` is one of `algs` (NULL-ended; of RS256, RS384, PS256, ES256, ES384),
 * fits the key, and the signature is the key's. */
bool jwt_verify(const struct jwt *self, EVP_PKEY *key, const char *const *algs);

#endif
