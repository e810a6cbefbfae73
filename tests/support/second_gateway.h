/*
 * second_gateway.h - a gateway of its own address beside a suite's, which is what another host
 * would have: requests go to the one or to the other as a test wants.
 */
#ifndef ATRIUM_TESTS_SUPPORT_SECOND_GATEWAY_H
#define ATRIUM_TESTS_SUPPORT_SECOND_GATEWAY_H

#include "tests/support/program.h"
#include "tests/support/suite.h"

/* Starts it with further lines of its section of the configuration ("" for none), and waits until
 * it serves: its URL. The case fails when it does not within 10 s. */
struct program *second_gateway_start(struct suite *suite, const char *settings,
                                     char ret_url[static 64]);

/* Stops it by SIGTERM, which must end it. */
void second_gateway_stop(struct program *self);

#endif
