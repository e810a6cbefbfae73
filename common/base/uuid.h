/* uuid.h - UUIDs (RFC 9562) as lower-case text, as in JSON, msgpack and PostgreSQL. */
#ifndef ATRIUM_COMMON_BASE_UUID_H
#define ATRIUM_COMMON_BASE_UUID_H

#include "common/base/base.h"

struct uuid {
    char text[37]; /* "" means absent */
};

/* The lowest and highest UUID (RFC 9562, sections 5.9, 5.10), which no row has. */
#define UUID_NIL "00000000-0000-0000-0000-000000000000"
#define UUID_MAX "ffffffff-ffff-ffff-ffff-ffffffffffff"
struct uuid uuid_random(void);

/* Returns a version 7 UUID: ids of one time are neighbours in an index. */
struct uuid uuid_ordered(int64_t ms);

/* Random bytes for many UUIDs: a system call for each costs ten times the rest. Starts zeroed; for
 * one thread. */
struct uuid_pool {
    uint8_t bytes[1024];
    size_t left;
    int64_t last_ms;
    int counter;
};

/* uuid_pool_ordered() makes each id greater than the last, whatever `ms` is (RFC 9562, section 6.2,
 * method 1: a 12-bit counter; when it is full, the id's time runs ahead). */
struct uuid uuid_pool_random(struct uuid_pool *self);
struct uuid uuid_pool_ordered(struct uuid_pool *self, int64_t ms);

/* Reads the 8-4-4-4-12 form in either case. -1 leaves *ret. */
int uuid_parse(const char *text, struct uuid *ret) MUST_USE;

void uuid_from_bytes(const uint8_t bytes[static 16], struct uuid *ret);
void uuid_to_bytes(const struct uuid *self, uint8_t ret[static 16]);

static inline bool uuid_is_set(const struct uuid *self)
{
    return self->text[0] != '\0';
}

bool uuid_equal(const struct uuid *a, const struct uuid *b);

#endif
