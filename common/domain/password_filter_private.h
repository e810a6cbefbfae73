/* password_filter_private.h - the file format of password_filter.h, for its reader and writer. */
#ifndef ATRIUM_COMMON_DOMAIN_PASSWORD_FILTER_PRIVATE_H
#define ATRIUM_COMMON_DOMAIN_PASSWORD_FILTER_PRIVATE_H

#include "common/base/base.h"

enum {
    FILTER_MAGIC = 8,
    FILTER_HEADER = 32,
    FILTER_ROW = 32,
    FILTER_VERSION = 1,
    FILTER_SHARDS_BITS = 12,
    FILTER_SHARDS_MAX = 1 << FILTER_SHARDS_BITS,
    FILTER_SHARD_KEYS_MAX = 1 << 22,
    FILTER_SEGMENT_MAX = 1 << 18,
    FILTER_PRINT = 2, /* bytes of a fingerprint */
};

extern const uint8_t filter_magic[FILTER_MAGIC];

struct filter_shape {
    uint64_t seed;
    uint32_t segment;  /* slots per segment: a power of two, 0 for an empty shard */
    uint32_t segments; /* segments that hold a key's first slot; two more follow */
};

static inline size_t filter_slots(const struct filter_shape *shape)
{
    return shape->segment == 0 ? 0 : ((size_t)shape->segments + 2) * shape->segment;
}

static inline size_t filter_shard(uint64_t key, unsigned bits)
{
    return (size_t)(key >> (64 - FILTER_SHARDS_BITS)) >> (FILTER_SHARDS_BITS - bits);
}

/* Permutes keys by seed (MurmurHash3's finalizer). */
static inline uint64_t filter_mix(uint64_t key, uint64_t seed)
{
    uint64_t hash = key + seed;

    hash = (hash ^ (hash >> 33)) * 0xff51afd7ed558ccdU;
    hash = (hash ^ (hash >> 33)) * 0xc4ceb9fe1a85ec53U;
    return hash ^ (hash >> 33);
}

static inline uint16_t filter_print(uint64_t hash)
{
    return (uint16_t)(hash ^ (hash >> 32));
}

/* Computes a key's three slots: the upper half gives the first, other bits one in each of the next
 * two segments. */
static inline void filter_place(const struct filter_shape *shape, uint64_t hash,
                                uint32_t ret[static 3])
{
    uint32_t within = shape->segment - 1;
    uint64_t range = (uint64_t)shape->segments * shape->segment;

    ret[0] = (uint32_t)(((hash >> 32) * range) >> 32);
    ret[1] = (ret[0] + shape->segment) ^ ((uint32_t)(hash >> 18) & within);
    ret[2] = (ret[0] + 2 * shape->segment) ^ ((uint32_t)hash & within);
}

#endif
