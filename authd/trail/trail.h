/*
 * trail.h - the trees over the audit trails of projects (docs/audit.md): one Merkle tree for each
 * project (RFC 6962), whose leaves are the sealed rows that the trails of all daemons have of it.
 *
 * authd reads the trails behind the place up to which it has them, and adds leaves and moves that
 * place in one transaction, of which there is one at a time whatever the number of instances: a row
 * is a leaf exactly once, and the tree of a process that dies is continued by the next. The
 * order of leaves is that in which rows were read: within a daemon the order of its chain.
 */
#ifndef ATRIUM_AUTHD_TRAIL_TRAIL_H
#define ATRIUM_AUTHD_TRAIL_TRAIL_H

#include "authd/authd.h"
#include "common/base/merkle.h"

/* The daemons whose trails are read; their numbers are stored. */
enum { TRAIL_DAEMONS = 5 };
extern const char *const trail_daemons[TRAIL_DAEMONS];

/* Where a leaf comes from. */
struct trail_place {
    int daemon;
    int64_t sequence;
};
enum { TRAIL_PLACE_SIZE = 9 };

void trail_place_read(const uint8_t bytes[static TRAIL_PLACE_SIZE], struct trail_place *ret);

/* ---- trail_grow.c ---- */

/* Adds the leaves that are new; every TRAIL_PERIOD (service_every()). */
#define TRAIL_PERIOD 500
int trail_grow(void *daemon, const struct request *req, struct error *err) MUST_USE;

/* ---- trail_tree.c ---- */

/* How many leaves the project has. Parks. */
int trail_size(struct authd *d, const struct request *req, struct uuid project, int64_t *ret,
               struct error *err) MUST_USE;

/* The hash of the tree of the first `size` leaves, the proof that a leaf is in it, and that it
 * begins with that of `older` leaves. ERR_VALIDATION when it has not so many. Park. */
int trail_root(struct authd *d, const struct request *req, struct uuid project, int64_t size,
               struct merkle_hash *ret, struct error *err) MUST_USE;
int trail_prove_leaf(struct authd *d, const struct request *req, struct uuid project, int64_t size,
                     int64_t index, struct merkle_proof *ret, struct error *err) MUST_USE;
int trail_prove_tree(struct authd *d, const struct request *req, struct uuid project, int64_t size,
                     int64_t older, struct merkle_proof *ret, struct error *err) MUST_USE;

/* The leaf of a row of a daemon. ERR_NOT_FOUND. Parks. */
int trail_leaf_find(struct authd *d, const struct request *req, struct uuid project,
                    const struct trail_place *place, int64_t *ret, struct error *err) MUST_USE;

/* The hashes of a proof in base64, as the fields of answers have them. */
struct field_texts trail_proof_texts(struct arena *arena, const struct merkle_proof *proof);

/* ---- trail_checkpoint.c ---- */

/* Makes the key that signs, if there is none. Parks. Once, at start. */
#define TRAIL_KEY_PURPOSE "authd trail key"
int trail_key_open(struct authd *d, const struct request *req, struct error *err) MUST_USE;

/* The host of public_url, else what the issuer is called: names of notes begin with it. */
const char *trail_host(struct authd *d, struct arena *arena);

/* Signs a text, whose lines all end with a line feed, as a note of that name, and gives what
 * verifies it. Parks. */
int trail_note_sign(struct authd *d, const struct request *req, const char *name, const char *text,
                    const char **ret_note, const char **ret_key, struct error *err) MUST_USE;

/* The head of a project's tree of `size` leaves as a signed note (C2SP tlog-checkpoint), and the
 * key that verifies it. Parks. */
int trail_checkpoint(struct authd *d, const struct request *req, struct uuid project, int64_t size,
                     const char **ret_note, const char **ret_key, struct error *err) MUST_USE;

#endif
