/* authenticate.h - finds the caller of an Authorization header and checks access to a route. */
#ifndef ATRIUM_GATEWAY_AUTH_AUTHENTICATE_H
#define ATRIUM_GATEWAY_AUTH_AUTHENTICATE_H

#include "common/domain/request.h"
#include "gateway/auth/identity.h"

struct endpoint_visit;
struct gateway;

struct authentication {
    struct caller caller;
    struct identity *identity; /* owns the caller's texts */
    struct uuid session, token;
    bool logged_out; /* ACCESS_LOGOUT: already logged out, so there is no caller */
};

/* Checks the token (RFC 6750, RFC 9449), the gateway's lease, ended sessions, membership, account,
 * `access` and, unless `safe` (R_SAFE), that the project isn't read-only. Parks. Fails with 503
 * while the answer is unknown. Always call authentication_end() afterwards. */
int authenticate(struct gateway *gateway, const struct request *req,
                 const struct endpoint_visit *visit, enum access access, bool safe,
                 struct authentication *ret, struct error *err) MUST_USE;
void authentication_end(struct authentication *self);

/* Checks the session in which an upload form was created. ERR_FORBIDDEN: it has ended. 503:
 * unknown. */
int authenticate_form(const struct gateway *gateway, const struct uuid *session,
                      struct error *err) MUST_USE;

/* Guesses from cached data. Don't authorize with it. */
bool authentication_is_known(const struct gateway *gateway, const char *authorization);

/* True if this token has logged out, perhaps in a concurrent request after authenticate() accepted
 * it. */
bool authentication_logged_out(const struct gateway *gateway, const struct authentication *self);

#endif
