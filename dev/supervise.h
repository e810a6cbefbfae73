/*
 * supervise.h - children of atrium-dev: started, watched, started again, ended.
 *
 * A child dies with us, also when we are killed (PR_SET_PDEATHSIG), and only children that were
 * started here are ever signalled.  Each has a session of its own, so that Ctrl-C reaches us alone
 * and we end them in order.
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

/* Texts are borrowed while the child is supervised. */
struct child_options {
    const char *name, *instance; /* "authd", "1" */
    const char *argv[CHILD_ARGUMENTS_MAX];
    const char *log; /* file that stdout and stderr are appended to */
    int sockets
        [CHILD_SOCKETS_MAX]; /* listening; passed from descriptor 3 on, see sd_listen_fds(3) */
    size_t socket_count;
    const char *socket_names;  /* "public:admin" */
    int death_signal;          /* sent by the kernel when we die */
    struct server_user user;   /* whom it runs as */
    void (*before)(void *arg); /* called before each start; may be NULL */
    void *before_arg;
};

struct child;
struct supervisor;

/* changed(arg) is called after any pid has changed. */
struct supervisor *supervisor_new(struct loop *loop, void (*changed)(void *arg), void *arg);

/* Every child must have ended. */
void supervisor_destroy(struct supervisor **self_p);

/* Starts a child and restarts it: at once, then after 200, 400, 800 ms while it dies within 5 s.
 * NULL: cannot start now. Options are copied. */
struct child *supervisor_start(struct supervisor *self, const struct child_options *options,
                               struct error *err);

/* Runs a child and parks until it ends; returns its exit status (128 + signal). On timeout or
 * interruption kills all processes of its session and returns -1. */
int supervisor_run(struct supervisor *self, const struct child_options *options, int64_t timeout_ms,
                   int *ret_status, struct error *err) MUST_USE;

/* Parks; -1 on shutdown or supervisor_interrupt(). */
int supervisor_pause(struct supervisor *self, int64_t ms, struct error *err) MUST_USE;

/* Makes supervisor_run() fail within 5 ms, and supervisor_pause() at its end. */
void supervisor_interrupt(struct supervisor *self);

/* Stops restarting children. */
void supervisor_retire(struct supervisor *self);

/* Signals (0: none) the live children of that name (NULL: all); returns their number. */
size_t supervisor_signal(struct supervisor *self, const char *name, int signo);

/* The same, and parks until they end; kills those left at the deadline. */
void supervisor_end(struct supervisor *self, const char *name, int signo, int64_t deadline_mono_ms);

pid_t child_pid(const struct child *self); /* 0 while it is down */
const char *child_name(const struct child *self);
const char *child_instance(const struct child *self);
const char *child_log(const struct child *self);
size_t child_failures(const struct child *self); /* deaths in a row, each within 5 s of its start */

/* The children in the order of their start; NULL-ended, the supervisor's. */
struct child *const *supervisor_children(const struct supervisor *self);

#endif
