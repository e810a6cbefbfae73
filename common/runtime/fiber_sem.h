/*
 * fiber_sem.h - a counting semaphore for fibers: so much at the same time, the others wait in line.
 *
 * First come, first served among those that fit: a large count does not hold up smaller ones behind
 * it. Waiters get what is released before release returns: `taken` never exceeds `max`.
 */
#ifndef ATRIUM_COMMON_RUNTIME_FIBER_SEM_H
#define ATRIUM_COMMON_RUNTIME_FIBER_SEM_H

#include "common/runtime/fiber.h"

struct fiber_sem_waiter;

/* To be embedded in what it guards; all members are read-only for others. */
struct fiber_sem {
    struct loop *loop;
    size_t max, taken;
    size_t waiting_max, waiting; /* fibers in the line */
    struct fiber_sem_waiter *head, **tail;
};

/* As waiting_max: the callers are bounded elsewhere. */
#define FIBER_SEM_UNBOUNDED SIZE_MAX

/* `max` may be taken; at most `waiting_max` fibers wait for that, 0: none does. */
void fiber_sem_init(struct fiber_sem *self, struct loop *loop, size_t max, size_t waiting_max);

/* Takes `count`, parking while there is less. Fails, with nothing taken: ERR_OVERLOADED (the line
 * is full), ERR_DEADLINE, ERR_UNAVAILABLE (shutdown). */
int fiber_sem_acquire(struct fiber_sem *self, size_t count, int64_t deadline_mono_ms,
                      struct error *err) MUST_USE;

/* The same without waiting: false when there is not as much. */
bool fiber_sem_try(struct fiber_sem *self, size_t count) MUST_USE;

void fiber_sem_release(struct fiber_sem *self, size_t count);

/* Nothing is taken and no fiber waits: it may be freed. */
bool fiber_sem_is_idle(const struct fiber_sem *self);

#endif
