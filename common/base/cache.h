/*
 * cache.h - a bounded map from random-looking bytes to values (tokens, identities, open projects).
 *
 * A full cache drops an entry not used since the hand of the clock last passed it (second chance).
 */
#ifndef ATRIUM_COMMON_BASE_CACHE_H
#define ATRIUM_COMMON_BASE_CACHE_H

#include "common/base/base.h"

enum { CACHE_KEY_SIZE = 32 };

/* Compared whole. The last eight bytes are the hash: a client must not be able to choose them. */
struct cache_key {
    uint8_t bytes[CACHE_KEY_SIZE];
};

struct cache;

/* At most `capacity` entries; drop(value) is called for each value that leaves. */
struct cache *cache_new(size_t capacity, void (*drop)(void *value));
void cache_destroy(struct cache **self_p);

/* Keys of texts or bytes: BLAKE2b with a secret of this cache, so that no client can aim at an
 * entry. */
struct cache_key cache_key_of(const struct cache *self, const char *const texts[], size_t count);
struct cache_key cache_key_of_bytes(const struct cache *self, const void *bytes, size_t size);

/* The value, marked as used, or NULL. Valid until the next put, remove or clear. */
void *cache_get(struct cache *self, const struct cache_key *key);

/* Puts the value, which the cache owns from now on, in place of one with the same key. */
void cache_put(struct cache *self, const struct cache_key *key, void *value);

void cache_remove(struct cache *self, const struct cache_key *key);

/* Removes each value for which match(value, arg) is true; a NULL match removes all. */
void cache_remove_if(struct cache *self, bool (*match)(const void *value, const void *arg),
                     const void *arg);

size_t cache_count(const struct cache *self);

#endif
