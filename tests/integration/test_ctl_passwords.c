/*
 * test_ctl_passwords.c - `atriumctl passwords`: a filter is made from a list, shown, verified, and
 * overwrites no other file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

static const char list[] = "# a title\npassword\nqwerty\nletmein\npassword\n\xff\n";
static const char hashes[] =
    "5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8:10434004\r\n" /* "password" */
    "B1B3773A05C0ED0176787A4F1574FF0075F7521E:4\r\n";       /* "qwerty" */

static struct unit_dir dir;

/* Runs `atriumctl passwords words...`; a word with @ is a file of the directory. */
static struct program *passwords(const char *input, const char *const *words)
{
    char *path = program_path("atriumctl"), names[8][128];
    const char *argv[10] = {path, "passwords"};
    struct program *program;

    for (size_t i = 0; words[i]; i++) {
        snprintf(names[i], sizeof(names[i]), "%s/%s", dir.path, words[i] + 1);
        argv[i + 2] = *words[i] == '@' ? names[i] : words[i];
    }
    program = program_run(argv, input);
    free(path);
    return program;
}
#define PASSWORDS(input, ...) passwords((input), (const char *const[]){__VA_ARGS__, NULL})

static int64_t number(const struct program *program, const char *member)
{
    return json_integer_value(json_object_get(program->json, member));
}

static bool exists(const char *name)
{
    char path[128];

    snprintf(path, sizeof(path), "%s/%s", dir.path, name);
    return access(path, F_OK) == 0;
}

static void a_list_becomes_a_filter(void)
{
    struct stat status;
    char path[128];

    unit_dir_write(&dir, "list", list);
    PROGRAM built = PASSWORDS(NULL, "build", "@list", "@filter", "--json");
    CHECK_EXIT(built, DONE);
    CU_ASSERT_EQUAL(number(built, "passwords"), 3);
    CU_ASSERT_EQUAL(number(built, "version"), 1);
    CU_ASSERT_EQUAL(number(built, "shards"), 1);
    snprintf(path, sizeof(path), "%s/filter", dir.path);
    CU_ASSERT_EQUAL(stat(path, &status), 0);
    CU_ASSERT_EQUAL(number(built, "size"), status.st_size);
    CU_ASSERT_FALSE(exists("filter.new"));

    PROGRAM shown = PASSWORDS(NULL, "info", "@filter", "--json");
    CHECK_EXIT(shown, DONE);
    CU_ASSERT_STRING_EQUAL(shown->out, built->out);
    CU_ASSERT_EQUAL(strlen(program_text(shown, "hash")), 64);
    PROGRAM whole = PASSWORDS(NULL, "verify", "@filter");
    CHECK_EXIT(whole, DONE);
    CU_ASSERT_PTR_NOT_NULL(strstr(whole->out, "/filter is intact: 3 passwords."));
    PROGRAM told = PASSWORDS(NULL, "build", "@list", "@filter");
    CHECK_EXIT(told, DONE);
    CU_ASSERT_PTR_NOT_NULL(strstr(told->out, "1 lines were skipped"));
}

static void every_password_of_a_list_is_found(void)
{
    PROGRAM same = PASSWORDS(NULL, "verify", "@filter", "--list", "@list", "--json");
    CHECK_EXIT(same, DONE);
    CU_ASSERT_EQUAL(number(same, "entries"), 4);
    CU_ASSERT_EQUAL(number(same, "skipped"), 1);
    CU_ASSERT_EQUAL(number(same, "missing"), 0);
    PROGRAM others = PASSWORDS("password\na quiet harbour\nanother one\n", "verify", "@filter",
                               "--list", "-", "--json");
    CHECK_EXIT(others, FAILED);
    CU_ASSERT_EQUAL(number(others, "missing"), 2);
    CU_ASSERT_PTR_NOT_NULL(strstr(others->err, "2 passwords are not in the filter."));
    PROGRAM hashed = PASSWORDS(hashes, "verify", "@filter", "--list", "-");
    CHECK_EXIT(hashed, DONE);
}

static void hashes_become_a_filter_too(void)
{
    PROGRAM built = PASSWORDS(hashes, "build", "-", "@hashed", "--json");
    CHECK_EXIT(built, DONE);
    CU_ASSERT_EQUAL(number(built, "passwords"), 2);
    PROGRAM found = PASSWORDS("Password\nqwerty\n", "verify", "@hashed", "--list", "-");
    CHECK_EXIT(found, DONE);
    PROGRAM ntlm = PASSWORDS("8846F7EAEE8FB117AD06BDD830B7586C:5\n", "build", "-", "@ntlm");
    CHECK_REFUSED(ntlm, FAILED, "hashes of 32 hexadecimal digits, but SHA-1");
    CU_ASSERT_FALSE(exists("ntlm"));
}

static void a_byte_order_mark_is_no_part_of_a_password(void)
{
    PROGRAM built = PASSWORDS("\xef\xbb\xbfpassword\nqwerty\n", "build", "-", "@marked", "--json");
    CHECK_EXIT(built, DONE);
    CU_ASSERT_EQUAL(number(built, "passwords"), 2);
    PROGRAM found = PASSWORDS("password\nqwerty\n", "verify", "@marked", "--list", "-");
    CHECK_EXIT(found, DONE);
    unit_dir_write(&dir, "marked-list", "\xef\xbb\xbfqwerty\n");
    PROGRAM file = PASSWORDS(NULL, "verify", "@marked", "--list", "@marked-list");
    CHECK_EXIT(file, DONE);
}

static void a_damaged_filter_is_refused(void)
{
    char path[128];
    FILE *file;
    int byte;

    snprintf(path, sizeof(path), "%s/filter", dir.path);
    file = fopen(path, "r+");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    fseek(file, 70, SEEK_SET);
    byte = fgetc(file);
    fseek(file, 70, SEEK_SET);
    fputc(byte ^ 1, file);
    fclose(file);
    PROGRAM altered = PASSWORDS(NULL, "verify", "@filter");
    CHECK_REFUSED(altered, FAILED, "/filter: the filter was altered");
    CU_ASSERT_EQUAL(truncate(path, 90), 0);
    PROGRAM cut = PASSWORDS(NULL, "info", "@filter");
    CHECK_REFUSED(cut, FAILED, "/filter: the filter is truncated");
    PROGRAM none = PASSWORDS(NULL, "info", "@list");
    CHECK_REFUSED(none, FAILED, "/list: is not a password filter");
    PROGRAM gone = PASSWORDS(NULL, "info", "@gone");
    CHECK_REFUSED(gone, FAILED, "/gone: No such file");
    PROGRAM mended = PASSWORDS(NULL, "build", "@list", "@filter"); /* replaces a damaged one too */
    CHECK_EXIT(mended, DONE);
}

static void no_other_file_is_replaced(void)
{
    PROGRAM swapped = PASSWORDS(NULL, "build", "@filter", "@list");
    CHECK_REFUSED(swapped, FAILED, "/list: exists and is not a filter, so it was not replaced");
    CU_ASSERT_STRING_EQUAL(unit_dir_read(&dir, "list"), list);
    PROGRAM filter = PASSWORDS(NULL, "build", "@filter", "@filter");
    CHECK_REFUSED(filter, FAILED, "/filter: is not a list of passwords: not a text");
    PROGRAM empty = PASSWORDS("\n\n", "build", "-", "@filter");
    CHECK_REFUSED(empty, FAILED, "the list has no password");
    CU_ASSERT_FALSE(exists("filter.new"));
    PROGRAM whole = PASSWORDS(NULL, "verify", "@filter", "--list", "@list");
    CHECK_EXIT(whole, DONE);
    PROGRAM nowhere = PASSWORDS(NULL, "build", "@list", "/nowhere/filter");
    CHECK_REFUSED(nowhere, FAILED, "/nowhere/filter.new: No such file");
    PROGRAM without = PASSWORDS(NULL, "build", "@gone", "@filter");
    CHECK_REFUSED(without, FAILED, "/gone: No such file");
}

static const struct unit_case cases[] = {
    CASE(a_list_becomes_a_filter),     CASE(every_password_of_a_list_is_found),
    CASE(hashes_become_a_filter_too),  CASE(a_byte_order_mark_is_no_part_of_a_password),
    CASE(a_damaged_filter_is_refused), CASE(no_other_file_is_replaced),
};

int main(void)
{
    int code;

    dir = unit_dir_make();
    code = unit_run("ctl passwords", cases, ARRAY_SIZE(cases));
    unit_dir_remove(&dir);
    return code;
}
