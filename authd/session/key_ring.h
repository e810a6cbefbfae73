/*
 * key_ring.h - opened keys: for access tokens (key.h) or issuers (issuer_key.h).
 */
#ifndef ATRIUM_AUTHD_SESSION_KEY_RING_H
#define ATRIUM_AUTHD_SESSION_KEY_RING_H

#include "authd/authd.h"
#include "authd/session/jws.h"
#include "common/pg/db.h"

enum { KEYS_MAX = 16 }; /* live keys */

/* Newest first. */
struct key_ring {
    struct jws_key *keys[KEYS_MAX];
    size_t count;
};

struct jws_key *key_open_sealed(struct authd *d, struct arena *arena, const char *purpose,
                                const char *kid, const char *alg_name, struct field_bytes bytes,
                                struct error *err) MUST_USE;

/* Reads the keys with a statement of the call key_read, and parses new ones. A failure leaves the
 * ring unchanged: one bad row must not disable signing. Parks. */
int key_ring_read(struct authd *d, const struct request *req, const struct db_statement *statement,
                  const char *purpose, struct key_ring *ring, struct error *err) MUST_USE;

void key_ring_clear(struct key_ring *ring);

const struct jws_key *key_ring_find(struct key_ring *ring, const char *kid);

/* Returns the key that signs at this contract time, or NULL. */
const struct jws_key *key_ring_current(const struct key_ring *ring, enum jws_alg alg,
                                       int64_t now_ms);

#endif
