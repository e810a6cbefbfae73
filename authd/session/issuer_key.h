/*
 * issuer_key.h - signing keys of all issuers below /t/, one per algorithm at a time, shared through
 * the database. The API's keys (session/key.h) sign no issuer's tokens. Without public_url there
 * are none.
 *
 * Verifiers can cache a key set for a day. So a key is published ISSUER_KEY_LEAD before it signs,
 * and until ISSUER_KEY_LEAD after its last token has expired.
 */
#ifndef ATRIUM_AUTHD_SESSION_ISSUER_KEY_H
#define ATRIUM_AUTHD_SESSION_ISSUER_KEY_H

#include <jansson.h>

#include "authd/authd.h"
#include "authd/session/jws.h"
#include "authd/session/key.h"

#define ISSUER_KEY_SEAL_PURPOSE "authd issuer key"
#define ISSUER_KEY_LEAD HOURS(24)
#define ISSUER_KEY_KEPT DAYS(8) /* longer than a browser's session */

/* Reads the keys and creates missing ones, at start. Parks. */
int issuer_key_open(struct authd *d, const struct request *req, struct error *err) MUST_USE;
void issuer_key_close(struct authd *d);

/* Reads them again, every few seconds. Parks. */
int issuer_key_reload(struct authd *d, const struct request *req, struct error *err) MUST_USE;

/* Creates the next key of each algorithm. ERR_CONFLICT: too many are published. Parks. */
int issuer_key_rotate(struct authd *d, const struct request *req, struct error *err) MUST_USE;

/* Returns the published keys (struct public_key), newest first, from the arena. */
struct field_list issuer_key_list(const struct authd *d, const struct request *req);

/* Returns the ES256 keys for gateways, from the arena; none without public_url. */
struct field_list issuer_key_public(const struct authd *d, const struct request *req);

/* Returns the published key set as JSON (RFC 7517, section 5). */
const char *issuer_key_set(const struct authd *d, const struct request *req);

/* Returns a signed token, from the arena. Consumes the claims. typ: "at+jwt", "JWT", "logout+jwt".
 * RS256 runs on its own thread pool, so that it blocks neither the loop nor password hashing: it
 * parks, and fails with ERR_OVERLOADED if too many wait. NULL: err is set. */
const char *issuer_sign(struct authd *d, const struct request *req, enum jws_alg alg,
                        const char *typ, json_t *claims, struct error *err);

/* Returns the claims of a token signed with a published key, as a new, read-only reference, or
 * NULL. typ: required in the header. Checks neither times nor audience. */
json_t *issuer_verify(struct authd *d, const struct request *req, const char *token,
                      const char *typ, const char *issuer);

/* Like issuer_verify(), also with keys retired for less than ISSUER_KEY_KEPT, for sessions that
 * outlive their tokens. Parks. */
int issuer_verify_former(struct authd *d, const struct request *req, const char *token,
                         const char *typ, const char *issuer, json_t **ret,
                         struct error *err) MUST_USE;

#endif
