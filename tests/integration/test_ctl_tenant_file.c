/*
 * test_ctl_tenant_file.c - the key of an installation, and the file of a tenant that is encrypted
 * to it: what was written is read, and nothing else.
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

#include "common/base/file.h"
#include "ctl/tenant_file.h"
#include "tests/support/unit.h"

enum { HEADER_SIZE = 128, PLAIN_SIZE = 64 * 1024, CHUNK_SIZE = PLAIN_SIZE + 17 };

#define HEAD "{\"project\":\"demo\"}"
#define KNOWN_SECRET "JBSWY3DPEHPK3PXP-known-secret"

static const char *path_in(struct arena *arena, const struct unit_dir *dir, const char *name)
{
    return arena_printf(arena, "%s/%s", dir->path, name);
}

static uint8_t *load(struct arena *arena, const char *path, size_t *ret_size)
{
    CLEANUP(file_close) FILE *file = fopen(path, "re");
    struct stat stat_of;
    uint8_t *bytes;

    if (!file || fstat(fileno(file), &stat_of) < 0)
        abort();
    bytes = arena_alloc(arena, (size_t)stat_of.st_size + CHUNK_SIZE);
    *ret_size = fread(bytes, 1, (size_t)stat_of.st_size, file);
    return bytes;
}

static void store(const char *path, const uint8_t *bytes, size_t size)
{
    CLEANUP(file_close) FILE *file = fopen(path, "we");

    if (!file || fwrite(bytes, 1, size, file) != size)
        abort();
}

static struct tenant_key key_of(uint8_t byte)
{
    struct seal_keys keys = unit_seal_keys(byte);

    return tenant_key_derive(seal_keys_current(&keys));
}

/* ---- keys ---- */

static void a_key_is_copied_as_text(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    struct tenant_key one = key_of(1), again = key_of(1), two = key_of(2), parsed;
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

/* Its text tells neither the seal key nor what else is derived from it. */
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

/* Points of small order: what is encrypted to one could be read by everyone. */
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
        UNIT_CHECK(strstr(err.message, "encrypted"), "%s", err.message);
        writer = tenant_writer_create(path_in(arena, &dir, "file"), &key, NULL, HEAD, &err);
        CU_ASSERT_PTR_NULL(writer);
    }
}

/* ---- a file that is read back ---- */

struct sample {
    const char *table;
    size_t rows, size; /* of each row */
};

static const struct sample samples[] = {
    {"settingsd.client", 3, 40},       {"settingsd.empty", 0, 0},
    {"authd.account", 2000, 150},      {"docd.nothing", 2, 0},
    {"docd.one_chunk", 2, PLAIN_SIZE}, {"docd.bytes", 2, 300 * 1000},
    {"docd.most", 1, TENANT_ROW_MAX},
};

/* Bytes that tell the table and the number of the row. */
static void fill(uint8_t *row, const struct sample *sample, size_t number)
{
    for (size_t i = 0; i < sample->size; i++)
        row[i] = (uint8_t)(sample->table[i % strlen(sample->table)] + 7 * number + i / 251);
}

static int write_tables(struct tenant_writer *writer, size_t count, struct error *err)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    uint8_t *row = arena_alloc(arena, TENANT_ROW_MAX);

    for (size_t i = 0; i < count; i++) {
        if (tenant_writer_table(writer, samples[i].table, err) < 0)
            return -1;
        for (size_t j = 0; j < samples[i].rows; j++) {
            fill(row, &samples[i], j);
            if (tenant_writer_row(writer, row, samples[i].size, err) < 0)
                return -1;
        }
    }
    return 0;
}

static int write_samples(const char *path, const struct tenant_key *to, size_t count,
                         struct error *err)
{
    CLEANUP(tenant_writer_destroy)
    struct tenant_writer *writer = tenant_writer_create(path, to, NULL, HEAD, err);

    if (!writer || write_tables(writer, count, err) < 0)
        return -1;
    return tenant_writer_finish(writer, err);
}

/* Reads to the end: 0, or -1 as the reader says. */
static int read_through(const char *path, uint8_t key, struct error *err)
{
    struct seal_keys keys = unit_seal_keys(key);
    CLEANUP(tenant_reader_destroy)
    struct tenant_reader *reader = tenant_reader_open(path, &keys, err);
    struct tenant_row row;
    int result = reader ? 1 : -1;

    while (result > 0)
        result = tenant_reader_next(reader, &row, err);
    return result;
}

static void what_was_written_is_read(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    CLEANUP(tenant_reader_destroy) struct tenant_reader *reader = NULL;
    const char *path = path_in(arena, &dir, "file");
    uint8_t *want = arena_alloc(arena, TENANT_ROW_MAX);
    struct seal_keys keys = unit_seal_keys(1);
    struct tenant_key to = key_of(1);
    const struct tenant_sums *sums;
    struct tenant_row row;
    struct error err;

    error_init(&err, arena);
    UNIT_REQUIRE(write_samples(path, &to, ARRAY_SIZE(samples), &err) == 0, "%s", err.message);
    reader = tenant_reader_open(path, &keys, &err);
    UNIT_REQUIRE(reader, "%s", err.message);
    CU_ASSERT_STRING_EQUAL(tenant_reader_head(reader), HEAD);
    for (size_t i = 0; i < ARRAY_SIZE(samples); i++)
        for (size_t j = 0; j < samples[i].rows; j++) {
            fill(want, &samples[i], j);
            UNIT_REQUIRE(tenant_reader_next(reader, &row, &err) == 1, "%s", err.message);
            UNIT_REQUIRE(strcmp(row.table, samples[i].table) == 0 && row.size == samples[i].size &&
                             memcmp(row.bytes, want, row.size) == 0 && row.bytes[row.size] == '\0',
                         "row %zu of %s", j, samples[i].table);
        }
    UNIT_REQUIRE(tenant_reader_next(reader, &row, &err) == 0, "%s", err.message);
    CU_ASSERT(tenant_reader_next(reader, &row, &err) == 0);
    sums = tenant_reader_sums(reader);
    UNIT_REQUIRE(sums->count == ARRAY_SIZE(samples), "%zu", sums->count);
    for (size_t i = 0; i < sums->count; i++)
        UNIT_CHECK(strcmp(sums->items[i].table, samples[i].table) == 0 &&
                       sums->items[i].rows == samples[i].rows &&
                       sums->items[i].bytes == samples[i].rows * samples[i].size,
                   "%s", sums->items[i].table);
}

/* Plain sizes around a chunk: the last one is full, or has one byte. What is behind a full one is
 * noticed too. */
static void a_file_may_end_anywhere_in_a_chunk(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    const char *path = path_in(arena, &dir, "file");
    uint8_t *row = arena_alloc(arena, PLAIN_SIZE);
    struct tenant_key to = key_of(1);
    int full = 0, one_byte = 0;

    for (size_t size = PLAIN_SIZE - 100; size < PLAIN_SIZE - 70; size++) {
        CLEANUP(tenant_writer_destroy) struct tenant_writer *writer = NULL;
        struct error err;
        uint8_t *bytes;
        size_t got;

        error_init(&err, arena);
        (void)unlink(path);
        writer = tenant_writer_create(path, &to, NULL, HEAD, &err);
        UNIT_REQUIRE(writer && tenant_writer_table(writer, "t", &err) == 0 &&
                         tenant_writer_row(writer, row, size, &err) == 0 &&
                         tenant_writer_finish(writer, &err) == 0,
                     "%zu: %s", size, err.message);
        UNIT_CHECK(read_through(path, 1, &err) == 0, "%zu: %s", size, err.message);
        bytes = load(arena, path, &got);
        one_byte += got == HEADER_SIZE + CHUNK_SIZE + 18;
        if (got != HEADER_SIZE + CHUNK_SIZE)
            continue;
        full++;
        store(path, bytes, got + 1);
        UNIT_CHECK(read_through(path, 1, &err) < 0 && strstr(err.message, "behind its end"), "%s",
                   err.message);
    }
    UNIT_CHECK(full == 1 && one_byte == 1, "%d, %d", full, one_byte);
}

/* The sums tell whether another installation holds the same rows: of these pairs none does. */
static void sums_tell_rows_apart(void)
{
    static const char *const contents[][2] = {{"ab", "c"}, {"a", "bc"}, {"c", "ab"}, {"abc", ""}};
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    uint8_t hashes[ARRAY_SIZE(contents) + 1][TENANT_SUM_SIZE];
    struct tenant_key to = key_of(1);

    for (size_t i = 0; i <= ARRAY_SIZE(contents); i++) {
        const char *const *rows = contents[i % ARRAY_SIZE(contents)];
        CLEANUP(tenant_writer_destroy) struct tenant_writer *writer = NULL;
        struct error err;

        error_init(&err, arena);
        writer = tenant_writer_create(path_in(arena, &dir, arena_printf(arena, "%zu", i)), &to,
                                      NULL, "", &err);
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

/* ---- files that are refused ---- */

/* A file of the first samples; returns its bytes. */
static uint8_t *sample_bytes(struct arena *arena, const struct unit_dir *dir, size_t count,
                             size_t *ret_size)
{
    const char *path = path_in(arena, dir, "sample");
    struct tenant_key to = key_of(1);
    struct error err;

    error_init(&err, arena);
    if (write_samples(path, &to, count, &err) < 0)
        abort();
    return load(arena, path, ret_size);
}

static void every_altered_byte_is_noticed(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    const char *path = path_in(arena, &dir, "altered");
    size_t size;
    uint8_t *bytes = sample_bytes(arena, &dir, 2, &size);
    struct error err;

    UNIT_REQUIRE(size < 1000, "%zu", size);
    for (size_t i = 0; i < size; i++) {
        error_init(&err, arena);
        bytes[i] ^= (uint8_t)(1 << i % 8);
        store(path, bytes, size);
        UNIT_CHECK(read_through(path, 1, &err) < 0 && strstr(err.message, path), "byte %zu: %s", i,
                   err.message);
        bytes[i] ^= (uint8_t)(1 << i % 8);
    }
    store(path, bytes, size);
    CU_ASSERT(read_through(path, 1, &err) == 0);
}

static void every_truncation_is_noticed(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    const char *path = path_in(arena, &dir, "truncated");
    size_t size;
    uint8_t *bytes = sample_bytes(arena, &dir, 3, &size);

    UNIT_REQUIRE(size > HEADER_SIZE + 3 * CHUNK_SIZE, "%zu", size);
    for (size_t length = 0; length < size; length += length < 2 * HEADER_SIZE ? 1 : 9973) {
        struct error err;

        error_init(&err, arena);
        store(path, bytes, length);
        UNIT_CHECK(read_through(path, 1, &err) < 0, "%zu bytes", length);
        UNIT_CHECK(strstr(err.message, length < 14 ? "not the file" : "truncated"), "%zu bytes: %s",
                   length, err.message);
    }
    for (size_t chunks = 0; chunks < 4; chunks++) {
        struct error err;

        error_init(&err, arena);
        store(path, bytes, HEADER_SIZE + chunks * CHUNK_SIZE);
        CU_ASSERT(read_through(path, 1, &err) < 0);
        UNIT_CHECK(strstr(err.message, "is truncated"), "%zu chunks: %s", chunks, err.message);
    }
}

/* Chunks that are whole, but not where they were. */
static void moved_chunks_are_noticed(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    const char *path = path_in(arena, &dir, "moved");
    size_t size;
    uint8_t *bytes = sample_bytes(arena, &dir, 3, &size);
    uint8_t *second = bytes + HEADER_SIZE + CHUNK_SIZE, *third = second + CHUNK_SIZE;
    uint8_t *saved = arena_memdup(arena, second, CHUNK_SIZE);
    struct error err;

    error_init(&err, arena);
    memcpy(second, third, CHUNK_SIZE);
    store(path, bytes, size);
    UNIT_CHECK(read_through(path, 1, &err) < 0, "repeated");
    memcpy(third, saved, CHUNK_SIZE);
    store(path, bytes, size);
    UNIT_CHECK(read_through(path, 1, &err) < 0, "exchanged");
    memmove(second, third + CHUNK_SIZE, size - HEADER_SIZE - 3 * (size_t)CHUNK_SIZE);
    store(path, bytes, size - 2 * (size_t)CHUNK_SIZE);
    UNIT_CHECK(read_through(path, 1, &err) < 0, "left out");
}

static void bytes_behind_the_end_are_noticed(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    const char *path = path_in(arena, &dir, "longer");
    size_t size;
    uint8_t *bytes = sample_bytes(arena, &dir, 2, &size);
    struct error err;

    for (size_t more = 1; more <= CHUNK_SIZE; more += more < 20 ? 1 : 9973) {
        error_init(&err, arena);
        store(path, bytes, size + more);
        UNIT_CHECK(read_through(path, 1, &err) < 0, "%zu", more);
    }
}

static void another_key_does_not_open_it(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    struct tenant_key one = key_of(1), two = key_of(2);
    char want[TENANT_KEY_ID_TEXT], have[TENANT_KEY_ID_TEXT];
    struct error err;
    size_t size;

    error_init(&err, arena);
    (void)sample_bytes(arena, &dir, 1, &size);
    tenant_key_id(&one, want);
    tenant_key_id(&two, have);
    CU_ASSERT(read_through(path_in(arena, &dir, "sample"), 2, &err) < 0);
    UNIT_CHECK(err.code == ERR_FORBIDDEN && strstr(err.message, want) && strstr(err.message, have),
               "%s", err.message);
}

/* The exchange of a seal key does not close what was encrypted before it. */
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
    reader = tenant_reader_open(path_in(arena, &dir, "sample"), &keys, &err);
    UNIT_CHECK(reader, "%s", err.message);
}

static void another_version_is_named(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    const char *path = path_in(arena, &dir, "newer");
    size_t size;
    uint8_t *bytes = sample_bytes(arena, &dir, 1, &size);
    struct error err;

    error_init(&err, arena);
    bytes[15] = 2;
    store(path, bytes, size);
    CU_ASSERT(read_through(path, 1, &err) < 0);
    UNIT_CHECK(strstr(err.message, "version 2"), "%s", err.message);
}

static void what_is_no_file_is_refused(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    const char *pipe = path_in(arena, &dir, "pipe");
    struct error err;

    error_init(&err, arena);
    CU_ASSERT(mkfifo(pipe, 0600) == 0);
    CU_ASSERT(read_through(pipe, 1, &err) < 0);
    UNIT_CHECK(strstr(err.message, "not a regular file"), "%s", err.message);
    CU_ASSERT(read_through(dir.path, 1, &err) < 0);
    UNIT_CHECK(strstr(err.message, "not a regular file"), "%s", err.message);
    CU_ASSERT(read_through(path_in(arena, &dir, "none"), 1, &err) < 0 && err.code == ERR_NOT_FOUND);
}

/* Everyone who knows the public key can make a file: what is authentic may still be wrong. */
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
    uint8_t header[HEADER_SIZE] = "atrium-tenant\n\0\1", key[TENANT_STREAM_KEY_SIZE];
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    crypto_secretstream_xchacha20poly1305_state stream;
    uint8_t *out = arena_alloc(arena, HEADER_SIZE + size + 17);
    struct tenant_key to = key_of(1);
    char id[TENANT_KEY_ID_TEXT];

    tenant_key_id(&to, id);
    crypto_secretstream_xchacha20poly1305_keygen(key);
    if (sodium_hex2bin(header + 16, 8, id, 16, NULL, NULL, NULL) != 0 ||
        tenant_key_encrypt(&to, key, header + 24) < 0)
        abort();
    crypto_secretstream_xchacha20poly1305_init_push(&stream, header + 104, key);
    memcpy(out, header, HEADER_SIZE);
    crypto_secretstream_xchacha20poly1305_push(&stream, out + HEADER_SIZE, NULL, plain, size,
                                               header, HEADER_SIZE, whole ? 3 : 0);
    store(path, out, HEADER_SIZE + size + 17);
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
        FORGED("sums of less", R("\1", "\1", "h") R("\2", "\1", "t") R("\4", "\0", ""), "sums say"),
        FORGED("sums of more", R("\1", "\1", "h") R("\4", "\1", "x"), "sums say"),
        FORGED("behind the sums", R("\1", "\1", "h") R("\4", "\0", "") "\3", "behind its sums"),
    };
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    const char *path = path_in(arena, &dir, "forged");
    static const char good[] = R("\1", "\1", "h") R("\4", "\0", "");
    struct error err;

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        error_init(&err, arena);
        forge(path, (const uint8_t *)rows[i].bytes, rows[i].size, true);
        UNIT_CHECK(read_through(path, 1, &err) < 0, "%s", rows[i].label);
        UNIT_CHECK(strstr(err.message, rows[i].why), "%s: %s", rows[i].label, err.message);
    }
    error_init(&err, arena);
    forge(path, (const uint8_t *)good, sizeof(good) - 1, true);
    UNIT_CHECK(read_through(path, 1, &err) == 0, "%s", err.message);
    forge(path, (const uint8_t *)good, sizeof(good) - 1, false);
    UNIT_CHECK(read_through(path, 1, &err) < 0, "without the final tag");
}

/* More tables than a reader keeps sums of. */
static void too_many_tables_are_refused(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    const char *path = path_in(arena, &dir, "forged");
    CLEANUP(tenant_writer_destroy) struct tenant_writer *writer = NULL;
    uint8_t plain[6 + 8 * (TENANT_TABLES_MAX + 1)] = {1, 0, 0, 0, 1, 'h'};
    struct tenant_key to = key_of(1);
    struct error err;

    error_init(&err, arena);
    writer = tenant_writer_create(path_in(arena, &dir, "file"), &to, NULL, HEAD, &err);
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
    UNIT_CHECK(read_through(path, 1, &err) < 0 && strstr(err.message, "twice"), "%s", err.message);
}

/* ---- what is in the file, and where it lies ---- */

/* Names are printed, and a terminal obeys what is in them. */
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
    const char *path = path_in(arena, &dir, "file");
    struct tenant_key to = key_of(1);
    struct error err;
    uint8_t *bytes;
    size_t size;

    error_init(&err, arena);
    writer = tenant_writer_create(path, &to, NULL, HEAD, &err);
    UNIT_REQUIRE(writer && tenant_writer_table(writer, "authd.mfa_factor", &err) == 0 &&
                     tenant_writer_row(writer, KNOWN_SECRET, strlen(KNOWN_SECRET), &err) == 0 &&
                     tenant_writer_finish(writer, &err) == 0,
                 "%s", err.message);
    bytes = load(arena, path, &size);
    CU_ASSERT_PTR_NULL(memmem(bytes, size, KNOWN_SECRET, 8));
    CU_ASSERT_PTR_NULL(memmem(bytes, size, "mfa_factor", 10));
    CU_ASSERT_PTR_NULL(memmem(bytes, size, HEAD, 8));
}

static void it_has_its_name_when_it_is_whole(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    const char *path = path_in(arena, &dir, "file"), *part = path_in(arena, &dir, "file.part");
    struct tenant_writer *writer, *other;
    struct tenant_key to = key_of(1);
    struct stat stat_of;
    struct error err;

    error_init(&err, arena);
    /* an earlier process was killed */
    store(part, arena_alloc(arena, 1000), 1000);
    CU_ASSERT(chmod(part, 0644) == 0);
    writer = tenant_writer_create(path, &to, NULL, HEAD, &err);
    UNIT_REQUIRE(writer, "%s", err.message);
    CU_ASSERT(access(path, F_OK) < 0 && stat(part, &stat_of) == 0 &&
              (stat_of.st_mode & 0777) == 0600 && stat_of.st_size == HEADER_SIZE);
    other = tenant_writer_create(path, &to, NULL, HEAD, &err);
    UNIT_CHECK(!other && err.code == ERR_CONFLICT, "%s", err.message);
    CU_ASSERT(access(part, F_OK) == 0);
    tenant_writer_destroy(&writer);
    CU_ASSERT(access(path, F_OK) < 0 && access(part, F_OK) < 0);

    writer = tenant_writer_create(path, &to, NULL, HEAD, &err);
    UNIT_REQUIRE(writer && tenant_writer_finish(writer, &err) == 0, "%s", err.message);
    tenant_writer_destroy(&writer);
    CU_ASSERT(stat(path, &stat_of) == 0 && (stat_of.st_mode & 0777) == 0600);
    CU_ASSERT(access(part, F_OK) < 0 && read_through(path, 1, &err) == 0);
}

/* What another process does after this one has opened the file and before it locks it. */
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
    const char *path = path_in(arena, &dir, "file");
    struct tenant_key to = key_of(1);
    struct error err;

    for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
        struct tenant_writer *writer;

        error_init(&err, arena);
        other_writer = tenant_writer_create(path, &to, NULL, HEAD, &err);
        UNIT_REQUIRE(other_writer, "%s", err.message);
        before_lock = ends[i];
        writer = tenant_writer_create(path, &to, NULL, HEAD, &err);
        UNIT_CHECK(!writer && err.code == ERR_CONFLICT, "%zu: %s", i, err.message);
        tenant_writer_destroy(&writer);
    }
    error_init(&err, arena);
    UNIT_CHECK(read_through(path, 1, &err) == 0, "%s", err.message);
}

static void another_file_is_never_replaced(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    CLEANUP(tenant_writer_destroy) struct tenant_writer *writer = NULL;
    const char *path = path_in(arena, &dir, "file");
    struct tenant_key to = key_of(1);
    struct error err;

    error_init(&err, arena);
    writer = tenant_writer_create(path, &to, NULL, HEAD, &err);
    UNIT_REQUIRE(writer, "%s", err.message);
    (void)unit_dir_write(&dir, "file", "other"); /* meanwhile */
    UNIT_CHECK(tenant_writer_finish(writer, &err) < 0, "finished");
    CU_ASSERT_STRING_EQUAL(unit_dir_read(&dir, "file"), "other");
    tenant_writer_destroy(&writer);
    CU_ASSERT(access(path_in(arena, &dir, "file.part"), F_OK) < 0);
    writer = tenant_writer_create(path, &to, NULL, HEAD, &err);
    UNIT_CHECK(!writer && err.code == ERR_CONFLICT, "%s", err.message);
    CU_ASSERT_STRING_EQUAL(unit_dir_read(&dir, "file"), "other");
}

/* ---- files that are resumed ---- */

enum { FROM = 1, TO = 2 }; /* the keys of the two installations */

/* A whole file, and the key that was beside it before it was. */
struct whole {
    uint8_t *bytes, *key;
    size_t size, key_size;
};

static struct whole whole_make(struct arena *arena, const struct unit_dir *dir)
{
    const char *path = path_in(arena, dir, "whole");
    struct tenant_key to = key_of(TO), own = key_of(FROM);
    CLEANUP(tenant_writer_destroy) struct tenant_writer *writer = NULL;
    struct whole self;
    struct error err;

    error_init(&err, arena);
    writer = tenant_writer_create(path, &to, &own, HEAD, &err);
    if (!writer)
        abort();
    self.key = load(arena, path_in(arena, dir, "whole.part.key"), &self.key_size);
    if (write_tables(writer, ARRAY_SIZE(samples), &err) < 0 ||
        tenant_writer_finish(writer, &err) < 0)
        abort();
    CU_ASSERT(access(path_in(arena, dir, "whole.part.key"), F_OK) < 0);
    self.bytes = load(arena, path, &self.size);
    return self;
}

/* As a writer leaves it that was killed when so much was on the disk. */
static void store_cut(struct arena *arena, const struct unit_dir *dir, const struct whole *whole,
                      size_t size)
{
    store(path_in(arena, dir, "file.part"), whole->bytes, size);
    store(path_in(arena, dir, "file.part.key"), whole->key, whole->key_size);
}

static struct tenant_writer *resume(struct arena *arena, const struct unit_dir *dir,
                                    struct error *err)
{
    struct seal_keys keys = unit_seal_keys(FROM);
    struct tenant_key to = key_of(TO);

    return tenant_writer_resume(path_in(arena, dir, "file"), &to, &keys, err);
}

static void check_resumes(struct arena *arena, const struct unit_dir *dir,
                          const struct whole *whole, size_t cut)
{
    CLEANUP(tenant_writer_destroy) struct tenant_writer *writer = NULL;
    const char *path = path_in(arena, dir, "file");
    uint8_t *bytes;
    struct error err;
    size_t size;

    error_init(&err, arena);
    writer = resume(arena, dir, &err);
    UNIT_REQUIRE(writer && strcmp(tenant_writer_head(writer), HEAD) == 0, "%zu: %s", cut,
                 err.message);
    UNIT_REQUIRE(write_tables(writer, ARRAY_SIZE(samples), &err) == 0 &&
                     tenant_writer_finish(writer, &err) == 0,
                 "%zu: %s", cut, err.message);
    bytes = load(arena, path, &size);
    UNIT_CHECK(size == whole->size && memcmp(bytes, whole->bytes, size) == 0, "cut at %zu", cut);
    CU_ASSERT(access(path_in(arena, dir, "file.part"), F_OK) < 0 &&
              access(path_in(arena, dir, "file.part.key"), F_OK) < 0);
    CU_ASSERT(unlink(path) == 0);
}

/* Whatever was on the disk, the file becomes the same, byte for byte. */
static void what_was_cut_anywhere_is_resumed(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    struct whole whole = whole_make(arena, &dir);

    for (size_t chunk = 1; HEADER_SIZE + chunk * CHUNK_SIZE < whole.size; chunk++) {
        size_t at = HEADER_SIZE + chunk * CHUNK_SIZE;
        const size_t cuts[] = {at, at + 1, at + CHUNK_SIZE / 2, at + CHUNK_SIZE - 1};

        for (size_t i = 0; i < ARRAY_SIZE(cuts); i++) {
            store_cut(arena, &dir, &whole, MIN(cuts[i], whole.size - 1));
            check_resumes(arena, &dir, &whole, cuts[i]);
        }
    }
    store_cut(arena, &dir, &whole, whole.size); /* it lacked its name only */
    check_resumes(arena, &dir, &whole, whole.size);
}

/* A power failure may leave a chunk that was not written, before others that were. */
static void what_is_behind_an_altered_chunk_is_written_anew(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    struct whole whole = whole_make(arena, &dir);
    uint8_t *altered = arena_alloc(arena, whole.size);

    for (size_t chunk = 1; chunk < 6; chunk++) {
        size_t at = HEADER_SIZE + chunk * CHUNK_SIZE + 100;

        memcpy(altered, whole.bytes, whole.size);
        altered[at] ^= 1;
        store_cut(arena, &dir, &(struct whole){altered, whole.key, whole.size, whole.key_size},
                  whole.size);
        check_resumes(arena, &dir, &whole, at);
    }
}

static void check_refused(struct arena *arena, const struct unit_dir *dir, uint8_t keys_of,
                          uint8_t to_key, enum error_code want, const char *label)
{
    CLEANUP(tenant_writer_destroy) struct tenant_writer *writer = NULL;
    struct seal_keys keys = unit_seal_keys(keys_of);
    struct tenant_key to = key_of(to_key);
    struct stat before, after;
    struct error err;

    error_init(&err, arena);
    CU_ASSERT(stat(path_in(arena, dir, "file.part"), &before) == 0);
    writer = tenant_writer_resume(path_in(arena, dir, "file"), &to, &keys, &err);
    UNIT_CHECK(!writer && err.code == want, "%s: %d %s", label, err.code, err.message);
    UNIT_CHECK(stat(path_in(arena, dir, "file.part"), &after) == 0 &&
                   before.st_size == after.st_size,
               "%s", label);
}

static void what_cannot_be_resumed_is_left(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    struct whole whole = whole_make(arena, &dir);
    const size_t cut = HEADER_SIZE + 3 * CHUNK_SIZE + 10;
    struct tenant_writer *writer;
    struct error err;

    error_init(&err, arena);
    UNIT_CHECK(!resume(arena, &dir, &err) && err.code == ERR_NOT_FOUND, "%s", err.message);
    CU_ASSERT(access(path_in(arena, &dir, "file.part"), F_OK) < 0);
    store_cut(arena, &dir, &whole, cut);
    check_refused(arena, &dir, 3, TO, ERR_FORBIDDEN, "the keys of another installation");
    check_refused(arena, &dir, FROM, 3, ERR_CONFLICT, "another receiver");
    writer = resume(arena, &dir, &err);
    UNIT_REQUIRE(writer, "%s", err.message);
    check_refused(arena, &dir, FROM, TO, ERR_CONFLICT, "another process");
    CU_ASSERT(tenant_writer_keep(writer));
    tenant_writer_destroy(&writer);
    store_cut(arena, &dir, &whole, HEADER_SIZE + CHUNK_SIZE - 1);
    check_refused(arena, &dir, FROM, TO, ERR_NOT_FOUND, "no chunk is whole");
    store_cut(arena, &dir, &whole, cut);
    store(path_in(arena, &dir, "file.part.key"), whole.key, whole.key_size - 1);
    check_refused(arena, &dir, FROM, TO, ERR_NOT_FOUND, "a truncated key");
    CU_ASSERT(unlink(path_in(arena, &dir, "file.part.key")) == 0);
    check_refused(arena, &dir, FROM, TO, ERR_NOT_FOUND, "no key");
    store_cut(arena, &dir, &whole, cut);
    store(path_in(arena, &dir, "file"), whole.bytes, whole.size);
    check_refused(arena, &dir, FROM, TO, ERR_CONFLICT, "a file of that name");
}

/* Of a record that was cut, other bytes than those that are encrypted already; another table. */
static void what_has_changed_since_is_refused(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    struct whole whole = whole_make(arena, &dir);
    uint8_t *row = arena_alloc(arena, TENANT_ROW_MAX);

    for (int i = 0; i < 2; i++) {
        CLEANUP(tenant_writer_destroy) struct tenant_writer *writer = NULL;
        struct error err;
        int result;

        error_init(&err, arena);
        store_cut(arena, &dir, &whole, HEADER_SIZE + CHUNK_SIZE);
        writer = resume(arena, &dir, &err);
        UNIT_REQUIRE(writer, "%s", err.message);
        result = tenant_writer_table(writer, i == 0 ? samples[0].table : "settingsd.other", &err);
        for (size_t j = 0; result == 0 && j < samples[0].rows; j++)
            result = tenant_writer_row(writer, row, samples[0].size, &err);
        if (result == 0 && tenant_writer_table(writer, samples[1].table, &err) == 0)
            result = tenant_writer_table(writer, samples[2].table, &err);
        for (size_t j = 0; result == 0 && j < samples[2].rows; j++)
            result = tenant_writer_row(writer, row, samples[2].size, &err); /* not as it was */
        UNIT_CHECK(result < 0 && err.code == ERR_CONFLICT && strstr(err.message, "changed"),
                   "%d: %s", i, err.message);
    }
}

/* Who has the last row begins behind it. */
static void the_last_row_tells_where_to_resume(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    CLEANUP(tenant_writer_destroy) struct tenant_writer *writer = NULL;
    struct whole whole = whole_make(arena, &dir);
    uint8_t *row = arena_alloc(arena, TENANT_ROW_MAX), *bytes;
    const struct sample *last = &samples[5];
    const struct tenant_last *found;
    struct error err;
    size_t size;

    error_init(&err, arena);
    store_cut(arena, &dir, &whole,
              whole.size - TENANT_ROW_MAX - 100 * 1000); /* in its second row */
    writer = resume(arena, &dir, &err);
    UNIT_REQUIRE(writer, "%s", err.message);
    CU_ASSERT_PTR_NULL(tenant_writer_last(writer, samples[4].table));
    found = tenant_writer_last(writer, last->table);
    UNIT_REQUIRE(found && found->size == last->size, "%s", last->table);
    fill(row, last, 0);
    CU_ASSERT(memcmp(found->bytes, row, sizeof(found->bytes)) == 0);
    CU_ASSERT(write_tables(writer, 5, &err) == 0 &&
              tenant_writer_table(writer, last->table, &err) == 0);
    fill(row, last, 1);
    CU_ASSERT(tenant_writer_row(writer, row, last->size, &err) == 0);
    fill(row, &samples[6], 0);
    UNIT_CHECK(tenant_writer_table(writer, samples[6].table, &err) == 0 &&
                   tenant_writer_row(writer, row, samples[6].size, &err) == 0 &&
                   tenant_writer_finish(writer, &err) == 0,
               "%s", err.message);
    bytes = load(arena, path_in(arena, &dir, "file"), &size);
    CU_ASSERT(size == whole.size && memcmp(bytes, whole.bytes, size) == 0);
}

/* ---- what cannot be written ---- */

static void a_disk_that_is_full_is_an_error(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    const char *path = path_in(arena, &dir, "file");
    struct rlimit before, limit;
    struct tenant_key to = key_of(1);
    struct error err;
    int result;

    error_init(&err, arena);
    if (getrlimit(RLIMIT_FSIZE, &before) < 0)
        abort();
    limit = (struct rlimit){100 * 1000, before.rlim_max};
    (void)signal(SIGXFSZ, SIG_IGN);
    CU_ASSERT(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    result = write_samples(path, &to, 3, &err);
    CU_ASSERT(setrlimit(RLIMIT_FSIZE, &before) == 0);
    (void)signal(SIGXFSZ, SIG_DFL);
    UNIT_CHECK(result < 0 && err.code == ERR_UNAVAILABLE && strstr(err.message, "file.part"), "%s",
               err.message);
    CU_ASSERT(access(path, F_OK) < 0 && access(path_in(arena, &dir, "file.part"), F_OK) < 0);
}

static void a_row_that_cannot_be_read_is_not_written(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    CLEANUP(tenant_writer_destroy) struct tenant_writer *writer = NULL;
    struct tenant_key to = key_of(1);
    struct error err;

    error_init(&err, arena);
    writer = tenant_writer_create(path_in(arena, &dir, "file"), &to, NULL, HEAD, &err);
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
    CASE(what_was_cut_anywhere_is_resumed),
    CASE(what_is_behind_an_altered_chunk_is_written_anew),
    CASE(what_cannot_be_resumed_is_left),
    CASE(what_has_changed_since_is_refused),
    CASE(the_last_row_tells_where_to_resume),
    CASE(a_disk_that_is_full_is_an_error),
    CASE(a_row_that_cannot_be_read_is_not_written),
};

int main(void)
{
    return unit_run("tenant file", cases, ARRAY_SIZE(cases));
}
