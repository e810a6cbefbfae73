/*
 * rows.c - see rows.h.
 */
#include "tests/support/rows.h"

#include <stdio.h>
#include <string.h>

#include "authd/authd_api.h"
#include "botd/botd_api.h"
#include "common/domain/endpoint.h"
#include "common/domain/page.h"
#include "docd/docd_api.h"
#include "maild/maild_api.h"
#include "settingsd/settingsd_api.h"

#define ROW(service, alias, method, path, handler, input, output, access, reach, flags, since, \
            summary)                                                                           \
    {#method, path,           service,         #handler, access,  reach,                       \
     flags,   &input##_table, &output##_table, since,    summary, alias},

const struct route test_routes[] = {
#define ROUTE(...) ROW("authd", false, __VA_ARGS__)
#define ALIAS(...) ROW("authd", true, __VA_ARGS__)
#define PAGE(...)
#define ENDPOINT(...)
#define OP(...)
#include "authd/authd_routes.def"
#define ROUTE(...) ROW("settingsd", false, __VA_ARGS__)
#define ALIAS(...) ROW("settingsd", true, __VA_ARGS__)
#define PAGE(...)
#define ENDPOINT(...)
#define OP(...)
#include "settingsd/settingsd_routes.def"
#define ROUTE(...) ROW("maild", false, __VA_ARGS__)
#define ALIAS(...) ROW("maild", true, __VA_ARGS__)
#define PAGE(...)
#define ENDPOINT(...)
#define OP(...)
#include "maild/maild_routes.def"
#define ROUTE(...) ROW("docd", false, __VA_ARGS__)
#define ALIAS(...) ROW("docd", true, __VA_ARGS__)
#define PAGE(...)
#define ENDPOINT(...)
#define OP(...)
#include "docd/docd_routes.def"
#define ROUTE(...) ROW("botd", false, __VA_ARGS__)
#define ALIAS(...) ROW("botd", true, __VA_ARGS__)
#define PAGE(...)
#define ENDPOINT(...)
#define OP(...)
#include "botd/botd_routes.def"
    {.method = NULL},
};

#define ENDPOINT_ROW(service, method, path, handler, input, flags) \
    {#method,                                                      \
     path,                                                         \
     service,                                                      \
     #handler,                                                     \
     ACCESS_PUBLIC,                                                \
     REACH_PUBLIC,                                                 \
     (flags) | R_ENDPOINT,                                         \
     &input##_table,                                               \
     &endpoint_answer_table,                                       \
     NULL,                                                         \
     NULL,                                                         \
     false},

const struct route test_endpoints[] = {
#define ROUTE(...)
#define ALIAS(...)
#define PAGE(...)
#define ENDPOINT(...) ENDPOINT_ROW("authd", __VA_ARGS__)
#define OP(...)
#include "authd/authd_routes.def"
#define ROUTE(...)
#define ALIAS(...)
#define PAGE(...)
#define ENDPOINT(...) ENDPOINT_ROW("settingsd", __VA_ARGS__)
#define OP(...)
#include "settingsd/settingsd_routes.def"
#define ROUTE(...)
#define ALIAS(...)
#define PAGE(...)
#define ENDPOINT(...) ENDPOINT_ROW("maild", __VA_ARGS__)
#define OP(...)
#include "maild/maild_routes.def"
#define ROUTE(...)
#define ALIAS(...)
#define PAGE(...)
#define ENDPOINT(...) ENDPOINT_ROW("docd", __VA_ARGS__)
#define OP(...)
#include "docd/docd_routes.def"
#define ROUTE(...)
#define ALIAS(...)
#define PAGE(...)
#define ENDPOINT(...) ENDPOINT_ROW("botd", __VA_ARGS__)
#define OP(...)
#include "botd/botd_routes.def"
    {.method = NULL},
};

#define PAGE_ROW(method, path, handler, input, reach, flags) \
    {#method,                                                \
     path,                                                   \
     "authd",                                                \
     #handler,                                               \
     ACCESS_PUBLIC,                                          \
     reach,                                                  \
     (flags) | R_PAGE,                                       \
     &input##_table,                                         \
     &page_answer_table,                                     \
     NULL,                                                   \
     NULL,                                                   \
     false},

const struct route test_page_rows[] = {
#define ROUTE(...)
#define ALIAS(...)
#define PAGE(...) PAGE_ROW(__VA_ARGS__)
#define ENDPOINT(...)
#define OP(...)
#include "authd/authd_routes.def"
    {.method = NULL},
};

void rows_fill_path(const struct route *route, char text[static 256])
{
    size_t size = 0;

    for (const char *at = route->path; *at && size < 200; at++) {
        if (*at == '{') {
            size +=
                (size_t)snprintf(text + size, 256 - size, "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b");
            at = strchr(at, '}');
        } else {
            text[size++] = *at;
        }
    }
    text[size] = '\0';
}

bool rows_match(const struct route *route, const char *method, const char *path)
{
    const char *want = route->path;

    if (strcmp(route->method, method) != 0)
        return false;
    while (*want && *path && *path != '?') {
        if (*want == '{') {
            want = strchr(want, '}') + 1;
            path += strcspn(path, "/?");
        } else if (*want++ != *path++) {
            return false;
        }
    }
    return *want == '\0' && (*path == '\0' || *path == '?');
}

bool rows_has_body(const struct route *route)
{
    for (size_t i = 0; i < route->input->count; i++) {
        if (!(route->input->rows[i].flags &
              (FIELD_PATH | FIELD_QUERY | FIELD_HEADER | FIELD_INTERNAL)))
            return route->input != &nothing_table;
    }
    return false;
}
