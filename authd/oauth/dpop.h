/*
 * dpop.h - proofs that a client holds the key that its tokens are bound to (RFC 9449).
 *
 * A proof counts once, for all instances (section 11.1). At the endpoints for tokens and pushed
 * requests it needs a nonce that we gave out within five minutes (section 8), so that none can be
 * made in advance; a resource asks for one when the client's clock differs by more than a minute.
 * Nonces are stateless: the time, and a keyed hash of it that every instance can check.
 *
 * Anyone can make a key and sign with it, so that a good proof alone is worth no row: it is spent
 * when the grant, the token or the request that it comes with was found valid.
 */
#ifndef ATRIUM_AUTHD_OAUTH_DPOP_H
#define ATRIUM_AUTHD_OAUTH_DPOP_H

#include "authd/authd.h"

struct endpoint_visit;

#define DPOP_NONCE_LIFE MINUTES(5)
#define DPOP_PROOF_LIFE MINUTES(1) /* from its `iat` on, and as long before, for clocks */

/* A proof that was found good. */
struct dpop_proof {
    const char *jkt; /* thumbprint of its key (RFC 7638); NULL: there is no proof */
    const char *id;
    int64_t until; /* it counts no longer, contract time */
};

/* Checks the proof of a request for tokens, or of a pushed one, if there is one. One that was used
 * is refused here, before a replayed request can do harm. Fails: invalid_dpop_proof;
 * use_dpop_nonce, with a nonce. Parks. */
int dpop_check(struct authd *d, const struct request *req, const struct endpoint_visit *visit,
               struct dpop_proof *ret, struct error *err) MUST_USE;

/* Spends the proof, if there is one: the last thing before what it allows. Fails:
 * invalid_dpop_proof, it was used before. Parks. */
int dpop_spend(struct authd *d, const struct request *req, const struct dpop_proof *proof,
               struct error *err) MUST_USE;

/* Whether a protected resource may take an access token that is bound to the key of that thumbprint
 * (section 7.1), by a proof that names it (section 4.3, item 11). Fails: UNAUTHORIZED with a
 * challenge by DPoP. */
int dpop_check_token(struct authd *d, const struct request *req, const struct endpoint_visit *visit,
                     const char *access_token, const char *jkt, struct dpop_proof *ret,
                     struct error *err) MUST_USE;

/* As dpop_spend(), when the token was found valid; fails as dpop_check_token(). Parks. */
int dpop_spend_token(struct authd *d, const struct request *req, const struct dpop_proof *proof,
                     struct error *err) MUST_USE;

#endif
