/*
 * test_coverage.c - checks that the HTTP tests drove every route with a success and a refusal, even
 * with optional tools missing, and that /openapi.json describes each response. Runs last and reads
 * ATRIUM_COVERAGE of all programs.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/rows.h"
#include "tests/support/suite.h"
#include "tests/support/unit.h"

struct call {
    char method[32], *path;
    int status;
    bool optional; /* see unit_optional() */
};

static struct call *calls;
static size_t call_count;

static void read_calls(void)
{
    FILE *file = fopen(getenv("ATRIUM_COVERAGE"), "r");
    struct call call;
    char path[512], kind[16];

    if (!file)
        return;
    while (fscanf(file, "%31s %511s %d %15s", call.method, path, &call.status, kind) == 4) {
        call.path = strdup(path);
        call.optional = strcmp(kind, "optional") == 0;
        if (call_count % 1024 == 0)
            calls = realloc(calls, (call_count + 1024) * sizeof(*calls));
        calls[call_count++] = call;
    }
    fclose(file);
}

static void free_calls(void)
{
    for (size_t i = 0; i < call_count; i++)
        free(calls[i].path);
    free(calls);
}

/* Counts the route's calls with a status in [low, high]. */
static int count_calls(const struct route *route, int low, int high)
{
    int count = 0;

    for (const struct call *call = calls; call < calls + call_count; call++)
        count += !call->optional && call->status >= low && call->status <= high &&
                 rows_match(route, call->method, call->path);
    return count;
}

static void every_route_was_driven(void)
{
    for (const struct route *route = test_routes; route->method; route++) {
        int good = count_calls(route, 200, 299), refused = count_calls(route, 400, 499);

        /* a public route without input can refuse no request */
        bool refusable = route->access != ACCESS_PUBLIC || route->input->count > 0;

        UNIT_CHECK(good > 0 && (refused > 0 || !refusable), "%s %s: %d successes, %d refusals",
                   route->method, route->path, good, refused);
    }
}

/* A redirect of a browser counts as a success. */
static void every_endpoint_was_driven(void)
{
    for (const struct route *route = test_endpoints; route->method; route++) {
        int good = count_calls(route, 200, 399), refused = count_calls(route, 400, 499);

        UNIT_CHECK(good > 0 && refused > 0, "%s %s: %d successes, %d refusals", route->method,
                   route->path, good, refused);
    }
}

static const struct route *route_of(const char *method, const char *path)
{
    const struct route *found = NULL;

    /* As in the gateway, a literal segment wins over a parameter: "/document/public/x". */
    for (const struct route *route = test_routes; route->method; route++)
        if (rows_match(route, method, path) && (!found || strchr(found->path, '{')))
            found = route;
    return found;
}

static bool is_described(json_t *paths, const struct route *route, int status)
{
    char method[16] = "", key[16];
    json_t *responses;

    for (size_t i = 0; i < sizeof(method) - 1 && route->method[i]; i++)
        method[i] = (char)(route->method[i] | 0x20);
    snprintf(key, sizeof(key), "%d", status);
    responses =
        json_object_get(json_object_get(json_object_get(paths, route->path), method), "responses");
    return json_object_get(responses, key) != NULL;
}

static void every_answer_is_described(void)
{
    struct suite *suite = suite_start(&(struct suite_options){.no_demo = true});
    HTTP_ANSWER page = http_get(suite_url(suite), "/openapi.json", NULL);
    json_t *paths = http_member(page, "paths");
    int count = 0;

    CHECK_STATUS(page, 200);
    for (const struct call *call = calls; call < calls + call_count; call++) {
        const struct route *route = route_of(call->method, call->path);

        if (!route || call->status < 200) /* 0: connection lost */
            continue;
        UNIT_CHECK(is_described(paths, route, call->status), "%s %s: %d", call->method, call->path,
                   call->status);
        count++;
    }
    CU_ASSERT_TRUE(count > 0);
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(every_route_was_driven),
    CASE(every_endpoint_was_driven),
    CASE_ALWAYS(every_answer_is_described),
};

int main(void)
{
    int result;

    if (!getenv("ATRIUM_COVERAGE")) {
        fprintf(stderr, "test_coverage: ATRIUM_COVERAGE is not set; run it by `make test`\n");
        return 1;
    }
    read_calls();
    result = unit_run("coverage", cases, ARRAY_SIZE(cases));
    free_calls();
    return result;
}
