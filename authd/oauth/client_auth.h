/*
 * client_auth.h - authentication of OAuth clients (RFC 6749, section 2.3; RFC 7523, section 2.2).
 *
 * A client uses the one method of its registration. Secrets have 256 random bits, so the limit on
 * failures only makes guesses cheap to reject; a right secret always passes.
 */
#ifndef ATRIUM_AUTHD_OAUTH_CLIENT_AUTH_H
#define ATRIUM_AUTHD_OAUTH_CLIENT_AUTH_H

#include "authd/oauth/issuer.h"

struct oauth_client;

enum { CLIENT_FAILURES_MAX = 10 };         /* per address and client ... */
#define CLIENT_FAILURES_WINDOW MINUTES(15) /* ... in this time; more get a 429 */
#define CLIENT_ASSERTION_LIFE MINUTES(5)

/* NULL: absent. */
struct client_credentials {
    const char *authorization;
    const char *client_id, *client_secret, *client_assertion, *client_assertion_type;
};

/* The parameters of all client endpoints. */
#define CLIENT_CREDENTIALS(in_)                                                \
    ((struct client_credentials){.authorization = (in_)->visit->authorization, \
                                 .client_id = (in_)->client_id,                \
                                 .client_secret = (in_)->client_secret,        \
                                 .client_assertion = (in_)->client_assertion,  \
                                 .client_assertion_type = (in_)->client_assertion_type})

/* Finds and authenticates the client with the issuer's view. Fails with error codes of RFC 6749,
 * section 5.2: invalid_client (401: unknown, wrong, or another method), invalid_request (two
 * methods); THROTTLED. Parks. */
int client_authenticate(struct authd *d, const struct request *req, const struct issuer *issuer,
                        const struct client_credentials *given, struct oauth_client *ret,
                        struct error *err) MUST_USE;

#endif
