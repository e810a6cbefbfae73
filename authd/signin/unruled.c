/*
 * unruled.c - see unruled.h.
 */
#include "authd/signin/unruled.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/cache.h"
#include "common/base/log.h"

struct unruled {
    struct cache *cache; /* of struct told */
};

struct told {
    int64_t change, until_mono_ms;
    char name[];
};

struct unruled *unruled_new(void)
{
    struct unruled *self = calloc(1, sizeof(*self));

    if (!self)
        log_die("admission", "out of memory");
    self->cache = cache_new(UNRULED_MAX, free);
    return self;
}

void unruled_destroy(struct unruled **self_p)
{
    if (*self_p) {
        cache_destroy(&(*self_p)->cache);
        free(*self_p);
        *self_p = NULL;
    }
}

/* A later change takes the place of an earlier one. The key ends in the random bytes of an
 * identifier of ours. */
static struct cache_key pair_key(const struct unruled_key *key)
{
    struct cache_key ret = {0};

    if (uuid_is_set(&key->policy))
        uuid_to_bytes(&key->policy, ret.bytes);
    uuid_to_bytes(&key->project, ret.bytes + CACHE_KEY_SIZE / 2);
    return ret;
}

const char *unruled_get(struct unruled *self, const struct unruled_key *key, int64_t mono_ms)
{
    struct cache_key pair = pair_key(key);
    const struct told *told = cache_get(self->cache, &pair);

    return told && told->change == key->change && mono_ms < told->until_mono_ms ? told->name : NULL;
}

void unruled_put(struct unruled *self, const struct unruled_key *key, const char *name,
                 int64_t mono_ms)
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
