/*
 * client_auth.h - which OAuth client sends a request to the token endpoint and its siblings
 * (RFC 6749, section 2.3; RFC 7523, section 2.2).
 *
 * A client authenticates by the one method of its registration. Its secret has 256 random bits, so
 * wrong ones, and wrong assertions, are counted only to keep guesses cheap to refuse: a right one
 * always passes.
 */
#ifndef ATRIUM_AUTHD_OAUTH_CLIENT_AUTH_H
#define ATRIUM_AUTHD_OAUTH_CLIENT_AUTH_H

#include "authd/oauth/issuer.h"

struct oauth_client;

enum {
    CLIENT_FAILURES_MAX = 10,      /* of one address with one client ... */
    CLIENT_ASSERTION_KEYS_MAX = 4, /* of a set, that one assertion is verified with */
};
#define CLIENT_FAILURES_WINDOW MINUTES(15) /* ... in this time; beyond: 429 */
#define CLIENT_ASSERTION_LIFE MINUTES(5)

/* What a request has of it; NULL: absent. */
struct client_credentials {
    const char *authorization; /* the header */
    const char *client_id, *client_secret, *client_assertion, *client_assertion_type;
};

/* Of the parameters that each endpoint for clients has. */
#define CLIENT_CREDENTIALS(in_)                                                \
    ((struct client_credentials){.authorization = (in_)->visit->authorization, \
                                 .client_id = (in_)->client_id,                \
                                 .client_secret = (in_)->client_secret,        \
                                 .client_assertion = (in_)->client_assertion,  \
                                 .client_assertion_type = (in_)->client_assertion_type})

/* Finds the client and proves that it is the one, by the view of the issuer. An assertion is for
 * the issuer or its token endpoint. A public client proves nothing. Fails with the words of
 * RFC 6749, section 5.2: invalid_client (401; unknown, wrong, or another method than its own),
 * invalid_request (two methods at once); THROTTLED. Parks. */
int client_authenticate(struct authd *d, const struct request *req, const struct issuer *issuer,
                        const struct client_credentials *given, struct oauth_client *ret,
                        struct error *err) MUST_USE;

#endif
