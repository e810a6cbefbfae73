/*
 * admission_cache.c - see admission_cache.h.
 */
#include "authd/signin/admission_cache.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/cache.h"
#include "common/base/log.h"

struct admission_cache {
    struct cache *cache; /* of struct told */
};

struct told {
    int64_t change, until_mono_ms;
    char name[];
};

struct admission_cache *admission_cache_new(void)
{
    struct admission_cache *self = calloc(1, sizeof(*self));

    if (!self)
        log_die("admission", "out of memory");
    self->cache = cache_new(UNRULED_MAX, free);
    return self;
}

void admission_cache_destroy(struct admission_cache **self_p)
{
    if (*self_p) {
        cache_destroy(&(*self_p)->cache);
        free(*self_p);
        *self_p = NULL;
    }
}

/* A later change takes the place of an earlier one. The last 8 bytes of the key come from
 * a UUID generated here, so a client cannot choose them. */
static struct cache_key pair_key(const struct admission_cache_key *key)
{
    struct cache_key ret = {0};

    if (uuid_is_set(&key->policy))
        uuid_to_bytes(&key->policy, ret.bytes);
    uuid_to_bytes(&key->project, ret.bytes + CACHE_KEY_SIZE / 2);
    return ret;
}

const char *admission_cache_get(struct admission_cache *self, const struct admission_cache_key *key,
                                int64_t mono_ms)
{
    struct cache_key pair = pair_key(key);
    const struct told *told = cache_get(self->cache, &pair);

    return told && told->change == key->change && mono_ms < told->until_mono_ms ? told->name : NULL;
}

void admission_cache_put(struct admission_cache *self, const struct admission_cache_key *key,
                         const char *name, int64_t mono_ms)
{
    struct cache_key pair = pair_key(key);
    size_t size = strlen(name) + 1;
    struct told *told = malloc(sizeof(*told) + size);

    if (!told)
        log_die("admission", "out of memory");
    *told = (struct told){key->change, mono_ms + UNRULED_AGE_MAX_MS};
    memcpy(told->name, name, size);
    cache_put(self->cache, &pair, told);
}
