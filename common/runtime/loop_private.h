/* loop_private.h - what loop.c and fiber.c share; no other file includes it. */
#ifndef ATRIUM_COMMON_RUNTIME_LOOP_PRIVATE_H
#define ATRIUM_COMMON_RUNTIME_LOOP_PRIVATE_H

#include <signal.h>

#include "common/runtime/fiber.h"
#include "common/runtime/loop.h"

/* A timer in the heap; a fiber has one within itself for the deadline of its park. */
struct loop_timer {
    int64_t at_ms;
    size_t position; /* in the heap, from 1; 0: not armed */
    void (*fn)(void *arg);
    void *arg;
    bool allocated; /* by loop_at(): freed when it fires or is cancelled */
};

struct fiber_list {
    struct fiber *head, **tail;
};

struct fiber_state {
    struct fiber *running;   /* NULL on the loop's stack */
    struct fiber *all;       /* every live fiber */
    struct fiber_list ready; /* first come first served */
    struct fiber *idle;      /* ended, with their stacks, for reuse */
    size_t count, idle_count, max;
    bool cancelled;
    void *context;          /* where the loop itself continues */
    const void *loop_stack; /* the loop's own stack, as AddressSanitizer knows it */
    size_t loop_stack_size;
    void *loop_sanitizer; /* what ThreadSanitizer knows the loop's own stack by */
};

struct loop_watch;
struct loop_socket;
struct loop_hook;

struct loop {
    int epoll_fd, signal_fd;
    int64_t now_ms;
    bool stopped;
    struct loop_watch *watches; /* by descriptor */
    size_t watch_count;
    uint32_t generation; /* of the last watch made */
    struct loop_socket **sockets;
    size_t socket_count, socket_capacity;
    struct loop_timer **timers; /* binary heap by at_ms */
    size_t timer_count, timer_capacity;
    struct loop_hook *hooks;
    size_t hook_count;
    void (*signal_fn)(void *arg, int signo);
    void *signal_arg;
    sigset_t signals_before;
    struct fiber_state fibers;
};

/* Arms a timer that the caller owns, and disarms it (armed or not). */
void loop_timer_arm(struct loop *self, struct loop_timer *timer, int64_t at_ms);
void loop_timer_disarm(struct loop *self, struct loop_timer *timer);

void fiber_state_init(struct fiber_state *self);
void fiber_state_free(struct fiber_state *self);

/* Runs ready fibers until none is ready, at most `max` of them. */
void fiber_run_ready(struct loop *loop, size_t max);

#endif
