/* keys.h - the public keys that access tokens are verified with. */
#ifndef ATRIUM_GATEWAY_AUTH_KEYS_H
#define ATRIUM_GATEWAY_AUTH_KEYS_H

#include <jansson.h>
#include <openssl/evp.h>

#include "common/base/base.h"
#include "common/base/error.h"

struct key {
    char *kid, *x, *y; /* x and y of the API's only */
    EVP_PKEY *key;     /* P-256, parsed once */
    int64_t retire_at; /* contract time; 0: not scheduled */
    bool issuer;       /* of the issuers below /t/, which publish theirs themselves */
};

/* One answer of authd's keys_get, parsed. */
struct key_set {
    char *issuer, *audience; /* of tokens of the API itself */
    char *public_url;        /* the issuers are below it; "": there are none */
    size_t count;
    struct key *keys;
};

struct keys_get_out; /* authd/session/key_api.h */

/* NULL (ERR_INTERNAL) when a key is not a P-256 public key; borrows nothing of `answer`. */
struct key_set *key_set_new(const struct keys_get_out *answer, struct error *err);
void key_set_destroy(struct key_set **self_p);

/* Same issuer, audience and keys, in the same order. */
bool key_set_equal(const struct key_set *a, const struct key_set *b);

/* The key of that id which has not retired at `now_ms`, or NULL. */
const struct key *key_set_find(const struct key_set *self, const char *kid, int64_t now_ms);

/* The JWK Set (RFC 7517, section 5) of the API's keys that have not retired. New reference. */
json_t *key_set_jwks(const struct key_set *self, int64_t now_ms);

#endif
