/*
 * token.h - the token endpoint (RFC 6749, section 3.2): authenticates the client and calls the
 * grant type's function.
 */
#ifndef ATRIUM_AUTHD_OAUTH_TOKEN_H
#define ATRIUM_AUTHD_OAUTH_TOKEN_H

#include "authd/oauth/dpop.h"
#include "authd/oauth/issuer.h"

struct token_call {
    const struct request *req;
    const struct token_in *in;
    const struct issuer *issuer;
    const struct oauth_client *client; /* authenticated */
    struct dpop_proof proof;           /* RFC 9449; spent last */
};

/* RFC 6749, section 5.1. */
struct token_answer {
    const char *access_token;
    const char *token_type;                       /* "Bearer", "DPoP" */
    int64_t expires_in;                           /* seconds */
    const char *refresh_token, *id_token, *scope; /* NULL: none */
    const char *patient;                          /* SMART App Launch; NULL: none */
};

#define CLIENT_CREDENTIALS_GRANT "client_credentials"

/* True if a client could still get these claims in its own token. */
bool client_token_is_registered(struct arena *arena, const struct issuer *issuer,
                                const struct oauth_client *client, const json_t *claims);

/* One grant type. Fails with error codes of RFC 6749, section 5.2. Parks. */
typedef int grant_fn(struct authd *d, const struct token_call *call, struct token_answer *out,
                     struct error *err);

grant_fn grant_authorization_code MUST_USE;
grant_fn grant_refresh_token MUST_USE;
grant_fn grant_client_credentials MUST_USE;
grant_fn grant_device_code MUST_USE;

#endif
