/*
 * dpop.h - proofs that a client holds the key that its tokens are bound to (RFC 9449).
 *
 * A proof counts once, for all instances (section 11.1). At the endpoints for tokens and pushed
 * requests it needs a nonce that we gave out within five minutes (section 8), so that none can be
 * made in advance; a resource asks for one when the client's clock differs by more than a minute.
 * Nonces are stateless: the time, and a keyed hash of it that every instance can check.
 */
#ifndef ATRIUM_AUTHD_OAUTH_DPOP_H
#define ATRIUM_AUTHD_OAUTH_DPOP_H

#include "authd/authd.h"

struct endpoint_visit;

#define DPOP_NONCE_LIFE MINUTES(5)
#define DPOP_PROOF_LIFE MINUTES(1) /* from its `iat` on, and as long before, for clocks */

/* Checks the proof of a request, if it has one; *ret_jkt: the thumbprint of its key (RFC 7638), or
 * NULL. access_token: that the proof must name (section 4.3, item 11), at a protected resource;
 * NULL where tokens and requests are asked for. Fails: invalid_dpop_proof; use_dpop_nonce, with a
 * nonce. Parks. */
int dpop_check(struct authd *d, const struct request *req, const struct endpoint_visit *visit,
               const char *access_token, const char **ret_jkt, struct error *err) MUST_USE;

/* Whether a protected resource may take an access token that is bound to the key of that thumbprint
 * (section 7.1). Fails: UNAUTHORIZED with a challenge by DPoP. Parks. */
int dpop_check_token(struct authd *d, const struct request *req, const struct endpoint_visit *visit,
                     const char *access_token, const char *jkt, struct error *err) MUST_USE;

/* A nonce for the next proof, from the arena. */
const char *dpop_nonce(const struct authd *d, const struct request *req);

/* When this installation gave it out; 0: it did not, or it does not count any more. */
int64_t dpop_nonce_made(const struct authd *d, const struct request *req, const char *nonce);

#endif
