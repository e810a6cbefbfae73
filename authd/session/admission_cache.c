/*
 * admission_cache.c - see admission_cache.h.
 */
#include "authd/session/admission_cache.h"

#include <stdlib.h>
#include <string.h>

#include "authd/session/change.h"
#include "common/base/cache.h"
#include "common/base/log.h"

struct admission_cache {
    struct cache *cache; /* struct told, by project */
};

struct told_policy {
    struct uuid id; /* absent: none */
    int64_t until_mono_ms;
};

struct told {
    int64_t change;
    struct told_policy policies[UNRULED_POLICIES_MAX];
    size_t count, next; /* next: the oldest policy's index, or the end */
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

/* Makes a project's key. Its last 8 bytes come from a UUID generated here, so a client cannot
 * choose them. */
static struct cache_key project_key(const struct uuid *project)
{
    struct cache_key ret = {0};

    uuid_to_bytes(project, ret.bytes + CACHE_KEY_SIZE / 2);
    return ret;
}

static struct told_policy *find_policy(struct told *told, const struct uuid *policy)
{
    for (size_t i = 0; i < told->count; i++) {
        if (strcmp(told->policies[i].id.text, policy->text) == 0)
            return &told->policies[i];
    }
    return NULL;
}

const char *admission_cache_get(struct admission_cache *self, const struct admission_cache_key *key,
                                int64_t mono_ms)
{
    struct cache_key project = project_key(&key->project);
    struct told *told = cache_get(self->cache, &project);
    const struct told_policy *policy =
        told && told->change == key->change ? find_policy(told, &key->policy) : NULL;

    return policy && mono_ms < policy->until_mono_ms ? told->name : NULL;
}

/* Makes an entry that replaces the project's. */
static struct told *told_new(struct admission_cache *self, const struct cache_key *project,
                             int64_t change, const char *name)
{
    size_t size = strlen(name) + 1;
    struct told *told = malloc(sizeof(*told) + size);

    if (!told)
        log_die("admission", "out of memory");
    *told = (struct told){.change = change};
    memcpy(told->name, name, size);
    cache_put(self->cache, project, told);
    return told;
}

static struct told_policy *add_policy(struct told *told)
{
    struct told_policy *ret = &told->policies[told->next];

    told->next = (told->next + 1) % UNRULED_POLICIES_MAX;
    told->count = MIN(told->count + 1, (size_t)UNRULED_POLICIES_MAX);
    return ret;
}

void admission_cache_put(struct admission_cache *self, const struct admission_cache_key *key,
                         const char *name, int64_t mono_ms)
{
    struct cache_key project = project_key(&key->project);
    struct told *told = cache_get(self->cache, &project);
    struct told_policy *policy;

    if (!told || told->change != key->change)
        told = told_new(self, &project, key->change, name);
    policy = find_policy(told, &key->policy);
    if (!policy)
        policy = add_policy(told);
    *policy = (struct told_policy){key->policy, mono_ms + CHANGE_ANSWER_LIFE};
}

bool admission_cache_list(struct admission_cache *self, const struct uuid *project, int64_t mono_ms,
                          struct admission_list *ret)
{
    struct cache_key key = project_key(project);
    const struct told *told = cache_get(self->cache, &key);
    char *end = ret->policies;

    for (size_t i = 0; told && i < told->count; i++) {
        const struct told_policy *policy = &told->policies[i];

        if (mono_ms >= policy->until_mono_ms)
            continue;
        if (end > ret->policies)
            *end++ = ' ';
        end = stpcpy(end, uuid_is_set(&policy->id) ? policy->id.text : "none");
    }
    if (end == ret->policies)
        return false;
    ret->change = told->change;
    return true;
}
