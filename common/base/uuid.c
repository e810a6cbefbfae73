/* uuid.c - see uuid.h. */
#include "common/base/uuid.h"

#include <sodium.h>

enum { UUID_BYTES = 16, UUID_LENGTH = 36, COUNTER_MAX = 0xfff };

static bool is_hyphen_position(size_t position)
{
    return position == 8 || position == 13 || position == 18 || position == 23;
}

static int hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

static struct uuid finish(uint8_t bytes[static UUID_BYTES], uint8_t version)
{
    struct uuid id;

    bytes[6] = (uint8_t)((bytes[6] & 0x0f) | (version << 4));
    bytes[8] = (uint8_t)((bytes[8] & 0x3f) | 0x80);
    uuid_from_bytes(bytes, &id);
    return id;
}

static struct uuid finish_ordered(uint8_t bytes[static UUID_BYTES], int64_t ms)
{
    for (int i = 0; i < 6; i++)
        bytes[i] = (uint8_t)((uint64_t)ms >> (8 * (5 - i)));
    return finish(bytes, 7);
}

struct uuid uuid_random(void)
{
    uint8_t bytes[UUID_BYTES];

    randombytes_buf(bytes, sizeof(bytes));
    return finish(bytes, 4);
}

struct uuid uuid_ordered(int64_t ms)
{
    uint8_t bytes[UUID_BYTES];

    randombytes_buf(bytes, sizeof(bytes));
    return finish_ordered(bytes, ms);
}

static uint8_t *pool_next(struct uuid_pool *self)
{
    if (self->left < UUID_BYTES) {
        randombytes_buf(self->bytes, sizeof(self->bytes));
        self->left = sizeof(self->bytes);
    }
    self->left -= UUID_BYTES;
    return self->bytes + self->left;
}

struct uuid uuid_pool_random(struct uuid_pool *self)
{
    return finish(pool_next(self), 4);
}

struct uuid uuid_pool_ordered(struct uuid_pool *self, int64_t ms)
{
    uint8_t *bytes = pool_next(self);

    if (ms > self->last_ms || self->counter == COUNTER_MAX) {
        self->last_ms = MAX(ms, self->last_ms + 1);
        self->counter = 0;
    } else {
        self->counter++;
    }
    bytes[6] = (uint8_t)(self->counter >> 8);
    bytes[7] = (uint8_t)self->counter;
    return finish_ordered(bytes, self->last_ms);
}

int uuid_parse(const char *text, struct uuid *ret)
{
    struct uuid id;

    for (size_t i = 0; i < UUID_LENGTH; i++) {
        if (is_hyphen_position(i) ? text[i] != '-' : hex_value(text[i]) < 0)
            return -1;
        /* This lowers letters only: hyphen and digits have bit 5 set. */
        id.text[i] = (char)(text[i] | 0x20);
    }
    if (text[UUID_LENGTH] != '\0')
        return -1;
    id.text[UUID_LENGTH] = '\0';
    *ret = id;
    return 0;
}

void uuid_from_bytes(const uint8_t bytes[static 16], struct uuid *ret)
{
    static const char digits[] = "0123456789abcdef";
    static const uint8_t groups[] = {4, 2, 2, 2, 6};
    char *at = ret->text;

    for (size_t group = 0; group < sizeof(groups); group++) {
        for (size_t i = 0; i < groups[group]; i++, bytes++) {
            *at++ = digits[*bytes >> 4];
            *at++ = digits[*bytes & 15];
        }
        *at++ = '-';
    }
    at[-1] = '\0';
}

void uuid_to_bytes(const struct uuid *self, uint8_t ret[static 16])
{
    size_t position = 0;

    memset(ret, 0, UUID_BYTES);
    if (!uuid_is_set(self))
        return;
    for (size_t i = 0; i < UUID_BYTES; i++, position += 2) {
        if (is_hyphen_position(position))
            position++;
        ret[i] =
            (uint8_t)(hex_value(self->text[position]) * 16 + hex_value(self->text[position + 1]));
    }
}

bool uuid_equal(const struct uuid *a, const struct uuid *b)
{
    return strcmp(a->text, b->text) == 0;
}
