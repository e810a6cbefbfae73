/* merkle.c - see merkle.h. Recursion is as deep as the tree, at most 63. */
#include "common/base/merkle.h"

#include <sodium.h>

void merkle_leaf_hash(const void *data, size_t size, struct merkle_hash *ret)
{
    static const uint8_t prefix = 0;
    crypto_hash_sha256_state state;

    crypto_hash_sha256_init(&state);
    crypto_hash_sha256_update(&state, &prefix, 1);
    crypto_hash_sha256_update(&state, data, size);
    crypto_hash_sha256_final(&state, ret->bytes);
}

void merkle_node_hash(const struct merkle_hash *left, const struct merkle_hash *right,
                      struct merkle_hash *ret)
{
    uint8_t data[1 + 2 * MERKLE_HASH_SIZE] = {1};

    memcpy(data + 1, left->bytes, MERKLE_HASH_SIZE);
    memcpy(data + 1 + MERKLE_HASH_SIZE, right->bytes, MERKLE_HASH_SIZE);
    crypto_hash_sha256(ret->bytes, data, sizeof(data));
}

static void fold(const struct merkle_hash *hashes, int bits, struct merkle_hash *ret)
{
    struct merkle_hash nodes[MERKLE_TILE_HASHES];

    memcpy(nodes, hashes, sizeof(*hashes) << bits);
    for (int count = 1 << bits; count > 1; count /= 2)
        for (int i = 0; i < count / 2; i++)
            merkle_node_hash(&nodes[2 * i], &nodes[2 * i + 1], &nodes[i]);
    *ret = nodes[0];
}

void merkle_edge_open(struct merkle_edge *self, int64_t size)
{
    memset(self, 0, sizeof(*self));
    self->size = size;
    for (int level = 0; level < MERKLE_LEVELS_MAX; level++) {
        self->tiles[level].level = level;
        self->tiles[level].index = size >> MERKLE_TILE_BITS;
        self->tiles[level].count = (size_t)(size & (MERKLE_TILE_HASHES - 1));
        size >>= MERKLE_TILE_BITS;
    }
}

void merkle_append(struct merkle_edge *self, const struct merkle_hash *leaf, merkle_full *full,
                   void *arg)
{
    struct merkle_hash hash = *leaf;

    self->size++;
    for (int level = 0; level < MERKLE_LEVELS_MAX; level++) {
        struct merkle_tile *tile = &self->tiles[level];

        tile->hashes[tile->count++] = hash;
        if (tile->count < MERKLE_TILE_HASHES)
            return;
        full(arg, tile);
        fold(tile->hashes, MERKLE_TILE_BITS, &hash);
        tile->index++;
        tile->count = 0;
    }
}

struct source {
    merkle_tile_find *find;
    void *arg;
};

/* Hashes the whole subtree of 2^bits leaves from `first`, a multiple of 2^bits. */
static int whole_hash(const struct source *source, int64_t first, int bits, struct merkle_hash *ret)
{
    int level = bits / MERKLE_TILE_BITS, rest = bits % MERKLE_TILE_BITS;
    int64_t at = first >> (level * MERKLE_TILE_BITS);
    size_t offset = (size_t)(at & (MERKLE_TILE_HASHES - 1));
    const struct merkle_tile *tile = source->find(source->arg, level, at >> MERKLE_TILE_BITS);

    if (!tile || tile->count < offset + ((size_t)1 << rest))
        return -1;
    fold(tile->hashes + offset, rest, ret);
    return 0;
}

static bool is_power(int64_t n)
{
    return (n & (n - 1)) == 0;
}

static int bits_of(int64_t n)
{
    return 63 - __builtin_clzll((unsigned long long)n);
}

static int64_t split(int64_t n)
{
    return (int64_t)1 << bits_of(n - 1);
}

/* Computes MTH(D[first:end]) of RFC 6962, section 2.1; first < end. */
static int range_hash(const struct source *source, int64_t first, int64_t end,
                      struct merkle_hash *ret)
{
    struct merkle_hash left, right;
    int64_t half;

    if (is_power(end - first))
        return whole_hash(source, first, bits_of(end - first), ret);
    half = first + split(end - first);
    if (range_hash(source, first, half, &left) < 0 || range_hash(source, half, end, &right) < 0)
        return -1;
    merkle_node_hash(&left, &right, ret);
    return 0;
}

static int add_range(const struct source *source, int64_t first, int64_t end,
                     struct merkle_proof *proof)
{
    return range_hash(source, first, end, &proof->hashes[proof->count++]);
}

/* Adds PATH(index, D[first:end]) to the proof. */
static int add_path(const struct source *source, int64_t first, int64_t end, int64_t index,
                    struct merkle_proof *proof)
{
    int64_t half;

    if (end - first == 1)
        return 0;
    half = first + split(end - first);
    if (index < half)
        return add_path(source, first, half, index, proof) < 0
                   ? -1
                   : add_range(source, half, end, proof);
    return add_path(source, half, end, index, proof) < 0 ? -1
                                                         : add_range(source, first, half, proof);
}

/* Adds SUBPROOF(older, D[first:end], whole) to the proof. */
static int add_subproof(const struct source *source, int64_t first, int64_t end, int64_t older,
                        bool whole, struct merkle_proof *proof)
{
    int64_t half;

    if (older == end)
        return whole ? 0 : add_range(source, first, end, proof);
    half = first + split(end - first);
    if (older <= half)
        return add_subproof(source, first, half, older, whole, proof) < 0
                   ? -1
                   : add_range(source, half, end, proof);
    return add_subproof(source, half, end, older, false, proof) < 0
               ? -1
               : add_range(source, first, half, proof);
}

int merkle_root(int64_t size, merkle_tile_find *find, void *arg, struct merkle_hash *ret)
{
    const struct source source = {find, arg};

    if (size < 0)
        return -1;
    if (size > 0)
        return range_hash(&source, 0, size, ret);
    crypto_hash_sha256(ret->bytes, (const uint8_t *)"", 0);
    return 0;
}

int merkle_prove_leaf(int64_t size, int64_t index, merkle_tile_find *find, void *arg,
                      struct merkle_proof *ret)
{
    const struct source source = {find, arg};

    ret->count = 0;
    return index < 0 || index >= size ? -1 : add_path(&source, 0, size, index, ret);
}

int merkle_prove_tree(int64_t size, int64_t older, merkle_tile_find *find, void *arg,
                      struct merkle_proof *ret)
{
    const struct source source = {find, arg};

    ret->count = 0;
    return older < 1 || older > size ? -1 : add_subproof(&source, 0, size, older, true, ret);
}

/* RFC 9162, section 2.1.3.2. */
bool merkle_check_leaf(const struct merkle_proof *proof, int64_t size,
                       const struct merkle_hash *root, int64_t index,
                       const struct merkle_hash *leaf)
{
    struct merkle_hash hash = *leaf;
    int64_t at = index, last = size - 1;

    if (index < 0 || index >= size)
        return false;
    for (size_t i = 0; i < proof->count; i++) {
        if (last == 0)
            return false;
        if ((at & 1) || at == last) {
            merkle_node_hash(&proof->hashes[i], &hash, &hash);
            while (!(at & 1) && at != 0) {
                at >>= 1;
                last >>= 1;
            }
        } else {
            merkle_node_hash(&hash, &proof->hashes[i], &hash);
        }
        at >>= 1;
        last >>= 1;
    }
    return last == 0 && memcmp(hash.bytes, root->bytes, sizeof(hash.bytes)) == 0;
}
