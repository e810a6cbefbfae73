/*
 * test_ctl_tenant_file.c - an installation's key, and a tenant's file encrypted to it: exactly the
 * written content is read.
 */
#include <fcntl.h>
#include <signal.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/support/tenant_sample.h"

#define KNOWN_SECRET "JBSWY3DPEHPK3PXP-known-secret"

static void a_key_is_copied_as_text(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    struct tenant_key one = tenant_sample_key(1), again = tenant_sample_key(1),
                      two = tenant_sample_key(2), parsed;
    char *text = tenant_key_print(arena, &one);
    size_t length = strlen(text);
    struct error err;

    error_init(&err, arena);
    UNIT_CHECK(tenant_key_parse(text, &parsed, &err) == 0 &&
                   memcmp(&one, &parsed, sizeof(one)) == 0,
               "%s: %s", text, err.message);
    CU_ASSERT(memcmp(&one, &again, sizeof(one)) == 0 && memcmp(&one, &two, sizeof(one)) != 0);
    for (size_t i = 0; i < length; i++) {
        char *other = arena_strdup(arena, text);

        other[i] = other[i] == 'A' ? 'B' : 'A';
        UNIT_CHECK(tenant_key_parse(other, &parsed, &err) < 0, "%s", other);
        UNIT_CHECK(tenant_key_parse(arena_strndup(arena, text, i), &parsed, &err) < 0, "%zu", i);
    }
    CU_ASSERT(tenant_key_parse(arena_printf(arena, "%sA", text), &parsed, &err) < 0);
}

static void a_key_does_not_tell_the_seal_key(void)
{
    struct seal_keys keys = unit_seal_keys(1);
    const struct secret *seal = seal_keys_current(&keys);
    struct tenant_key key = tenant_key_derive(seal);
    uint8_t derived[SEAL_KEY_SIZE];

    secret_derive(seal, "tenant key", derived);
    CU_ASSERT(memcmp(key.bytes, seal->bytes, SEAL_KEY_SIZE) != 0);
    CU_ASSERT(memcmp(key.bytes, derived, SEAL_KEY_SIZE) != 0);
}

/* These public keys are points of small order: anyone could read what is encrypted to them. */
static void a_key_that_hides_nothing_is_refused(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();

    for (uint8_t first = 0; first < 2; first++) {
        struct tenant_key key = {.bytes = {first}}, parsed;
        CLEANUP(tenant_writer_destroy) struct tenant_writer *writer = NULL;
        struct error err;

        error_init(&err, arena);
        CU_ASSERT(tenant_key_parse(tenant_key_print(arena, &key), &parsed, &err) < 0);
        UNIT_CHECK(strstr(err.message, "cannot encrypt anything"), "%s", err.message);
        writer = tenant_writer_create(tenant_sample_path(arena, &dir, "file"), &key, NULL,
                                      TENANT_SAMPLE_HEAD, &err);
        CU_ASSERT_PTR_NULL(writer);
    }
}

static void what_was_written_is_read(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    CLEANUP(tenant_reader_destroy) struct tenant_reader *reader = NULL;
    const char *path = tenant_sample_path(arena, &dir, "file");
    uint8_t *want = arena_alloc(arena, TENANT_ROW_MAX);
    struct seal_keys keys = unit_seal_keys(1);
    struct tenant_key to = tenant_sample_key(1);
    const struct tenant_sums *sums;
    struct tenant_row row;
    struct error err;

    error_init(&err, arena);
    UNIT_REQUIRE(tenant_sample_write(path, &to, TENANT_SAMPLES, &err) == 0, "%s", err.message);
    reader = tenant_reader_open(path, &keys, &err);
    UNIT_REQUIRE(reader, "%s", err.message);
    CU_ASSERT_STRING_EQUAL(tenant_reader_head(reader), TENANT_SAMPLE_HEAD);
    for (size_t i = 0; i < TENANT_SAMPLES; i++)
        for (size_t j = 0; j < tenant_samples[i].rows; j++) {
            tenant_sample_fill(want, &tenant_samples[i], j);
            UNIT_REQUIRE(tenant_reader_next(reader, &row, &err) == 1, "%s", err.message);
            UNIT_REQUIRE(strcmp(row.table, tenant_samples[i].table) == 0 &&
                             row.size == tenant_samples[i].size &&
                             memcmp(row.bytes, want, row.size) == 0 && row.bytes[row.size] == '\0',
                         "row %zu of %s", j, tenant_samples[i].table);
        }
    UNIT_REQUIRE(tenant_reader_next(reader, &row, &err) == 0, "%s", err.message);
    CU_ASSERT(tenant_reader_next(reader, &row, &err) == 0);
    sums = tenant_reader_sums(reader);
    UNIT_REQUIRE(sums->count == TENANT_SAMPLES, "%zu", sums->count);
    for (size_t i = 0; i < sums->count; i++)
        UNIT_CHECK(strcmp(sums->items[i].table, tenant_samples[i].table) == 0 &&
                       sums->items[i].rows == tenant_samples[i].rows &&
                       sums->items[i].bytes == tenant_samples[i].rows * tenant_samples[i].size,
                   "%s", sums->items[i].table);
}

/* Contents whose size is near a chunk's: the last chunk is full, or has one byte. Data after a full
 * last chunk is noticed too. */
static void a_file_may_end_anywhere_in_a_chunk(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    const char *path = tenant_sample_path(arena, &dir, "file");
    uint8_t *row = arena_alloc(arena, TENANT_PLAIN_SIZE);
    struct tenant_key to = tenant_sample_key(1);
    int full = 0, one_byte = 0;

    for (size_t size = TENANT_PLAIN_SIZE - 100; size < TENANT_PLAIN_SIZE - 70; size++) {
        CLEANUP(tenant_writer_destroy) struct tenant_writer *writer = NULL;
        struct error err;
        uint8_t *bytes;
        size_t got;

        error_init(&err, arena);
        (void)unlink(path);
        writer = tenant_writer_create(path, &to, NULL, TENANT_SAMPLE_HEAD, &err);
        UNIT_REQUIRE(writer && tenant_writer_table(writer, "t", &err) == 0 &&
                         tenant_writer_row(writer, row, size, &err) == 0 &&
                         tenant_writer_finish(writer, &err) == 0,
                     "%zu: %s", size, err.message);
        UNIT_CHECK(tenant_sample_read(path, 1, &err) == 0, "%zu: %s", size, err.message);
        bytes = tenant_sample_load(arena, path, &got);
        one_byte += got == TENANT_HEADER_SIZE + TENANT_CHUNK_SIZE + 18;
        if (got != TENANT_HEADER_SIZE + TENANT_CHUNK_SIZE)
            continue;
        full++;
        tenant_sample_store(path, bytes, got + 1);
        UNIT_CHECK(tenant_sample_read(path, 1, &err) < 0 && strstr(err.message, "after its end"),
                   "%s", err.message);
    }
    UNIT_CHECK(full == 1 && one_byte == 1, "%d, %d", full, one_byte);
}

/* verify compares sums with another installation's, so the rows of each pair must have different
 * ones. */
static void sums_tell_rows_apart(void)
{
    static const char *const contents[][2] = {{"ab", "c"}, {"a", "bc"}, {"c", "ab"}, {"abc", ""}};
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    uint8_t hashes[ARRAY_SIZE(contents) + 1][TENANT_SUM_SIZE];
    struct tenant_key to = tenant_sample_key(1);

    for (size_t i = 0; i <= ARRAY_SIZE(contents); i++) {
        const char *const *rows = contents[i % ARRAY_SIZE(contents)];
        CLEANUP(tenant_writer_destroy) struct tenant_writer *writer = NULL;
        struct error err;

        error_init(&err, arena);
        writer = tenant_writer_create(
            tenant_sample_path(arena, &dir, arena_printf(arena, "%zu", i)), &to, NULL, "", &err);
        UNIT_REQUIRE(writer && tenant_writer_table(writer, "before", &err) == 0 &&
                         tenant_writer_row(writer, "xxxx", i, &err) == 0 &&
                         tenant_writer_table(writer, "t", &err) == 0 &&
                         tenant_writer_row(writer, rows[0], strlen(rows[0]), &err) == 0 &&
                         tenant_writer_row(writer, rows[1], strlen(rows[1]), &err) == 0 &&
                         tenant_writer_finish(writer, &err) == 0,
                     "%s", err.message);
        memcpy(hashes[i], tenant_writer_sums(writer)->items[1].hash, TENANT_SUM_SIZE);
    }
    for (size_t i = 0; i < ARRAY_SIZE(contents); i++)
        for (size_t j = 0; j < i; j++)
            UNIT_CHECK(memcmp(hashes[i], hashes[j], TENANT_SUM_SIZE) != 0, "%zu %zu", i, j);
    CU_ASSERT(memcmp(hashes[0], hashes[ARRAY_SIZE(contents)], TENANT_SUM_SIZE) == 0);
}

static uint8_t *sample_bytes(struct arena *arena, const struct unit_dir *dir, size_t count,
                             size_t *ret_size)
{
    const char *path = tenant_sample_path(arena, dir, "sample");
    struct tenant_key to = tenant_sample_key(1);
    struct error err;

    error_init(&err, arena);
    if (tenant_sample_write(path, &to, count, &err) < 0)
        abort();
    return tenant_sample_load(arena, path, ret_size);
}

static void every_altered_byte_is_noticed(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    const char *path = tenant_sample_path(arena, &dir, "altered");
    size_t size;
    uint8_t *bytes = sample_bytes(arena, &dir, 2, &size);
    struct error err;

    UNIT_REQUIRE(size < 1000, "%zu", size);
    for (size_t i = 0; i < size; i++) {
        error_init(&err, arena);
        bytes[i] ^= (uint8_t)(1 << i % 8);
        tenant_sample_store(path, bytes, size);
        UNIT_CHECK(tenant_sample_read(path, 1, &err) < 0 && strstr(err.message, path),
                   "byte %zu: %s", i, err.message);
        bytes[i] ^= (uint8_t)(1 << i % 8);
    }
    tenant_sample_store(path, bytes, size);
    CU_ASSERT(tenant_sample_read(path, 1, &err) == 0);
}

static void every_truncation_is_noticed(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    const char *path = tenant_sample_path(arena, &dir, "truncated");
    size_t size;
    uint8_t *bytes = sample_bytes(arena, &dir, 3, &size);

    UNIT_REQUIRE(size > TENANT_HEADER_SIZE + 3 * TENANT_CHUNK_SIZE, "%zu", size);
    for (size_t length = 0; length < size; length += length < 2 * TENANT_HEADER_SIZE ? 1 : 9973) {
        struct error err;

        error_init(&err, arena);
        tenant_sample_store(path, bytes, length);
        UNIT_CHECK(tenant_sample_read(path, 1, &err) < 0, "%zu bytes", length);
        UNIT_CHECK(strstr(err.message, length < 14 ? "not a tenant file" : "truncated"),
                   "%zu bytes: %s", length, err.message);
    }
    for (size_t chunks = 0; chunks < 4; chunks++) {
        struct error err;

        error_init(&err, arena);
        tenant_sample_store(path, bytes, TENANT_HEADER_SIZE + chunks * TENANT_CHUNK_SIZE);
        CU_ASSERT(tenant_sample_read(path, 1, &err) < 0);
        UNIT_CHECK(strstr(err.message, "is truncated"), "%zu chunks: %s", chunks, err.message);
    }
}

static void moved_chunks_are_noticed(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    const char *path = tenant_sample_path(arena, &dir, "moved");
    size_t size;
    uint8_t *bytes = sample_bytes(arena, &dir, 3, &size);
    uint8_t *second = bytes + TENANT_HEADER_SIZE + TENANT_CHUNK_SIZE,
            *third = second + TENANT_CHUNK_SIZE;
    uint8_t *saved = arena_memdup(arena, second, TENANT_CHUNK_SIZE);
    struct error err;

    error_init(&err, arena);
    memcpy(second, third, TENANT_CHUNK_SIZE);
    tenant_sample_store(path, bytes, size);
    UNIT_CHECK(tenant_sample_read(path, 1, &err) < 0, "repeated");
    memcpy(third, saved, TENANT_CHUNK_SIZE);
    tenant_sample_store(path, bytes, size);
    UNIT_CHECK(tenant_sample_read(path, 1, &err) < 0, "exchanged");
    memmove(second, third + TENANT_CHUNK_SIZE,
            size - TENANT_HEADER_SIZE - 3 * (size_t)TENANT_CHUNK_SIZE);
    tenant_sample_store(path, bytes, size - 2 * (size_t)TENANT_CHUNK_SIZE);
    UNIT_CHECK(tenant_sample_read(path, 1, &err) < 0, "left out");
}

static void bytes_behind_the_end_are_noticed(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    const char *path = tenant_sample_path(arena, &dir, "longer");
    size_t size;
    uint8_t *bytes = sample_bytes(arena, &dir, 2, &size);
    struct error err;

    for (size_t more = 1; more <= TENANT_CHUNK_SIZE; more += more < 20 ? 1 : 9973) {
        error_init(&err, arena);
        tenant_sample_store(path, bytes, size + more);
        UNIT_CHECK(tenant_sample_read(path, 1, &err) < 0, "%zu", more);
    }
}

static void another_key_does_not_open_it(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    struct tenant_key one = tenant_sample_key(1), two = tenant_sample_key(2);
    char want[TENANT_KEY_ID_TEXT], have[TENANT_KEY_ID_TEXT];
    struct error err;
    size_t size;

    error_init(&err, arena);
    (void)sample_bytes(arena, &dir, 1, &size);
    tenant_key_id(&one, want);
    tenant_key_id(&two, have);
    CU_ASSERT(tenant_sample_read(tenant_sample_path(arena, &dir, "sample"), 2, &err) < 0);
    UNIT_CHECK(err.code == ERR_FORBIDDEN && strstr(err.message, want) && strstr(err.message, have),
               "%s", err.message);
}

static void an_exchanged_key_still_opens_it(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    CLEANUP(tenant_reader_destroy) struct tenant_reader *reader = NULL;
    struct seal_keys keys = unit_seal_keys(2), before = unit_seal_keys(1);
    struct error err;
    size_t size;

    error_init(&err, arena);
    (void)sample_bytes(arena, &dir, 1, &size);
    seal_keys_add(&keys, seal_keys_current(&before), 1);
    reader = tenant_reader_open(tenant_sample_path(arena, &dir, "sample"), &keys, &err);
    UNIT_CHECK(reader, "%s", err.message);
}

static void another_version_is_named(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    const char *path = tenant_sample_path(arena, &dir, "newer");
    size_t size;
    uint8_t *bytes = sample_bytes(arena, &dir, 1, &size);
    struct error err;

    error_init(&err, arena);
    bytes[15] = 2;
    tenant_sample_store(path, bytes, size);
    CU_ASSERT(tenant_sample_read(path, 1, &err) < 0);
    UNIT_CHECK(strstr(err.message, "version 2"), "%s", err.message);
}

static void what_is_no_file_is_refused(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    const char *pipe = tenant_sample_path(arena, &dir, "pipe");
    struct error err;

    error_init(&err, arena);
    CU_ASSERT(mkfifo(pipe, 0600) == 0);
    CU_ASSERT(tenant_sample_read(pipe, 1, &err) < 0);
    UNIT_CHECK(strstr(err.message, "not a regular file"), "%s", err.message);
    CU_ASSERT(tenant_sample_read(dir.path, 1, &err) < 0);
    UNIT_CHECK(strstr(err.message, "not a regular file"), "%s", err.message);
    CU_ASSERT(tenant_sample_read(tenant_sample_path(arena, &dir, "none"), 1, &err) < 0 &&
              err.code == ERR_NOT_FOUND);
}

/* Anyone with the public key can make an authentic file, so its content can still be wrong. */
struct forged {
    const char *label;
    const char *bytes;
    size_t size;
    const char *why;
};
#define FORGED(label_, text_, why_)            \
    {                                          \
        label_, text_, sizeof(text_) - 1, why_ \
    }
#define R(kind_, length_, text_) kind_ "\0\0\0" length_ text_

static void forge(const char *path, const uint8_t *plain, size_t size, bool whole)
{
    uint8_t header[TENANT_HEADER_SIZE] = "atrium-tenant\n\0\1", key[TENANT_STREAM_KEY_SIZE];
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    crypto_secretstream_xchacha20poly1305_state stream;
    uint8_t *out = arena_alloc(arena, TENANT_HEADER_SIZE + size + 17);
    struct tenant_key to = tenant_sample_key(1);
    char id[TENANT_KEY_ID_TEXT];

    tenant_key_id(&to, id);
    crypto_secretstream_xchacha20poly1305_keygen(key);
    if (sodium_hex2bin(header + 16, 8, id, 16, NULL, NULL, NULL) != 0 ||
        tenant_key_encrypt(&to, key, header + 24) < 0)
        abort();
    crypto_secretstream_xchacha20poly1305_init_push(&stream, header + 104, key);
    memcpy(out, header, TENANT_HEADER_SIZE);
    crypto_secretstream_xchacha20poly1305_push(&stream, out + TENANT_HEADER_SIZE, NULL, plain, size,
                                               header, TENANT_HEADER_SIZE, whole ? 3 : 0);
    tenant_sample_store(path, out, TENANT_HEADER_SIZE + size + 17);
}

static void authentic_nonsense_is_refused(void)
{
    static const struct forged rows[] = {
        FORGED("nothing", "", "within a record"),
        FORGED("half a record", "\1\0\0", "within a record"),
        FORGED("no head", R("\4", "\0", ""), "no head"),
        FORGED("a head with NUL", R("\1", "\1", "\0"), "no head"),
        FORGED("a long head", "\1\0\1\0\0", "too long"),
        FORGED("no sums", R("\1", "\1", "h"), "within a record"),
        FORGED("a long record", R("\1", "\1", "h") "\3\xff\xff\xff\xff", "too long"),
        FORGED("a row of no table", R("\1", "\1", "h") R("\3", "\1", "r"), "does not know"),
        FORGED("two heads", R("\1", "\1", "h") R("\1", "\1", "h"), "does not know"),
        FORGED("a kind", R("\1", "\1", "h") R("\5", "\1", "x"), "does not know"),
        FORGED("a table without a name", R("\1", "\1", "h") R("\2", "\0", ""), "without a name"),
        FORGED("a name with NUL", R("\1", "\1", "h") R("\2", "\2", "a\0"), "without a name"),
        FORGED("a table twice", R("\1", "\1", "h") R("\2", "\1", "t") R("\2", "\1", "t"), "twice"),
        FORGED("sums of less", R("\1", "\1", "h") R("\2", "\1", "t") R("\4", "\0", ""),
               "its checksums"),
        FORGED("sums of more", R("\1", "\1", "h") R("\4", "\1", "x"), "its checksums"),
        FORGED("behind the sums", R("\1", "\1", "h") R("\4", "\0", "") "\3", "after its checksums"),
    };
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    const char *path = tenant_sample_path(arena, &dir, "forged");
    static const char good[] = R("\1", "\1", "h") R("\4", "\0", "");
    struct error err;

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        error_init(&err, arena);
        forge(path, (const uint8_t *)rows[i].bytes, rows[i].size, true);
        UNIT_CHECK(tenant_sample_read(path, 1, &err) < 0, "%s", rows[i].label);
        UNIT_CHECK(strstr(err.message, rows[i].why), "%s: %s", rows[i].label, err.message);
    }
    error_init(&err, arena);
    forge(path, (const uint8_t *)good, sizeof(good) - 1, true);
    UNIT_CHECK(tenant_sample_read(path, 1, &err) == 0, "%s", err.message);
    forge(path, (const uint8_t *)good, sizeof(good) - 1, false);
    UNIT_CHECK(tenant_sample_read(path, 1, &err) < 0, "without the final tag");
}

static void too_many_tables_are_refused(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    const char *path = tenant_sample_path(arena, &dir, "forged");
    CLEANUP(tenant_writer_destroy) struct tenant_writer *writer = NULL;
    uint8_t plain[6 + 8 * (TENANT_TABLES_MAX + 1)] = {1, 0, 0, 0, 1, 'h'};
    struct tenant_key to = tenant_sample_key(1);
    struct error err;

    error_init(&err, arena);
    writer = tenant_writer_create(tenant_sample_path(arena, &dir, "file"), &to, NULL,
                                  TENANT_SAMPLE_HEAD, &err);
    UNIT_REQUIRE(writer, "%s", err.message);
    for (int i = 0; i <= TENANT_TABLES_MAX; i++) {
        uint8_t *at = plain + 6 + 8 * (size_t)i;
        char name[8];

        snprintf(name, sizeof(name), "%03d", i);
        memcpy(at, "\2\0\0\0\3", 5);
        memcpy(at + 5, name, 3);
        CU_ASSERT((tenant_writer_table(writer, name, &err) == 0) == (i < TENANT_TABLES_MAX));
    }
    forge(path, plain, sizeof(plain), true);
    UNIT_CHECK(tenant_sample_read(path, 1, &err) < 0 && strstr(err.message, "twice"), "%s",
               err.message);
}

/* Names are printed, and terminals obey control characters. */
static void names_of_tables_are_words(void)
{
    static const struct {
        const char *name;
        bool fine;
    } rows[] = {{"authd.mfa_factor", true},
                {"t", true},
                {"\x1b[2J", false},
                {"a b", false},
                {"a\nb", false},
                {"\xc2\x9b"
                 "2J",
                 false},
                {"caf\xc3\xa9", false},
                {"a\x7f", false}};

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct tenant_summing *sums = tenant_summing_alloc(sizeof(*sums));

        UNIT_CHECK((tenant_summing_table(sums, rows[i].name, strlen(rows[i].name)) == 0) ==
                       rows[i].fine,
                   "row %zu", i);
        free(sums);
    }
}

static void the_file_tells_nothing(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    CLEANUP(tenant_writer_destroy) struct tenant_writer *writer = NULL;
    const char *path = tenant_sample_path(arena, &dir, "file");
    struct tenant_key to = tenant_sample_key(1);
    struct error err;
    uint8_t *bytes;
    size_t size;

    error_init(&err, arena);
    writer = tenant_writer_create(path, &to, NULL, TENANT_SAMPLE_HEAD, &err);
    UNIT_REQUIRE(writer && tenant_writer_table(writer, "authd.mfa_factor", &err) == 0 &&
                     tenant_writer_row(writer, KNOWN_SECRET, strlen(KNOWN_SECRET), &err) == 0 &&
                     tenant_writer_finish(writer, &err) == 0,
                 "%s", err.message);
    bytes = tenant_sample_load(arena, path, &size);
    CU_ASSERT_PTR_NULL(memmem(bytes, size, KNOWN_SECRET, 8));
    CU_ASSERT_PTR_NULL(memmem(bytes, size, "mfa_factor", 10));
    CU_ASSERT_PTR_NULL(memmem(bytes, size, TENANT_SAMPLE_HEAD, 8));
}

static void it_has_its_name_when_it_is_whole(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    const char *path = tenant_sample_path(arena, &dir, "file"),
               *part = tenant_sample_path(arena, &dir, "file.part");
    struct tenant_writer *writer, *other;
    struct tenant_key to = tenant_sample_key(1);
    struct stat stat_of;
    struct error err;

    error_init(&err, arena);
    /* A writer that was killed earlier has left this part. */
    tenant_sample_store(part, arena_alloc(arena, 1000), 1000);
    CU_ASSERT(chmod(part, 0644) == 0);
    writer = tenant_writer_create(path, &to, NULL, TENANT_SAMPLE_HEAD, &err);
    UNIT_REQUIRE(writer, "%s", err.message);
    CU_ASSERT(access(path, F_OK) < 0 && stat(part, &stat_of) == 0 &&
              (stat_of.st_mode & 0777) == 0600 && stat_of.st_size == TENANT_HEADER_SIZE);
    other = tenant_writer_create(path, &to, NULL, TENANT_SAMPLE_HEAD, &err);
    UNIT_CHECK(!other && err.code == ERR_CONFLICT, "%s", err.message);
    CU_ASSERT(access(part, F_OK) == 0);
    tenant_writer_destroy(&writer);
    CU_ASSERT(access(path, F_OK) < 0 && access(part, F_OK) < 0);

    writer = tenant_writer_create(path, &to, NULL, TENANT_SAMPLE_HEAD, &err);
    UNIT_REQUIRE(writer && tenant_writer_finish(writer, &err) == 0, "%s", err.message);
    tenant_writer_destroy(&writer);
    CU_ASSERT(stat(path, &stat_of) == 0 && (stat_of.st_mode & 0777) == 0600);
    CU_ASSERT(access(part, F_OK) < 0 && tenant_sample_read(path, 1, &err) == 0);
}

/* Runs between this process's open and lock, as a change by another process. */
static void (*before_lock)(void);
static struct tenant_writer *other_writer;

int flock(int fd, int operation)
{
    void (*meanwhile)(void) = before_lock;

    before_lock = NULL;
    if (meanwhile)
        meanwhile();
    return (int)syscall(SYS_flock, fd, operation);
}

static void finish_other(void)
{
    struct error err;

    error_init(&err, NULL);
    UNIT_CHECK(tenant_writer_finish(other_writer, &err) == 0, "%s", err.message);
    tenant_writer_destroy(&other_writer);
}

static void remove_other(void)
{
    tenant_writer_destroy(&other_writer);
}

static void a_file_that_ends_before_it_is_locked_is_left(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    void (*const ends[])(void) = {remove_other, finish_other};
    const char *path = tenant_sample_path(arena, &dir, "file");
    struct tenant_key to = tenant_sample_key(1);
    struct error err;

    for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
        struct tenant_writer *writer;

        error_init(&err, arena);
        other_writer = tenant_writer_create(path, &to, NULL, TENANT_SAMPLE_HEAD, &err);
        UNIT_REQUIRE(other_writer, "%s", err.message);
        before_lock = ends[i];
        writer = tenant_writer_create(path, &to, NULL, TENANT_SAMPLE_HEAD, &err);
        UNIT_CHECK(!writer && err.code == ERR_CONFLICT, "%zu: %s", i, err.message);
        tenant_writer_destroy(&writer);
    }
    error_init(&err, arena);
    UNIT_CHECK(tenant_sample_read(path, 1, &err) == 0, "%s", err.message);
}

static void another_file_is_never_replaced(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    CLEANUP(tenant_writer_destroy) struct tenant_writer *writer = NULL;
    const char *path = tenant_sample_path(arena, &dir, "file");
    struct tenant_key to = tenant_sample_key(1);
    struct error err;

    error_init(&err, arena);
    writer = tenant_writer_create(path, &to, NULL, TENANT_SAMPLE_HEAD, &err);
    UNIT_REQUIRE(writer, "%s", err.message);
    (void)unit_dir_write(&dir, "file", "other"); /* meanwhile */
    UNIT_CHECK(tenant_writer_finish(writer, &err) < 0, "finished");
    CU_ASSERT_STRING_EQUAL(unit_dir_read(&dir, "file"), "other");
    tenant_writer_destroy(&writer);
    CU_ASSERT(access(tenant_sample_path(arena, &dir, "file.part"), F_OK) < 0);
    writer = tenant_writer_create(path, &to, NULL, TENANT_SAMPLE_HEAD, &err);
    UNIT_CHECK(!writer && err.code == ERR_CONFLICT, "%s", err.message);
    CU_ASSERT_STRING_EQUAL(unit_dir_read(&dir, "file"), "other");
}

static void a_disk_that_is_full_is_an_error(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    const char *path = tenant_sample_path(arena, &dir, "file");
    struct rlimit before, limit;
    struct tenant_key to = tenant_sample_key(1);
    struct error err;
    int result;

    error_init(&err, arena);
    if (getrlimit(RLIMIT_FSIZE, &before) < 0)
        abort();
    limit = (struct rlimit){100 * 1000, before.rlim_max};
    (void)signal(SIGXFSZ, SIG_IGN);
    CU_ASSERT(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    result = tenant_sample_write(path, &to, 3, &err);
    CU_ASSERT(setrlimit(RLIMIT_FSIZE, &before) == 0);
    (void)signal(SIGXFSZ, SIG_DFL);
    UNIT_CHECK(result < 0 && err.code == ERR_UNAVAILABLE && strstr(err.message, "file.part"), "%s",
               err.message);
    CU_ASSERT(access(path, F_OK) < 0 &&
              access(tenant_sample_path(arena, &dir, "file.part"), F_OK) < 0);
}

static void a_row_that_cannot_be_read_is_not_written(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    CLEANUP(tenant_writer_destroy) struct tenant_writer *writer = NULL;
    struct tenant_key to = tenant_sample_key(1);
    struct error err;

    error_init(&err, arena);
    writer = tenant_writer_create(tenant_sample_path(arena, &dir, "file"), &to, NULL,
                                  TENANT_SAMPLE_HEAD, &err);
    UNIT_REQUIRE(writer && tenant_writer_table(writer, "t", &err) == 0, "%s", err.message);
    CU_ASSERT(tenant_writer_row(writer, arena_alloc(arena, TENANT_ROW_MAX + 1), TENANT_ROW_MAX + 1,
                                &err) < 0);
    CU_ASSERT(err.code == ERR_TOO_LARGE);
    UNIT_CHECK(tenant_writer_table(writer, "t", &err) < 0, "twice");
}

static const struct unit_case cases[] = {
    CASE(a_key_is_copied_as_text),
    CASE(a_key_does_not_tell_the_seal_key),
    CASE(a_key_that_hides_nothing_is_refused),
    CASE(what_was_written_is_read),
    CASE(a_file_may_end_anywhere_in_a_chunk),
    CASE(sums_tell_rows_apart),
    CASE(every_altered_byte_is_noticed),
    CASE(every_truncation_is_noticed),
    CASE(moved_chunks_are_noticed),
    CASE(bytes_behind_the_end_are_noticed),
    CASE(another_key_does_not_open_it),
    CASE(an_exchanged_key_still_opens_it),
    CASE(another_version_is_named),
    CASE(what_is_no_file_is_refused),
    CASE(authentic_nonsense_is_refused),
    CASE(too_many_tables_are_refused),
    CASE(names_of_tables_are_words),
    CASE(the_file_tells_nothing),
    CASE(it_has_its_name_when_it_is_whole),
    CASE(a_file_that_ends_before_it_is_locked_is_left),
    CASE(another_file_is_never_replaced),
    CASE(a_disk_that_is_full_is_an_error),
    CASE(a_row_that_cannot_be_read_is_not_written),
};

int main(void)
{
    return unit_run("tenant file", cases, ARRAY_SIZE(cases));
}
