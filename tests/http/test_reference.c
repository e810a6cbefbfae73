/*
 * test_reference.c - the API reference at /docs: how it is served, and in Chromium, where
 * tests/console/reference.mjs reads an operation and tries it with a token.
 *
 * tier: browser
 */
#include <stdlib.h>
#include <string.h>

#include "tests/support/http.h"
#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

enum { BROWSER_MS = 300000 };

static struct suite *suite;
static struct unit_dir dir;

static const struct unit_need needs[] = {
    {"/usr/bin/chromium", NULL},
    {"build/npm/installed/console", "npm"},
    {NULL, NULL},
};

static void the_policy_admits_no_other_script_and_no_other_origin(void)
{
    HTTP_ANSWER page = http_get(suite_url(suite), "/docs", NULL);
    char *policy = http_header(page, "Content-Security-Policy");

    CHECK_STATUS(page, 200);
    CU_ASSERT_PTR_NOT_NULL_FATAL(policy);
    CU_ASSERT_PTR_NOT_NULL(strstr(policy, "default-src 'none'; script-src 'sha256-"));
    CU_ASSERT_PTR_NOT_NULL(strstr(policy, "connect-src 'self';"));
    CU_ASSERT_PTR_NOT_NULL(strstr(policy, "frame-ancestors 'none'"));
    CU_ASSERT_PTR_NULL(strstr(policy, "unsafe"));
    free(policy);
}

static void an_operation_is_read_and_tried_with_a_token(void)
{
    const char *const argv[] = {"/usr/bin/env", "node", "tests/console/reference.mjs",
                                suite_dir(suite), NULL};

    if (!unit_has(needs, "ATRIUM_REQUIRE_ALL"))
        return;
    PROGRAM browser = program_start(argv, NULL);
    CU_ASSERT_TRUE(program_wait_end(browser, BROWSER_MS));
    CHECK_EXIT(browser, 0);
}

static const struct unit_case cases[] = {
    CASE(the_policy_admits_no_other_script_and_no_other_origin),
    CASE(an_operation_is_read_and_tried_with_a_token),
};

int main(void)
{
    int result;

    dir = unit_dir_make();
    suite = suite_start(NULL);
    setenv("TMPDIR", dir.path, 1); /* for Chromium's profile */
    result = unit_run("reference", cases, ARRAY_SIZE(cases));
    unit_dir_remove(&dir);
    return result;
}
