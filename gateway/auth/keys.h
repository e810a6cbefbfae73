/* keys.h - public keys that verify access tokens. */
#ifndef ATRIUM_GATEWAY_AUTH_KEYS_H
#define ATRIUM_GATEWAY_AUTH_KEYS_H

#include <jansson.h>
#include <openssl/evp.h>

#include "common/base/base.h"
#include "common/base/error.h"

struct key {
    char *kid, *x, *y; /* only the API's keys have x and y */
    EVP_PKEY *key;     /* P-256 */
    int64_t retire_at; /* contract time; 0: not scheduled */
    bool issuer;       /* belongs to the issuers below /t/, which publish it themselves */
};

struct key_set {
    char *issuer, *audience; /* of the API's own tokens */
    char *public_url;        /* of the issuers; "" without issuers */
    size_t count;
    struct key *keys;
};

struct keys_get_out; /* authd/session/key_api.h */

/* Returns NULL (ERR_INTERNAL) if a key isn't a P-256 public key. Copies all of `answer` it
 * needs. */
struct key_set *key_set_new(const struct keys_get_out *answer, struct error *err);
void key_set_destroy(struct key_set **self_p);

bool key_set_equal(const struct key_set *a, const struct key_set *b);

/* Returns the key unless it is unknown or has retired. */
const struct key *key_set_find(const struct key_set *self, const char *kid, int64_t now_ms);

/* Returns the JWK Set (RFC 7517, section 5) of the API's unretired keys. New reference. */
json_t *key_set_jwks(const struct key_set *self, int64_t now_ms);

#endif
