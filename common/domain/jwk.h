/* jwk.h - public keys that clients sign with, as JWK (RFC 7517; RFC 7518, section 6). Pure. */
#ifndef ATRIUM_COMMON_DOMAIN_JWK_H
#define ATRIUM_COMMON_DOMAIN_JWK_H

#include <jansson.h>
#include <openssl/evp.h>

#include "common/base/arena.h"
#include "common/base/base.h"

/* Why a key cannot verify signatures: it must be EC P-256 or P-384 or RSA 2048 to 8192, public, for
 * signing. A clause, or NULL. RSA takes 3 ms at 2048 bits, 0.4 s at 8192: on a thread. */
const char *jwk_fault(const json_t *jwk);

/* NULL: it has such a fault. Skips the primality test of RSA, so 0.02 ms. EVP_PKEY_free() it. */
EVP_PKEY *jwk_key(const json_t *jwk);

/* The thumbprint of such a key (RFC 7638), base64url, from the arena; NULL: it is none. */
const char *jwk_thumbprint(const json_t *jwk, struct arena *arena);

#endif
