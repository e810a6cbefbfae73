/*
 * test_flight.c - flights: leaders, waiters' results, and early ends of waits.
 */
#include <string.h>

#include "common/base/clock.h"
#include "common/runtime/flight.h"
#include "tests/support/unit.h"

enum { FAR_MS = 60000 };

static int64_t in_ms(int64_t ms)
{
    return clock_mono_ms() + ms;
}

/* A fiber that wants a key. The leader parks until woken, then ends as `ends` says. */
struct caller {
    struct flight *flight;
    const char *key;
    int64_t deadline_ms;
    enum error_code ends; /* result of its work as leader; ERR_NONE: success */
    bool keeps;           /* as leader: its failure is not the others' */
    int *order, rank;
    struct fiber *leader; /* itself, while it leads */
    struct arena *arena;
    struct error err;
    int rc;
    bool led;
};

static void ask(void *arg)
{
    struct caller *self = arg;
    struct flight_call call;

    self->arena = arena_new();
    error_init(&self->err, self->arena);
    self->rc = flight_begin(self->flight, self->key, self->deadline_ms, &call, &self->err);
    if (self->rc == FLIGHT_LEADS) {
        self->led = true;
        self->leader = fiber_self(self->flight->loop);
        (void)!fiber_park(self->flight->loop, in_ms(FAR_MS));
        self->leader = NULL;
        self->rc = self->ends == ERR_NONE         ? 0
                   : self->ends == ERR_VALIDATION ? error_problem(&self->err, "width", "is wrong")
                                                  : error_set(&self->err, self->ends, "No.");
        flight_end(&call, self->keeps ? 0 : self->rc, self->keeps ? NULL : &self->err);
    }
    self->rank = ++*self->order;
}

static void yield(struct loop *loop)
{
    (void)!fiber_park(loop, 0);
}

static void start(struct loop *loop, struct caller *caller)
{
    struct error err;

    error_init(&err, NULL);
    CU_ASSERT(fiber_start(loop, ask, caller, &err) == 0);
}

static void start_all(struct loop *loop, struct flight *flight, struct caller *callers, size_t n,
                      const char *key, int *order)
{
    for (size_t i = 0; i < n; i++) {
        callers[i] = (struct caller){
            .flight = flight, .key = key, .deadline_ms = in_ms(FAR_MS), .order = order};
        start(loop, &callers[i]);
    }
    yield(loop);
}

static void destroy_all(struct caller *callers, size_t n)
{
    for (size_t i = 0; i < n; i++)
        arena_destroy(&callers[i].arena);
}

static void once(struct loop *loop, void *arg UNUSED)
{
    struct flight flight;
    struct caller callers[4], other, next;
    int order = 0, other_order = 0, next_order = 0;

    flight_init(&flight, loop);
    start_all(loop, &flight, callers, ARRAY_SIZE(callers), "a", &order);
    start_all(loop, &flight, &other, 1, "b", &other_order);
    CU_ASSERT(callers[0].led && other.led && order == 0);
    CU_ASSERT(flight_find(&flight, "a") && flight_find(&flight, "b") && !flight_find(&flight, "c"));
    fiber_wake(callers[0].leader);
    yield(loop);
    CU_ASSERT(order == 4 && other_order == 0 && !flight_find(&flight, "a"));
    for (size_t i = 0; i < ARRAY_SIZE(callers); i++) {
        CU_ASSERT(callers[i].rc == 0 && callers[i].led == (i == 0));
        UNIT_CHECK(callers[i].rank == (int)i + 1, "in the order in which they came");
    }
    start_all(loop, &flight, &next, 1, "a", &next_order);
    UNIT_CHECK(next.led, "nothing is kept of a result");
    fiber_wake(other.leader);
    fiber_wake(next.leader);
    yield(loop);
    CU_ASSERT(!flight.calls);
    destroy_all(callers, ARRAY_SIZE(callers));
    destroy_all(&other, 1);
    destroy_all(&next, 1);
}

static void equal_work_is_done_once(void)
{
    unit_on_fiber(once, NULL);
}

static void failure(struct loop *loop, void *arg UNUSED)
{
    struct flight flight;
    struct caller callers[3];
    int order = 0;

    flight_init(&flight, loop);
    start_all(loop, &flight, callers, ARRAY_SIZE(callers), "a", &order);
    callers[0].ends = ERR_VALIDATION;
    fiber_wake(callers[0].leader);
    yield(loop);
    arena_destroy(&callers[0].arena);
    for (size_t i = 1; i < ARRAY_SIZE(callers); i++) {
        CU_ASSERT(callers[i].rc == -1 && callers[i].err.code == ERR_VALIDATION);
        CU_ASSERT_STRING_EQUAL(callers[i].err.problems->name, "width");
        CU_ASSERT_STRING_EQUAL(callers[i].err.problems->value, "is wrong");
    }
    destroy_all(callers, ARRAY_SIZE(callers));
}

static void a_failure_is_shared_in_memory_of_its_own(void)
{
    unit_on_fiber(failure, NULL);
}

static void own_failure(struct loop *loop, void *arg UNUSED)
{
    struct flight flight;
    struct caller callers[2];
    int order = 0;

    flight_init(&flight, loop);
    start_all(loop, &flight, callers, ARRAY_SIZE(callers), "a", &order);
    callers[0].ends = ERR_UNAVAILABLE;
    callers[0].keeps = true;
    fiber_wake(callers[0].leader);
    yield(loop);
    CU_ASSERT(callers[0].rc == -1 && callers[1].rc == 0 && callers[1].err.code == ERR_NONE);
    destroy_all(callers, ARRAY_SIZE(callers));
}

static void a_failure_of_the_leader_alone_is_not_shared(void)
{
    unit_on_fiber(own_failure, NULL);
}

static void overdue(struct loop *loop, void *arg UNUSED)
{
    struct flight flight;
    struct caller callers[3];
    int order = 0;

    flight_init(&flight, loop);
    for (size_t i = 0; i < ARRAY_SIZE(callers); i++) {
        callers[i] = (struct caller){.flight = &flight,
                                     .key = "a",
                                     .deadline_ms = in_ms(i == 1 ? 10 : FAR_MS),
                                     .order = &order};
        start(loop, &callers[i]);
    }
    while (order == 0)
        (void)!fiber_park(loop, in_ms(1));
    CU_ASSERT(callers[1].rc == -1 && callers[1].err.code == ERR_DEADLINE);
    fiber_wake(callers[0].leader);
    yield(loop);
    CU_ASSERT(order == 3 && callers[2].rc == 0);
    destroy_all(callers, ARRAY_SIZE(callers));
}

static void the_overdue_leave_and_the_rest_wait_on(void)
{
    unit_on_fiber(overdue, NULL);
}

static void refused(struct loop *loop, void *arg UNUSED)
{
    struct flight flight;
    struct caller callers[3];
    int order = 0;

    flight_init(&flight, loop);
    start_all(loop, &flight, callers, ARRAY_SIZE(callers), "a", &order);
    flight_refuse(&flight);
    yield(loop);
    CU_ASSERT(order == 2 && callers[0].leader);
    CU_ASSERT(callers[1].err.code == ERR_UNAVAILABLE && callers[2].err.code == ERR_UNAVAILABLE);
    fiber_wake(callers[0].leader);
    yield(loop);
    CU_ASSERT(callers[0].rc == 0 && !flight.calls);
    destroy_all(callers, ARRAY_SIZE(callers));
}

static void refused_waiters_leave_the_call_alone(void)
{
    unit_on_fiber(refused, NULL);
}

static void cancelled(struct loop *loop, void *arg UNUSED)
{
    struct flight flight;
    struct caller callers[3];
    int order = 0;

    flight_init(&flight, loop);
    start_all(loop, &flight, callers, ARRAY_SIZE(callers), "a", &order);
    fiber_cancel_all(loop);
    while (order < 3)
        yield(loop);
    CU_ASSERT(callers[0].rc == 0 && !flight.calls);
    for (size_t i = 1; i < ARRAY_SIZE(callers); i++)
        CU_ASSERT(callers[i].rc == 0 || callers[i].err.code == ERR_UNAVAILABLE);
    destroy_all(callers, ARRAY_SIZE(callers));
}

static void cancelled_fibers_unwind(void)
{
    unit_on_fiber(cancelled, NULL);
}

/* The work runs on its own fiber, so the fiber that started it can end first. */
static void apart(struct loop *loop, void *arg UNUSED)
{
    struct flight flight;
    struct flight_call call;
    struct caller caller;
    struct error err;
    int order = 0;

    error_init(&err, NULL);
    flight_init(&flight, loop);
    flight_lead(&flight, "a", &call);
    CU_ASSERT(flight_wait(&call, in_ms(5), &err) == -1 && err.code == ERR_DEADLINE);
    start_all(loop, &flight, &caller, 1, "a", &order);
    error_clear(&err);
    (void)error_set(&err, ERR_UNAVAILABLE, "No store.");
    flight_end(&call, -2, &err);
    yield(loop);
    UNIT_CHECK(caller.rc == -2, "a result below -1 is passed on");
    CU_ASSERT_STRING_EQUAL(caller.err.message, "No store.");
    destroy_all(&caller, 1);
}

static void work_outlasts_the_fiber_that_wants_it(void)
{
    unit_on_fiber(apart, NULL);
}

static const struct unit_case cases[] = {
    CASE(equal_work_is_done_once),
    CASE(a_failure_is_shared_in_memory_of_its_own),
    CASE(a_failure_of_the_leader_alone_is_not_shared),
    CASE(the_overdue_leave_and_the_rest_wait_on),
    CASE(refused_waiters_leave_the_call_alone),
    CASE(cancelled_fibers_unwind),
    CASE(work_outlasts_the_fiber_that_wants_it),
};

int main(void)
{
    return unit_run("flight", cases, ARRAY_SIZE(cases));
}
