/*
 * fuzz_password_filter.c - a password filter of any bytes: refused, or read within its end. A
 * second try has the right hash, because most bytes fail only that.
 */
#include <sodium.h>
#include <string.h>

#include "common/domain/password_filter.h"
#include "tests/fuzz/fuzz.h"

static void ask(const uint8_t *bytes, size_t size)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    struct password_filter *filter;
    struct error err;

    error_init(&err, arena);
    filter = password_filter_from_bytes(bytes, size, "file", arena, &err);
    if (!filter) {
        FUZZ_REQUIRE(err.code == ERR_BAD_REQUEST);
        fuzz_require_error(&err);
        return;
    }
    FUZZ_REQUIRE(password_filter_begins(bytes, size));
    FUZZ_REQUIRE(password_filter_info(filter).passwords > 0);
    for (uint64_t key = 0; key < 64; key++) /* in all shards, if there are 64 */
        (void)password_filter_has_key(filter, key << 58 | key * 0x9e3779b97f4a7c15U >> 6);
    (void)password_filter_has(filter, "Password");
}

int fuzz_password_filter(const uint8_t *data, size_t size)
{
    CLEANUP(memory_free) uint8_t *bytes = fuzz_bytes(data, size);
    const size_t hash = PASSWORD_FILTER_HASH_SIZE;

    ask(bytes, size);
    if (size < hash)
        return 0;
    crypto_generichash(bytes + size - hash, hash, bytes, size - hash, NULL, 0);
    ask(bytes, size);
    return 0;
}
