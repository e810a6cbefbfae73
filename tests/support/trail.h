/*
 * trail.h - audit rows of all daemons, read as a superuser.
 */
#ifndef ATRIUM_TESTS_SUPPORT_TRAIL_H
#define ATRIUM_TESTS_SUPPORT_TRAIL_H

#include "tests/support/suite.h"

/* Makes the view `trail` of all daemons' rows with the column `daemon`. Call once per suite. */
void trail_open(struct suite *suite);

/* Returns a query's first value as a number. Use it only with tests' own values. */
long trail_number(struct suite *suite, const char *format, ...) PRINTF_LIKE(2, 3);

bool trail_comes_to(struct suite *suite, long want, const char *sql);

/* Waits until every row is in its daemon's chain, numbered 1, 2, 3 ... without gaps, or fails the
 * test. */
void trail_check_sealed(struct suite *suite);

void trail_check_sound(struct suite *suite);

#endif
