/*
 * test_secret.c - random texts, base64url, key files and sealing.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/secret.h"
#include "tests/support/unit.h"

#define KEY_TEXT "000102030405060708090a0b0c0d0e0f101112131415161718191A1B1C1D1E1F"

static struct secret test_key(uint8_t first)
{
    struct secret key = {.length = SEAL_KEY_SIZE};

    for (size_t i = 0; i < SEAL_KEY_SIZE; i++)
        key.bytes[i] = (uint8_t)(first + i);
    return key;
}

static void test_random_texts(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    char *a = secret_random_text(arena, 32), *b = secret_random_text(arena, 32);

    CU_ASSERT(strlen(a) == 43 && strcmp(a, b) != 0);
    CU_ASSERT(strlen(secret_random_text(arena, 24)) == 32);
}

static void test_hash(void)
{
    static const uint8_t want[4] = {0xba, 0x78, 0x16, 0xbf}; /* SHA-256 of "abc" */
    uint8_t hash[SECRET_HASH_SIZE];

    secret_hash("abc", hash);
    CU_ASSERT(memcmp(hash, want, sizeof(want)) == 0);
}

static void test_base64url_is_exact(void)
{
    static const struct {
        const char *text;
        int size; /* -1: refused */
    } rows[] = {
        {"", 0},      {"AA", 1},    {"AAA", 2},  {"AAAA", 3},  {"-_-_", 3},
        {"AB", -1}, /* bits after the last byte */
        {"A", -1},    {"AA==", -1}, {"A A", -1}, {"AA+/", -1}, {"AAAAAAAAAAAA", -1},
        {"AA\n", -1},
    };
    CLEANUP(arena_destroy) struct arena *arena = arena_new();

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        uint8_t bytes[8];
        size_t size = 99;
        int result = secret_decode(rows[i].text, bytes, sizeof(bytes), &size);

        if (rows[i].size < 0) {
            UNIT_CHECK(result == -1, "'%s'", rows[i].text);
            continue;
        }
        UNIT_CHECK(result == 0 && size == (size_t)rows[i].size, "'%s'", rows[i].text);
        UNIT_CHECK(strcmp(secret_encode(arena, bytes, size), rows[i].text) == 0, "'%s' and back",
                   rows[i].text);
    }
}

static void test_key_files(void)
{
    static const struct {
        const char *label, *text;
        mode_t mode;
        const char *complaint; /* NULL: a key */
    } rows[] = {
        {"plain", KEY_TEXT, 0600, NULL},
        {"with newline", KEY_TEXT "\n", 0600, NULL},
        {"read-only", KEY_TEXT, 0400, NULL},
        {"credential with an access list", KEY_TEXT, 0440, NULL},
        {"for all to read", KEY_TEXT, 0604, "accessible"},
        {"for the group to write", KEY_TEXT, 0620, "accessible"},
        {"short", "0001", 0600, "64"},
        {"long", KEY_TEXT "00", 0600, "64"},
        {"two newlines", KEY_TEXT "\n\n", 0600, "64"},
        {"not hexadecimal", "zz" KEY_TEXT, 0600, "64"},
        {"empty", "", 0600, "64"},
    };
    struct unit_dir dir = unit_dir_make();
    struct secret want = test_key(0);

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        CLEANUP(secret_wipe) struct secret key = {0};
        const char *path = unit_dir_write(&dir, "key", rows[i].text);
        struct error err;

        error_init(&err, NULL);
        CU_ASSERT(chmod(path, rows[i].mode) == 0);
        if (!rows[i].complaint) {
            UNIT_CHECK(secret_load_key(path, &key, &err) == 0, "%s: %s", rows[i].label,
                       err.message);
            UNIT_CHECK(key.length == 32 && memcmp(key.bytes, want.bytes, 32) == 0, "%s",
                       rows[i].label);
        } else {
            UNIT_CHECK(secret_load_key(path, &key, &err) == -1, "%s", rows[i].label);
            UNIT_CHECK(strstr(err.message, rows[i].complaint) && strstr(err.message, path),
                       "%s: %s", rows[i].label, err.message);
        }
        CU_ASSERT(remove(path) == 0);
    }
    unit_dir_remove(&dir);
}

/* A byte order mark is not part of a password. */
static void test_marked_text_file(void)
{
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    const char *path = unit_dir_write(&dir, "text", "\xef\xbb\xbfhunter2\r\nmore\n");
    CLEANUP(secret_wipe) struct secret secret = {0};
    struct error err;

    error_init(&err, NULL);
    CU_ASSERT(chmod(path, 0600) == 0);
    UNIT_REQUIRE(secret_load_text(path, &secret, &err) == 0, "%s", err.message);
    CU_ASSERT(secret.length == 7);
    CU_ASSERT_STRING_EQUAL((const char *)secret.bytes, "hunter2");
    path = unit_dir_write(&dir, "only", "\xef\xbb\xbf\n");
    CU_ASSERT(chmod(path, 0600) == 0);
    CU_ASSERT(secret_load_text(path, &secret, &err) < 0);
}

static void test_text_file(void)
{
    static const struct {
        const char *label;
        size_t size; /* size of the first line, or of `x` */
        const char *rest;
        mode_t mode;
        bool good;
    } rows[] = {
        {"plain", 6, "", 0600, true},
        {"with a line end", 6, "\n", 0600, true},
        {"of DOS", 6, "\r\n", 0440, true},
        {"with more lines", 6, "\nmore\n", 0600, true},
        {"the longest", SECRET_MAX - 2, "\n", 0600, true},
        {"too long", SECRET_MAX - 1, "", 0600, false},
        {"empty", 0, "", 0600, false},
        {"an empty line", 0, "\nmore", 0600, false},
        {"for all to read", 6, "", 0604, false},
    };
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    static const struct secret zeroes;

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        CLEANUP(secret_wipe) struct secret secret = {0};
        char text[SECRET_MAX + 16];
        struct error err;
        const char *path;
        int rc;

        memset(text, 'x', rows[i].size);
        strcpy(text + rows[i].size, rows[i].rest);
        path = unit_dir_write(&dir, "text", text);
        CU_ASSERT(chmod(path, rows[i].mode) == 0);
        error_init(&err, NULL);
        rc = secret_load_text(path, &secret, &err);
        UNIT_CHECK((rc == 0) == rows[i].good, "%s: %s", rows[i].label, err.message);
        if (rc == 0) {
            UNIT_CHECK(secret.length == rows[i].size && secret.bytes[secret.length] == '\0' &&
                           memcmp(secret.bytes, text, rows[i].size) == 0,
                       "%s", rows[i].label);
            /* no trace of the other lines */
            CU_ASSERT(memcmp(secret.bytes + secret.length, zeroes.bytes,
                             SECRET_MAX - secret.length) == 0);
        } else {
            UNIT_CHECK(strstr(err.message, path) && memcmp(&secret, &zeroes, sizeof(zeroes)) == 0,
                       "%s: %s", rows[i].label, err.message);
        }
        CU_ASSERT(remove(path) == 0);
    }
}

static void test_key_file_that_is_not_there(void)
{
    struct secret key;
    struct error err;

    error_init(&err, NULL);
    CU_ASSERT(secret_load_key("/nowhere/key", &key, &err) == -1);
    CU_ASSERT(strstr(err.message, "/nowhere/key") != NULL);
    CU_ASSERT(secret_load_key("/tmp", &key, &err) == -1);
}

static void test_sealed_bytes_open_with_key_and_purpose_only(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    struct secret key = test_key(0), other = test_key(1);
    struct sealed sealed = secret_seal(arena, &key, "mail", "secret", 6);
    struct sealed twin = secret_seal(arena, &key, "mail", "secret", 6);
    uint8_t *plain = NULL, *altered = arena_memdup(arena, sealed.bytes, sealed.size);
    size_t size = 0;

    CU_ASSERT(sealed.size == 24 + 16 + 6);
    UNIT_CHECK(memcmp(sealed.bytes, twin.bytes, sealed.size) != 0, "each has its own nonce");
    CU_ASSERT(secret_open(arena, &key, "mail", sealed, &plain, &size) == 0);
    CU_ASSERT(size == 6 && strcmp((char *)plain, "secret") == 0);
    CU_ASSERT(secret_open(arena, &key, "outbox", sealed, &plain, &size) == -1);
    CU_ASSERT(secret_open(arena, &other, "mail", sealed, &plain, &size) == -1);
    for (size_t i = 0; i < sealed.size; i++) {
        altered[i] ^= 1;
        UNIT_CHECK(secret_open(arena, &key, "mail", (struct sealed){altered, sealed.size}, &plain,
                               &size) == -1,
                   "bit of byte %zu", i);
        altered[i] ^= 1;
        UNIT_CHECK(secret_open(arena, &key, "mail", (struct sealed){sealed.bytes, i}, &plain,
                               &size) == -1,
                   "cut to %zu", i);
    }
}

static void test_wiping(void)
{
    char text[] = "password";
    static const char zeroes[sizeof(text)];
    struct secret secret = test_key(7);

    secret_wipe_text(text);
    CU_ASSERT(memcmp(text, zeroes, sizeof(text)) == 0);
    secret_wipe_text(NULL);
    secret_wipe(&secret);
    CU_ASSERT(secret.length == 0 && secret.bytes[0] == 0 && secret.bytes[31] == 0);
}

static const struct unit_case cases[] = {
    CASE(test_random_texts),
    CASE(test_hash),
    CASE(test_base64url_is_exact),
    CASE(test_key_files),
    CASE(test_text_file),
    CASE(test_marked_text_file),
    CASE(test_key_file_that_is_not_there),
    CASE(test_sealed_bytes_open_with_key_and_purpose_only),
    CASE(test_wiping),
};

int main(void)
{
    return unit_run("secret", cases, ARRAY_SIZE(cases));
}
