/*
 * merkle.h - a Merkle tree as in RFC 6962, section 2.1, kept as tiles: rows of 32 hashes.
 *
 * Tile i of level 0 has the hashes of leaves 32 * i and on; level n + 1 those of 32 whole tiles of
 * level n. Tiles only grow, other hashes are computed from them: a proof in ten million leaves
 * takes ten tiles. Pure: the caller stores the tiles.
 */
#ifndef ATRIUM_COMMON_BASE_MERKLE_H
#define ATRIUM_COMMON_BASE_MERKLE_H

#include "common/base/arena.h"

enum {
    MERKLE_HASH_SIZE = 32,
    MERKLE_TILE_BITS = 5,
    MERKLE_TILE_HASHES = 1 << MERKLE_TILE_BITS,
    MERKLE_LEVELS_MAX = 12, /* 2^60 leaves */
    MERKLE_PROOF_MAX = 64,  /* hashes of a proof */
};

struct merkle_hash {
    uint8_t bytes[MERKLE_HASH_SIZE];
};

/* The hash of a leaf, SHA-256(0x00 || data), and of a node, SHA-256(0x01 || left || right). */
void merkle_leaf_hash(const void *data, size_t size, struct merkle_hash *ret);
void merkle_node_hash(const struct merkle_hash *left, const struct merkle_hash *right,
                      struct merkle_hash *ret);

struct merkle_tile {
    int level;
    int64_t index;
    size_t count; /* hashes that it has */
    struct merkle_hash hashes[MERKLE_TILE_HASHES];
};

/* ---- growing ---- */

/* The unfilled last tile of each level: as many levels as `size` has, and one. Zeroed: empty. */
struct merkle_edge {
    int64_t size; /* leaves */
    struct merkle_tile tiles[MERKLE_LEVELS_MAX];
};

/* Prepares the edge of a tree of that many leaves; tiles with `count` > 0 are to be read. */
void merkle_edge_open(struct merkle_edge *self, int64_t size);

/* Takes what changed of a tile: it was filled. */
typedef void merkle_full(void *arg, const struct merkle_tile *tile);

/* Adds a leaf. Tiles that it fills are handed to `full`; what is not full stays in the edge. */
void merkle_append(struct merkle_edge *self, const struct merkle_hash *leaf, merkle_full *full,
                   void *arg);

/* ---- proving ---- */

/* Finds a tile with at least the hashes it had at the size in question; NULL ends the proof. */
typedef const struct merkle_tile *merkle_tile_find(void *arg, int level, int64_t index);

/* The hash of the first `size` leaves (0: SHA-256 of nothing). -1: a tile is missing, or the
 * arguments are outside of the tree. */
int merkle_root(int64_t size, merkle_tile_find *find, void *arg, struct merkle_hash *ret) MUST_USE;

struct merkle_proof {
    struct merkle_hash hashes[MERKLE_PROOF_MAX];
    size_t count;
};

/* That leaf `index` is in the tree of `size` leaves (RFC 6962, section 2.1.1). */
int merkle_prove_leaf(int64_t size, int64_t index, merkle_tile_find *find, void *arg,
                      struct merkle_proof *ret) MUST_USE;

/* Proves that `size` leaves begin with the `older` ones, 0 < older <= size (section 2.1.2). */
int merkle_prove_tree(int64_t size, int64_t older, merkle_tile_find *find, void *arg,
                      struct merkle_proof *ret) MUST_USE;

bool merkle_check_leaf(const struct merkle_proof *proof, int64_t size,
                       const struct merkle_hash *root, int64_t index,
                       const struct merkle_hash *leaf);

#endif
