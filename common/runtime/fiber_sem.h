/*
 * fiber_sem.h - a counting semaphore for fibers.
 *
 * First come, first served among those that fit: a large count does not delay smaller ones after
 * it. A release passes to waiters immediately, so `taken` never exceeds `max`.
 */
#ifndef ATRIUM_COMMON_RUNTIME_FIBER_SEM_H
#define ATRIUM_COMMON_RUNTIME_FIBER_SEM_H

#include "common/runtime/fiber.h"

struct fiber_sem_waiter;

/* All members are read-only for others. */
struct fiber_sem {
    struct loop *loop;
    size_t max, taken;
    size_t waiting_max, waiting;
    struct fiber_sem_waiter *head, **tail;
};

/* A waiting_max for callers that are limited elsewhere. */
#define FIBER_SEM_UNBOUNDED SIZE_MAX

/* Allows `max` taken, and `waiting_max` waiting fibers; 0: none waits. */
void fiber_sem_init(struct fiber_sem *self, struct loop *loop, size_t max, size_t waiting_max);

/* Parks until `count` is available. Fails: ERR_OVERLOADED (queue full), ERR_DEADLINE,
 * ERR_UNAVAILABLE (shutdown). */
int fiber_sem_acquire(struct fiber_sem *self, size_t count, int64_t deadline_mono_ms,
                      struct error *err) MUST_USE;

bool fiber_sem_try(struct fiber_sem *self, size_t count) MUST_USE;
void fiber_sem_release(struct fiber_sem *self, size_t count);
bool fiber_sem_is_idle(const struct fiber_sem *self);

#endif
