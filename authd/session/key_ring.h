/*
 * key_ring.h - the keys of one purpose, opened: those that sign access tokens (key.h) and those of
 * the issuers (issuer_key.h).
 */
#ifndef ATRIUM_AUTHD_SESSION_KEY_RING_H
#define ATRIUM_AUTHD_SESSION_KEY_RING_H

#include "authd/authd.h"
#include "authd/session/jws.h"
#include "common/pg/db.h"

enum { KEYS_MAX = 16 }; /* live at once; a rotation beyond that is refused */

/* Newest first. */
struct key_ring {
    struct jws_key *keys[KEYS_MAX];
    size_t count;
};

/* Opens a key of a table: its algorithm and its sealed private half. */
struct jws_key *key_open_sealed(struct authd *d, struct arena *arena, const char *purpose,
                                const char *kid, const char *alg_name, struct field_bytes bytes,
                                struct error *err) MUST_USE;

/* Reads the keys by a statement of the call key_read; a known one is not parsed again. On failure
 * the ring keeps what it has: one row that cannot be opened must not take away what signs.
 * Parks. */
int key_ring_read(struct authd *d, const struct request *req, const struct db_statement *statement,
                  const char *purpose, struct key_ring *ring, struct error *err) MUST_USE;

void key_ring_clear(struct key_ring *ring);

/* NULL when there is no such key. */
const struct jws_key *key_ring_find(struct key_ring *ring, const char *kid);

/* The key of the algorithm that signs at this contract time; NULL: it has none. */
const struct jws_key *key_ring_current(const struct key_ring *ring, enum jws_alg alg,
                                       int64_t now_ms);

#endif
