/*
 * identity.c - the cache of resolved callers.  Filled by resolve.c, emptied by changes.c.
 */
#include "gateway/auth/identity.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/cache.h"
#include "common/base/log.h"

struct identities {
    struct cache *cache;
    uint64_t generation;
};

static size_t text_size(const char *text)
{
    return text ? strlen(text) + 1 : 0;
}

/* Copies *text behind *place and makes it point there. */
static void text_move(const char **text, char **place)
{
    size_t size = text_size(*text);

    if (size == 0)
        return;
    memcpy(*place, *text, size);
    *text = *place;
    *place += size;
}

struct identity *identity_new(const struct caller *caller, bool suspended)
{
    size_t size = text_size(caller->role) + text_size(caller->display) +
                  text_size(caller->projectName) + text_size(caller->policyName) +
                  text_size(caller->policyResource);
    struct identity *self = calloc(1, sizeof(*self) + size);
    char *place;

    if (!self)
        log_die("identity", "out of memory");
    self->holds = 1;
    self->suspended = suspended;
    self->caller = *caller;
    place = self->texts;
    text_move(&self->caller.role, &place);
    text_move(&self->caller.display, &place);
    text_move(&self->caller.projectName, &place);
    text_move(&self->caller.policyName, &place);
    text_move(&self->caller.policyResource, &place);
    return self;
}

struct identity *identity_hold(struct identity *self)
{
    self->holds++;
    return self;
}

void identity_release(struct identity **self_p)
{
    if (*self_p && --(*self_p)->holds == 0)
        free(*self_p);
    *self_p = NULL;
}

static void drop_value(void *value)
{
    struct identity *identity = value;

    identity_release(&identity);
}

struct identities *identities_new(void)
{
    struct identities *self = calloc(1, sizeof(*self));

    if (!self)
        log_die("identity", "out of memory");
    self->cache = cache_new(IDENTITY_CACHE_MAX, drop_value);
    return self;
}

void identities_destroy(struct identities **self_p)
{
    if (*self_p) {
        cache_destroy(&(*self_p)->cache);
        free(*self_p);
        *self_p = NULL;
    }
}

/* Session ids are authd's; the key ends in their random bytes. */
static struct cache_key identity_key(const struct uuid *session)
{
    struct cache_key key = {0};

    uuid_to_bytes(session, key.bytes + CACHE_KEY_SIZE - 16);
    return key;
}

struct identity *identities_get(struct identities *self, const struct uuid *session,
                                int64_t mono_ms)
{
    struct cache_key key = identity_key(session);
    struct identity *identity = cache_get(self->cache, &key);

    if (!identity || mono_ms >= identity->expires_ms)
        return NULL;
    return identity_hold(identity);
}

uint64_t identities_generation(const struct identities *self)
{
    return self->generation;
}

bool identities_put(struct identities *self, struct identity *identity, uint64_t generation,
                    int64_t mono_ms)
{
    struct cache_key key = identity_key(&identity->caller.session);

    if (generation != self->generation)
        return false;
    identity->expires_ms = mono_ms + IDENTITY_AGE_MAX_MS;
    cache_put(self->cache, &key, identity_hold(identity));
    return true;
}

static bool of_membership(const void *value, const void *arg)
{
    return uuid_equal(&((const struct identity *)value)->caller.membership, arg);
}

static bool of_account(const void *value, const void *arg)
{
    return uuid_equal(&((const struct identity *)value)->caller.account, arg);
}

static bool of_policy(const void *value, const void *arg)
{
    return uuid_equal(&((const struct identity *)value)->caller.policy, arg);
}

static bool of_project(const void *value, const void *arg)
{
    return uuid_equal(&((const struct identity *)value)->caller.project, arg);
}

void identities_forget(struct identities *self, const char *kind, const struct uuid *id)
{
    self->generation++;
    if (strcmp(kind, "membership") == 0)
        cache_remove_if(self->cache, of_membership, id);
    else if (strcmp(kind, "account") == 0)
        cache_remove_if(self->cache, of_account, id);
    else if (strcmp(kind, "policy") == 0)
        cache_remove_if(self->cache, of_policy, id);
    else if (strcmp(kind, "project") == 0)
        cache_remove_if(self->cache, of_project, id);
}

void identities_clear(struct identities *self)
{
    self->generation++;
    cache_remove_if(self->cache, NULL, NULL);
}
