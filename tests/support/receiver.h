/*
 * receiver.h - a server of the tests that a daemon posts to: a program that prints
 * "ready PORT COMMAND_PORT", counts what comes to each name below PORT, and is asked and set by
 * requests to COMMAND_PORT (tests/webhooks/receiver.cjs, tests/openid/logout_receiver.cjs).
 */
#ifndef ATRIUM_TESTS_SUPPORT_RECEIVER_H
#define ATRIUM_TESTS_SUPPORT_RECEIVER_H

#include "tests/support/http.h"
#include "tests/support/program.h"

struct receiver {
    struct program *program;
    int port, command_port;
};

/* Whether there is Node.js, which runs these programs. */
bool receiver_has_node(void);

/* Starts it, at the port that it had before, if any, which is the last argument: argv ends with
 * NULL. Ends the test program when it does not become ready. */
void receiver_start(struct receiver *self, const char *const *argv);
void receiver_stop(struct receiver *self);

/* A request to COMMAND_PORT about a name. The body is consumed. */
struct http_answer *receiver_command(const struct receiver *self, const char *method,
                                     const char *name, json_t *body);

/* A number of what came to a name, "requests". */
long receiver_count(const struct receiver *self, const char *name, const char *what);

/* ---- tests/webhooks/receiver.cjs ---- */

/* Starts it with the certificate of certificate_make() in `dir`. */
void receiver_start_webhooks(struct receiver *self, const char *dir);

/* How a name answers; account: that the mode is for, the others are taken; NULL: for all. */
void receiver_set_mode(const struct receiver *self, const char *name, const char *mode,
                       const char *account);

/* Waits until a number of what came to a name is `want` at least; fails the test after that. */
bool receiver_comes_to(const struct receiver *self, const char *name, const char *what, long want,
                       int timeout_ms);

#endif
