/* authenticate.h - from the Authorization header to a caller who may use a route. */
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

/* Checks the Authorization token (RFC 6750, RFC 9449), the lease, the revocation set, membership
 * and account, what `access` demands, and a read-only project unless `safe` (R_SAFE); may park.
 * Fails: ERR_UNAUTHORIZED, ERR_FORBIDDEN, 503 while unknown. End with authentication_end() either
 * way. */
int authenticate(struct gateway *gateway, const struct request *req,
                 const struct endpoint_visit *visit, enum access access, bool safe,
                 struct authentication *ret, struct error *err) MUST_USE;
void authentication_end(struct authentication *self);

/* Whether a session's form is valid: ERR_FORBIDDEN once that has ended, 503 while unknown. */
int authenticate_form(const struct gateway *gateway, const struct uuid *session,
                      struct error *err) MUST_USE;

/* Whether the token was accepted before and is not ended: a quick guess, decides nothing else. */
bool authentication_is_known(const struct gateway *gateway, const char *authorization);

/* Whether this token logged the session out, also after authenticate() let it pass. */
bool authentication_logged_out(const struct gateway *gateway, const struct authentication *self);

#endif
