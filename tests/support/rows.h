/*
 * rows.h - route rows of every daemon.
 */
#ifndef ATRIUM_TESTS_SUPPORT_ROWS_H
#define ATRIUM_TESTS_SUPPORT_ROWS_H

#include "common/domain/request.h"

/* Every ROUTE and ALIAS; method NULL ends the list. */
extern const struct route test_routes[];

extern const struct route test_endpoints[];

extern const struct route test_page_rows[];

/* Writes `path` with a UUID for every {name}. */
void rows_fill_path(const struct route *route, char text[static 256]);

/* True when the route matches a concrete path, whose query is ignored. */
bool rows_match(const struct route *route, const char *method, const char *path);

bool rows_has_body(const struct route *route);

#endif
