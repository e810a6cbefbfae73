/*
 * merkle.h - a Merkle tree as in RFC 6962, section 2.1, kept as tiles: rows of 32 hashes.
 *
 * Tile `index` of level 0 holds the hashes of leaves 32 * index and on; of level n + 1, the hashes
 * of 32 whole tiles of level n. Hashes of other subtrees are computed from these when they are
 * needed. A tree only grows: a hash in a tile never changes, a tile is filled from its beginning.
 * So a proof in a tree of ten million leaves takes ten tiles. Pure: the caller stores the tiles.
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

/* The last tile of each level, which is not full; as many levels as `size` has, and one. Zeroed, it
 * is an empty tree. */
struct merkle_edge {
    int64_t size; /* leaves */
    struct merkle_tile tiles[MERKLE_LEVELS_MAX];
};

/* Prepares the edge of a tree of that many leaves, whose tiles have no hashes yet: those with
 * `count` > 0 are to be read into `hashes`. */
void merkle_edge_open(struct merkle_edge *self, int64_t size);

/* Takes what changed of a tile: it was filled. */
typedef void merkle_full(void *arg, const struct merkle_tile *tile);

/* Adds a leaf. Tiles that it fills are handed to `full`; what is not full stays in the edge. */
void merkle_append(struct merkle_edge *self, const struct merkle_hash *leaf, merkle_full *full,
                   void *arg);

/* ---- proving ---- */

/* A tile by its place, with at least the hashes that were there at the size in question; NULL:
 * there is none, which ends the proof. */
typedef const struct merkle_tile *merkle_tile_find(void *arg, int level, int64_t index);

/* The hash of the tree of the first `size` leaves (size 0: SHA-256 of nothing). The functions
 * return -1 when a tile was not found, or the arguments are outside of the tree. */
int merkle_root(int64_t size, merkle_tile_find *find, void *arg, struct merkle_hash *ret) MUST_USE;

struct merkle_proof {
    struct merkle_hash hashes[MERKLE_PROOF_MAX];
    size_t count;
};

/* That leaf `index` is in the tree of `size` leaves (RFC 6962, section 2.1.1). */
int merkle_prove_leaf(int64_t size, int64_t index, merkle_tile_find *find, void *arg,
                      struct merkle_proof *ret) MUST_USE;

/* That the tree of `size` leaves begins with that of `older` ones, 0 < older <= size (section
 * 2.1.2). */
int merkle_prove_tree(int64_t size, int64_t older, merkle_tile_find *find, void *arg,
                      struct merkle_proof *ret) MUST_USE;

/* Whether such a proof is one. */
bool merkle_check_leaf(const struct merkle_proof *proof, int64_t size,
                       const struct merkle_hash *root, int64_t index,
                       const struct merkle_hash *leaf);

#endif
