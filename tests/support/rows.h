/*
 * rows.h - the route rows of every daemon, as the row-driven tests see them.
 */
#ifndef ATRIUM_TESTS_SUPPORT_ROWS_H
#define ATRIUM_TESTS_SUPPORT_ROWS_H

#include "common/domain/request.h"

/* Every ROUTE and ALIAS, ended by a row with method NULL. */
extern const struct route test_routes[];

/* Every ENDPOINT, ended likewise. */
extern const struct route test_endpoints[];

/* Every PAGE, ended likewise. */
extern const struct route test_page_rows[];

/* `path` with every {name} replaced by a value that fits any of them (a UUID); static buffer of the
 * caller. */
void rows_fill_path(const struct route *route, char text[static 256]);

/* True when a concrete path (a query behind it does not matter) is one of the route's. */
bool rows_match(const struct route *route, const char *method, const char *path);

/* True when the route takes a JSON body. */
bool rows_has_body(const struct route *route);

#endif
