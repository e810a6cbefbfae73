/* identity.c - see identity.h. */
#include "gateway/auth/identity.h"

#include "common/base/cache.h"
#include "common/base/memory.h"

struct identity_change {
    bool (*concerns)(const void *identity, const void *id);
    struct uuid id;
};

struct identities {
    struct cache *cache;
    uint64_t generation, cleared; /* results of fetches begun before `cleared` are rejected */
    struct identity_change changes[IDENTITY_CHANGES_KEPT]; /* ring buffer */
};

static size_t text_size(const char *text)
{
    return text ? strlen(text) + 1 : 0;
}

static void text_move(const char **text, char **place)
{
    size_t size = text_size(*text);

    if (size == 0)
        return;
    memcpy(*place, *text, size);
    *text = *place;
    *place += size;
}

struct identity *identity_new(const struct caller *caller, bool suspended,
                              const char *address_rules, const char *policy_address_rules)
{
    size_t size = text_size(caller->display) + text_size(caller->addressKey) +
                  text_size(caller->projectName) + text_size(caller->brandName) +
                  text_size(caller->policyName) + text_size(caller->policyResource) +
                  text_size(address_rules) + text_size(policy_address_rules);
    struct identity *self = memory_new(sizeof(*self) + size);
    char *place;

    self->holds = 1;
    self->suspended = suspended;
    self->caller = *caller;
    self->address_rules = address_rules;
    self->policy_address_rules = policy_address_rules;
    place = self->texts;
    text_move(&self->caller.display, &place);
    text_move(&self->caller.addressKey, &place);
    text_move(&self->caller.projectName, &place);
    text_move(&self->caller.brandName, &place);
    text_move(&self->caller.policyName, &place);
    text_move(&self->caller.policyResource, &place);
    text_move(&self->address_rules, &place);
    text_move(&self->policy_address_rules, &place);
    return self;
}

static struct identity *addref(struct identity *self)
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
    struct identities *self = memory_new(sizeof(*self));

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

/* Makes a session's key. Only authd makes these UUIDs, so clients can't choose hash buckets. */
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
    return addref(identity);
}

uint64_t identities_generation(const struct identities *self)
{
    return self->generation;
}

static bool has_changed(const struct identities *self, const struct identity *identity,
                        uint64_t since)
{
    if (since < self->cleared || self->generation - since > IDENTITY_CHANGES_KEPT)
        return true;
    for (uint64_t at = since; at < self->generation; at++) {
        const struct identity_change *change = &self->changes[at % IDENTITY_CHANGES_KEPT];

        if (change->concerns(identity, &change->id))
            return true;
    }
    return false;
}

bool identities_put(struct identities *self, struct identity *identity, uint64_t generation,
                    int64_t mono_ms)
{
    struct cache_key key = identity_key(&identity->caller.session);

    if (has_changed(self, identity, generation))
        return false;
    identity->expires_ms = mono_ms + IDENTITY_AGE_MAX_MS;
    cache_put(self->cache, &key, addref(identity));
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
    static const struct {
        const char *kind;
        bool (*concerns)(const void *identity, const void *id);
    } kinds[] = {{"membership", of_membership},
                 {"account", of_account},
                 {"policy", of_policy},
                 {"project", of_project}};

    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
        if (strcmp(kind, kinds[i].kind) != 0)
            continue;
        self->changes[self->generation++ % IDENTITY_CHANGES_KEPT] =
            (struct identity_change){kinds[i].concerns, *id};
        cache_remove_if(self->cache, kinds[i].concerns, id);
    }
}

void identities_clear(struct identities *self)
{
    self->cleared = ++self->generation;
    cache_remove_if(self->cache, NULL, NULL);
}
