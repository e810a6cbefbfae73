/*
 * fiber.h - handlers that wait read top to bottom.
 *
 * A fiber has its own stack (Boost.Context, pooled, 64 KiB and a guard page). It runs on the loop's
 * thread until it parks; only the loop resumes it, and it is never freed while parked:
 * FIBER_TIMEOUT or FIBER_CANCELLED unwind it. On a fiber: no blocking call, no getaddrinfo, frames
 * under 4 KiB.
 */
#ifndef ATRIUM_COMMON_RUNTIME_FIBER_H
#define ATRIUM_COMMON_RUNTIME_FIBER_H

#include "common/base/base.h"
#include "common/base/error.h"
#include "common/runtime/loop.h"

enum fiber_wake {
    FIBER_WOKEN,     /* fiber_wake() was called */
    FIBER_TIMEOUT,   /* the deadline passed first */
    FIBER_CANCELLED, /* the loop is shutting down */
};

enum { FIBER_STACK_SIZE = 64 * 1024 };

/* Starts fn(arg) from the next ready pass on. ERR_OVERLOADED: `max` fibers are alive. */
int fiber_start(struct loop *loop, void (*fn)(void *arg), void *arg, struct error *err) MUST_USE;

/* The fiber that is running, or NULL on the loop's own stack. */
struct fiber *fiber_self(const struct loop *loop);

/* A pointer of the running fiber, NULL at its start and where none runs; see span.h. */
void *fiber_local(const struct loop *loop);
void fiber_set_local(struct loop *loop, void *local);

/* Parks until fiber_wake() or the deadline. One wake that came before is remembered, so that
 * "start, then park" has no gap. */
enum fiber_wake fiber_park(struct loop *loop, int64_t deadline_mono_ms) MUST_USE;

/* Parks until *flag, set before the wake; other wakes are ignored. FIBER_WOKEN even after the
 * deadline. */
enum fiber_wake fiber_park_until(struct loop *loop, const bool *flag,
                                 int64_t deadline_mono_ms) MUST_USE;

/* Takes a wake that is pending, for a fiber that did itself what has woken it. False: none. */
bool fiber_take_wake(struct loop *loop);

/* An early end as an error: ERR_DEADLINE, ERR_UNAVAILABLE (shutdown). 0 for FIBER_WOKEN. */
int fiber_wake_error(enum fiber_wake wake, struct error *err) MUST_USE;

/* Makes a parked fiber ready later in this turn, never inside this call; FIBER_WOKEN even if its
 * deadline just passed. Code that may wake must learn when the fiber stops waiting. */
void fiber_wake(struct fiber *fiber);

/* Parks until the monotonic time; -1 (ERR_UNAVAILABLE) when the loop shuts down meanwhile. */
int fiber_sleep_until(struct loop *loop, int64_t mono_ms, struct error *err) MUST_USE;

/* For shutdown: resumes all with FIBER_CANCELLED; later parks return that after one pass. */
void fiber_cancel_all(struct loop *loop);

/* Parks wait again, until the next fiber_cancel_all(): for a fiber that undoes its work. */
void fiber_cancel_end(struct loop *loop);

/* Upper bound of live fibers (default 4,096), and how many live now. */
void fiber_set_max(struct loop *loop, size_t max);
size_t fiber_count(const struct loop *loop);

/* Fibers that wait for the same thing, first come first served. Zeroed is empty. */
struct fiber_queue {
    struct fiber_waiter *head, **tail;
    size_t length;
};

/* FIBER_TIMEOUT and FIBER_CANCELLED have left the queue. */
enum fiber_wake fiber_queue_wait(struct loop *loop, struct fiber_queue *queue,
                                 int64_t deadline_mono_ms) MUST_USE;

/* Wakes the first waiter, or all; true when there was one. */
bool fiber_queue_wake_one(struct fiber_queue *queue);
void fiber_queue_wake_all(struct fiber_queue *queue);

#endif
