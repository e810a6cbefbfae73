/* body.c - see body.h. */
#include "gateway/http/body.h"

#include <sodium.h>

#include "common/base/memory.h"
#include "gateway/auth/authenticate.h"

enum { BODY_FIRST = 16 * 1024 };

static void count(struct exchange *self, int64_t by)
{
    self->gateway->bodies_size += (uint64_t)by;
    if (!self->body_client)
        return;
    self->gateway->bodies_unknown_size += (uint64_t)by;
    for (struct http_client *each = self->body_client; each; each = each->wide)
        each->bodies_size += (uint64_t)by;
}

static void drop(struct exchange *self)
{
    if (!self->endpoint || self->endpoint->secret_in)
        sodium_memzero(self->body, self->body_size);
    free(self->body);
    count(self, -(int64_t)self->body_capacity);
    self->body = NULL;
    self->body_size = self->body_capacity = 0;
}

void body_free(struct exchange *self)
{
    if (self->body)
        drop(self);
    client_leave(&self->body_client);
}

static void find_client(struct exchange *self)
{
    struct address address;

    if (self->body || authentication_is_known(self->gateway, self->head.authorization))
        return;
    address = exchange_client(self);
    self->body_client = client_use(self->gateway->clients, &address);
}

static bool has_room(const struct exchange *self, size_t size)
{
    const struct gateway *gateway = self->gateway;

    if (gateway->bodies_size + size > BODIES_MAX)
        return false;
    if (self->body_client && gateway->bodies_unknown_size + size > BODIES_UNKNOWN_MAX)
        return false;
    for (const struct http_client *each = self->body_client; each; each = each->wide)
        if (each->bodies_size + size > BODIES_CLIENT_MAX * (uint64_t)each->factor)
            return false;
    return true;
}

static bool body_grow(struct exchange *self, size_t need)
{
    size_t capacity = MAX(self->body_capacity, (size_t)BODY_FIRST), size = self->body_size;
    uint8_t *body;

    while (capacity < need)
        capacity *= 2;
    find_client(self);
    if (!has_room(self, capacity))
        return false;
    body = memory_raw(capacity);
    if (self->body) {
        memcpy(body, self->body, size);
        drop(self);
        self->body_size = size;
    }
    self->body = body;
    self->body_capacity = capacity;
    count(self, (int64_t)capacity);
    return true;
}

bool body_append(struct exchange *self, const char *bytes, size_t size)
{
    int64_t spent_ms = clock_mono_us() / 1000 - self->arrived_us / 1000;

    self->received += size;
    if (!self->refused && self->received > BODY_MAX) {
        (void)error_set(&self->err, ERR_TOO_LARGE, "The request body is too large.");
        self->refused = true;
        body_free(self);
    }
    if (self->received > BODY_DROP_MAX || spent_ms > (self->refused ? BODY_DROP_MS : BODY_READ_MS))
        return false;
    if (self->refused || !self->endpoint || !self->endpoint->takes_body)
        return true;
    if (self->body_size + size > self->body_capacity && !body_grow(self, self->body_size + size)) {
        (void)error_retry(&self->err, ERR_OVERLOADED, 1, "Service unavailable. Try again.");
        self->refused = true;
        return true;
    }
    memcpy(self->body + self->body_size, bytes, size);
    self->body_size += size;
    return true;
}
