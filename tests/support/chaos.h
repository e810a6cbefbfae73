/*
 * chaos.h - a mixed load of clients that remember every response, for test_chaos.c.
 *
 * Each client has its own people, documents, settings and pages. An acknowledged request has
 * happened. A request without a response, or with 503 or 504, may or may not have taken effect;
 * which of the two is final. Any other response is wrong, and an acknowledged write that cannot be
 * read is lost.
 */
#ifndef ATRIUM_TESTS_SUPPORT_CHAOS_H
#define ATRIUM_TESTS_SUPPORT_CHAOS_H

#include "tests/support/suite.h"

struct chaos;

/* The kind of the last process that was killed. */
enum chaos_cause { CHAOS_DAEMON, CHAOS_POSTGRES, CHAOS_CAUSES };

/* A client's longest time of retrying or waiting for one response. */
struct chaos_stall {
    int64_t ms, since_ms; /* monotonic clock */
    const char *request;
};

struct chaos_result {
    long requests, failed, wrong, lost;
    struct chaos_stall stalls[CHAOS_CAUSES];
};

/* Starts 2 to 32 clients of the demo tenant with this seed. */
struct chaos *chaos_start(struct suite *suite, unsigned seed, size_t clients);

/* Announces a kill. */
void chaos_cause(struct chaos *self, enum chaos_cause cause);

void chaos_stop(struct chaos *self);

/* Reads everything that was acknowledged, with all clients concurrently, and compares the emails in
 * the directory. The suite must be idle. */
void chaos_read_back(struct chaos *self);

struct chaos_result chaos_result(struct chaos *self);
void chaos_print(struct chaos *self);

void chaos_destroy(struct chaos **self_p);

#endif
