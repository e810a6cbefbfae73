/* jwk.h - public signing keys of clients and identity providers as JWK (RFC 7517; RFC 7518, section
 * 6). */
#ifndef ATRIUM_COMMON_DOMAIN_JWK_H
#define ATRIUM_COMMON_DOMAIN_JWK_H

#include <jansson.h>
#include <openssl/evp.h>

#include "common/base/arena.h"
#include "common/base/base.h"

/* Returns why a key cannot verify signatures, as a clause, or NULL. It must be public, for signing,
 * EC P-256, P-384 or RSA 2048 to 8192. RSA takes 3 ms to 0.4 s, so call it on a thread. */
const char *jwk_fault(const json_t *jwk);

/* Returns the key, for EVP_PKEY_free(), or NULL. Takes 0.02 ms, since it skips RSA's primality
 * test. */
EVP_PKEY *jwk_key(const json_t *jwk);

/* Returns a key on Ed25519 (RFC 8037, section 2), for EVP_PKEY_free(), or NULL. The functions above
 * reject these keys, with which clients can't sign. */
EVP_PKEY *jwk_ed25519_key(const json_t *jwk);

/* Returns the base64url thumbprint (RFC 7638), or NULL for an invalid key. */
const char *jwk_thumbprint(const json_t *jwk, struct arena *arena);

#endif
