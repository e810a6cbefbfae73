/*
 * issuer_key.h - the keys of the issuers below /t/: one set for all of them, one key of each
 * algorithm at a time, shared through the database like the keys of session/key.h, which sign
 * nothing of an issuer.
 *
 * Those who verify may keep a key set for a day. So a new key is published ISSUER_KEY_LEAD before
 * it signs, and the one before it until as long after its last token has expired.
 *
 * Without public_url there are no issuers, and no keys are made.
 */
#ifndef ATRIUM_AUTHD_SESSION_ISSUER_KEY_H
#define ATRIUM_AUTHD_SESSION_ISSUER_KEY_H

#include <jansson.h>

#include "authd/authd.h"
#include "authd/session/jws.h"
#include "authd/session/key.h"

#define ISSUER_KEY_SEAL_PURPOSE "authd issuer key"
#define ISSUER_KEY_LEAD HOURS(24)
#define ISSUER_KEY_KEPT DAYS(8) /* after it has retired: longer than a session of a browser lives */

/* Reads the keys, makes those that are missing. Parks. Call once, at start. */
int issuer_key_open(struct authd *d, const struct request *req, struct error *err) MUST_USE;
void issuer_key_close(struct authd *d);

/* Reads the keys again; every few seconds. Parks. */
int issuer_key_reload(struct authd *d, const struct request *req, struct error *err) MUST_USE;

/* Makes the next key of each algorithm. ERR_CONFLICT: too many are published. Parks. */
int issuer_key_rotate(struct authd *d, const struct request *req, struct error *err) MUST_USE;

/* The published keys (struct public_key), newest first, for the operator; from the arena. */
struct field_list issuer_key_list(const struct authd *d, const struct request *req);

/* Those of ES256 with their public halves, for gateways; none without public_url. From the arena.
 */
struct field_list issuer_key_public(const struct authd *d, const struct request *req);

/* The key set that is published (RFC 7517, section 5), as JSON. */
const char *issuer_key_set(const struct authd *d, const struct request *req);

/* A signed token of these claims (consumed): typ is the header's ("at+jwt", "JWT", "logout+jwt").
 * By ES256 at once; by RS256 on a thread of a pool of its own, so that no signature holds up the
 * loop and no flood of them the passwords: parks, ERR_OVERLOADED when too many wait. NULL: err is
 * set. From the arena. */
const char *issuer_sign(struct authd *d, const struct request *req, enum jws_alg alg,
                        const char *typ, json_t *claims, struct error *err);

/* The claims of a token that an issuer has signed, by a key that is published: a new reference to
 * what is kept, to be read only. typ: what its header must say. NULL: it is none, or another
 * issuer's. Says nothing of its times and of whom it is for. */
json_t *issuer_verify(struct authd *d, const struct request *req, const char *token,
                      const char *typ, const char *issuer);

/* The same by a key that is no longer published, too, as long as it is kept: ISSUER_KEY_KEPT. For
 * what was said of a session that may live on. Parks. -1: err is set; else *ret, NULL: it is
 * none. */
int issuer_verify_former(struct authd *d, const struct request *req, const char *token,
                         const char *typ, const char *issuer, json_t **ret,
                         struct error *err) MUST_USE;

#endif
