/*
 * password_scheme.h - password hashes that another system made: which forms are verified, and
 * what that costs.
 *
 *   $argon2id$v=19$m=65536,t=3,p=4$SALT$HASH     also argon2i, argon2d; without v= it is version 16
 *   $2b$12$SALT-AND-HASH                         bcrypt, also $2a$ and $2y$
 *   $scrypt$ln=16,r=8,p=1$SALT$HASH              N is 2^ln
 *   $fbscrypt$v=1,n=14,r=8,p=1,ss=SEPARATOR,sk=KEY$SALT$HASH
 *                                                Firebase's: N is 2^n, AES-256-CTR of the signer
 *                                                key
 *   $pbkdf2-sha256$i=600000,l=32$SALT$HASH       also -sha1, -sha512; `l` may be left out
 *   $pbkdf2-sha256$29000$SALT$HASH               the same as passlib writes it; SHA-1: $pbkdf2$
 *   pbkdf2_sha256$870000$salt$HASH               Django, also _sha1; the salt is text
 *   $6$rounds=5000$salt$hash                     sha512crypt; without rounds= it is 5000
 *
 * Upper case is base64: either alphabet (RFC 4648, sections 4 and 5) or passlib's with '.' for '+',
 * with or without padding. Django's prefixes `argon2` and `bcrypt$` are passed over.
 *
 * Bounds: 2 s of one core and 256 MiB, as estimated from the parameters, so that one sign-in can
 * neither hold a thread for longer nor the memory of the daemon. The estimates were measured on an
 * AMD EPYC (Zen) at about 3 GHz, libraries of Debian 12, rounded up; PBKDF2 is counted as on a
 * processor without instructions for SHA.
 */
#ifndef ATRIUM_COMMON_DOMAIN_PASSWORD_SCHEME_H
#define ATRIUM_COMMON_DOMAIN_PASSWORD_SCHEME_H

#include "common/base/base.h"

enum {
    PASSWORD_SCHEME_TEXT_MAX = 512,   /* bytes of a hash as text */
    PASSWORD_SCHEME_BYTES_MAX = 128,  /* of a salt, a hash, a signer key */
    PASSWORD_SCHEME_HASH_MIN = 16,    /* bytes: fewer could be found by guessing */
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
    const char *name;                 /* "argon2id", "bcrypt", "pbkdf2-sha256", ... */
    int64_t cost_ms;                  /* estimated CPU time of one verification, at least 1 */
    int64_t memory_mib;               /* it holds meanwhile, at least 1 */
    int64_t version;                  /* Argon2 */
    int64_t rounds;                   /* passes of Argon2, log2 of bcrypt's, iterations of PBKDF2 */
    int64_t memory;                   /* KiB of Argon2, log2 of scrypt's N */
    int64_t block;                    /* scrypt's r */
    int64_t lanes;                    /* p of Argon2 and scrypt */
    struct password_bytes salt, hash; /* of bcrypt and sha512crypt their text */
    struct password_bytes separator, key; /* of Firebase's salts; its signer key */
};

/* Parses a hash or NULL. -1: its fault, to follow a field name; repeats nothing of the hash. */
int password_scheme_parse(const char *hash, struct password_scheme *ret,
                          const char **ret_why) MUST_USE;

/* 1: right, 0: wrong, -1: no memory. Takes cost_ms, on any thread but the loop's. bcrypt reads 72
 * bytes; sha512crypt refuses more than 511. */
int password_scheme_verify(const struct password_scheme *self, const char *password) MUST_USE;

#endif
