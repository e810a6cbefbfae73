/*
 * token_state.h - a token's state, for introspection (RFC 7662) and revocation (RFC 7009).
 */
#ifndef ATRIUM_AUTHD_OAUTH_TOKEN_STATE_H
#define ATRIUM_AUTHD_OAUTH_TOKEN_STATE_H

#include <jansson.h>

#include "authd/oauth/issuer.h"

/* A revoked token's kind in token_once. */
#define TOKEN_REVOKED "revoked"

/* Holds a reference; call token_state_clear(). */
struct token_state {
    json_t *claims;        /* this issuer's access token, even if expired; NULL: any other token */
    bool refresh;          /* this project's refresh token, even if expired */
    struct uuid session;   /* absent: the client's own token */
    const char *client_id; /* NULL: unknown */
    const char *id;        /* claim jti; NULL: none */
    int64_t expires_ms;    /* expiry of an access token */
};

/* Reads a token without checking if it is live. For a token of another issuer, `claims` is NULL and
 * `refresh` is false. From the arena. Does not park. */
void token_state_read(struct authd *d, const struct request *req, const struct issuer *issuer,
                      const char *token, struct token_state *ret);
void token_state_clear(struct token_state *self);

#endif
