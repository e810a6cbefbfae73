/* cache.c - hash chains through an array of slots, which is also the clock's ring. */
#include "common/base/cache.h"

#include <sodium.h>

#include "common/base/memory.h"

enum { NO_SLOT = -1 };

struct slot {
    struct cache_key key;
    void *value; /* NULL: free */
    int32_t next;
    bool used;
};

struct cache {
    void (*drop)(void *value);
    size_t capacity, count, hand, fresh; /* slots below `fresh` have been used */
    size_t mask;
    int32_t *heads, free;
    struct slot *slots;
    uint8_t secret[crypto_generichash_KEYBYTES];
};

struct cache *cache_new(size_t capacity, void (*drop)(void *value))
{
    struct cache *self = memory_new(sizeof(*self));
    size_t buckets = 16;

    while (buckets < capacity)
        buckets *= 2;
    self->heads = memory_raw(buckets * sizeof(*self->heads));
    self->slots = memory_raw(capacity * sizeof(*self->slots)); /* initialized as `fresh` grows */
    memset(self->heads, 0xff, buckets * sizeof(*self->heads));
    self->capacity = capacity;
    self->mask = buckets - 1;
    self->free = NO_SLOT;
    self->drop = drop;
    randombytes_buf(self->secret, sizeof(self->secret));
    return self;
}

void cache_destroy(struct cache **self_p)
{
    struct cache *self = TAKE_PTR(*self_p);

    if (!self)
        return;
    cache_remove_if(self, NULL, NULL);
    free(self->heads);
    free(self->slots);
    free(self);
}

struct cache_key cache_key_of(const struct cache *self, const char *const texts[], size_t count)
{
    crypto_generichash_state state;
    struct cache_key key;

    crypto_generichash_init(&state, self->secret, sizeof(self->secret), sizeof(key.bytes));
    for (size_t i = 0; i < count; i++)
        crypto_generichash_update(&state, (const uint8_t *)texts[i], strlen(texts[i]) + 1);
    crypto_generichash_final(&state, key.bytes, sizeof(key.bytes));
    return key;
}

struct cache_key cache_key_of_bytes(const struct cache *self, const void *bytes, size_t size)
{
    struct cache_key key;

    crypto_generichash(key.bytes, sizeof(key.bytes), bytes, size, self->secret,
                       sizeof(self->secret));
    return key;
}

static int32_t *cache_head(struct cache *self, const struct cache_key *key)
{
    uint64_t hash;

    memcpy(&hash, key->bytes + CACHE_KEY_SIZE - sizeof(hash), sizeof(hash));
    return &self->heads[hash & self->mask];
}

static int32_t *cache_link(struct cache *self, const struct cache_key *key)
{
    int32_t *link = cache_head(self, key);

    while (*link != NO_SLOT &&
           memcmp(self->slots[*link].key.bytes, key->bytes, CACHE_KEY_SIZE) != 0)
        link = &self->slots[*link].next;
    return link;
}

static void cache_unlink(struct cache *self, int32_t *link)
{
    int32_t place = *link;
    struct slot *slot = &self->slots[place];
    void *value = slot->value;

    *link = slot->next;
    slot->value = NULL;
    slot->next = self->free;
    self->free = place;
    self->count--;
    self->drop(value);
}

void *cache_get(struct cache *self, const struct cache_key *key)
{
    int32_t place = *cache_link(self, key);

    if (place == NO_SLOT)
        return NULL;
    self->slots[place].used = true;
    return self->slots[place].value;
}

/* Drops the first entry after the hand that was not used lately. The hand makes two rounds at
 * most. */
static void cache_evict(struct cache *self)
{
    struct slot *slot = &self->slots[self->hand];

    while (slot->used) {
        slot->used = false;
        self->hand = (self->hand + 1) % self->capacity;
        slot = &self->slots[self->hand];
    }
    /* Moves past the new entry, which is not marked as used and would be evicted next. */
    self->hand = (self->hand + 1) % self->capacity;
    cache_unlink(self, cache_link(self, &slot->key));
}

static int32_t cache_free_slot(struct cache *self)
{
    int32_t place;

    if (self->free == NO_SLOT && self->fresh < self->capacity)
        return (int32_t)self->fresh++;
    if (self->free == NO_SLOT)
        cache_evict(self);
    place = self->free;
    self->free = self->slots[place].next;
    return place;
}

void cache_put(struct cache *self, const struct cache_key *key, void *value)
{
    int32_t place, *head;

    cache_remove(self, key);
    place = cache_free_slot(self);
    head = cache_head(self, key);
    self->slots[place] = (struct slot){.key = *key, .value = value, .next = *head};
    *head = place;
    self->count++;
}

void cache_remove(struct cache *self, const struct cache_key *key)
{
    int32_t *link = cache_link(self, key);

    if (*link != NO_SLOT)
        cache_unlink(self, link);
}

void cache_remove_if(struct cache *self, bool (*match)(const void *value, const void *arg),
                     const void *arg)
{
    for (size_t i = 0; i < self->fresh; i++) {
        struct slot *slot = &self->slots[i];

        if (slot->value && (!match || match(slot->value, arg)))
            cache_unlink(self, cache_link(self, &slot->key));
    }
}

size_t cache_count(const struct cache *self)
{
    return self->count;
}
