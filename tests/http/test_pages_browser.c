/*
 * test_pages_browser.c - the hosted pages as people see them: Chromium, driven by
 * tests/pages/browser.cjs.
 *
 * playwright-core and axe-core come from the npm registry (make pages), Chromium from Debian. Where
 * they are not installed the case says so and is left out, unless ATRIUM_REQUIRE_PAGES is set, as
 * it is for what is to land.
 */
#include <stdio.h>
#include <stdlib.h>

#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

enum { BROWSER_MS = 480000 };

static struct suite *suite;
static struct unit_dir dir;

static const struct unit_need needs[] = {
    {"/usr/bin/chromium", NULL},
    {"build/pages/node_modules/.package-lock.json", "pages"},
    {NULL, NULL},
};

static void a_browser_uses_the_pages(void)
{
    const char *const argv[] = {
        "/usr/bin/env", "node", "tests/pages/browser.cjs", suite_text(suite, "publicUrl"),
        "demo",         NULL};

    if (!unit_has(needs, "ATRIUM_REQUIRE_PAGES"))
        return;
    PROGRAM browser = program_start(argv, NULL);
    CU_ASSERT_TRUE(program_wait_end(browser, BROWSER_MS));
    CHECK_EXIT(browser, 0);
}

static const struct unit_case cases[] = {
    CASE(a_browser_uses_the_pages),
};

int main(void)
{
    int result;

    dir = unit_dir_make();
    suite = suite_start(NULL);
    setenv("TMPDIR", dir.path, 1); /* of Chromium's profile */
    result = unit_run("pages browser", cases, ARRAY_SIZE(cases));
    unit_dir_remove(&dir);
    return result;
}
