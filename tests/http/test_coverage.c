/*
 * test_coverage.c - every route has been driven by the HTTP tests, with its success and with a refusal.
 *
 * Runs last: reads what all other programs of the run wrote to ATRIUM_COVERAGE.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/http/rows.h"
#include "tests/unit/unit.h"

/* How many calls of the route were answered with a status in [low, high]. */
static int count_calls(const struct route *route, int low, int high)
{
    FILE *file = fopen(getenv("ATRIUM_COVERAGE"), "r");
    char method[32], path[512];
    int status, count = 0;

    if (!file)
        return 0;
    while (fscanf(file, "%31s %511s %d", method, path, &status) == 3)
        count += rows_match(route, method, path) && status >= low && status <= high;
    fclose(file);
    return count;
}

static void every_route_was_driven(void)
{
    for (const struct route *route = test_routes; route->method; route++) {
        int good = count_calls(route, 200, 299), refused = count_calls(route, 400, 499);

        if (!good || !refused)
            fprintf(stderr, "%s %s: %d successes, %d refusals\n", route->method, route->path, good,
                    refused);
        CU_ASSERT_TRUE(good > 0);
        CU_ASSERT_TRUE(refused > 0);
    }
}

static const struct unit_case cases[] = {{"every route was driven", every_route_was_driven}};

int main(void)
{
    if (!getenv("ATRIUM_COVERAGE")) {
        fprintf(stderr, "test_coverage: ATRIUM_COVERAGE is not set; run it by `make test`\n");
        return 1;
    }
    return unit_run("coverage", cases, ARRAY_SIZE(cases));
}
