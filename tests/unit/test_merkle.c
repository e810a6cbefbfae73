/*
 * test_merkle.c - the Merkle tree of tiles agrees with RFC 6962, for every size and leaf up to a
 * limit, and for large trees.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/base/merkle.h"
#include "tests/support/unit.h"

enum { SMALL = 200, LARGE = 300000, TIMED = 1000000, TILES_MAX = 64 * 1024 };

struct store {
    struct merkle_tile *tiles;
    size_t count;
    struct merkle_edge edge;
    size_t reads;
};

static struct store store;

static void keep(void *arg, const struct merkle_tile *tile)
{
    struct store *self = arg;

    self->tiles[self->count++] = *tile;
}

static const struct merkle_tile *find(void *arg, int level, int64_t index)
{
    struct store *self = arg;

    self->reads++;
    if (level < MERKLE_LEVELS_MAX && self->edge.tiles[level].index == index)
        return &self->edge.tiles[level];
    for (size_t i = 0; i < self->count; i++) { /* small trees only */
        if (self->tiles[i].level == level && self->tiles[i].index == index)
            return &self->tiles[i];
    }
    return NULL;
}

static void leaf_of(int64_t n, struct merkle_hash *ret)
{
    char text[32];

    merkle_leaf_hash(text, (size_t)snprintf(text, sizeof(text), "leaf %lld", (long long)n), ret);
}

static void grow(int64_t size)
{
    struct merkle_hash leaf;

    free(store.tiles);
    store = (struct store){.tiles = calloc(TILES_MAX, sizeof(struct merkle_tile))};
    merkle_edge_open(&store.edge, 0);
    for (int64_t i = 0; i < size; i++) {
        leaf_of(i, &leaf);
        merkle_append(&store.edge, &leaf, keep, &store);
    }
}

static void defined(int64_t first, int64_t end, struct merkle_hash *ret)
{
    struct merkle_hash left, right;
    int64_t half = 1;

    if (end - first == 1) {
        leaf_of(first, ret);
        return;
    }
    while (half * 2 < end - first)
        half *= 2;
    defined(first, first + half, &left);
    defined(first + half, end, &right);
    merkle_node_hash(&left, &right, ret);
}

static bool same(const struct merkle_hash *a, const struct merkle_hash *b)
{
    return memcmp(a->bytes, b->bytes, sizeof(a->bytes)) == 0;
}

static void hashes_are_those_of_the_rfc(void)
{
    /* SHA-256 of nothing (empty tree) and of the byte 0 (empty leaf) */
    static const uint8_t empty[4] = {0xe3, 0xb0, 0xc4, 0x42}, leaf[4] = {0x6e, 0x34, 0x0b, 0x9c};
    struct merkle_hash hash;

    grow(0);
    CU_ASSERT_EQUAL(merkle_root(0, find, &store, &hash), 0);
    CU_ASSERT_EQUAL(memcmp(hash.bytes, empty, sizeof(empty)), 0);
    merkle_leaf_hash("", 0, &hash);
    CU_ASSERT_EQUAL(memcmp(hash.bytes, leaf, sizeof(leaf)), 0);
}

static void every_size_has_its_root(void)
{
    struct merkle_hash root, want;

    grow(SMALL);
    for (int64_t size = 1; size <= SMALL; size++) { /* also earlier trees */
        defined(0, size, &want);
        if (!UNIT_CHECK(merkle_root(size, find, &store, &root) == 0 && same(&root, &want),
                        "root of %lld", (long long)size))
            break;
    }
    CU_ASSERT_EQUAL(merkle_root(SMALL + 1, find, &store, &root), -1);
}

static void every_leaf_is_proven_and_no_other(void)
{
    struct merkle_hash root, leaf, other;
    struct merkle_proof proof;
    size_t wrong = 0;

    grow(SMALL);
    leaf_of(SMALL + 7, &other);
    for (int64_t size = 1; size <= SMALL; size++) {
        defined(0, size, &root);
        for (int64_t at = 0; at < size; at++) {
            leaf_of(at, &leaf);
            if (merkle_prove_leaf(size, at, find, &store, &proof) < 0 ||
                !merkle_check_leaf(&proof, size, &root, at, &leaf) ||
                merkle_check_leaf(&proof, size, &root, at, &other) ||
                (size > 1 && merkle_check_leaf(&proof, size, &root, at == 0 ? 1 : at - 1, &leaf)))
                wrong++;
        }
    }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT_EQUAL(merkle_prove_leaf(SMALL, SMALL, find, &store, &proof), -1);
    CU_ASSERT_EQUAL(merkle_prove_leaf(SMALL, -1, find, &store, &proof), -1);
}

/* RFC 6962's subtrees for 3 of 7, 4 of 7 and 6 of 7 leaves. */
static void a_tree_is_proven_to_begin_with_an_older_one(void)
{
    static const struct {
        int64_t older;
        size_t count;
    } rows[] = {{3, 4}, {4, 1}, {6, 3}, {7, 0}};
    struct merkle_proof proof;
    struct merkle_hash want;

    grow(7);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        CU_ASSERT_EQUAL(merkle_prove_tree(7, rows[i].older, find, &store, &proof), 0);
        CU_ASSERT_EQUAL(proof.count, rows[i].count);
    }
    CU_ASSERT_EQUAL(merkle_prove_tree(7, 4, find, &store, &proof), 0);
    defined(4, 7, &want);
    CU_ASSERT_TRUE(same(&proof.hashes[0], &want));
    CU_ASSERT_EQUAL(merkle_prove_tree(7, 0, find, &store, &proof), -1);
    CU_ASSERT_EQUAL(merkle_prove_tree(7, 8, find, &store, &proof), -1);
}

static void an_edge_that_is_opened_again_goes_on(void)
{
    struct merkle_edge reopened;
    struct merkle_hash leaf, root, want;

    for (int64_t size = 0; size < SMALL; size += 13) {
        grow(size);
        merkle_edge_open(&reopened, size);
        for (int level = 0; level < MERKLE_LEVELS_MAX; level++) {
            CU_ASSERT_EQUAL(reopened.tiles[level].count, store.edge.tiles[level].count);
            CU_ASSERT_EQUAL(reopened.tiles[level].index, store.edge.tiles[level].index);
            memcpy(reopened.tiles[level].hashes, store.edge.tiles[level].hashes,
                   reopened.tiles[level].count * sizeof(leaf));
        }
        store.edge = reopened;
        for (int64_t i = size; i < size + 70; i++) {
            leaf_of(i, &leaf);
            merkle_append(&store.edge, &leaf, keep, &store);
        }
        defined(0, size + 70, &want);
        CU_ASSERT_EQUAL(merkle_root(size + 70, find, &store, &root), 0);
        CU_ASSERT_TRUE(same(&root, &want));
    }
}

static void a_proof_in_a_large_tree_reads_few_tiles(void)
{
    struct merkle_hash root, leaf;
    struct merkle_proof proof;

    grow(LARGE);
    CU_ASSERT_EQUAL(merkle_root(LARGE, find, &store, &root), 0);
    store.reads = 0;
    CU_ASSERT_EQUAL(merkle_prove_leaf(LARGE, 12345, find, &store, &proof), 0);
    CU_ASSERT_TRUE(store.reads <= 32);
    leaf_of(12345, &leaf);
    CU_ASSERT_TRUE(merkle_check_leaf(&proof, LARGE, &root, 12345, &leaf));
}

static void a_leaf_costs_microseconds(void)
{
    struct merkle_edge edge;
    struct merkle_hash leaf;
    clock_t begun = clock(); /* CPU time excludes other programs */

    merkle_edge_open(&edge, 0);
    grow(0);
    for (int64_t i = 0; i < TIMED; i++) {
        leaf_of(i, &leaf);
        merkle_append(&edge, &leaf, keep, &store);
        store.count = 0;
    }
    printf("%.0f leaves/s\n", TIMED / ((double)(clock() - begun) / CLOCKS_PER_SEC));
    CU_ASSERT_TRUE(clock() - begun < 10 * CLOCKS_PER_SEC); /* 100,000 leaves/s */
    free(store.tiles);
    store.tiles = NULL;
}

static const struct unit_case cases[] = {
    CASE(hashes_are_those_of_the_rfc),
    CASE(every_size_has_its_root),
    CASE(every_leaf_is_proven_and_no_other),
    CASE(a_tree_is_proven_to_begin_with_an_older_one),
    CASE(an_edge_that_is_opened_again_goes_on),
    CASE(a_proof_in_a_large_tree_reads_few_tiles),
    CASE(a_leaf_costs_microseconds),
};

int main(void)
{
    return unit_run("merkle", cases, ARRAY_SIZE(cases));
}
