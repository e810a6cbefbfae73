/*
 * dpop.h - proof of possession of the key to which a client's tokens are bound (RFC 9449).
 *
 * A proof counts once across all instances (section 11.1). Endpoints for tokens and pushed requests
 * require a nonce issued within five minutes (section 8), which prevents proofs made in advance. A
 * resource requires one if the client's clock is off by more than a minute. Nonces are stateless: a
 * time with its keyed hash.
 *
 * Anyone can generate a key and sign, so a proof is stored as spent only once its grant, token or
 * request is valid.
 */
#ifndef ATRIUM_AUTHD_OAUTH_DPOP_H
#define ATRIUM_AUTHD_OAUTH_DPOP_H

#include "authd/authd.h"

struct endpoint_visit;

#define DPOP_NONCE_LIFE MINUTES(5)
#define DPOP_PROOF_LIFE MINUTES(1) /* before and after its `iat` */

struct dpop_proof {
    const char *jkt; /* key thumbprint (RFC 7638); NULL: no proof */
    const char *id;
    int64_t until; /* expiry, contract time */
};

/* Checks the proof of a token or pushed request, if present. Rejects spent ones, so that a replayed
 * request does no harm. Fails: invalid_dpop_proof; use_dpop_nonce, with a nonce. Parks. */
int dpop_check(struct authd *d, const struct request *req, const struct endpoint_visit *visit,
               struct dpop_proof *ret, struct error *err) MUST_USE;

/* Spends the proof, if any, last before its effect. Fails: invalid_dpop_proof if already spent.
 * Parks. */
int dpop_spend(struct authd *d, const struct request *req, const struct dpop_proof *proof,
               struct error *err) MUST_USE;

/* Checks an access token bound to this thumbprint at a protected resource (section 7.1), with a
 * proof for that token (section 4.3, item 11). Fails: UNAUTHORIZED with a DPoP challenge. */
int dpop_check_token(struct authd *d, const struct request *req, const struct endpoint_visit *visit,
                     const char *access_token, const char *jkt, struct dpop_proof *ret,
                     struct error *err) MUST_USE;

/* Like dpop_spend(), for a valid token; fails like dpop_check_token(). Parks. */
int dpop_spend_token(struct authd *d, const struct request *req, const struct dpop_proof *proof,
                     struct error *err) MUST_USE;

#endif
