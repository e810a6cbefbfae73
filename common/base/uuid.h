/* uuid.h - identifiers (RFC 9562) as lower-case text, which JSON, msgpack and PostgreSQL carry. */
#ifndef ATRIUM_COMMON_BASE_UUID_H
#define ATRIUM_COMMON_BASE_UUID_H

#include "common/base/base.h"

struct uuid {
    char text[37]; /* 36 characters and NUL; "" means absent */
};

/* The first and the last in order (RFC 9562, sections 5.9, 5.10): no row has such an id. */
#define UUID_NIL "00000000-0000-0000-0000-000000000000"
#define UUID_MAX "ffffffff-ffff-ffff-ffff-ffffffffffff"
struct uuid uuid_random(void);

/* A time-ordered (version 7) identifier: neighbours in time are neighbours in an index. */
struct uuid uuid_ordered(int64_t ms);

/* Random bytes for many identifiers: a system call for each costs ten times the rest. Begins
 * zeroed; for one thread. */
struct uuid_pool {
    uint8_t bytes[1024];
    size_t left;
    int64_t last_ms; /* of ordered ones */
    int counter;     /* how many have had it */
};

/* As uuid_random() and uuid_ordered(), each ordered one greater than the last, whatever `ms` is
 * (RFC 9562, section 6.2, method 1: a counter of 12 bits, then the time runs ahead). */
struct uuid uuid_pool_random(struct uuid_pool *self);
struct uuid uuid_pool_ordered(struct uuid_pool *self, int64_t ms);

/* Reads the 8-4-4-4-12 form, either case; -1 and *ret untouched when it is not one. */
int uuid_parse(const char *text, struct uuid *ret) MUST_USE;

/* From and to its 16 bytes, in network order (RFC 9562, section 4). */
void uuid_from_bytes(const uint8_t bytes[static 16], struct uuid *ret);
void uuid_to_bytes(const struct uuid *self, uint8_t ret[static 16]);

static inline bool uuid_is_set(const struct uuid *self)
{
    return self->text[0] != '\0';
}

/* Whether both are the same identifier, or absent. */
bool uuid_equal(const struct uuid *a, const struct uuid *b);

#endif
