/*
 * test_passkeys_browser.c - passkeys in Chromium with a virtual authenticator, driven by
 * tests/passkeys/browser.cjs. Needs playwright-core (make npm) and Chromium.
 *
 * tier: browser
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

enum { BROWSER_MS = 240000 };

static struct suite *suite;
static struct unit_dir dir;

static const struct unit_need needs[] = {
    {"/usr/bin/chromium", NULL},
    {"build/npm/installed/passkeys", "npm"},
    {NULL, NULL},
};

static void a_browser_enrols_and_shows_passkeys(void)
{
    char port[8], other_port[8], url[64];
    const char *const argv[] = {"/usr/bin/env",   "node",      "tests/passkeys/browser.cjs",
                                suite_url(suite), port,        other_port,
                                "demo",           "elsewhere", NULL};

    if (!unit_has(needs, "ATRIUM_REQUIRE_ALL"))
        return;
    PERSON admin = person_admin(suite);
    PERSON child = person_admin_of_child(suite, "elsewhere");
    snprintf(port, sizeof(port), "%d", unit_free_port());
    snprintf(other_port, sizeof(other_port), "%d", unit_free_port());
    snprintf(url, sizeof(url), "http://localhost:%s", port);
    suite_set_value(suite, admin->access, "PATIENT_APP_URL", url);
    suite_set_value(suite, child->access, "PATIENT_APP_URL", url);
    suite_set_switch(suite, child->access, "PATIENT_LOGIN_ENABLED", true);
    PROGRAM browser = program_start(argv, NULL);
    CU_ASSERT_TRUE(program_wait_end(browser, BROWSER_MS));
    CHECK_EXIT(browser, 0);
}

static const struct unit_case cases[] = {
    CASE(a_browser_enrols_and_shows_passkeys),
};

int main(void)
{
    int result;

    dir = unit_dir_make();
    suite = suite_start(NULL);
    setenv("TMPDIR", dir.path, 1); /* for Chromium's profile */
    result = unit_run("passkeys browser", cases, ARRAY_SIZE(cases));
    unit_dir_remove(&dir);
    return result;
}
