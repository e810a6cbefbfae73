/* fiber_sem.c - see fiber_sem.h. */
#include "common/runtime/fiber_sem.h"

#include <assert.h>

struct fiber_sem_waiter {
    struct fiber_sem_waiter *next;
    struct fiber *fiber;
    size_t count;
    bool over; /* this waiter has left the queue */
};

void fiber_sem_init(struct fiber_sem *self, struct loop *loop, size_t max, size_t waiting_max)
{
    *self = (struct fiber_sem){.loop = loop, .max = max, .waiting_max = waiting_max};
}

static void append(struct fiber_sem *self, struct fiber_sem_waiter *waiter)
{
    *(self->head ? self->tail : &self->head) = waiter;
    self->tail = &waiter->next;
    self->waiting++;
}

static void unlink_at(struct fiber_sem *self, struct fiber_sem_waiter **link)
{
    *link = (*link)->next;
    if (!*link)
        self->tail = link;
    self->waiting--;
}

static void leave(struct fiber_sem *self, const struct fiber_sem_waiter *waiter)
{
    struct fiber_sem_waiter **link = &self->head;

    while (*link != waiter)
        link = &(*link)->next;
    unlink_at(self, link);
}

static bool fits(const struct fiber_sem *self, size_t count)
{
    return count <= self->max - self->taken;
}

static void hand_on(struct fiber_sem *self)
{
    struct fiber_sem_waiter **link = &self->head;

    while (*link && self->taken < self->max) {
        struct fiber_sem_waiter *waiter = *link;

        if (!fits(self, waiter->count)) {
            link = &waiter->next;
            continue;
        }
        unlink_at(self, link);
        self->taken += waiter->count;
        waiter->over = true;
        fiber_wake(waiter->fiber);
    }
}

bool fiber_sem_try(struct fiber_sem *self, size_t count)
{
    if (!fits(self, count))
        return false;
    self->taken += count;
    return true;
}

int fiber_sem_acquire(struct fiber_sem *self, size_t count, int64_t deadline_mono_ms,
                      struct error *err)
{
    struct fiber_sem_waiter waiter = {.fiber = fiber_self(self->loop), .count = count};
    enum fiber_wake wake;

    assert(count <= self->max);
    if (fiber_sem_try(self, count))
        return 0;
    if (self->waiting >= self->waiting_max)
        return error_retry(err, ERR_OVERLOADED, 1, "The service is busy. Try again in a moment.");
    append(self, &waiter);
    wake = fiber_park_until(self->loop, &waiter.over, deadline_mono_ms);
    if (wake != FIBER_WOKEN)
        leave(self, &waiter);
    return fiber_wake_error(wake, err);
}

void fiber_sem_release(struct fiber_sem *self, size_t count)
{
    assert(count <= self->taken);
    self->taken -= count;
    hand_on(self);
}

bool fiber_sem_is_idle(const struct fiber_sem *self)
{
    return self->taken == 0 && self->waiting == 0;
}
