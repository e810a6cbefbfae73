/*
 * test_authd_password_text.c - the text that a password is hashed as, and the list of common ones.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "authd/credential/common_password.h"
#include "common/domain/password_text.h"
#include "tests/support/unit.h"

static void test_texts_are_normalised(void)
{
    static const struct {
        const char *label, *input, *want; /* want NULL: the input itself */
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

/* As large as a body may be, all of it marks that have to be sorted. */
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

static void test_the_built_in_list(void)
{
    struct arena *arena = arena_new();
    struct error err;
    struct common_passwords *list;

    error_init(&err, arena);
    list = common_passwords_new(NULL, arena, &err);
    CU_ASSERT_PTR_NOT_NULL_FATAL(list);
    CU_ASSERT_TRUE(common_passwords_has(list, "123456"));
    CU_ASSERT_TRUE(common_passwords_has(list, "Password"));
    CU_ASSERT_TRUE(common_passwords_has(list, "zxcvbnm"));
    CU_ASSERT_FALSE(common_passwords_has(list, "passwor"));
    CU_ASSERT_FALSE(common_passwords_has(list, ""));
    CU_ASSERT_FALSE(common_passwords_has(list, "a quiet harbour"));
    arena_destroy(&arena);
}

static void test_the_list_of_a_file(void)
{
    char path[] = "/tmp/test-common-XXXXXX";
    static const char text[] = "# ours\n\nsecond\r\nfirst\nlast";
    struct arena *arena = arena_new();
    struct common_passwords *list;
    struct error err;
    int fd = mkstemp(path);

    error_init(&err, arena);
    CU_ASSERT_EQUAL(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    list = common_passwords_new(path, arena, &err);
    CU_ASSERT_PTR_NOT_NULL_FATAL(list);
    CU_ASSERT_TRUE(common_passwords_has(list, "first"));
    CU_ASSERT_TRUE(common_passwords_has(list, "SECOND"));
    CU_ASSERT_TRUE(common_passwords_has(list, "last"));
    CU_ASSERT_FALSE(common_passwords_has(list, "# ours"));
    CU_ASSERT_FALSE(common_passwords_has(list, "123456"));
    CU_ASSERT_EQUAL(ftruncate(fd, 7), 0);
    CU_ASSERT_PTR_NULL(common_passwords_new(path, arena, &err));
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "names no password"));
    close(fd);
    unlink(path);
    error_clear(&err);
    CU_ASSERT_PTR_NULL(common_passwords_new(path, arena, &err));
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "No such file"));
    error_clear(&err);
    CU_ASSERT_PTR_NULL(common_passwords_new("/tmp", arena, &err));
    arena_destroy(&arena);
}

static const struct unit_case cases[] = {
    CASE(test_texts_are_normalised),
    CASE(test_the_largest_text_is_normalised_in_time),
    CASE(test_the_built_in_list),
    CASE(test_the_list_of_a_file),
};

int main(void)
{
    return unit_run("authd password text", cases, ARRAY_SIZE(cases));
}
