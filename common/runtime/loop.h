/*
 * loop.h - the one event loop of a daemon: epoll, a timer heap, and the fibers.
 *
 * A ZeroMQ socket is asked only when its descriptor fired or it was used; zloop asks all on every
 * turn (3.4 us for eight). All runs on the thread of loop_run() without locks, but offload.h. A
 * turn: descriptors and sockets, due timers, ready fibers (at most 10,000), then the hooks (flush
 * of queued statements and the like).
 */
#ifndef ATRIUM_COMMON_RUNTIME_LOOP_H
#define ATRIUM_COMMON_RUNTIME_LOOP_H

#include <czmq.h>

#include "common/base/base.h"

struct loop;
struct loop_timer;
struct fiber;

/* Blocks SIGTERM, SIGINT and SIGHUP for loop_on_signal(). Call before the first ZeroMQ socket:
 * czmq's own signal handler is switched off here. */
struct loop *loop_new(void);

/* Every fiber must have ended, every watch and timer must have been removed. */
void loop_destroy(struct loop **self_p);

/* Runs until loop_stop(). 0, or -1 when the poll itself failed. */
int loop_run(struct loop *self) MUST_USE;
void loop_stop(struct loop *self);

/* Calls fn(arg, revents) while fd is ready for `events` (ZMQ_POLLIN | ZMQ_POLLOUT); an error is
 * ZMQ_POLLERR with `events`: the next read or write says what. A second call for the fd replaces
 * the first. loop_unwatch() is allowed inside fn. */
void loop_watch(struct loop *self, int fd, short events, void (*fn)(void *arg, short revents),
                void *arg);
void loop_unwatch(struct loop *self, int fd);

/* For a ZeroMQ socket: fn is called when a message can be read. It reads a few hundred at most; it
 * is called again in the next turn while more are there. */
void loop_watch_socket(struct loop *self, zsock_t *socket, void (*fn)(void *arg), void *arg);
void loop_unwatch_socket(struct loop *self, zsock_t *socket);

/* Call after using a watched socket outside its fn: libzmq may have taken in a message without its
 * descriptor firing. Cheap; fine for an unwatched socket. */
void loop_socket_used(struct loop *self, zsock_t *socket);

/* Calls fn(arg) once, at or after `at_ms` (monotonic). The timer frees itself when it fires;
 * loop_cancel() before (nulls; NULL is fine; not inside fn). */
struct loop_timer *loop_at(struct loop *self, int64_t at_ms, void (*fn)(void *arg), void *arg);
void loop_cancel(struct loop *self, struct loop_timer **timer_p);

/* Calls fn(arg) at the end of every turn, in order, until stopped (not from inside a hook). */
void loop_each_turn(struct loop *self, void (*fn)(void *arg), void *arg);
void loop_each_turn_stop(struct loop *self, void (*fn)(void *arg), const void *arg);

/* Calls fn(arg, signo) for SIGTERM, SIGINT, SIGHUP. One handler per loop; set before loop_run(). */
void loop_on_signal(struct loop *self, void (*fn)(void *arg, int signo), void *arg);

/* Monotonic time read once per turn: cheap, at most one turn old. */
int64_t loop_mono_ms(const struct loop *self);

#endif
