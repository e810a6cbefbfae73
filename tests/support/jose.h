/*
 * jose.h - keys and signed tokens of an OAuth client, as its own library would make them.
 */
#ifndef ATRIUM_TESTS_SUPPORT_JOSE_H
#define ATRIUM_TESTS_SUPPORT_JOSE_H

#include <jansson.h>

#include "common/base/base.h"

struct jose;

/* A new key pair for RS256, RS384, PS256 (RSA of 2048 bits), ES256 or ES384. kid may be NULL. */
struct jose *jose_new(const char *alg, const char *kid);
void jose_destroy(struct jose **self_p);
#define JOSE CLEANUP(jose_destroy) struct jose *

/* Its public half as a JWK, a new reference. */
json_t *jose_jwk(const struct jose *self);

/* The token of these header members (NULL: alg and kid alone) and claims, both consumed; from
 * malloc(). */
char *jose_sign(const struct jose *self, json_t *header, json_t *claims);

/* base64url without padding, from malloc(). */
char *jose_encode(const void *bytes, size_t size);

#endif
