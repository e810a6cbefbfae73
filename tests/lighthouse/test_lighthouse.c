/*
 * test_lighthouse.c - Lighthouse 12's performance, accessibility and best practices of the hosted
 * pages and the console (lighthouse.mjs). `make test-lighthouse` runs it; figures need an idle
 * machine.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/support/oauth.h"
#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

enum { LIGHTHOUSE_MS = 1200000 };

static struct suite *suite;
static struct unit_dir dir;
static char *consented, *device;

static void test_start(void)
{
    dir = unit_dir_make();
    suite = suite_start(NULL);
    setenv("TMPDIR", dir.path, 1); /* for Chromium's profile */
    PERSON admin = person_admin(suite);
    PERSON also = person_admin_of_child(suite, "annex"); /* the same person */
    CU_ASSERT_PTR_NOT_NULL(also->access);
    consented = oauth_register(suite, admin, "{\"firstParty\":false}");
    device = oauth_register(suite, admin,
                            "{\"name\":\"Television\",\"firstParty\":false,"
                            "\"grantTypes\":[\"urn:ietf:params:oauth:grant-type:device_code\"],"
                            "\"redirectUris\":[]}");
}

static void pages_and_console_reach_their_figures(void)
{
    const char *const argv[] = {"/usr/bin/env",
                                "node",
                                "tests/lighthouse/lighthouse.mjs",
                                suite_text(suite, "publicUrl"),
                                "demo",
                                consented,
                                device,
                                suite_text(suite, "demo.adminEmail"),
                                suite_text(suite, "demo.adminPassword"),
                                NULL};

    PROGRAM lighthouse = program_start(argv, NULL);
    CU_ASSERT_TRUE(program_wait_end(lighthouse, LIGHTHOUSE_MS));
    CHECK_EXIT(lighthouse, 0);
    printf("\n%s\n", lighthouse->out);
}

static void test_stop(void)
{
    free(consented);
    free(device);
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
    if (access("build/npm/installed/lighthouse", R_OK) == 0 &&
        access("/usr/bin/chromium", X_OK) == 0)
        return unit_run("lighthouse", cases, ARRAY_SIZE(cases));
    return unit_leave_out_suite("lighthouse", "it is not installed (make npm-lighthouse)");
}
