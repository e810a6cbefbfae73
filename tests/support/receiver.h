/*
 * receiver.h - a server to which daemons post. It prints "ready PORT COMMAND_PORT", counts posts
 * per name at PORT, and takes commands at COMMAND_PORT (tests/webhooks/receiver.cjs,
 * tests/openid/logout_receiver.cjs).
 */
#ifndef ATRIUM_TESTS_SUPPORT_RECEIVER_H
#define ATRIUM_TESTS_SUPPORT_RECEIVER_H

#include "tests/support/http.h"
#include "tests/support/program.h"

struct receiver {
    struct program *program;
    int port, command_port;
};

/* True when Node.js is installed, which runs these programs. */
bool receiver_has_node(void);

/* receiver_start() starts it with argv, which is NULL-terminated, and on a restart with its
 * previous port as the last argument. Ends the test program if it does not become ready. */
void receiver_start(struct receiver *self, const char *const *argv);
void receiver_stop(struct receiver *self);

/* Sends the receiver a control request with the path /`name`. Consumes the body. */
struct http_answer *receiver_command(const struct receiver *self, const char *method,
                                     const char *name, json_t *body);

long receiver_count(const struct receiver *self, const char *name, const char *what);

/* Starts it with certificate_make()'s certificate in `dir`. */
void receiver_start_webhooks(struct receiver *self, const char *dir);

/* Sets a name's responses, for one account only, while others succeed, or with NULL for all. */
void receiver_set_mode(const struct receiver *self, const char *name, const char *mode,
                       const char *account);

/* Waits until a name's counter is at least `want`, or fails the test. */
bool receiver_comes_to(const struct receiver *self, const char *name, const char *what, long want,
                       int timeout_ms);

#endif
