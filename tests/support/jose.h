/*
 * jose.h - an OAuth client's keys and signed tokens.
 */
#ifndef ATRIUM_TESTS_SUPPORT_JOSE_H
#define ATRIUM_TESTS_SUPPORT_JOSE_H

#include <jansson.h>
#include <openssl/evp.h>

#include "common/base/base.h"

struct jose;

/* Makes a key pair for RS256, RS384, PS256 (RSA of 2048 bits), ES256, ES384 or EdDSA (Ed25519). kid
 * can be NULL. The second function uses the key pair of another, for another algorithm. */
struct jose *jose_new(const char *alg, const char *kid);
struct jose *jose_share(const struct jose *from, const char *alg, const char *kid);
void jose_destroy(struct jose **self_p);
#define JOSE CLEANUP(jose_destroy) struct jose *

/* Returns the public key as a JWK, a new reference. */
json_t *jose_jwk(const struct jose *self);

/* Returns the public key in PEM (caller frees). */
char *jose_pem(const struct jose *self);

/* Signs header members (NULL: only alg and kid) and claims, and consumes both. The caller frees the
 * token. */
char *jose_sign(const struct jose *self, json_t *header, json_t *claims);

/* Encodes in base64url without padding (caller frees). */
char *jose_encode(const void *bytes, size_t size);

#endif
