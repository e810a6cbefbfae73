/*
 * loop.h - a daemon's event loop: epoll, a timer heap, fibers.
 *
 * It checks a ZeroMQ socket only after its descriptor fired or the socket was used; zloop checks
 * all every turn (3.4 us for eight). Everything except offload.h runs on loop_run()'s thread,
 * without locks. A turn: descriptors and sockets, due timers, ready fibers (at most 10,000), then
 * hooks.
 */
#ifndef ATRIUM_COMMON_RUNTIME_LOOP_H
#define ATRIUM_COMMON_RUNTIME_LOOP_H

#include <czmq.h>

#include "common/base/base.h"

struct loop;
struct loop_timer;
struct fiber;

/* Blocks SIGTERM, SIGINT and SIGHUP, and disables czmq's signal handler, so call it before the
 * first ZeroMQ socket. */
struct loop *loop_new(void);

/* Requires that all fibers, watches and timers are gone. */
void loop_destroy(struct loop **self_p);

/* Runs until loop_stop(). Returns 0, or -1 if the poll failed. */
int loop_run(struct loop *self) MUST_USE;
void loop_stop(struct loop *self);

/* Calls fn(arg, revents) while fd is ready for `events` (ZMQ_POLLIN | ZMQ_POLLOUT); an error is
 * ZMQ_POLLERR with `events`, and the next read or write reports it. A second call for fd replaces
 * the first. fn can call loop_unwatch(). */
void loop_watch(struct loop *self, int fd, short events, void (*fn)(void *arg, short revents),
                void *arg);
void loop_unwatch(struct loop *self, int fd);

/* Calls fn when the socket has a message, and again next turn if more wait. */
void loop_watch_socket(struct loop *self, zsock_t *socket, void (*fn)(void *arg), void *arg);
void loop_unwatch_socket(struct loop *self, zsock_t *socket);

/* Must be called after using a watched socket outside its fn: libzmq can have received a message
 * without the descriptor firing. */
void loop_socket_used(struct loop *self, zsock_t *socket);

/* Calls fn(arg) once, at or after `at_ms` (monotonic), and frees the timer. Cancel it only before
 * that, with loop_cancel(), which sets the pointer to NULL and accepts NULL. */
struct loop_timer *loop_at(struct loop *self, int64_t at_ms, void (*fn)(void *arg), void *arg);
void loop_cancel(struct loop *self, struct loop_timer **timer_p);

/* Calls fn(arg) at the end of each turn, in order, until stopped (not from a hook). */
void loop_each_turn(struct loop *self, void (*fn)(void *arg), void *arg);
void loop_each_turn_stop(struct loop *self, void (*fn)(void *arg), const void *arg);

/* Calls fn for SIGTERM, SIGINT and SIGHUP. One handler per loop, set before loop_run(). */
void loop_on_signal(struct loop *self, void (*fn)(void *arg, int signo), void *arg);

/* Returns the monotonic time of this turn's start. */
int64_t loop_mono_ms(const struct loop *self);

#endif
