/*
 * turns.c - see turns.h.  Called by program.c for the warm processes of a bot and by
 * provider_apertium.c.
 */
#include "botd/turns.h"

int turns_take(struct loop *loop, struct turns *self, int64_t deadline_mono_ms, struct error *err)
{
    if (self->taken < self->max) {
        self->taken++;
        return 0;
    }
    if (self->waiting.length >= self->waiting_max)
        return error_retry(err, ERR_OVERLOADED, 1, "The service is busy. Try again in a moment.");
    switch (fiber_queue_wait(loop, &self->waiting, deadline_mono_ms)) {
    case FIBER_TIMEOUT:
        return error_set(err, ERR_DEADLINE, "There was no answer in time.");
    case FIBER_CANCELLED:
        return error_retry(err, ERR_UNAVAILABLE, 1, "The service is stopping.");
    case FIBER_WOKEN:
        break;
    }
    return 0;
}

/* It stays taken when it is handed on: whoever comes before the woken one runs does not
 * overtake. */
void turns_give(struct turns *self)
{
    if (!fiber_queue_wake_one(&self->waiting))
        self->taken--;
}
