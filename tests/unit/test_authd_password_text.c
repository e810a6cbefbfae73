/*
 * test_authd_password_text.c - normalization of passwords, and the filter of common ones.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "authd/credential/common_password.h"
#include "common/domain/password_list.h"
#include "common/domain/password_text.h"
#include "tests/support/unit.h"

static void test_texts_are_normalised(void)
{
    static const struct {
        const char *label, *input, *want; /* want NULL: unchanged */
        size_t length;
    } rows[] = {
        {"empty", "", NULL, 0},
        {"ASCII", "correct horse", NULL, 13},
        {"NFC", "\xc3\xa4", NULL, 1},
        {"NFD", "a\xcc\x88", "\xc3\xa4", 1},
        {"two marks in another order", "q\xcc\x87\xcc\xa3", "q\xcc\xa3\xcc\x87", 3},
        {"no-break space", "a\xc2\xa0z", "a z", 3},
        {"ideographic space", "a\xe3\x80\x80z", "a z", 3},
        {"zero width space is no space", "a\xe2\x80\x8bz", NULL, 3},
        {"case stays", "\xc3\x84", NULL, 1},
        {"compatibility forms stay", "\xef\xac\x81", NULL, 1}, /* the ligature fi */
        {"Hangul", "\xe1\x84\x92\xe1\x85\xa1\xe1\x86\xab", "\xed\x95\x9c", 1},
        {"control characters stay", "a\x01\x7f", NULL, 3},
        {"emoji", "\xf0\x9f\x94\x91", NULL, 1},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        char *got = password_text_normalize(rows[i].input);

        UNIT_CHECK((!got) == (!rows[i].want) && (!got || strcmp(got, rows[i].want) == 0), "%s: %s",
                   rows[i].label, got ? got : "the same");
        UNIT_CHECK(password_text_length(rows[i].input) == rows[i].length, "%s: %zu", rows[i].label,
                   password_text_length(rows[i].input));
        password_text_destroy(&got);
        CU_ASSERT_PTR_NULL(got);
    }
}

static void test_the_largest_text_is_normalised_in_time(void)
{
    enum { SIZE = 1 << 20 };
    char *text = malloc(SIZE + 1), *normal;
    clock_t began;

    for (size_t at = 0; at < SIZE; at += 4)
        memcpy(text + at, "\xcc\x87\xcc\xa3", 4);
    text[SIZE] = '\0';
    began = clock();
    normal = password_text_normalize(text);
    UNIT_CHECK(clock() - began < 2 * CLOCKS_PER_SEC, "%ld ms",
               (long)(clock() - began) * 1000 / CLOCKS_PER_SEC);
    CU_ASSERT_TRUE(normal && strlen(normal) == SIZE);
    password_text_destroy(&normal);
    free(text);
}

static void test_the_built_in_filter(void)
{
    struct arena *arena = arena_new();
    struct error err;
    struct password_filter *filter;

    error_init(&err, arena);
    filter = common_passwords_open(NULL, arena, &err);
    CU_ASSERT_PTR_NOT_NULL_FATAL(filter);
    CU_ASSERT_TRUE(password_filter_info(filter).passwords > 30000);
    CU_ASSERT_TRUE(password_filter_has(filter, "123456"));
    CU_ASSERT_TRUE(password_filter_has(filter, "Password"));
    CU_ASSERT_TRUE(password_filter_has(filter, "zxcvbnm"));
    CU_ASSERT_TRUE(password_filter_has(filter, "pic's"));
    CU_ASSERT_TRUE(password_filter_has(filter, "aaaaaaaaaaaaaaa")); /* from the manual list */
    CU_ASSERT_FALSE(password_filter_has(filter, "passwords of old"));
    CU_ASSERT_FALSE(password_filter_has(filter, ""));
    CU_ASSERT_FALSE(password_filter_has(filter, "a quiet harbour"));
    arena_destroy(&arena);
}

/* Checks that the built-in filter has this key of the list in the tree. */
static int find(void *filter, uint64_t key, struct error *err UNUSED)
{
    CU_ASSERT_TRUE(password_filter_has_key(filter, key));
    return 0;
}

static void test_the_built_in_filter_has_all_of_its_list(void)
{
    struct arena *arena = arena_new();
    FILE *file = fopen("authd/data/common_passwords.txt", "re");
    struct password_list_counts counts;
    struct password_filter *filter;
    struct error err;

    error_init(&err, arena);
    filter = common_passwords_open(NULL, arena, &err);
    CU_ASSERT_FATAL(filter && file);
    CU_ASSERT_EQUAL(password_list_read(file, "list",
                                       &(struct password_list_reader){.take = find, .arg = filter},
                                       &counts, &err),
                    0);
    CU_ASSERT_EQUAL(counts.entries, password_filter_info(filter).passwords);
    CU_ASSERT_EQUAL(counts.skipped, 0);
    fclose(file);
    arena_destroy(&arena);
}

static struct unit_dir dir;

/* Opens a filter file. On failure returns NULL, with the message in *ret_message. */
static struct password_filter *open_path(const char *path, struct arena *arena,
                                         const char **ret_message)
{
    struct password_filter *filter;
    struct error err;

    error_init(&err, arena);
    filter = common_passwords_open(path, arena, &err);
    *ret_message = arena_strdup(arena, err.message);
    return filter;
}

static void test_a_list_in_the_place_of_a_filter(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    const char *path = unit_dir_write(&dir, "list", "# title\n\nsecond\r\nfirst\nlast"), *message;
    struct password_filter *filter = open_path(path, arena, &message);

    UNIT_CHECK(filter != NULL, "%s", message);
    CU_ASSERT_PTR_NOT_NULL_FATAL(filter);
    CU_ASSERT_TRUE(password_filter_has(filter, "first"));
    CU_ASSERT_TRUE(password_filter_has(filter, "SECOND"));
    CU_ASSERT_TRUE(password_filter_has(filter, "last"));
    CU_ASSERT_FALSE(password_filter_has(filter, "# title"));
    CU_ASSERT_FALSE(password_filter_has(filter, "123456"));
    filter = open_path(unit_dir_write(&dir, "list", "\xef\xbb\xbfthird\n"), arena, &message);
    CU_ASSERT_PTR_NOT_NULL_FATAL(filter);
    CU_ASSERT_TRUE(password_filter_has(filter, "third"));
    CU_ASSERT_PTR_NULL(open_path(unit_dir_write(&dir, "list", "# title\n"), arena, &message));
    CU_ASSERT_PTR_NOT_NULL(strstr(message, "names no password"));
    CU_ASSERT_PTR_NULL(open_path(unit_dir_write(&dir, "list", ""), arena, &message));
    CU_ASSERT_PTR_NOT_NULL(strstr(message, "names no password"));
    CU_ASSERT_PTR_NULL(open_path("/nowhere", arena, &message));
    CU_ASSERT_PTR_NOT_NULL(strstr(message, "No such file"));
    CU_ASSERT_PTR_NULL(open_path("/tmp", arena, &message));
    CU_ASSERT_PTR_NOT_NULL(strstr(message, "must be a filter of passwords, or a list"));
}

static const char *put_bytes(const uint8_t *bytes, size_t size)
{
    const char *path = unit_dir_write(&dir, "filter", "");
    FILE *file = fopen(path, "we");

    CU_ASSERT_EQUAL(fwrite(bytes, 1, size, file), size);
    fclose(file);
    return path;
}

static void test_a_damaged_filter_is_no_list(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    uint8_t bytes[1024];
    FILE *file = fopen("tests/fuzz/corpus/password_filter/three", "re");
    struct password_filter *filter;
    const char *message;
    size_t size;

    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    size = fread(bytes, 1, sizeof(bytes), file);
    fclose(file);
    filter = open_path(put_bytes(bytes, size), arena, &message);
    CU_ASSERT_PTR_NOT_NULL_FATAL(filter);
    CU_ASSERT_TRUE(password_filter_has(filter, "Second"));
    for (size_t cut = 1; cut < size; cut += cut < 12 ? 1 : 20)
        UNIT_CHECK(!open_path(put_bytes(bytes, cut), arena, &message), "cut off at %zu", cut);
    for (size_t at = 0; at < size; at += at < 12 ? 1 : 20) {
        bytes[at] ^= 0x40;
        UNIT_CHECK(!open_path(put_bytes(bytes, size), arena, &message), "altered at %zu", at);
        bytes[at] ^= 0x40;
    }
}

static const struct unit_case cases[] = {
    CASE(test_texts_are_normalised),
    CASE(test_the_largest_text_is_normalised_in_time),
    CASE(test_the_built_in_filter),
    CASE(test_the_built_in_filter_has_all_of_its_list),
    CASE(test_a_list_in_the_place_of_a_filter),
    CASE(test_a_damaged_filter_is_no_list),
};

int main(void)
{
    int code;

    dir = unit_dir_make();
    code = unit_run("authd password text", cases, ARRAY_SIZE(cases));
    unit_dir_remove(&dir);
    return code;
}
