/* flight.c - see flight.h. */
#include "common/runtime/flight.h"

#include <assert.h>

struct flight_waiter {
    struct flight_waiter *next;
    struct fiber *fiber;
    struct error *err;
    int result;
    bool over;
};

void flight_init(struct flight *self, struct loop *loop)
{
    *self = (struct flight){.loop = loop};
}

struct flight_call *flight_find(const struct flight *self, const char *key)
{
    struct flight_call *call = self->calls;

    while (call && strcmp(call->key, key) != 0)
        call = call->next;
    return call;
}

void flight_lead(struct flight *self, const char *key, struct flight_call *call)
{
    assert(!flight_find(self, key));
    *call = (struct flight_call){.owner = self, .next = self->calls, .key = key};
    self->calls = call;
}

static void leave(struct flight_call *call, const struct flight_waiter *waiter)
{
    struct flight_waiter **link = &call->waiters;

    while (*link != waiter)
        link = &(*link)->next;
    *link = waiter->next;
}

int flight_wait(struct flight_call *call, int64_t deadline_mono_ms, struct error *err)
{
    struct loop *loop = call->owner->loop;
    struct flight_waiter waiter = {
        .next = call->waiters, .fiber = fiber_self(loop), .err = err, .result = -1};
    enum fiber_wake wake;

    call->waiters = &waiter;
    wake = fiber_park_until(loop, &waiter.over, deadline_mono_ms);
    if (wake == FIBER_WOKEN)
        return waiter.result;
    leave(call, &waiter);
    return fiber_wake_error(wake, err);
}

int flight_begin(struct flight *self, const char *key, int64_t deadline_mono_ms,
                 struct flight_call *call, struct error *err)
{
    struct flight_call *other = flight_find(self, key);

    if (other)
        return flight_wait(other, deadline_mono_ms, err);
    flight_lead(self, key, call);
    return FLIGHT_LEADS;
}

/* Wakes in order of arrival; the list is reversed. */
static void wake_all(struct flight_waiter *waiters, int result, const struct error *err)
{
    struct flight_waiter *first = NULL;

    while (waiters) {
        struct flight_waiter *next = waiters->next;

        waiters->next = first;
        first = waiters;
        waiters = next;
    }
    for (; first; first = first->next) {
        first->over = true;
        first->result = result;
        if (result < 0)
            error_copy(first->err, err);
        fiber_wake(first->fiber);
    }
}

void flight_end(struct flight_call *call, int result, const struct error *err)
{
    struct flight_call **link = &call->owner->calls;

    assert(result < 0 ? err && err->code != ERR_NONE : result == 0);
    while (*link != call)
        link = &(*link)->next;
    *link = call->next;
    wake_all(TAKE_PTR(call->waiters), result, err);
}

void flight_refuse(struct flight *self)
{
    struct error err;

    error_init(&err, NULL);
    for (struct flight_call *call = self->calls; call; call = call->next)
        wake_all(TAKE_PTR(call->waiters), fiber_wake_error(FIBER_CANCELLED, &err), &err);
}
