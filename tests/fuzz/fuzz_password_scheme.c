/*
 * fuzz_password_scheme.c - a password hash of any bytes, as imported: refused with a text, or
 * within all limits; cheap ones are verified.
 */
#include <string.h>

#include "common/domain/password_scheme.h"
#include "tests/fuzz/fuzz.h"

enum { CHEAP_MS = 1 };

static bool is_bounded(const struct password_bytes *bytes)
{
    return bytes->size <= sizeof(bytes->bytes);
}

int fuzz_password_scheme(const uint8_t *data, size_t size)
{
    CLEANUP(memory_free) char *hash = fuzz_text(data, size);
    struct password_scheme scheme;
    const char *why = NULL;
    int right;

    if (password_scheme_parse(hash, &scheme, &why) < 0) {
        FUZZ_REQUIRE(why && *why != '\0');
        return 0;
    }
    FUZZ_REQUIRE(scheme.algorithm < PASSWORD_ALGORITHM_COUNT && scheme.name);
    FUZZ_REQUIRE(scheme.cost_ms >= 1 && scheme.cost_ms <= PASSWORD_SCHEME_COST_MAX);
    FUZZ_REQUIRE(scheme.memory_mib >= 1 && scheme.memory_mib <= PASSWORD_SCHEME_MEMORY_MAX);
    FUZZ_REQUIRE(strlen(hash) <= PASSWORD_SCHEME_TEXT_MAX);
    FUZZ_REQUIRE(is_bounded(&scheme.salt) && is_bounded(&scheme.separator) &&
                 is_bounded(&scheme.key) && scheme.salt.size > 0);
    FUZZ_REQUIRE(is_bounded(&scheme.hash) && scheme.hash.size >= PASSWORD_SCHEME_HASH_MIN);
    if (scheme.cost_ms > CHEAP_MS || scheme.memory_mib > 1)
        return 0;
    right = password_scheme_verify(&scheme, "password");
    FUZZ_REQUIRE(right == 0 || right == 1);
    return 0;
}
