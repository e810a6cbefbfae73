/*
 * supervise.h - starts, restarts and ends atrium-dev's children. A child dies with its parent
 * (PR_SET_PDEATHSIG). Each has its own session, so that Ctrl-C reaches only atrium-dev.
 */
#ifndef ATRIUM_DEV_SUPERVISE_H
#define ATRIUM_DEV_SUPERVISE_H

#include <sys/types.h>

#include "common/base/arena.h"
#include "common/base/error.h"
#include "common/runtime/fiber.h"
#include "common/runtime/loop.h"
#include "dev/server_user.h"

enum { CHILD_ARGUMENTS_MAX = 48, CHILD_SOCKETS_MAX = 2 };

/* Borrows texts. */
struct child_options {
    const char *name, *instance; /* "authd", "1" */
    const char *argv[CHILD_ARGUMENTS_MAX];
    const char *log;
    int sockets[CHILD_SOCKETS_MAX]; /* listening, from descriptor 3; see sd_listen_fds(3) */
    size_t socket_count;
    const char *socket_names; /* "public:admin" */
    int death_signal;         /* sent when the parent dies */
    struct server_user user;
    void (*before)(void *arg); /* runs before each start; can be NULL */
    void *before_arg;
};

struct child;
struct supervisor;

/* Calls changed(arg) after any pid has changed. */
struct supervisor *supervisor_new(struct loop *loop, void (*changed)(void *arg), void *arg);

/* Every child must have ended. */
void supervisor_destroy(struct supervisor **self_p);

/* Starts a child. Restarts it immediately, then after 200, 400, 800 ms while it dies within 5 s.
 * NULL: cannot start. */
struct child *supervisor_start(struct supervisor *self, const struct child_options *options,
                               struct error *err);

/* Runs a child and parks until it ends; returns its exit status (128 + signal). On timeout or
 * interruption kills its session and returns -1. */
int supervisor_run(struct supervisor *self, const struct child_options *options, int64_t timeout_ms,
                   int *ret_status, struct error *err) MUST_USE;

/* Parks. -1: interrupted. */
int supervisor_pause(struct supervisor *self, int64_t ms, struct error *err) MUST_USE;

/* Makes supervisor_run() fail within 5 ms, and supervisor_pause() at its end. */
void supervisor_interrupt(struct supervisor *self);

/* Stops restarting children. */
void supervisor_retire(struct supervisor *self);

/* Sends `signo` (0: no signal) to the live children with that name (NULL: all), and returns their
 * number. */
size_t supervisor_signal(struct supervisor *self, const char *name, int signo);

/* Signals, and parks until they end; kills those left at the deadline. */
void supervisor_end(struct supervisor *self, const char *name, int signo, int64_t deadline_mono_ms);

pid_t child_pid(const struct child *self); /* returns 0 while the child is down */
const char *child_name(const struct child *self);
const char *child_instance(const struct child *self);
const char *child_log(const struct child *self);
size_t child_failures(const struct child *self); /* deaths in a row, each within 5 s of the start */

/* Returns the children in start order; NULL-ended. */
struct child *const *supervisor_children(const struct supervisor *self);

#endif
