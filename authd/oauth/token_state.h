/*
 * token_state.h - what a token is at the moment: for introspection (RFC 7662) and revocation
 * (RFC 7009).
 */
#ifndef ATRIUM_AUTHD_OAUTH_TOKEN_STATE_H
#define ATRIUM_AUTHD_OAUTH_TOKEN_STATE_H

#include <jansson.h>

#include "authd/oauth/issuer.h"

/* What token_once is asked for a token of a client that was revoked. */
#define TOKEN_REVOKED "revoked"

/* Holds a reference: token_state_clear() ends it. */
struct token_state {
    json_t *claims; /* of an access token that this issuer has signed, whether or not it is over;
                     * NULL: it is another */
    bool refresh;   /* a refresh token of this project, whether or not it is over */
    struct uuid session;   /* of a person's; absent: the client's own */
    const char *client_id; /* whose it is; NULL: not known (any more) */
    const char *id;        /* jti; NULL: none */
    int64_t expires_ms;    /* of an access token */
};

/* Reads a token; what is none of this issuer's leaves *ret without claims and refresh. Does not say
 * whether it is live. From the arena. Does not park. */
void token_state_read(struct authd *d, const struct request *req, const struct issuer *issuer,
                      const char *token, struct token_state *ret);
void token_state_clear(struct token_state *self);

#endif
