/*
 * test_seal_keys.c - files of one or two keys, values that name their sealing key, and keys that
 * may have hashed.
 */
#include <string.h>
#include <sys/stat.h>

#include "common/service/seal_keys.h"
#include "tests/support/unit.h"

#define KEY_A "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
#define KEY_B "101112131415161718191a1b1c1d1e1f000102030405060708090a0b0c0d0e0f"

static void test_files(void)
{
    static const struct {
        const char *label, *text;
        size_t keys; /* 0: refused */
    } rows[] = {
        {"one", KEY_A, 1},
        {"one line", KEY_A "\n", 1},
        {"two", KEY_A "\n" KEY_B, 2},
        {"two lines", KEY_A "\n" KEY_B "\n", 2},
        {"three", KEY_A "\n" KEY_B "\n" KEY_A "\n", 0},
        {"the same twice", KEY_A "\n" KEY_A "\n", 0},
        {"an empty line between", KEY_A "\n\n" KEY_B "\n", 0},
        {"an empty line behind", KEY_A "\n\n", 0},
        {"a short second", KEY_A "\n0001\n", 0},
        {"on one line", KEY_A KEY_B "\n", 0},
        {"with a space", KEY_A " " KEY_B "\n", 0},
        {"empty", "", 0},
    };
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        CLEANUP(seal_keys_wipe) struct seal_keys keys = {.count = 0};
        const char *path = unit_dir_write(&dir, "key", rows[i].text);
        struct error err;
        int result;

        error_init(&err, NULL);
        CU_ASSERT(chmod(path, 0600) == 0);
        result = seal_keys_load(path, &keys, &err);
        UNIT_CHECK((result == 0) == (rows[i].keys > 0) && keys.count == rows[i].keys &&
                       keys.in_file == rows[i].keys,
                   "%s: %zu keys, %s", rows[i].label, keys.count, err.message);
        UNIT_CHECK(result == 0 || strstr(err.message, path), "%s: %s", rows[i].label, err.message);
    }
}

/* Makes keys 1 and 2, of which the first one listed writes. */
static struct seal_keys pair(uint8_t first, uint8_t second)
{
    struct seal_keys keys = unit_seal_keys(first), other = unit_seal_keys(second);

    seal_keys_add(&keys, &other.items[0].secret, 0);
    keys.in_file = 2;
    return keys;
}

static void test_values(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    struct seal_keys one = unit_seal_keys(1), two = unit_seal_keys(2);
    struct seal_keys prepared = pair(1, 2), switched = pair(2, 1);
    struct sealed before = seal_value(arena, &prepared, "mail", "secret", 6);
    struct sealed after = seal_value(arena, &switched, "mail", "secret", 6);
    struct sealed unmarked = secret_seal(arena, seal_keys_current(&one), "mail", "secret", 6);
    uint8_t *plain;
    size_t size;

    CU_ASSERT(seal_open(arena, &one, "mail", before, &plain, &size) == 0);
    CU_ASSERT(seal_open(arena, &two, "mail", before, &plain, &size) < 0);
    CU_ASSERT(seal_open(arena, &two, "mail", after, &plain, &size) == 0);
    CU_ASSERT(seal_open(arena, &one, "mail", after, &plain, &size) < 0);
    CU_ASSERT(seal_open(arena, &prepared, "mail", after, &plain, &size) == 0);
    CU_ASSERT(seal_open(arena, &switched, "mail", before, &plain, &size) == 0 && size == 6);
    CU_ASSERT(seal_open(arena, &switched, "other", before, &plain, &size) < 0);
    UNIT_CHECK(seal_open(arena, &switched, "mail", unmarked, &plain, &size) == 0, "%s",
               "values of builds before have no id");
    UNIT_CHECK(secret_open(arena, seal_keys_current(&two), "mail", after, &plain, &size) == 0, "%s",
               "builds before open what has one");
    CU_ASSERT(memcmp(before.bytes + SEAL_ID_AT, after.bytes + SEAL_ID_AT, SEAL_ID_SIZE) != 0);
    struct sealed twin = seal_value(arena, &switched, "mail", "secret", 6);
    CU_ASSERT(memcmp(twin.bytes + SEAL_ID_AT, after.bytes + SEAL_ID_AT, SEAL_ID_SIZE) == 0);
    CU_ASSERT(memcmp(twin.bytes, after.bytes, SEAL_ID_AT) != 0);
}

static void test_keys_that_hash(void)
{
    struct seal_keys keys = unit_seal_keys(1), old = unit_seal_keys(2), older = unit_seal_keys(3);

    seal_keys_add(&keys, &old.items[0].secret, 5000);
    seal_keys_add(&keys, &older.items[0].secret, 1000);
    CU_ASSERT_EQUAL(seal_keys_hashing(&keys, 5500, 10000), 3);
    CU_ASSERT_EQUAL(seal_keys_hashing(&keys, 5500, 1000), 2);
    CU_ASSERT_EQUAL(seal_keys_hashing(&keys, 6000, 1000), 1);
    for (uint8_t i = 4; i < 30; i++) {
        struct seal_keys more = unit_seal_keys(i);

        seal_keys_add(&keys, &more.items[0].secret, 1);
    }
    CU_ASSERT_EQUAL(keys.count, SEAL_KEYS_MAX);
}

static const struct unit_case cases[] = {
    CASE(test_files),
    CASE(test_values),
    CASE(test_keys_that_hash),
};

int main(void)
{
    return unit_run("seal keys", cases, ARRAY_SIZE(cases));
}
