/*
 * trail.h - Merkle trees of the projects' audit logs (RFC 6962; docs/audit.md). The leaves of a
 * project's tree are the sealed rows of all daemons' logs.
 *
 * authd reads each log from a stored position. One transaction adds leaves and moves the position,
 * and only one runs at a time across all instances. So each row becomes a leaf once, and another
 * instance continues after a crash. Each daemon's leaves are in the order of its chain.
 */
#ifndef ATRIUM_AUTHD_TRAIL_TRAIL_H
#define ATRIUM_AUTHD_TRAIL_TRAIL_H

#include "authd/authd.h"
#include "common/base/merkle.h"

/* Daemons whose logs are read. Their indexes are stored, so the order is fixed. */
enum { TRAIL_DAEMONS = 5 };
extern const char *const trail_daemons[TRAIL_DAEMONS];

struct trail_place {
    int daemon;
    int64_t sequence;
};
enum { TRAIL_PLACE_SIZE = 9 };

void trail_place_read(const uint8_t bytes[static TRAIL_PLACE_SIZE], struct trail_place *ret);

/* ---- trail_grow.c ---- */

/* Adds new leaves, every TRAIL_PERIOD ms (service_every()). */
#define TRAIL_PERIOD 500
int trail_grow(void *daemon, const struct request *req, struct error *err) MUST_USE;

/* ---- trail_tree.c ---- */

/* Returns the number of leaves. Parks. */
int trail_size(struct authd *d, const struct request *req, struct uuid project, int64_t *ret,
               struct error *err) MUST_USE;

/* Return the root of the first `size` leaves, the proof for a leaf, and the proof that the tree of
 * `older` leaves is a prefix. ERR_VALIDATION if the tree was never that large. Park. */
int trail_root(struct authd *d, const struct request *req, struct uuid project, int64_t size,
               struct merkle_hash *ret, struct error *err) MUST_USE;
int trail_prove_leaf(struct authd *d, const struct request *req, struct uuid project, int64_t size,
                     int64_t index, struct merkle_proof *ret, struct error *err) MUST_USE;
int trail_prove_tree(struct authd *d, const struct request *req, struct uuid project, int64_t size,
                     int64_t older, struct merkle_proof *ret, struct error *err) MUST_USE;

/* Returns the leaf's index for a daemon's row. Fails: NOT_FOUND. Parks. */
int trail_leaf_find(struct authd *d, const struct request *req, struct uuid project,
                    const struct trail_place *place, int64_t *ret, struct error *err) MUST_USE;

/* Returns a proof's hashes in base64. */
struct field_texts trail_proof_texts(struct arena *arena, const struct merkle_proof *proof);

/* ---- trail_checkpoint.c ---- */

/* Creates the signing key if it is missing, at start. Parks. */
#define TRAIL_KEY_PURPOSE "authd trail key"
int trail_key_open(struct authd *d, const struct request *req, struct error *err) MUST_USE;

/* Returns the host of public_url, or the configured issuer, for names of notes. */
const char *trail_host(struct authd *d, struct arena *arena);

/* Signs a text, each line of which ends with a line feed, as a note. *ret_key verifies it.
 * Parks. */
int trail_note_sign(struct authd *d, const struct request *req, const char *name, const char *text,
                    const char **ret_note, const char **ret_key, struct error *err) MUST_USE;

/* Returns the checkpoint of a project's first `size` leaves as a note (C2SP tlog-checkpoint).
 * *ret_key verifies it. Parks. */
int trail_checkpoint(struct authd *d, const struct request *req, struct uuid project, int64_t size,
                     const char **ret_note, const char **ret_key, struct error *err) MUST_USE;

#endif
