/*
 * problem.h - the entries of a 422's list: path, message, code and params (docs/errors.md).
 */
#ifndef ATRIUM_GATEWAY_HTTP_PROBLEM_H
#define ATRIUM_GATEWAY_HTTP_PROBLEM_H

#include <jansson.h>

#include "common/base/error.h"

/* Returns a new reference. */
json_t *problem_json(const struct error_item *problem, struct arena *arena);

/* Returns the code of the table's row `index`, or NULL after the last row. */
const char *problem_code(size_t index);

#endif
