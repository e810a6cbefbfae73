/*
 * jwk.h - public keys that clients sign with, as JSON Web Keys (RFC 7517; RFC 7518, section 6).
 *
 * Pure: no database, no loop.
 */
#ifndef ATRIUM_COMMON_DOMAIN_JWK_H
#define ATRIUM_COMMON_DOMAIN_JWK_H

#include <jansson.h>
#include <openssl/evp.h>

#include "common/base/arena.h"
#include "common/base/base.h"

/* What keeps a key from being one that signatures are verified by: EC on P-256 or P-384, RSA of
 * 2048 to 8192 bits, public, for that use. A clause that begins with "must" or with a member; NULL:
 * nothing. Takes 3 ms with RSA of 2048 bits, 0.4 s with 8192: on a thread. */
const char *jwk_fault(const json_t *jwk);

/* The key. NULL: it has such a fault; but that the modulus of RSA is a product of two primes is not
 * looked at, so this takes 0.02 ms. Free it with EVP_PKEY_free(). */
EVP_PKEY *jwk_key(const json_t *jwk);

/* The thumbprint of such a key (RFC 7638), base64url, from the arena; NULL: it is none. */
const char *jwk_thumbprint(const json_t *jwk, struct arena *arena);

#endif
