/*
 * authenticate.h - from the Authorization header to a caller who may use a route.
 */
#ifndef ATRIUM_GATEWAY_AUTH_AUTHENTICATE_H
#define ATRIUM_GATEWAY_AUTH_AUTHENTICATE_H

#include "common/domain/request.h"
#include "gateway/auth/identity.h"

struct endpoint_visit;
struct gateway;

struct authentication {
    struct caller caller;
    struct identity *identity; /* holds the caller's texts */
    struct uuid session, token;
    bool logged_out; /* ACCESS_LOGOUT: by this very token, already. There is no caller then. */
};

/* Checks the token of the header Authorization (RFC 6750; one that is bound to a key by RFC 9449,
 * with its proof), the lease, the revocation set, the membership, the account's end, what `access`
 * demands, and whether the project is read-only, which hinders what is not `safe` (R_SAFE); may
 * park. Fails with ERR_UNAUTHORIZED, ERR_FORBIDDEN, or a 503 while that cannot be known. End it
 * with authentication_end() either way. */
int authenticate(struct gateway *gateway, const struct request *req,
                 const struct endpoint_visit *visit, enum access access, bool safe,
                 struct authentication *ret, struct error *err) MUST_USE;
void authentication_end(struct authentication *self);

/* Whether a form may be used that a session got: ERR_FORBIDDEN once that has ended, a 503 while
 * that is unknown. */
int authenticate_form(const struct gateway *gateway, const struct uuid *session,
                      struct error *err) MUST_USE;

/* Whether the token is one that was accepted here before and is not ended: tells clients
 * apart before their request is there, without waiting, and decides nothing else. */
bool authentication_is_known(const struct gateway *gateway, const char *authorization);

/* True when the session was ended by logging out with this token: also after authenticate() let it
 * pass. */
bool authentication_logged_out(const struct gateway *gateway, const struct authentication *self);

#endif
