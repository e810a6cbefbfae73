/*
 * password_filter.h - a set of passwords, common or breached ones, in a file that is mapped: some
 * 18 bits for each. Asked whether it has a password it is right about each that it has, and wrong
 * about one in 65,536 others, or 32,768 of those that are looked up twice.
 *
 * The key of a password is the first 8 bytes, big-endian, of the SHA-1 of its text, normalised
 * (password_text.h). So a filter can be made of a list of passwords and of a list of SHA-1 hashes,
 * as corpora of breaches are published; nothing depends on the strength of SHA-1, and the file is
 * no secret. What is looked up is the text as it is and with its ASCII letters in lower case.
 *
 * The file, numbers little-endian:
 *
 *       0   8  magic, 89 41 54 52 50 57 0d 0a
 *       8   4  version, 1
 *      12   4  n, how many shards there are: a power of two up to 4,096
 *      16   8  passwords
 *      24   8  bytes of the file
 *      32 32n  for each shard its seed (8), where its fingerprints begin in the file (8), passwords
 *              (4), slots of a segment (4), segments that have a first slot (4), zero (4)
 *       .   .  fingerprints, 2 bytes for each slot, shard by shard without a gap
 *       .  32  BLAKE2b-256 of all bytes before
 *
 * The first bits of a key choose the shard, which is a binary fuse filter (Graf and Lemire, "Binary
 * Fuse Filters: Fast and Smaller Than Xor Filters", 2022) with three slots for each key, in three
 * neighbouring segments: the fingerprints there, xored, are that of the key. A shard without
 * passwords has no segment. A build that changes any of this changes the version.
 */
#ifndef ATRIUM_COMMON_DOMAIN_PASSWORD_FILTER_H
#define ATRIUM_COMMON_DOMAIN_PASSWORD_FILTER_H

#include "common/base/arena.h"
#include "common/base/base.h"
#include "common/base/error.h"

enum { PASSWORD_FILTER_HASH_SIZE = 32 };

struct password_filter;

struct password_filter_info {
    int64_t version, passwords, shards, size; /* size in bytes */
    uint8_t hash[PASSWORD_FILTER_HASH_SIZE];
};

/* Whether bytes begin as a filter does: no list of passwords in UTF-8 begins so. */
bool password_filter_begins(const void *bytes, size_t size);

/* Maps the open file, still the caller's, until the arena ends; `name` is for messages. NULL:
 * ERR_BAD_REQUEST: no filter, another version, cut off or altered. Replace it by renaming only:
 * truncating it ends the process that maps it. */
struct password_filter *password_filter_open(int fd, const char *name, struct arena *arena,
                                             struct error *err) MUST_USE;

/* The same of bytes in memory, which must outlive it. */
struct password_filter *password_filter_from_bytes(const void *bytes, size_t size, const char *name,
                                                   struct arena *arena, struct error *err) MUST_USE;

struct password_filter_info password_filter_info(const struct password_filter *self);

/* Whether it has the password, a normalised text. Any thread. */
bool password_filter_has(const struct password_filter *self, const char *password);

/* The same of a key. */
bool password_filter_has_key(const struct password_filter *self, uint64_t key);

/* The key of `length` bytes of normalised text, with ASCII letters in lower case when `lower`. */
uint64_t password_key(const char *text, size_t length, bool lower);

#endif
