/*
 * password_filter.h - a set of common or breached passwords in a mapped file, 18 bits each.
 *
 * No false negatives; one in 65,536 other passwords is a false positive (32,768 if looked up twice:
 * as typed and in ASCII lower case). A password's key is the first 8 bytes, big-endian, of its
 * normalised text's SHA-1 (password_text.h): breach corpora come as SHA-1, and nothing depends on
 * its strength.
 *
 * The file, little-endian; any change needs a new version:
 *       0   8  magic, 89 41 54 52 50 57 0d 0a
 *       8   4  version, 1
 *      12   4  n, number of shards: a power of two up to 4,096
 *      16   8  passwords
 *      24   8  bytes of the file
 *      32 32n  per shard: seed (8), offset of its fingerprints (8), passwords (4), slots per
 *              segment (4), segments with a first slot (4), zero (4)
 *       .   .  fingerprints, 2 bytes per slot, shard by shard without a gap
 *       .  32  BLAKE2b-256 of all bytes before
 *
 * A key's first bits choose the shard, a binary fuse filter (Graf and Lemire, "Binary Fuse Filters:
 * Fast and Smaller Than Xor Filters", 2022): the fingerprints in its three slots, in neighbouring
 * segments, xor to the key's. An empty shard has no segment.
 */
#ifndef ATRIUM_COMMON_DOMAIN_PASSWORD_FILTER_H
#define ATRIUM_COMMON_DOMAIN_PASSWORD_FILTER_H

#include "common/base/arena.h"
#include "common/base/base.h"
#include "common/base/error.h"

enum { PASSWORD_FILTER_HASH_SIZE = 32 };

struct password_filter;

struct password_filter_info {
    int64_t version, passwords, shards, size; /* size: bytes */
    uint8_t hash[PASSWORD_FILTER_HASH_SIZE];
};

/* True for a filter's magic, with which no UTF-8 list of passwords begins. */
bool password_filter_begins(const void *bytes, size_t size);

/* Maps the file until the arena ends; the caller closes it. Fails with ERR_BAD_REQUEST: not a
 * filter, another version, or damaged. Replace the file only by renaming: truncating it kills
 * processes that map it. */
struct password_filter *password_filter_open(int fd, const char *name, struct arena *arena,
                                             struct error *err) MUST_USE;

/* Like password_filter_open(), for bytes in memory, which must outlive the filter. */
struct password_filter *password_filter_from_bytes(const void *bytes, size_t size, const char *name,
                                                   struct arena *arena, struct error *err) MUST_USE;

struct password_filter_info password_filter_info(const struct password_filter *self);

/* Looks up a normalised text, on any thread. */
bool password_filter_has(const struct password_filter *self, const char *password);

bool password_filter_has_key(const struct password_filter *self, uint64_t key);

/* Returns the key of normalised text, with ASCII letters lowered if `lower`. */
uint64_t password_key(const char *text, size_t length, bool lower);

#endif
