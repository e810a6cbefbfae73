/*
 * dpop.h - proof of the key to which a client's tokens are bound (RFC 9449).
 *
 * A proof counts once across all instances (section 11.1). Endpoints for tokens and pushed requests
 * require a nonce of the last five minutes (section 8), against proofs made in advance. A resource
 * requires one if the client's clock is off by more than a minute. A nonce is a time with its keyed
 * hash.
 *
 * Anyone can make a key and sign, so a proof is stored as spent only if its grant, token or request
 * is valid.
 */
#ifndef ATRIUM_AUTHD_OAUTH_DPOP_H
#define ATRIUM_AUTHD_OAUTH_DPOP_H

#include "authd/authd.h"

struct endpoint_visit;

#define DPOP_NONCE_LIFE MINUTES(5)
#define DPOP_PROOF_LIFE MINUTES(1) /* validity of a proof, before and after its `iat` */

struct dpop_proof {
    const char *jkt; /* key thumbprint (RFC 7638); NULL: no proof */
    const char *id;
    int64_t until; /* expiry, contract time */
};

/* Checks the proof, if any, of a token or pushed request. Rejects a spent proof. Fails:
 * invalid_dpop_proof, or use_dpop_nonce together with a new nonce for the client. Parks. */
int dpop_check(struct authd *d, const struct request *req, const struct endpoint_visit *visit,
               struct dpop_proof *ret, struct error *err) MUST_USE;

/* Spends the proof, if any, just before its effect. Fails: invalid_dpop_proof (already spent).
 * Parks. */
int dpop_spend(struct authd *d, const struct request *req, const struct dpop_proof *proof,
               struct error *err) MUST_USE;

/* Checks the proof for an access token bound to this thumbprint, at a protected resource (section
 * 7.1; section 4.3, item 11). Fails: UNAUTHORIZED with a DPoP challenge. */
int dpop_check_token(struct authd *d, const struct request *req, const struct endpoint_visit *visit,
                     const char *access_token, const char *jkt, struct dpop_proof *ret,
                     struct error *err) MUST_USE;

/* Like dpop_spend(); fails like dpop_check_token(). Parks. */
int dpop_spend_token(struct authd *d, const struct request *req, const struct dpop_proof *proof,
                     struct error *err) MUST_USE;

#endif
