/* keys.h - public keys that verify access tokens. */
#ifndef ATRIUM_GATEWAY_AUTH_KEYS_H
#define ATRIUM_GATEWAY_AUTH_KEYS_H

#include <jansson.h>
#include <openssl/evp.h>

#include "common/base/base.h"
#include "common/base/error.h"

struct key {
    char *kid, *x, *y; /* x, y: NULL for issuers' keys */
    EVP_PKEY *key;
    int64_t retire_at; /* contract time; 0: not scheduled */
    bool issuer;       /* belongs to an issuer below /t/, which publishes it itself */
};

struct key_set {
    char *issuer, *audience; /* claims that the API's own tokens must have */
    char *public_url;        /* "": there are no issuers */
    size_t count;
    struct key *keys;
};

struct keys_get_out; /* authd/session/key_api.h */

/* Makes a key set. ERR_INTERNAL: a key isn't a P-256 public key. Keeps no reference to `answer`. */
struct key_set *key_set_new(const struct keys_get_out *answer, struct error *err);
void key_set_destroy(struct key_set **self_p);

bool key_set_equal(const struct key_set *a, const struct key_set *b);

const struct key *key_set_find(const struct key_set *self, const char *kid, int64_t now_ms);

/* RFC 7517, section 5. Excludes issuers' and retired keys. New reference. */
json_t *key_set_jwks(const struct key_set *self, int64_t now_ms);

#endif
