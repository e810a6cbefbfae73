/*
 * fiber.h - handlers that wait read top to bottom.
 *
 * A fiber is a function on a stack of its own (Boost.Context, pooled, 64 KiB with a guard page
 * below). It runs on the loop's thread until it parks; only the loop resumes it.  It never parks
 * without a deadline, and is not freed while parked: it is resumed with FIBER_TIMEOUT or
 * FIBER_CANCELLED and unwinds by itself.
 *
 * On a fiber: no blocking call, no getaddrinfo, no large arrays (keep a frame under 4 KiB).
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

/* Starts fn(arg) on a fiber, from the next ready pass on. -1 (ERR_OVERLOADED) when `max` fibers are
 * alive. */
int fiber_start(struct loop *loop, void (*fn)(void *arg), void *arg, struct error *err) MUST_USE;

/* The fiber that is running, or NULL on the loop's own stack. */
struct fiber *fiber_self(const struct loop *loop);

/* A pointer of the running fiber's own: NULL at its start, and where no fiber runs. See span.h for
 * what it is. */
void *fiber_local(const struct loop *loop);
void fiber_set_local(struct loop *loop, void *local);

/* Parks the running fiber until fiber_wake() or the monotonic deadline. A wake that came before the
 * park is remembered (one), so that "start, then park" has no gap. */
enum fiber_wake fiber_park(struct loop *loop, int64_t deadline_mono_ms) MUST_USE;

/* Parks until *flag is set, by code that wakes this fiber behind it; other wakes are ignored.
 * FIBER_WOKEN: it is set, even if the deadline has passed as well. */
enum fiber_wake fiber_park_until(struct loop *loop, const bool *flag,
                                 int64_t deadline_mono_ms) MUST_USE;

/* Takes the wake that the running fiber would find at its next park, without parking: for a fiber
 * that did itself what has woken it. False: there is none. */
bool fiber_take_wake(struct loop *loop);

/* Why a wait has ended early, as an error: ERR_DEADLINE, ERR_UNAVAILABLE (the loop is shutting
 * down). Returns -1; 0 for FIBER_WOKEN. */
int fiber_wake_error(enum fiber_wake wake, struct error *err) MUST_USE;

/* Makes a parked fiber ready; it runs later in this turn, never inside this call. One whose
 * deadline passed in this very turn is told FIBER_WOKEN. Code that may wake must be told when
 * the fiber no longer waits for it. */
void fiber_wake(struct fiber *fiber);

/* Parks until the monotonic time; -1 (ERR_UNAVAILABLE) when the loop shuts down meanwhile. */
int fiber_sleep_until(struct loop *loop, int64_t mono_ms, struct error *err) MUST_USE;

/* Resumes every parked fiber with FIBER_CANCELLED. From then on a park only lets the other ready
 * fibers run and returns FIBER_CANCELLED. For shutdown. */
void fiber_cancel_all(struct loop *loop);

/* From now on a park waits again, until the next fiber_cancel_all(): for a fiber that undoes what
 * was under way. */
void fiber_cancel_end(struct loop *loop);

/* Upper bound of live fibers (default 4,096), and how many live now. */
void fiber_set_max(struct loop *loop, size_t max);
size_t fiber_count(const struct loop *loop);

/* A list of fibers that wait for the same thing, first come first served. Zero-initialised is
 * empty. */
struct fiber_queue {
    struct fiber_waiter *head, **tail;
    size_t length;
};

/* Parks at the end of the queue. FIBER_TIMEOUT and FIBER_CANCELLED have left the queue. */
enum fiber_wake fiber_queue_wait(struct loop *loop, struct fiber_queue *queue,
                                 int64_t deadline_mono_ms) MUST_USE;

/* Wakes the first waiter, or all; true when there was one. */
bool fiber_queue_wake_one(struct fiber_queue *queue);
void fiber_queue_wake_all(struct fiber_queue *queue);

#endif
