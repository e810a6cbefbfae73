/*
 * merkle.h - a Merkle tree (RFC 6962, section 2.1), stored as tiles of 32 hashes.
 *
 * Tile i of level 0 holds the hashes of leaves 32 * i and up; level n + 1 the roots of level n's
 * full tiles. Tiles only grow, and other hashes are computed: a proof in ten million leaves needs
 * ten tiles. The caller stores the tiles.
 */
#ifndef ATRIUM_COMMON_BASE_MERKLE_H
#define ATRIUM_COMMON_BASE_MERKLE_H

#include "common/base/arena.h"

enum {
    MERKLE_HASH_SIZE = 32,
    MERKLE_TILE_BITS = 5,
    MERKLE_TILE_HASHES = 1 << MERKLE_TILE_BITS,
    MERKLE_LEVELS_MAX = 12,
    MERKLE_PROOF_MAX = 64, /* hashes */
};

struct merkle_hash {
    uint8_t bytes[MERKLE_HASH_SIZE];
};

/* Computes the hash of a leaf, SHA-256(0x00 || data), or node, SHA-256(0x01 || left || right). */
void merkle_leaf_hash(const void *data, size_t size, struct merkle_hash *ret);
void merkle_node_hash(const struct merkle_hash *left, const struct merkle_hash *right,
                      struct merkle_hash *ret);

struct merkle_tile {
    int level;
    int64_t index;
    size_t count;
    struct merkle_hash hashes[MERKLE_TILE_HASHES];
};

/* ---- growing ---- */

/* For a tree of `size` leaves: the unfilled last tile of each level, and of the level above.
 * Zeroed: an empty tree. */
struct merkle_edge {
    int64_t size;
    struct merkle_tile tiles[MERKLE_LEVELS_MAX];
};

/* Prepares the edge of `size` leaves; the caller reads tiles with `count` > 0. */
void merkle_edge_open(struct merkle_edge *self, int64_t size);

typedef void merkle_full(void *arg, const struct merkle_tile *tile);

/* Adds a leaf; passes full tiles to `full`, and the edge keeps the others. */
void merkle_append(struct merkle_edge *self, const struct merkle_hash *leaf, merkle_full *full,
                   void *arg);

/* ---- proving ---- */

/* Returns a tile that has at least the hashes of the tree's size, or NULL, which ends the proof. */
typedef const struct merkle_tile *merkle_tile_find(void *arg, int level, int64_t index);

/* Computes the root of the first `size` leaves (0: SHA-256 of nothing). -1: missing tile, or
 * argument out of range. */
int merkle_root(int64_t size, merkle_tile_find *find, void *arg, struct merkle_hash *ret) MUST_USE;

struct merkle_proof {
    struct merkle_hash hashes[MERKLE_PROOF_MAX];
    size_t count;
};

/* Proves that leaf `index` is in the tree of `size` leaves (section 2.1.1). */
int merkle_prove_leaf(int64_t size, int64_t index, merkle_tile_find *find, void *arg,
                      struct merkle_proof *ret) MUST_USE;

/* Proves that `size` leaves begin with the `older` ones; 0 < older <= size (section 2.1.2). */
int merkle_prove_tree(int64_t size, int64_t older, merkle_tile_find *find, void *arg,
                      struct merkle_proof *ret) MUST_USE;

bool merkle_check_leaf(const struct merkle_proof *proof, int64_t size,
                       const struct merkle_hash *root, int64_t index,
                       const struct merkle_hash *leaf);

#endif
