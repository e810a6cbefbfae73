/* loop_private.h - private to loop.c and fiber.c. */
#ifndef ATRIUM_COMMON_RUNTIME_LOOP_PRIVATE_H
#define ATRIUM_COMMON_RUNTIME_LOOP_PRIVATE_H

#include <signal.h>

#include "common/runtime/fiber.h"
#include "common/runtime/loop.h"

/* A timer in the heap; each fiber has one for its park's deadline. */
struct loop_timer {
    int64_t at_ms;
    size_t position; /* from 1; 0: not armed */
    void (*fn)(void *arg);
    void *arg;
    bool allocated; /* made by loop_at(): freed when it fires or is cancelled */
};

struct fiber_list {
    struct fiber *head, **tail;
};

struct fiber_state {
    struct fiber *running; /* NULL: loop's stack */
    struct fiber *all;
    struct fiber_list ready; /* in order of wake-ups */
    struct fiber *idle;      /* ended fibers whose stacks are reused */
    size_t count, idle_count, max;
    bool cancelled;
    void *context;          /* where the loop itself continues */
    const void *loop_stack; /* for AddressSanitizer */
    size_t loop_stack_size;
    void *loop_sanitizer; /* for ThreadSanitizer */
};

struct loop_watch;
struct loop_socket;
struct loop_hook;

struct loop {
    int epoll_fd, signal_fd;
    int64_t now_ms;
    bool stopped;
    struct loop_watch *watches; /* indexed by descriptor */
    size_t watch_count;
    uint32_t generation; /* generation of the last watch */
    struct loop_socket **sockets;
    size_t socket_count, socket_capacity;
    struct loop_timer **timers;
    size_t timer_count, timer_capacity;
    struct loop_hook *hooks;
    size_t hook_count;
    void (*signal_fn)(void *arg, int signo);
    void *signal_arg;
    sigset_t signals_before;
    struct fiber_state fibers;
};

/* loop_timer_arm() arms a timer that the caller owns; loop_timer_disarm() disarms it, even if it is
 * not armed. */
void loop_timer_arm(struct loop *self, struct loop_timer *timer, int64_t at_ms);
void loop_timer_disarm(struct loop *self, struct loop_timer *timer);
void fiber_state_init(struct fiber_state *self);
void fiber_state_free(struct fiber_state *self);

void fiber_run_ready(struct loop *loop, size_t max);

#endif
