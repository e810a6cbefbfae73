/*
 * test_openapi_clients.c - /openapi.json in use: linters report nothing, and the clients of three
 * generators compile with `tsc --strict` and sign a patient in. Needs npm packages (make npm).
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

enum { TOOLS_MS = 300000 };

static struct suite *suite;
static struct unit_dir dir;

static const struct unit_need needs[] = {
    {"build/npm/installed/openapi-clients", "npm"},
    {NULL, NULL},
};

static void save_page(void)
{
    HTTP_ANSWER page = http_get(suite_url(suite), "/openapi.json", NULL);
    char path[160];
    FILE *file;

    CHECK_STATUS(page, 200);
    snprintf(path, sizeof(path), "%s/openapi.json", dir.path);
    file = fopen(path, "w");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    CU_ASSERT_EQUAL(fwrite(page->body, 1, page->size, file), page->size);
    fclose(file);
}

static void the_page_is_clean_and_its_clients_compile(void)
{
    const char *const argv[] = {"/usr/bin/env", "node",           "tests/openapi-clients/check.cjs",
                                dir.path,       suite_url(suite), NULL};

    if (!unit_has(needs, "ATRIUM_REQUIRE_ALL"))
        return;
    save_page();
    PROGRAM check = program_start(argv, NULL);
    CU_ASSERT_TRUE(program_wait_end(check, TOOLS_MS));
    CHECK_EXIT(check, 0);
}

static const struct unit_case cases[] = {
    CASE(the_page_is_clean_and_its_clients_compile),
};

int main(void)
{
    int result;

    dir = unit_dir_make();
    suite = suite_start(NULL);
    result = unit_run("openapi clients", cases, ARRAY_SIZE(cases));
    unit_dir_remove(&dir);
    return result;
}
