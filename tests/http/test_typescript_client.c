/*
 * test_typescript_client.c - clients/typescript: the package, its types from this suite's
 * /openapi.json (`make client-types`), and a session shared by a browser's tabs in Chromium, which
 * go through the faults of tests/client/faults.mjs.
 *
 * Needs npm packages (make client) and Chromium.
 *
 * tier: browser
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/support/http.h"
#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

enum { CHECK_MS = 300000, BROWSER_MS = 600000 };

static const char CHILD[] = "elsewhere"; /* second tenant of demo's admin */

static struct suite *suite;
static struct unit_dir dir;
static bool packed;

static bool have_tools(void)
{
    if (access("build/npm/installed/client", R_OK) == 0) {
        unit_optional();
        return true;
    }
    unit_leave_out("the tools are not installed (make npm)");
    CU_ASSERT_PTR_NULL(getenv("ATRIUM_REQUIRE_ALL"));
    return false;
}

static bool have_browser(void)
{
    if (!have_tools())
        return false;
    if (access("/usr/bin/chromium", X_OK) == 0)
        return true;
    unit_leave_out("chromium is not installed");
    CU_ASSERT_PTR_NULL(getenv("ATRIUM_REQUIRE_ALL"));
    return false;
}

static bool check(const char *what)
{
    HTTP_ANSWER page = http_get(suite_url(suite), "/openapi.json", NULL);
    char path[160];
    const char *const argv[] = {"/usr/bin/env", "node", "tests/client/check.mjs", what, dir.path,
                                path,           NULL};
    FILE *file;

    CHECK_STATUS(page, 200);
    snprintf(path, sizeof(path), "%s/openapi.json", dir.path);
    file = fopen(path, "w");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    CU_ASSERT_EQUAL(fwrite(page->body, 1, page->size, file), page->size);
    fclose(file);
    PROGRAM run = program_start(argv, NULL);
    CU_ASSERT_TRUE(program_wait_end(run, CHECK_MS));
    CHECK_EXIT(run, 0);
    return run->code == 0;
}

static bool pack(void)
{
    return packed || (packed = check("pack"));
}

static void the_package_holds_what_it_should(void)
{
    if (have_tools())
        pack();
}

static void incompatible_changes_break_the_build(void)
{
    if (have_tools() && pack())
        check("breaks");
}

static void a_browser_keeps_the_session_in_all_tabs(void)
{
    char port[8], url[64];
    const char *const argv[] = {
        "/usr/bin/env", "node", "tests/client/browser.mjs", suite_dir(suite), dir.path, port,
        CHILD,          NULL};

    if (!have_browser() || !pack())
        return;
    PERSON admin = person_admin(suite);
    PERSON child = person_admin_of_child(suite, CHILD);
    PROGRAM policy = ATRIUMCTL(suite, NULL, "project", "policy", "demo", "mailCode", "true");
    CU_ASSERT_EQUAL(policy->code, 0);
    CU_ASSERT_PTR_NOT_NULL(child->access);
    snprintf(port, sizeof(port), "%d", unit_free_port());
    snprintf(url, sizeof(url), "http://localhost:%s", port);
    suite_set_value(suite, admin->access, "PATIENT_APP_URL", url);
    PROGRAM browser = program_start(argv, NULL);
    CU_ASSERT_TRUE(program_wait_end(browser, BROWSER_MS));
    UNIT_CHECK(browser->code == 0, "%d %s%s", browser->code, browser->err,
               *browser->err ? "" : browser->out);
}

static void suite_shuts_down_cleanly(void)
{
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(the_package_holds_what_it_should),
    CASE(incompatible_changes_break_the_build),
    CASE(a_browser_keeps_the_session_in_all_tabs),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    const struct suite_options options = {.instances = "authd=2", .test_clock = true};
    int result;

    dir = unit_dir_make();
    suite = suite_start(&options);
    setenv("TMPDIR", dir.path, 1); /* for Chromium's profile */
    result = unit_run("typescript client", cases, ARRAY_SIZE(cases));
    unit_dir_remove(&dir);
    return result;
}
