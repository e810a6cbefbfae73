/*
 * chaos.h - a mixed load of clients that remember what they were told, for test_chaos.c.
 *
 * Each client has people, documents, settings and pages of its own. What it was told is so; what it
 * got no answer for, or 503 or 504, may be or not, and either way for good. Any other answer is
 * wrong, and an acknowledged write that cannot be read any more is lost.
 */
#ifndef ATRIUM_TESTS_SUPPORT_CHAOS_H
#define ATRIUM_TESTS_SUPPORT_CHAOS_H

#include "tests/support/suite.h"

struct chaos;

/* What was killed last. */
enum chaos_cause { CHAOS_DAEMON, CHAOS_POSTGRES, CHAOS_CAUSES };

/* The longest time that a client had to go on asking, or waiting for one answer. */
struct chaos_stall {
    int64_t ms, since_ms; /* of the monotonic clock */
    const char *request;
};

struct chaos_result {
    long requests, failed, wrong, lost;
    struct chaos_stall stalls[CHAOS_CAUSES];
};

/* That many clients (2 at least, 32 at most) of the suite's demo tenant, who choose by that
 * seed. */
struct chaos *chaos_start(struct suite *suite, unsigned seed, size_t clients);

/* Something is about to be killed. */
void chaos_cause(struct chaos *self, enum chaos_cause cause);

/* Ends the load. */
void chaos_stop(struct chaos *self);

/* Asks for everything that was ever acknowledged, by all clients at once; takes the mails in the
 * directory into account. The suite must be at rest. */
void chaos_read_back(struct chaos *self);

/* What came of it so far, and a table of it on stdout. */
struct chaos_result chaos_result(struct chaos *self);
void chaos_print(struct chaos *self);

void chaos_destroy(struct chaos **self_p);

#endif
