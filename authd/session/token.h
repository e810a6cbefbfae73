/*
 * token.h - access tokens: JSON Web Tokens (RFC 7519) with ES256 (RFC 7518, section 3.4). Pure: no
 * database, no loop. The key is parsed once; libjwt would parse it for each token
 * (docs/adr/0014-own-jwt.md).
 */
#ifndef ATRIUM_AUTHD_SESSION_TOKEN_H
#define ATRIUM_AUTHD_SESSION_TOKEN_H

#include "authd/session/jws.h"
#include "common/base/arena.h"
#include "common/base/uuid.h"
#include "common/domain/role.h"

struct token_claims {
    const char *issuer, *audience;
    enum role role; /* subject, with profile: "Patient/<id>" */
    struct uuid profile, project, membership, session, id;
    bool admin;
    int64_t now_ms, life_ms;
};

/* Returns a signed token from the arena, or NULL if OpenSSL failed. */
char *token_mint(const struct jws_key *key, const struct token_claims *claims, struct arena *arena);

#endif
