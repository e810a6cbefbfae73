/*
 * token.h - access tokens: JSON Web Tokens (RFC 7519) signed with ES256 (RFC 7518, section 3.4).
 *
 * Pure: no database, no loop.  The signature is made through EVP with a key that was parsed once;
 * libjwt would parse its PEM for each token (docs/adr/0014-own-jwt.md).
 */
#ifndef ATRIUM_AUTHD_SESSION_TOKEN_H
#define ATRIUM_AUTHD_SESSION_TOKEN_H

#include <openssl/evp.h>

#include "common/base/arena.h"
#include "common/base/uuid.h"
#include "common/domain/role.h"

/* One P-256 key pair, ready to sign. */
struct signing_key {
    char *kid;        /* thumbprint (RFC 7638) */
    char *x, *y;      /* base64url */
    char *public_pem; /* SubjectPublicKeyInfo */
    char *header;     /* of its tokens, base64url */
    EVP_PKEY_CTX *signer;
    int64_t created_at, active_at, retire_at; /* contract time; retire_at 0: not scheduled */
    struct arena *arena;                      /* holds all of it */
};

/* Makes a new pair and gives its private half as DER (from the arena; wipe it). NULL: OpenSSL
 * failed. */
struct signing_key *signing_key_generate(struct arena *arena, uint8_t **ret_der, size_t *ret_size);

/* A pair from its private half in DER. NULL when it is none of P-256. */
struct signing_key *signing_key_parse(const uint8_t *der, size_t size);
void signing_key_destroy(struct signing_key **self_p);

struct token_claims {
    const char *issuer, *audience;
    enum role role; /* with profile the subject: "Patient/<id>" */
    struct uuid profile, project, membership, session, id;
    bool admin;
    int64_t now_ms, life_ms;
};

/* The signed token, from the arena; NULL when OpenSSL failed. */
char *token_mint(struct signing_key *key, const struct token_claims *claims, struct arena *arena);

#endif
