/*
 * logout_token.h - logout tokens (OpenID Connect Back-Channel Logout 1.0, section 2.4).
 */
#ifndef ATRIUM_AUTHD_OAUTH_LOGOUT_TOKEN_H
#define ATRIUM_AUTHD_OAUTH_LOGOUT_TOKEN_H

#include "authd/authd.h"

#define LOGOUT_TOKEN_LIFE MINUTES(2)
#define LOGOUT_EVENT "http://schemas.openid.net/event/backchannel-logout"

struct ended_grant {
    const char *issuer;
    const struct oauth_client *client;
    struct uuid session, subject;
};

/* Signs a logout token like an ID token. A retry has a new `jti`, so that clients accept it. NULL:
 * err is set. From the arena. Parks. */
const char *logout_token(struct authd *d, const struct request *req,
                         const struct ended_grant *grant, struct error *err);

#endif
