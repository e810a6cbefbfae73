/*
 * test_password_filter.c - password filters: each listed password is found, few others are, and
 * damaged files are refused.
 */
#include <CUnit/CUnit.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/domain/password_filter.h"
#include "common/domain/password_filter_build.h"
#include "common/domain/password_list.h"
#include "tests/support/unit.h"

enum { HEADER = 32, ROW = 32, HASH = PASSWORD_FILTER_HASH_SIZE, MANY = 30000, OTHERS = 1000000 };

static struct arena *arena;
static struct error err;

static void begin(void)
{
    arena_destroy(&arena);
    arena = arena_new();
    error_init(&err, arena);
}

static const char *word(uint64_t number, char buffer[static 9])
{
    number = number * 0x9e3779b97f4a7c15U % 208827064576U; /* 26 ^ 8 */
    for (size_t i = 0; i < 8; i++, number /= 26)
        buffer[i] = (char)('a' + number % 26);
    buffer[8] = '\0';
    return buffer;
}

static int add(void *builder, uint64_t key, struct error *error)
{
    return password_filter_builder_add(builder, key, error);
}

/* Builds a list's filter in an unnamed file; -1 with err set. */
static int build(const char *text, size_t size, struct password_list_counts *ret)
{
    CLEANUP(password_filter_builder_destroy)
    struct password_filter_builder *builder =
        password_filter_builder_new(&(struct password_filter_options){.folder = NULL});
    const struct password_list_reader reader = {.take = add, .arg = builder};
    char *copy = arena_memdup(arena, text, size);
    CLEANUP(file_close) FILE *list = fmemopen(copy, size, "r");
    int fd = memfd_create("filter", MFD_CLOEXEC);

    CU_ASSERT_FATAL(list && fd >= 0);
    if (password_list_read(list, "list", &reader, ret, &err) == 0 &&
        password_filter_builder_write(builder, fd, NULL, &err) == 0)
        return fd;
    close(fd);
    return -1;
}

static struct password_filter *build_and_open(const char *text)
{
    struct password_list_counts counts;
    int fd = build(text, strlen(text), &counts);
    struct password_filter *filter = fd < 0 ? NULL : password_filter_open(fd, "file", arena, &err);

    UNIT_CHECK(filter != NULL, "%s", err.message);
    if (fd >= 0)
        close(fd);
    return filter;
}

static uint8_t *small_filter(size_t *ret_size)
{
    static const char text[] = "first\nsecond\nthird\n";
    struct password_list_counts counts;
    struct stat status;
    uint8_t *bytes;
    int fd = build(text, strlen(text), &counts);

    CU_ASSERT_FATAL(fd >= 0 && fstat(fd, &status) == 0);
    *ret_size = (size_t)status.st_size;
    bytes = arena_alloc(arena, *ret_size);
    CU_ASSERT_EQUAL(pread(fd, bytes, *ret_size, 0), (ssize_t)*ret_size);
    close(fd);
    return bytes;
}

static void hash_again(uint8_t *bytes, size_t size)
{
    crypto_generichash(bytes + size - HASH, HASH, bytes, size - HASH, NULL, 0);
}

static void check_refused(const uint8_t *bytes, size_t size, const char *why, const char *label)
{
    error_clear(&err);
    CU_ASSERT_PTR_NULL(password_filter_from_bytes(bytes, size, "file", arena, &err));
    UNIT_CHECK(err.code == ERR_BAD_REQUEST && strstr(err.message, why), "%s: %s", label,
               err.message);
}

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static struct password_filter *filter_of_many(void)
{
    char *text = arena_alloc(arena, MANY * 9 + 1), buffer[9];

    for (size_t i = 0; i < MANY; i++)
        sprintf(text + 9 * i, "%s\n", word(i, buffer));
    return build_and_open(text);
}

static void every_listed_password_is_found(void)
{
    struct password_filter *filter;
    char buffer[9];
    size_t found = 0;

    begin();
    filter = filter_of_many();
    CU_ASSERT_PTR_NOT_NULL_FATAL(filter);
    CU_ASSERT_EQUAL(password_filter_info(filter).passwords, MANY);
    UNIT_CHECK(password_filter_info(filter).size < MANY * 20 / 8 + 4096, "%lld bytes",
               (long long)password_filter_info(filter).size);
    for (size_t i = 0; i < MANY; i++)
        found += password_filter_has(filter, word(i, buffer));
    CU_ASSERT_EQUAL(found, MANY);
}

/* For words that are the worst case, tried twice: at most 0.004 % are found. */
static void few_other_passwords_are_found_and_soon(void)
{
    struct password_filter *filter;
    char buffer[9];
    size_t found = 0;
    double began;

    begin();
    filter = filter_of_many();
    CU_ASSERT_PTR_NOT_NULL_FATAL(filter);
    began = seconds();
    for (size_t i = MANY; i < MANY + OTHERS; i++) {
        word(i, buffer);
        buffer[0] = (char)(buffer[0] - 0x20);
        found += password_filter_has(filter, buffer);
    }
    began = seconds() - began;
    UNIT_CHECK(found > 0 && found <= OTHERS / 25000, "%zu of %d", found, OTHERS);
#ifndef __SANITIZE_ADDRESS__
    if (!getenv("ATRIUM_TEST_COMMAND")) /* not under Valgrind */
        UNIT_CHECK(began / OTHERS < 5e-6, "%.2f us", began / OTHERS * 1e6);
#endif
}

static void a_list_of_texts_is_read(void)
{
    static const char text[] = "# a title\n# and more\n\nsecond\r\nFIRST\n\n#1\nfirst\n"
                               "a\xcc\x88\n\xff\xfe\nlast";
    struct password_list_counts counts;
    struct password_filter *filter;
    int fd;

    begin();
    fd = build(text, strlen(text), &counts);
    CU_ASSERT_FATAL(fd >= 0);
    filter = password_filter_open(fd, "file", arena, &err);
    close(fd);
    CU_ASSERT_PTR_NOT_NULL_FATAL(filter);
    CU_ASSERT_EQUAL(password_filter_info(filter).passwords, 5);
    CU_ASSERT_EQUAL(counts.lines, 11);
    CU_ASSERT_EQUAL(counts.entries, 6);
    CU_ASSERT_EQUAL(counts.skipped, 1); /* invalid UTF-8 */
    CU_ASSERT_EQUAL(counts.bytes, (int64_t)strlen(text));
    CU_ASSERT_TRUE(password_filter_has(filter, "second"));
    CU_ASSERT_TRUE(password_filter_has(filter, "SECOND"));
    CU_ASSERT_TRUE(password_filter_has(filter, "first"));
    CU_ASSERT_TRUE(password_filter_has(filter, "FiRsT"));
    CU_ASSERT_TRUE(password_filter_has(filter, "#1"));
    CU_ASSERT_TRUE(password_filter_has(filter, "\xc3\xa4")); /* in NFC */
    CU_ASSERT_TRUE(password_filter_has(filter, "last"));
    CU_ASSERT_FALSE(password_filter_has(filter, "# and more"));
    CU_ASSERT_FALSE(password_filter_has(filter, ""));
    CU_ASSERT_FALSE(password_filter_has(filter, "secon"));
}

/* "password" and "P@ssw0rd", with digits in either case, with and without a count. */
static void a_list_of_hashes_is_read(void)
{
    struct password_filter *filter;

    begin();
    filter = build_and_open("5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8:10434004\r\n"
                            "21bd12dc183f740ee76f27b78eb39c8ad972a757\n");
    CU_ASSERT_PTR_NOT_NULL_FATAL(filter);
    CU_ASSERT_TRUE(password_filter_has(filter, "password"));
    CU_ASSERT_TRUE(password_filter_has(filter, "PASSWORD"));
    CU_ASSERT_TRUE(password_filter_has(filter, "P@ssw0rd"));
    CU_ASSERT_FALSE(password_filter_has(filter, "p@ssw0rd")); /* another hash */
    CU_ASSERT_FALSE(password_filter_has(filter, "5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8"));
}

static void lists_of_another_kind_are_refused(void)
{
    static const struct {
        const char *label, *text;
        size_t size;
        const char *want;
    } rows[] = {
        {"empty lines", "\n\r\n\n", 4, "the list has no password"},
        {"a title alone", "# title\n", 8, "the list has no password"},
        {"NTLM", "8846F7EAEE8FB117AD06BDD830B7586C:5\n", 35, "hashes of 32 hexadecimal digits"},
        {"SHA-256", "5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8:1\n", 67,
         "hashes of 64 hexadecimal digits"},
        {"a hash cut off", "5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8:1\n21BD12DC1\n", 53,
         "list:2: is not a SHA-1 hash"},
        {"a NUL", "one\ntwo\0three\n", 14, "not a text"},
        {"a NUL at the end", "one\0", 4, "not a text"},
    };
    struct password_list_counts counts;

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        begin();
        UNIT_CHECK(build(rows[i].text, rows[i].size, &counts) < 0, "%s", rows[i].label);
        UNIT_CHECK(err.code == ERR_BAD_REQUEST && strstr(err.message, rows[i].want), "%s: %s",
                   rows[i].label, err.message);
    }
}

static void lines_longer_than_a_password_are_skipped(void)
{
    static const size_t sizes[] = {4096, 4097, 256 * 1024 - 1, 256 * 1024, 700 * 1024};
    struct password_list_counts counts;
    struct password_filter *filter;
    int fd;

    for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
        char *text;

        begin();
        text = arena_alloc(arena, sizes[i] + 64);
        memcpy(text, "before\n", 7);
        memset(text + 7, 'x', sizes[i]);
        strcpy(text + 7 + sizes[i], "\nbehind\n");
        fd = build(text, strlen(text), &counts);
        CU_ASSERT_FATAL(fd >= 0);
        filter = password_filter_open(fd, "file", arena, &err);
        close(fd);
        CU_ASSERT_PTR_NOT_NULL_FATAL(filter);
        UNIT_CHECK(counts.skipped == (sizes[i] > 4096) && counts.lines == 3, "%zu: %lld, %lld",
                   sizes[i], (long long)counts.skipped, (long long)counts.lines);
        UNIT_CHECK(counts.entries == 3 - counts.skipped, "%zu: %lld", sizes[i],
                   (long long)counts.entries);
        CU_ASSERT_TRUE(password_filter_has(filter, "behind"));
    }
}

/* The options leave memory for a thousand keys, and shards of three thousand. Most keys therefore
 * go through the file, some repeatedly. The result equals a build in memory. */
static void the_bounds_change_no_byte_but_the_shards(void)
{
    const struct password_filter_options options[] = {
        {.folder = "/tmp", .keys = 1000, .shard_keys = 3000}, {.shard_keys = 3000}};
    struct password_filter *filter[2];

    begin();
    for (size_t i = 0; i < 2; i++) {
        CLEANUP(password_filter_builder_destroy)
        struct password_filter_builder *builder = password_filter_builder_new(&options[i]);
        int fd = memfd_create("filter", MFD_CLOEXEC);
        char buffer[9];

        for (size_t j = 0; j < MANY + 5000; j++)
            CU_ASSERT_EQUAL(password_filter_builder_add(
                                builder, password_key(word(j % MANY, buffer), 8, false), &err),
                            0);
        UNIT_CHECK(password_filter_builder_write(builder, fd, NULL, &err) == 0, "%s", err.message);
        filter[i] = password_filter_open(fd, "file", arena, &err);
        close(fd);
        CU_ASSERT_PTR_NOT_NULL_FATAL(filter[i]);
        CU_ASSERT_EQUAL(password_filter_info(filter[i]).passwords, MANY);
        for (size_t j = 0; j < MANY; j++)
            CU_ASSERT_TRUE(password_filter_has(filter[i], word(j, buffer)));
    }
    CU_ASSERT_EQUAL(password_filter_info(filter[1]).shards, 16);
    CU_ASSERT_EQUAL(memcmp(password_filter_info(filter[0]).hash,
                           password_filter_info(filter[1]).hash, HASH),
                    0);
}

static void more_keys_than_memory_need_a_folder(void)
{
    CLEANUP(password_filter_builder_destroy)
    struct password_filter_builder *builder =
        password_filter_builder_new(&(struct password_filter_options){.keys = 10});
    int result = 0;

    begin();
    for (uint64_t i = 0; i < 1000; i++) /* repeated keys never fill it */
        CU_ASSERT_EQUAL(password_filter_builder_add(builder, i % 5, &err), 0);
    for (uint64_t i = 0; i < 11 && result == 0; i++)
        result = password_filter_builder_add(builder, i << 32, &err);
    CU_ASSERT_EQUAL(result, -1);
    CU_ASSERT_STRING_EQUAL(err.message, "more than 10 passwords");
}

/* Few keys are difficult, because segments are small. */
static void every_small_size_can_be_built(void)
{
    char buffer[9];

    for (size_t size = 1; size <= 300; size++) {
        CLEANUP(password_filter_builder_destroy)
        struct password_filter_builder *builder = password_filter_builder_new(
            &(struct password_filter_options){.keys = 1000, .shard_keys = size % 2 ? 10 : 0});
        int fd = memfd_create("filter", MFD_CLOEXEC);
        struct password_filter *filter;
        size_t found = 0;

        begin();
        for (size_t i = 0; i < size; i++)
            CU_ASSERT_EQUAL(
                password_filter_builder_add(builder, password_key(word(i, buffer), 8, false), &err),
                0);
        UNIT_CHECK(password_filter_builder_write(builder, fd, NULL, &err) == 0, "%zu: %s", size,
                   err.message);
        filter = password_filter_open(fd, "file", arena, &err);
        close(fd);
        UNIT_CHECK(filter != NULL, "%zu: %s", size, err.message);
        for (size_t i = 0; filter && i < size; i++)
            found += password_filter_has(filter, word(i, buffer));
        UNIT_CHECK(found == size, "%zu of %zu", found, size);
    }
}

static void a_file_cut_off_anywhere_is_refused(void)
{
    uint8_t *bytes, *longer;
    size_t size;

    begin();
    bytes = small_filter(&size);
    CU_ASSERT_PTR_NOT_NULL(password_filter_from_bytes(bytes, size, "file", arena, &err));
    for (size_t cut = 0; cut < size; cut++)
        check_refused(bytes, cut, cut < 8 ? "is not a password filter" : "truncated", "cut off");
    longer = arena_alloc(arena, size + 1);
    memcpy(longer, bytes, size);
    check_refused(longer, size + 1, "truncated or altered", "longer");
}

static void a_file_altered_anywhere_is_refused(void)
{
    uint8_t *bytes;
    size_t size;

    begin();
    bytes = small_filter(&size);
    for (size_t bit = 0; bit < 8 * size; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        error_clear(&err);
        UNIT_CHECK(!password_filter_from_bytes(bytes, size, "file", arena, &err), "bit %zu", bit);
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    CU_ASSERT_PTR_NOT_NULL(password_filter_from_bytes(bytes, size, "file", arena, &err));
}

/* An attacker can write the right hash, but no number may point outside the file. */
static void numbers_that_do_not_fit_are_refused(void)
{
    static const struct {
        const char *label;
        size_t at, size;
        uint64_t value;
        const char *want;
    } rows[] = {
        {"another version", 8, 4, 2, "version 2, not 1"},
        {"no shard", 12, 4, 0, "altered"},
        {"three shards", 12, 4, 3, "altered"},
        {"more shards than the file has", 12, 4, 4096, "altered"},
        {"too many shards", 12, 4, 8192, "altered"},
        {"more passwords than in the shards", 16, 8, 4, "altered"},
        {"no passwords", 16, 8, 0, "altered"},
        {"fingerprints elsewhere", HEADER + 8, 8, 128, "altered"},
        {"far fingerprints", HEADER + 8, 8, UINT64_MAX, "altered"},
        {"other passwords in the shard", HEADER + 16, 4, 4, "altered"},
        {"no passwords in the shard", HEADER + 16, 4, 0, "altered"},
        {"no segment", HEADER + 20, 4, 0, "altered"},
        {"a segment that is no power of two", HEADER + 20, 4, 3, "altered"},
        {"a large segment", HEADER + 20, 4, 1 << 18, "altered"},
        {"a larger segment", HEADER + 20, 4, 1 << 19, "altered"},
        {"no place for a first slot", HEADER + 24, 4, 0, "altered"},
        {"many segments", HEADER + 24, 4, 1000, "altered"},
        {"very many segments", HEADER + 24, 4, UINT32_MAX, "altered"},
    };
    uint8_t *bytes, *copy;
    size_t size;

    begin();
    bytes = small_filter(&size);
    copy = arena_alloc(arena, size);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        memcpy(copy, bytes, size);
        for (size_t j = 0; j < rows[i].size; j++)
            copy[rows[i].at + j] = (uint8_t)(rows[i].value >> 8 * j);
        hash_again(copy, size);
        check_refused(copy, size, rows[i].want, rows[i].label);
    }
}

static void what_is_no_filter_is_refused(void)
{
    static const char text[] = "password\n";
    int fd = memfd_create("empty", MFD_CLOEXEC), folder = open("/tmp", O_RDONLY | O_CLOEXEC);

    begin();
    CU_ASSERT_PTR_NULL(password_filter_open(fd, "file", arena, &err));
    CU_ASSERT_STRING_EQUAL(err.message, "file: is not a password filter");
    CU_ASSERT_EQUAL(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    error_clear(&err);
    CU_ASSERT_PTR_NULL(password_filter_open(fd, "file", arena, &err));
    CU_ASSERT_STRING_EQUAL(err.message, "file: is not a password filter");
    error_clear(&err);
    CU_ASSERT_PTR_NULL(password_filter_open(folder, "file", arena, &err));
    CU_ASSERT_STRING_EQUAL(err.message, "file: is not a password filter");
    close(folder);
    close(fd);
    CU_ASSERT_TRUE(password_filter_begins("\x89", 1));
    CU_ASSERT_FALSE(password_filter_begins("", 0));
    CU_ASSERT_FALSE(password_filter_begins(text, strlen(text)));
    arena_destroy(&arena);
}

static const struct unit_case cases[] = {
    CASE(every_listed_password_is_found),
    CASE(few_other_passwords_are_found_and_soon),
    CASE(a_list_of_texts_is_read),
    CASE(a_list_of_hashes_is_read),
    CASE(lists_of_another_kind_are_refused),
    CASE(lines_longer_than_a_password_are_skipped),
    CASE(the_bounds_change_no_byte_but_the_shards),
    CASE(more_keys_than_memory_need_a_folder),
    CASE(every_small_size_can_be_built),
    CASE(a_file_cut_off_anywhere_is_refused),
    CASE(a_file_altered_anywhere_is_refused),
    CASE(numbers_that_do_not_fit_are_refused),
    CASE(what_is_no_filter_is_refused),
};

int main(void)
{
    return unit_run("password filter", cases, ARRAY_SIZE(cases));
}
