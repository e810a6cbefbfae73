/* revoke.c - see revoke.h. A hash table. */
#include "gateway/auth/revoke.h"

#include "common/base/memory.h"

enum { BUCKETS_FIRST = 1024, SWEEP_SHARE = 64, MARGIN_MS = 60000 };

struct entry {
    struct entry *next;
    uint8_t session[16], token[16];
    bool by_logout;
    int64_t until_ms;
};

struct revocations {
    struct entry **buckets;
    size_t size, count, swept; /* `size`: power of two; `swept`: next bucket to sweep */
};

struct revocations *revocations_new(void)
{
    struct revocations *self = memory_new(sizeof(*self));

    self->size = BUCKETS_FIRST;
    self->buckets = memory_array(self->size, sizeof(struct entry *));
    return self;
}

void revocations_destroy(struct revocations **self_p)
{
    struct revocations *self = TAKE_PTR(*self_p);

    if (!self)
        return;
    for (size_t i = 0; i < self->size; i++) {
        while (self->buckets[i]) {
            struct entry *entry = self->buckets[i];

            self->buckets[i] = entry->next;
            free(entry);
        }
    }
    free(self->buckets);
    free(self);
}

/* Uses the last eight bytes of a session id, which are random. */
static size_t bucket_of(const uint8_t session[static 16], size_t size)
{
    uint64_t hash;

    memcpy(&hash, session + 8, sizeof(hash));
    return hash & (size - 1);
}

static struct entry *entry_find(const struct revocations *self, const uint8_t session[static 16])
{
    struct entry *entry = self->buckets[bucket_of(session, self->size)];

    while (entry && memcmp(entry->session, session, sizeof(entry->session)) != 0)
        entry = entry->next;
    return entry;
}

static void table_grow(struct revocations *self)
{
    size_t size = self->size * 2;
    struct entry **buckets = memory_array(size, sizeof(struct entry *));

    for (size_t i = 0; i < self->size; i++) {
        while (self->buckets[i]) {
            struct entry *entry = self->buckets[i];
            size_t place = bucket_of(entry->session, size);

            self->buckets[i] = entry->next;
            entry->next = buckets[place];
            buckets[place] = entry;
        }
    }
    free(self->buckets);
    self->buckets = buckets;
    self->size = size;
}

void revocations_add(struct revocations *self, const struct uuid *session, const struct uuid *token,
                     int64_t until_ms)
{
    uint8_t key[16];
    struct entry *entry;
    size_t place;

    uuid_to_bytes(session, key);
    entry = entry_find(self, key);
    if (entry) {
        entry->until_ms = MAX(entry->until_ms, until_ms);
        return;
    }
    entry = memory_new(sizeof(*entry));
    memcpy(entry->session, key, sizeof(key));
    entry->by_logout = uuid_is_set(token);
    if (entry->by_logout)
        uuid_to_bytes(token, entry->token);
    entry->until_ms = until_ms;
    if (self->count == self->size)
        table_grow(self);
    place = bucket_of(key, self->size);
    entry->next = self->buckets[place];
    self->buckets[place] = entry;
    self->count++;
}

enum revocation revocations_check(const struct revocations *self, const struct uuid *session,
                                  const struct uuid *token)
{
    uint8_t key[16], id[16];
    const struct entry *entry;

    uuid_to_bytes(session, key);
    entry = entry_find(self, key);
    if (!entry)
        return REVOCATION_NONE;
    uuid_to_bytes(token, id);
    if (entry->by_logout && memcmp(entry->token, id, sizeof(id)) == 0)
        return REVOCATION_LOGOUT;
    return REVOCATION_ENDED;
}

void revocations_sweep(struct revocations *self, int64_t now_ms)
{
    for (size_t n = self->size / SWEEP_SHARE; n > 0; n--) {
        struct entry **link = &self->buckets[self->swept++ & (self->size - 1)];

        while (*link) {
            struct entry *entry = *link;

            if (now_ms <= entry->until_ms + MARGIN_MS) {
                link = &entry->next;
                continue;
            }
            *link = entry->next;
            free(entry);
            self->count--;
        }
    }
}

size_t revocations_count(const struct revocations *self)
{
    return self->count;
}
