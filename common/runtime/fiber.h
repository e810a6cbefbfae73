/*
 * fiber.h - handlers that can wait, written top to bottom.
 *
 * A fiber has its own stack (Boost.Context, pooled, 64 KiB and a guard page). It runs on the loop's
 * thread until it parks, and only the loop resumes it. It is never freed while parked:
 * FIBER_TIMEOUT or FIBER_CANCELLED unwind it. On a fiber, do not block, and keep frames under 4
 * KiB.
 */
#ifndef ATRIUM_COMMON_RUNTIME_FIBER_H
#define ATRIUM_COMMON_RUNTIME_FIBER_H

#include "common/base/base.h"
#include "common/base/error.h"
#include "common/runtime/loop.h"

enum fiber_wake {
    FIBER_WOKEN,
    FIBER_TIMEOUT,
    FIBER_CANCELLED, /* the loop shuts down */
};

enum { FIBER_STACK_SIZE = 64 * 1024 };

/* Starts fn(arg) in the next ready pass. ERR_OVERLOADED: `max` fibers exist. */
int fiber_start(struct loop *loop, void (*fn)(void *arg), void *arg, struct error *err) MUST_USE;

struct fiber *fiber_self(const struct loop *loop);

/* The running fiber's own pointer, first NULL; NULL without a fiber. */
void *fiber_local(const struct loop *loop);
void fiber_set_local(struct loop *loop, void *local);

/* Parks until fiber_wake() or the deadline. One earlier wake is remembered, so "start, then park"
 * has no race. */
enum fiber_wake fiber_park(struct loop *loop, int64_t deadline_mono_ms) MUST_USE;

/* Parks until *flag, set before the wake; ignores other wakes. Returns FIBER_WOKEN even after the
 * deadline. */
enum fiber_wake fiber_park_until(struct loop *loop, const bool *flag,
                                 int64_t deadline_mono_ms) MUST_USE;

/* Consumes a pending wake. False: there was none. */
bool fiber_take_wake(struct loop *loop);

/* Returns -1 with ERR_DEADLINE or ERR_UNAVAILABLE (shutdown), or 0 for FIBER_WOKEN. */
int fiber_wake_error(enum fiber_wake wake, struct error *err) MUST_USE;

/* Readies a parked fiber for later in this turn, with FIBER_WOKEN even if its deadline just passed.
 * The caller must be notified when the fiber stops waiting. */
void fiber_wake(struct fiber *fiber);

/* Parks until the monotonic time. ERR_UNAVAILABLE: the loop shuts down. */
int fiber_sleep_until(struct loop *loop, int64_t mono_ms, struct error *err) MUST_USE;

/* Resumes all fibers with FIBER_CANCELLED for shutdown; later parks return it after one pass. */
void fiber_cancel_all(struct loop *loop);

/* Lets a cancelled fiber park again, so that it can undo its work. */
void fiber_cancel_end(struct loop *loop);

/* fiber_set_max() limits the live fibers (default 4,096); fiber_count() counts them. */
void fiber_set_max(struct loop *loop, size_t max);
size_t fiber_count(const struct loop *loop);

/* Waiting fibers in order of arrival. Zeroed is empty. */
struct fiber_queue {
    struct fiber_waiter *head, **tail;
    size_t length;
};

/* Waits in the queue. FIBER_TIMEOUT and FIBER_CANCELLED remove the fiber. */
enum fiber_wake fiber_queue_wait(struct loop *loop, struct fiber_queue *queue,
                                 int64_t deadline_mono_ms) MUST_USE;

bool fiber_queue_wake_one(struct fiber_queue *queue);
void fiber_queue_wake_all(struct fiber_queue *queue);

#endif
