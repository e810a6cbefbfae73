/*
 * test_lighthouse.c - the hosted pages and the console are fast, accessible and built as browsers
 * like it: Lighthouse 12 says so, see lighthouse.mjs. `make test-lighthouse` runs it; the figures
 * are those of a machine that does nothing else.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

enum { LIGHTHOUSE_MS = 1200000 };

static struct suite *suite;
static struct unit_dir dir;

static void test_start(void)
{
    dir = unit_dir_make();
    suite = suite_start(NULL);
    setenv("TMPDIR", dir.path, 1); /* of Chromium's profile */
}

static void pages_and_console_reach_their_figures(void)
{
    const char *const argv[] = {
        "/usr/bin/env", "node", "tests/lighthouse/lighthouse.mjs", suite_text(suite, "publicUrl"),
        "demo",         NULL};

    PROGRAM lighthouse = program_start(argv, NULL);
    CU_ASSERT_TRUE(program_wait_end(lighthouse, LIGHTHOUSE_MS));
    CHECK_EXIT(lighthouse, 0);
    printf("\n%s\n", lighthouse->out);
}

static void test_stop(void)
{
    suite_stop(&suite);
    unit_dir_remove(&dir);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(test_start),
    CASE(pages_and_console_reach_their_figures),
    CASE_ALWAYS(test_stop),
};

int main(void)
{
    if (access("build/lighthouse/node_modules/lighthouse", R_OK) == 0 &&
        access("/usr/bin/chromium", X_OK) == 0)
        return unit_run("lighthouse", cases, ARRAY_SIZE(cases));
    return unit_leave_out_suite("lighthouse", "it is not installed (make lighthouse)");
}
