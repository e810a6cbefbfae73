/*
 * trail.h - Merkle trees of the projects' audit logs (RFC 6962; docs/audit.md). The leaves of a
 * project's tree are the sealed rows of all daemons' logs.
 *
 * authd reads each log from a stored position. One transaction adds leaves and moves the position,
 * and only one such transaction runs at a time across all instances. So each row becomes a leaf
 * once, and after a crash another instance continues. Leaves are in reading order, which for each
 * daemon is its chain's order.
 */
#ifndef ATRIUM_AUTHD_TRAIL_TRAIL_H
#define ATRIUM_AUTHD_TRAIL_TRAIL_H

#include "authd/authd.h"
#include "common/base/merkle.h"

/* The daemons whose logs are read; indexes are stored, so the order is fixed. */
enum { TRAIL_DAEMONS = 5 };
extern const char *const trail_daemons[TRAIL_DAEMONS];

/* The source of a leaf. */
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

/* Returns the number of the project's leaves. Parks. */
int trail_size(struct authd *d, const struct request *req, struct uuid project, int64_t *ret,
               struct error *err) MUST_USE;

/* Return the root of the tree of the first `size` leaves, the proof that a leaf is in it, and the
 * proof that the tree of `older` leaves is its prefix. ERR_VALIDATION if the tree was never that
 * large. Park. */
int trail_root(struct authd *d, const struct request *req, struct uuid project, int64_t size,
               struct merkle_hash *ret, struct error *err) MUST_USE;
int trail_prove_leaf(struct authd *d, const struct request *req, struct uuid project, int64_t size,
                     int64_t index, struct merkle_proof *ret, struct error *err) MUST_USE;
int trail_prove_tree(struct authd *d, const struct request *req, struct uuid project, int64_t size,
                     int64_t older, struct merkle_proof *ret, struct error *err) MUST_USE;

/* Returns the leaf index of a daemon's row. ERR_NOT_FOUND. Parks. */
int trail_leaf_find(struct authd *d, const struct request *req, struct uuid project,
                    const struct trail_place *place, int64_t *ret, struct error *err) MUST_USE;

/* Returns the hashes of a proof in base64. */
struct field_texts trail_proof_texts(struct arena *arena, const struct merkle_proof *proof);

/* ---- trail_checkpoint.c ---- */

/* Creates a missing signing key, at start. Parks. */
#define TRAIL_KEY_PURPOSE "authd trail key"
int trail_key_open(struct authd *d, const struct request *req, struct error *err) MUST_USE;

/* Returns the host of public_url, or the configured issuer. Names of notes begin with it. */
const char *trail_host(struct authd *d, struct arena *arena);

/* Signs a text, each line of which ends with a line feed, as a note. *ret_key verifies it.
 * Parks. */
int trail_note_sign(struct authd *d, const struct request *req, const char *name, const char *text,
                    const char **ret_note, const char **ret_key, struct error *err) MUST_USE;

/* Returns the checkpoint of a project's first `size` leaves as a signed note (C2SP
 * tlog-checkpoint). *ret_key verifies it. Parks. */
int trail_checkpoint(struct authd *d, const struct request *req, struct uuid project, int64_t size,
                     const char **ret_note, const char **ret_key, struct error *err) MUST_USE;

#endif
