/*
 * test_gateway_decode.c - request targets, paths, queries, and the route tree.
 */
#include <string.h>

#include "gateway/endpoint/routes.h"
#include "tests/support/unit.h"

static void targets_are_split(void)
{
    static const struct {
        const char *text, *path, *query; /* path NULL: refused */
    } rows[] = {
        {"/", "/", ""},
        {"/a/b", "/a/b", ""},
        {"/a?b=c", "/a", "b=c"},
        {"/a?b?c", "/a", "b?c"},
        {"/a?", "/a", ""},
        {"*", "*", ""},
        {"http://host:80/a?b", "/a", "b"},
        {"HTTPS://host", "/", ""},
        {"", NULL, NULL},
        {"a/b", NULL, NULL},
        {"ftp://host/a", NULL, NULL},
        {"http://host?a", "/", "a"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        char text[64];
        struct target target;
        struct error err;
        int result;

        error_init(&err, NULL);
        strcpy(text, rows[i].text);
        result = target_split(text, &target, &err);
        UNIT_CHECK((result == 0) == (rows[i].path != NULL), "%s", rows[i].text);
        if (result == 0 && rows[i].path) {
            UNIT_CHECK(strcmp(target.path, rows[i].path) == 0, "%s", rows[i].text);
            UNIT_CHECK(strcmp(target.query, rows[i].query) == 0, "%s", rows[i].text);
        }
    }
}

static void paths_are_decoded_by_segment(void)
{
    static const struct {
        const char *raw;
        int count; /* -1: refused */
        const char *last;
    } rows[] = {
        {"/", 1, ""},
        {"/a", 1, "a"},
        {"/a/", 2, ""},
        {"//a", 2, "a"},
        {"/a%20b/c+d", 2, "c+d"},
        {"/%61uth", 1, "auth"},
        {"/%C3%A9", 1, "\xc3\xa9"},
        {"/a/..", 2, ".."},
        {"/a%00", -1, NULL},
        {"/a%00/b", -1, NULL},
        {"/a%2Fb", -1, NULL},
        {"/a%2fb", -1, NULL},
        {"/a%", -1, NULL},
        {"/a%4", -1, NULL},
        {"/a%4/b", -1, NULL},
        {"/a%zz", -1, NULL},
        {"/%ff", -1, NULL},
        {"/%c0%80", -1, NULL},
        {"/\xff", -1, NULL},
        {"/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16", 16, "16"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        char scratch[128];
        struct path path;
        struct error err;
        int result;

        error_init(&err, NULL);
        result = path_decode(rows[i].raw, scratch, &path, &err);
        UNIT_CHECK((result == 0) == (rows[i].count >= 0), "%s", rows[i].raw);
        if (result < 0 || rows[i].count < 0)
            continue;
        UNIT_CHECK((int)path.count == rows[i].count && !path.too_deep, "%s", rows[i].raw);
        UNIT_CHECK(strcmp(path.segments[path.count - 1], rows[i].last) == 0, "%s", rows[i].raw);
    }
}

static void deep_paths_match_nothing(void)
{
    char scratch[128];
    struct path path;
    struct error err;

    error_init(&err, NULL);
    CU_ASSERT_EQUAL(path_decode("/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17", scratch, &path, &err),
                    0);
    CU_ASSERT_TRUE(path.too_deep);
}

static void queries_are_decoded(void)
{
    static const struct {
        const char *raw, *name, *value; /* name NULL: refused; value NULL: absent */
    } rows[] = {
        {"", "a", NULL},
        {"a=1", "a", "1"},
        {"a=1&a=2", "a", "1"},
        {"a", "a", ""},
        {"a=", "a", ""},
        {"&&a=b=c&", "a", "b=c"},
        {"x=1&a=b+c%20d%2Fe", "a", "b c d/e"},
        {"%61=x", "a", "x"},
        {"=x", "", "x"},
        {"a=%", NULL, NULL},
        {"a=%00", NULL, NULL},
        {"a=%ff", NULL, NULL},
        {"%0=1", NULL, NULL},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct arena *arena = arena_new();
        struct query query;
        struct error err;
        const char *value;
        int result;

        error_init(&err, arena);
        result = query_decode(rows[i].raw, arena, &query, &err);
        UNIT_CHECK((result == 0) == (rows[i].name != NULL), "%s", rows[i].raw);
        if (result == 0 && rows[i].name) {
            value = query_find(&query, rows[i].name);
            UNIT_CHECK((value != NULL) == (rows[i].value != NULL), "%s", rows[i].raw);
            if (value && rows[i].value)
                UNIT_CHECK(strcmp(value, rows[i].value) == 0, "%s", rows[i].raw);
        }
        arena_destroy(&arena);
    }
}

static void long_queries_are_refused(void)
{
    struct arena *arena = arena_new();
    char raw[4 * (QUERY_PAIRS_MAX + 1) + 1];
    struct query query;
    struct error err;

    error_init(&err, arena);
    for (int i = 0; i <= QUERY_PAIRS_MAX; i++)
        memcpy(raw + i * 4, "a=b&", 4);
    raw[4 * QUERY_PAIRS_MAX] = '\0';
    CU_ASSERT_EQUAL(query_decode(raw, arena, &query, &err), 0);
    CU_ASSERT_EQUAL(query.count, QUERY_PAIRS_MAX);
    raw[4 * QUERY_PAIRS_MAX] = 'a';
    raw[4 * (QUERY_PAIRS_MAX + 1)] = '\0';
    CU_ASSERT_EQUAL(query_decode(raw, arena, &query, &err), -1);
    arena_destroy(&arena);
}

#define END(method_, path_)                          \
    {                                                \
        .route = {.method = method_, .path = path_ } \
    }

static struct endpoint endpoints[] = {
    END("GET", "/a"),
    END("POST", "/a"),
    END("GET", "/a/{id}"),
    END("PUT", "/a/b"),
    END("PUT", "/a/values/{id}"),
    END("DELETE", "/a/{id}"),
    END("GET", "/x/{y}/z"),
    END("PUT", "/a/{name}"),
    END("GET", "/{q}/{r}/w"),
};

static void routes_are_found(void)
{
    static const struct {
        const char *method, *path;
        int want;          /* index of the endpoint, -1: none */
        const char *allow; /* Allow header when there is no endpoint */
        const char *value; /* value of the path's first parameter */
    } rows[] = {
        {"GET", "/a", 0, NULL, NULL},
        {"HEAD", "/a", 0, NULL, NULL},
        {"POST", "/a", 1, NULL, NULL},
        {"PATCH", "/a", -1, "GET, HEAD, POST, OPTIONS", NULL},
        {"OPTIONS", "/a", -1, "GET, HEAD, POST, OPTIONS", NULL},
        {"get", "/a", -1, "GET, HEAD, POST, OPTIONS", NULL},
        {"GET", "/a/7", 2, NULL, "7"},
        {"DELETE", "/a/7", 5, NULL, "7"},
        {"PUT", "/a/b", 3, NULL, NULL},
        {"GET", "/a/b", 2, NULL, "b"},
        {"PATCH", "/a/b", -1, "PUT, GET, HEAD, DELETE, OPTIONS", NULL},
        {"PUT", "/a/values", 7, NULL, "values"},
        {"PUT", "/a/values/n", 4, NULL, "n"},
        {"GET", "/x/1/z", 6, NULL, "1"},
        {"HEAD", "/a/values/n", -1, "PUT, OPTIONS", NULL},
        {"GET", "/a/", -1, "", NULL},
        {"GET", "/x/1", -1, "", NULL},
        {"GET", "/", -1, "", NULL},
        {"GET", "//a", -1, "", NULL},
        {"GET", "*", -1, "", NULL},
        {"GET", "/A", -1, "", NULL},
    };
    struct router *router;
    struct error err;

    error_init(&err, NULL);
    router = router_new(endpoints, ARRAY_SIZE(endpoints), &err);
    CU_ASSERT_PTR_NOT_NULL_FATAL(router);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        char scratch[64];
        struct path path;
        struct route_match match;

        CU_ASSERT_EQUAL(path_decode(rows[i].path, scratch, &path, &err), 0);
        router_match(router, rows[i].method, &path, &match);
        UNIT_CHECK((match.endpoint ? match.endpoint - endpoints : -1) == rows[i].want, "%s %s",
                   rows[i].method, rows[i].path);
        if (rows[i].allow)
            UNIT_CHECK(strcmp(match.allow, rows[i].allow) == 0, "%s %s: %s", rows[i].method,
                       rows[i].path, match.allow);
        if (rows[i].value)
            UNIT_CHECK(match.count == 1 && strcmp(match.parameters[0].value, rows[i].value) == 0,
                       "%s %s", rows[i].method, rows[i].path);
    }
    router_destroy(&router);
}

static void unmatched_branches_leave_no_parameters(void)
{
    char scratch[64];
    struct path path;
    struct route_match match;
    struct error err;
    struct router *router;

    error_init(&err, NULL);
    router = router_new(endpoints, ARRAY_SIZE(endpoints), &err);
    CU_ASSERT_EQUAL(path_decode("/x/1/w", scratch, &path, &err), 0);
    router_match(router, "GET", &path, &match);
    CU_ASSERT_PTR_EQUAL(match.endpoint, &endpoints[ARRAY_SIZE(endpoints) - 1]);
    CU_ASSERT_EQUAL_FATAL(match.count, 2);
    CU_ASSERT_STRING_EQUAL(match.parameters[0].name, "q");
    CU_ASSERT_STRING_EQUAL(match.parameters[0].value, "x");
    CU_ASSERT_STRING_EQUAL(match.parameters[1].name, "r");
    CU_ASSERT_STRING_EQUAL(match.parameters[1].value, "1");
    router_destroy(&router);
}

static void a_duplicate_route_is_refused(void)
{
    struct endpoint twice[] = {END("GET", "/a/{x}"), END("GET", "/a/{x}")};
    struct error err;

    error_init(&err, NULL);
    CU_ASSERT_PTR_NULL(router_new(twice, ARRAY_SIZE(twice), &err));
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "GET /a/{x}"));
}

static void all_rows_make_a_tree(void)
{
    struct arena *arena = arena_new();
    struct router *router;
    struct error err;
    size_t count;
    struct endpoint *all = routes_all(arena, &count);

    error_init(&err, NULL);
    router = router_new(all, count, &err);
    CU_ASSERT_TRUE(count > 20);
    CU_ASSERT_PTR_NOT_NULL(router);
    router_destroy(&router);
    arena_destroy(&arena);
}

/* A compressed length reveals content. */
static void pages_of_a_secret_are_not_compressed(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    size_t count, pages = 0;
    const struct endpoint *all = routes_all(arena, &count);

    for (size_t i = 0; i < count; i++) {
        const struct route *route = &all[i].route;

        if (!(route->flags & R_PAGE))
            continue;
        pages++;
        UNIT_CHECK(all[i].unencoded || !fields_find(route->input, "secret"), "%s %s", route->method,
                   route->path);
        if (strcmp(route->path, "/t/{tenantCode}/sign-in") == 0)
            CU_ASSERT_FALSE(all[i].unencoded);
    }
    CU_ASSERT(pages > 0);
}

static const struct unit_case cases[] = {
    CASE(targets_are_split),
    CASE(paths_are_decoded_by_segment),
    CASE(deep_paths_match_nothing),
    CASE(queries_are_decoded),
    CASE(long_queries_are_refused),
    CASE(routes_are_found),
    CASE(unmatched_branches_leave_no_parameters),
    CASE(a_duplicate_route_is_refused),
    CASE(all_rows_make_a_tree),
    CASE(pages_of_a_secret_are_not_compressed),
};

int main(void)
{
    return unit_run("gateway decode", cases, ARRAY_SIZE(cases));
}
