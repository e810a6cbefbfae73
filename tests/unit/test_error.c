/*
 * test_error.c - setting errors, problem lists, and the table of codes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/error.h"
#include "tests/support/unit.h"

static void test_set_detail_retry_clear(void)
{
    struct error err;

    error_init(&err, NULL);
    CU_ASSERT(err.code == ERR_NONE);
    CU_ASSERT(error_retry(&err, ERR_OVERLOADED, 3, "Busy.") == -1);
    CU_ASSERT(err.code == ERR_OVERLOADED && err.retry_after_s == 3);
    CU_ASSERT(error_detail(&err, "queue %d", 7) == -1);
    CU_ASSERT_STRING_EQUAL(err.detail, "queue 7");
    CU_ASSERT(error_set(&err, ERR_NOT_FOUND, "No %s, %s", "tenant", err.message) == -1);
    CU_ASSERT_STRING_EQUAL(err.message, "No tenant, Busy.");
    UNIT_CHECK(err.detail[0] == '\0' && err.retry_after_s == 0, "a new error forgets the old one");
    error_clear(&err);
    CU_ASSERT(err.code == ERR_NONE && err.message[0] == '\0');
}

static void test_a_long_message_is_cut(void)
{
    char text[1000];
    struct error err;

    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    error_init(&err, NULL);
    CU_ASSERT(error_set(&err, ERR_INTERNAL, "%s", text) == -1);
    CU_ASSERT(strlen(err.message) == sizeof(err.message) - 1);
}

static void test_problems_are_listed_up_to_the_limit(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    const struct error_item *item;
    struct error err, copy;
    int count = 0;

    error_init(&err, arena);
    CU_ASSERT(error_problem(&err, "email", "must be %s", "there") == -1);
    copy = err;
    CU_ASSERT(error_problem(&copy, "name", "is too long") == -1);
    CU_ASSERT(copy.code == ERR_VALIDATION && copy.problem_count == 2);
    item = copy.problems;
    CU_ASSERT_STRING_EQUAL(item->name, "email");
    CU_ASSERT_STRING_EQUAL(item->value, "must be there");
    CU_ASSERT_STRING_EQUAL(item->next->name, "name");
    CU_ASSERT_PTR_NULL(item->next->next);

    error_clear(&err);
    CU_ASSERT(error_set(&err, ERR_INVALID_SETTING_VALUE, "No.") == -1);
    for (int i = 0; i < ERROR_ITEMS_MAX + 10; i++)
        CU_ASSERT(error_problem(&err, "value", "is wrong") == -1);
    CU_ASSERT(err.code == ERR_INVALID_SETTING_VALUE);
    for (item = err.problems; item; item = item->next)
        count++;
    CU_ASSERT(count == ERROR_ITEMS_MAX && err.problem_count == ERROR_ITEMS_MAX + 10);
    CU_ASSERT(error_set(&err, ERR_NOT_FOUND, "Gone.") == -1);
    CU_ASSERT(!err.problems && err.problem_count == 0);
}

static void a_copy_outlives_the_arena_of_the_original(void)
{
    struct arena *first = arena_new();
    CLEANUP(arena_destroy) struct arena *second = arena_new();
    struct error err, copy, bare;

    error_init(&err, first);
    error_init(&copy, second);
    error_init(&bare, NULL);
    (void)error_problem(&err, "width", "needs an image");
    error_member(&err, "loginId", "x");
    (void)error_detail(&err, "object %d", 7);
    error_copy(&copy, &err);
    error_copy(&bare, &err);
    arena_destroy(&first);
    CU_ASSERT(copy.code == ERR_VALIDATION && copy.arena == second && copy.problem_count == 1);
    CU_ASSERT_STRING_EQUAL(copy.problems->name, "width");
    CU_ASSERT_STRING_EQUAL(copy.problems->value, "needs an image");
    CU_ASSERT_STRING_EQUAL(copy.members->name, "loginId");
    CU_ASSERT_STRING_EQUAL(copy.detail, "object 7");
    CU_ASSERT(error_problem(&copy, "height", "too") == -1 && copy.problem_count == 2);
    CU_ASSERT_STRING_EQUAL(copy.problems->next->name, "height");
    CU_ASSERT(bare.code == ERR_VALIDATION && !bare.problems && bare.problem_count == 0);
}

static void test_members_stay(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    struct error err;

    error_init(&err, arena);
    error_member(&err, "loginId", "x");
    CU_ASSERT(error_set(&err, ERR_MFA_REQUIRED, "More.") == -1);
    error_member(&err, "other", "y");
    CU_ASSERT_STRING_EQUAL(err.members->name, "loginId");
    CU_ASSERT_STRING_EQUAL(err.members->next->value, "y");
}

static void test_every_code_has_its_row(void)
{
    for (int code = ERR_NONE + 1; code < ERROR_CODE_COUNT; code++) {
        const struct error_kind *kind = error_kind((enum error_code)code);

        UNIT_CHECK(kind->wire && kind->status >= 400 && kind->status < 600, "code %d", code);
        UNIT_CHECK(error_from_wire(kind->wire) == (enum error_code)code, "%s", kind->wire);
        UNIT_CHECK(strcmp(error_status_name(kind->status), "Error") != 0, "%d has no name",
                   kind->status);
    }
    CU_ASSERT(error_from_wire("FROM_THE_FUTURE") == ERR_INTERNAL);
    CU_ASSERT(error_kind((enum error_code)999)->status == 500);
    CU_ASSERT_STRING_EQUAL(error_status_name(404), "Not Found");
    CU_ASSERT_STRING_EQUAL(error_status_name(799), "Error");
}

/* How often the text is at the beginning of a line. */
static int count_lines(const char *page, const char *text)
{
    int count = 0;

    for (const char *at = strstr(page, text); at; at = strstr(at + 1, text))
        count += at > page && at[-1] == '\n';
    return count;
}

/* docs/errors.md: a section for each code that clients see, a line for each other one, and no
 * more. */
static void each_code_has_an_entry(void)
{
    char *page = unit_read_file("docs/errors.md"), *others;
    int shown = 0;

    CU_ASSERT_PTR_NOT_NULL_FATAL(page);
    for (int code = ERR_NONE + 1; code < ERROR_CODE_COUNT; code++) {
        const struct error_kind *kind = error_kind((enum error_code)code);
        char entry[128];

        snprintf(entry, sizeof(entry),
                 kind->shown ? "### `%s`\n\nStatus %d.\n\n- **When:** " : "- `%s` (%d): ",
                 kind->wire, kind->status);
        UNIT_CHECK(count_lines(page, entry) == 1, "docs/errors.md has no entry for %s", kind->wire);
        shown += kind->shown;
    }
    CU_ASSERT_EQUAL(count_lines(page, "### `"), shown);
    CU_ASSERT_EQUAL(count_lines(page, "- **What to do:** "), shown);
    others = strstr(page, "## Codes without an entry");
    CU_ASSERT_PTR_NOT_NULL_FATAL(others);
    CU_ASSERT_EQUAL(count_lines(others, "- `"), ERROR_CODE_COUNT - 1 - shown);
    free(page);
}

static const struct unit_case cases[] = {
    CASE(test_set_detail_retry_clear),
    CASE(test_a_long_message_is_cut),
    CASE(test_problems_are_listed_up_to_the_limit),
    CASE(test_members_stay),
    CASE(test_every_code_has_its_row),
    CASE(a_copy_outlives_the_arena_of_the_original),
    CASE(each_code_has_an_entry),
};

int main(void)
{
    return unit_run("error", cases, ARRAY_SIZE(cases));
}
