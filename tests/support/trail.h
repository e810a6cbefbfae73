/*
 * trail.h - the audit trails of a suite's daemons, asked with all rights on its database.
 */
#ifndef ATRIUM_TESTS_SUPPORT_TRAIL_H
#define ATRIUM_TESTS_SUPPORT_TRAIL_H

#include "tests/support/suite.h"

/* Makes the view `trail` of all daemons' rows, with the column `daemon`. Once for each suite. */
void trail_open(struct suite *suite);

/* The first value of a query, as a number. Its arguments are tests' own values. */
long trail_number(struct suite *suite, const char *format, ...) PRINTF_LIKE(2, 3);

/* Waits up to 10 s for the query to give this number. */
bool trail_comes_to(struct suite *suite, long want, const char *sql);

/* Waits until every row has its place: each of 1, 2, 3 ... once in each daemon. Fails the running
 * test otherwise. */
void trail_check_sealed(struct suite *suite);

/* `atriumctl audit verify` finds nothing. Fails the running test otherwise. */
void trail_check_sound(struct suite *suite);

#endif
