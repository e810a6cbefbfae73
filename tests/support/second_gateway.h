/*
 * second_gateway.h - a gateway with its own address beside a suite's, as on another host.
 */
#ifndef ATRIUM_TESTS_SUPPORT_SECOND_GATEWAY_H
#define ATRIUM_TESTS_SUPPORT_SECOND_GATEWAY_H

#include "tests/support/program.h"
#include "tests/support/suite.h"

/* Starts it with further lines of its configuration section ("" for none) and waits up to 10 s,
 * then fails the case. Returns its URL. */
struct program *second_gateway_start(struct suite *suite, const char *settings,
                                     char ret_url[static 64]);

void second_gateway_stop(struct program *self);

#endif
