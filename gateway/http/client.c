/* client.c - see client.h. */
#include "gateway/http/client.h"

#include <sodium.h>

#include "common/base/memory.h"

enum { BUCKETS = 4096 };

struct clients {
    uint8_t key[crypto_shorthash_KEYBYTES]; /* random, so that clients can't choose their bucket */
    struct http_client *buckets[BUCKETS];
};

struct clients *clients_new(void)
{
    struct clients *self = memory_new(sizeof(*self));

    randombytes_buf(self->key, sizeof(self->key));
    return self;
}

void clients_destroy(struct clients **self_p)
{
    free(*self_p);
    *self_p = NULL;
}

static struct http_client **bucket_of(struct clients *all, const struct address_subject *subject)
{
    uint8_t bytes[sizeof(subject->address.bytes) + 1], hash[crypto_shorthash_BYTES];
    uint16_t number;

    memcpy(bytes, subject->address.bytes, sizeof(subject->address.bytes));
    bytes[sizeof(subject->address.bytes)] = (uint8_t)subject->factor;
    crypto_shorthash(hash, bytes, sizeof(bytes), all->key);
    memcpy(&number, hash, sizeof(number));
    return &all->buckets[number % BUCKETS];
}

static struct http_client *use(struct clients *all, const struct address_subject *subject)
{
    struct http_client **bucket = bucket_of(all, subject), *self;

    for (self = *bucket; self; self = self->next)
        if (self->factor == subject->factor &&
            memcmp(&self->address, &subject->address, sizeof(self->address)) == 0)
            break;
    if (!self) {
        self = memory_new(sizeof(*self));
        self->all = all;
        self->address = subject->address;
        self->factor = subject->factor;
        self->next = *bucket;
        *bucket = self;
    }
    self->uses++;
    return self;
}

struct http_client *client_use(struct clients *all, const struct address *address)
{
    struct address_subjects subjects;
    struct http_client *self, *wide = NULL;

    address_subjects(address, &subjects);
    if (subjects.count > 1)
        wide = use(all, &subjects.items[1]);
    self = use(all, &subjects.items[0]);
    self->wide = wide;
    return self;
}

static void leave(struct http_client *self)
{
    const struct address_subject subject = {.address = self->address, .factor = self->factor};
    struct http_client **link = bucket_of(self->all, &subject);

    if (--self->uses > 0)
        return;
    while (*link != self)
        link = &(*link)->next;
    *link = self->next;
    free(self);
}

void client_leave(struct http_client **self_p)
{
    struct http_client *self = *self_p;

    *self_p = NULL;
    if (!self)
        return;
    if (self->wide)
        leave(self->wide);
    leave(self);
}
