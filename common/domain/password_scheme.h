/*
 * password_scheme.h - other systems' password hashes that Atrium verifies, and their cost.
 *
 *   $argon2id$v=19$m=65536,t=3,p=4$SALT$HASH     also argon2i, argon2d; without v= it is version 16
 *   $2b$12$SALT-AND-HASH                         bcrypt, also $2a$ and $2y$
 *   $scrypt$ln=16,r=8,p=1$SALT$HASH              N is 2^ln
 *   $fbscrypt$v=1,n=14,r=8,p=1,ss=SEPARATOR,sk=KEY$SALT$HASH     Firebase (AES-256-CTR), N is 2^n
 *   $pbkdf2-sha256$i=600000,l=32$SALT$HASH       also -sha1, -sha512; `l` is optional
 *   $pbkdf2-sha256$29000$SALT$HASH               passlib's form; SHA-1: $pbkdf2$
 *   pbkdf2_sha256$870000$salt$HASH               Django, also _sha1; the salt is text
 *   $6$rounds=5000$salt$hash                     sha512crypt; default rounds=5000
 *
 * Upper-case parts are base64: either alphabet (RFC 4648) or passlib's, padded or not. Django's
 * prefixes `argon2` and `bcrypt$` are skipped. A sign-in can take 2 s of one core and 256 MiB,
 * estimated on an AMD EPYC (Zen, 3 GHz) with Debian 12; PBKDF2 without SHA instructions.
 */
#ifndef ATRIUM_COMMON_DOMAIN_PASSWORD_SCHEME_H
#define ATRIUM_COMMON_DOMAIN_PASSWORD_SCHEME_H

#include "common/base/base.h"

enum {
    PASSWORD_SCHEME_TEXT_MAX = 512,
    PASSWORD_SCHEME_BYTES_MAX = 128,  /* per salt, hash or signer key */
    PASSWORD_SCHEME_HASH_MIN = 16,    /* bytes: shorter hashes can be guessed */
    PASSWORD_SCHEME_COST_MAX = 2000,  /* ms */
    PASSWORD_SCHEME_MEMORY_MAX = 256, /* MiB */
};

enum password_algorithm {
    PASSWORD_ARGON2D,
    PASSWORD_ARGON2I,
    PASSWORD_ARGON2ID,
    PASSWORD_BCRYPT,
    PASSWORD_SCRYPT,
    PASSWORD_FIREBASE_SCRYPT,
    PASSWORD_PBKDF2_SHA1,
    PASSWORD_PBKDF2_SHA256,
    PASSWORD_PBKDF2_SHA512,
    PASSWORD_SHA512_CRYPT,
    PASSWORD_ALGORITHM_COUNT
};

struct password_bytes {
    size_t size;
    uint8_t bytes[PASSWORD_SCHEME_BYTES_MAX];
};

struct password_scheme {
    enum password_algorithm algorithm;
    const char *name;   /* "argon2id", "bcrypt", "pbkdf2-sha256", ... */
    int64_t cost_ms;    /* estimated time of one verification, at least 1 */
    int64_t memory_mib; /* estimated memory of one verification, at least 1 */
    int64_t version;    /* Argon2 */
    int64_t rounds;     /* Argon2's passes, log2 of bcrypt's rounds, PBKDF2's iterations */
    int64_t memory;     /* KiB of Argon2, log2 of scrypt's N */
    int64_t block;      /* scrypt's r */
    int64_t lanes;      /* Argon2's and scrypt's p */
    struct password_bytes salt, hash;     /* text for bcrypt and sha512crypt */
    struct password_bytes separator, key; /* Firebase's salt separator and signer key */
};

/* Returns -1 with the fault as a clause that follows a field name and quotes nothing of the
 * hash. */
int password_scheme_parse(const char *hash, struct password_scheme *ret,
                          const char **ret_why) MUST_USE;

/* Returns 1 for the right password, 0 for a wrong one, -1 if there is no memory. Not on the loop's
 * thread. bcrypt reads 72 bytes; sha512crypt rejects more than 511. */
int password_scheme_verify(const struct password_scheme *self, const char *password) MUST_USE;

#endif
