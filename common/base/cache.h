/*
 * cache.h - a bounded map from random bytes to values, such as tokens and open projects.
 *
 * A full cache evicts with the clock algorithm (second chance).
 */
#ifndef ATRIUM_COMMON_BASE_CACHE_H
#define ATRIUM_COMMON_BASE_CACHE_H

#include "common/base/base.h"

enum { CACHE_KEY_SIZE = 32 };

/* A key, compared whole. Its last eight bytes are the hash, so clients must not choose them. */
struct cache_key {
    uint8_t bytes[CACHE_KEY_SIZE];
};

struct cache;

/* drop(value) runs for each removed value. */
struct cache *cache_new(size_t capacity, void (*drop)(void *value));
void cache_destroy(struct cache **self_p);

/* Hashes texts or bytes with the cache's secret (BLAKE2b), against forged collisions. */
struct cache_key cache_key_of(const struct cache *self, const char *const texts[], size_t count);
struct cache_key cache_key_of_bytes(const struct cache *self, const void *bytes, size_t size);

/* Returns the value and marks it as used. It is valid until the next put, remove or clear. NULL:
 * none. */
void *cache_get(struct cache *self, const struct cache_key *key);

/* Stores a value, which the cache then owns, and drops the key's old one. */
void cache_put(struct cache *self, const struct cache_key *key, void *value);

void cache_remove(struct cache *self, const struct cache_key *key);

/* Removes values that match(value, arg) accepts; NULL accepts all. */
void cache_remove_if(struct cache *self, bool (*match)(const void *value, const void *arg),
                     const void *arg);

size_t cache_count(const struct cache *self);

#endif
