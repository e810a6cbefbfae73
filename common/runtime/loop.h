/*
 * loop.h - the one event loop of a daemon: epoll, a timer heap, and the fibers.
 *
 * ZeroMQ sockets are watched through their descriptors.  zloop and zmq_poll() ask every socket on
 * every turn (3.4 us with eight sockets); here a socket is asked only when its descriptor fired or
 * its owner used it.
 *
 * Everything of a daemon happens on the thread that called loop_run(), except what offload.h runs.
 * Nothing here takes a lock.  Order within one turn: events of descriptors and sockets, due timers,
 * ready fibers (until none is ready, at most 10,000 per turn), then the turn hooks (flush of queued
 * database statements and the like).
 */
#ifndef ATRIUM_COMMON_RUNTIME_LOOP_H
#define ATRIUM_COMMON_RUNTIME_LOOP_H

#include <czmq.h>

#include "common/base/base.h"

struct loop;
struct loop_timer;
struct fiber;

/* A new loop. Blocks SIGTERM, SIGINT and SIGHUP, which loop_on_signal() reads from a signalfd. Must
 * be called before the first ZeroMQ socket (czmq's own signal handler is switched off here). */
struct loop *loop_new(void);

/* Frees the loop. Every fiber must have ended, every watch and timer must have been removed. */
void loop_destroy(struct loop **self_p);

/* Runs until loop_stop(). 0, or -1 when the poll itself failed. */
int loop_run(struct loop *self) MUST_USE;
void loop_stop(struct loop *self);

/* Calls fn(arg, revents) whenever fd is ready for `events` (ZMQ_POLLIN | ZMQ_POLLOUT),
 * level-triggered. An error or hang-up is told as ZMQ_POLLERR together with `events`: the next read
 * or write says what happened. A second call for the same fd replaces events, fn and arg.
 * loop_unwatch() may be called inside fn. */
void loop_watch(struct loop *self, int fd, short events, void (*fn)(void *arg, short revents),
                void *arg);
void loop_unwatch(struct loop *self, int fd);

/* The same for a ZeroMQ socket: fn is called when at least one message can be read. It should read
 * up to a bounded number (a few hundred) and return; it is called again in the next turn while more
 * are there. */
void loop_watch_socket(struct loop *self, zsock_t *socket, void (*fn)(void *arg), void *arg);
void loop_unwatch_socket(struct loop *self, zsock_t *socket);

/* To be called after sending on (or otherwise using) a watched socket outside its own fn: libzmq
 * may have taken in a message then without its descriptor firing again. Cheap; fine for a socket
 * that is not watched. */
void loop_socket_used(struct loop *self, zsock_t *socket);

/* Calls fn(arg) once, at or after the monotonic time `at_ms`. O(log n). The timer frees itself when
 * it fires; loop_cancel() before that (nulls the pointer; NULL is fine; never inside its own fn).
 */
struct loop_timer *loop_at(struct loop *self, int64_t at_ms, void (*fn)(void *arg), void *arg);
void loop_cancel(struct loop *self, struct loop_timer **timer_p);

/* Calls fn(arg) at the end of every turn, in order of registration, until loop_each_turn_stop()
 * with the same two (not from inside such a function). */
void loop_each_turn(struct loop *self, void (*fn)(void *arg), void *arg);
void loop_each_turn_stop(struct loop *self, void (*fn)(void *arg), const void *arg);

/* Calls fn(arg, signo) for SIGTERM, SIGINT, SIGHUP. One handler per loop; set before loop_run(). */
void loop_on_signal(struct loop *self, void (*fn)(void *arg, int signo), void *arg);

/* Monotonic time read once per turn: cheap, at most one turn old. */
int64_t loop_mono_ms(const struct loop *self);

#endif
