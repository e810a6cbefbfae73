/*
 * test_fiber.c - parking, waking, deadlines, cancellation, queues and the pool of stacks.
 */
#include <string.h>

#include "common/base/clock.h"
#include "common/runtime/fiber.h"
#include "tests/support/unit.h"

static int64_t in_ms(int64_t ms)
{
    return clock_mono_ms() + ms;
}

struct child {
    struct loop *loop;
    struct fiber *fiber;
    int64_t deadline_ms;
    enum fiber_wake wake;
    int parks; /* number of parks */
    bool ended;
};

static void child_main(void *arg)
{
    struct child *child = arg;

    child->fiber = fiber_self(child->loop);
    for (int i = 0; i < child->parks; i++)
        child->wake = fiber_park(child->loop, child->deadline_ms);
    child->ended = true;
}

static void start(struct loop *loop, void (*fn)(void *arg), void *arg)
{
    struct error err;

    error_init(&err, NULL);
    CU_ASSERT(fiber_start(loop, fn, arg, &err) == 0);
}

/* Lets everything run that is ready. */
static void yield(struct loop *loop)
{
    CU_ASSERT(fiber_park(loop, 0) == FIBER_TIMEOUT);
}

static void wake_and_timeout(struct loop *loop, void *arg UNUSED)
{
    struct child woken = {.loop = loop, .deadline_ms = in_ms(10000), .parks = 1};
    struct child late = {.loop = loop, .deadline_ms = in_ms(20), .parks = 1};
    int64_t begin = clock_mono_ms();

    start(loop, child_main, &woken);
    start(loop, child_main, &late);
    UNIT_CHECK(!woken.fiber, "a fiber starts in the next ready pass, not at once");
    yield(loop);
    CU_ASSERT(woken.fiber && !woken.ended && fiber_count(loop) == 3);
    fiber_wake(woken.fiber);
    UNIT_CHECK(!woken.ended, "a wake does not run the fiber");
    yield(loop);
    CU_ASSERT(woken.ended && woken.wake == FIBER_WOKEN);
    while (!late.ended)
        yield(loop);
    CU_ASSERT(late.wake == FIBER_TIMEOUT && clock_mono_ms() >= begin + 20);
    CU_ASSERT(fiber_count(loop) == 1);
}

static void test_woken_or_too_late(void)
{
    unit_on_fiber(wake_and_timeout, NULL);
}

static void early_wake(struct loop *loop, void *arg UNUSED)
{
    struct child child = {.loop = loop, .deadline_ms = in_ms(10000), .parks = 2};

    fiber_wake(fiber_self(loop));
    fiber_wake(fiber_self(loop));
    UNIT_CHECK(fiber_park(loop, in_ms(10000)) == FIBER_WOKEN, "a wake before the park counts");
    UNIT_CHECK(fiber_park(loop, in_ms(5)) == FIBER_TIMEOUT, "but only one");
    UNIT_CHECK(!fiber_take_wake(loop), "there is none to take");
    fiber_wake(fiber_self(loop));
    UNIT_CHECK(fiber_take_wake(loop), "a wake is taken without parking");
    UNIT_CHECK(fiber_park(loop, in_ms(5)) == FIBER_TIMEOUT, "and the next park waits");

    start(loop, child_main, &child);
    yield(loop);
    fiber_wake(child.fiber);
    fiber_wake(child.fiber);
    yield(loop);
    UNIT_CHECK(!child.ended, "two wakes of one park are one");
    fiber_wake(child.fiber);
    yield(loop);
    CU_ASSERT(child.ended);
}

static void wakes_differ(struct loop *loop, void *arg UNUSED)
{
    struct child child = {.loop = loop, .deadline_ms = in_ms(5), .parks = 2};

    start(loop, child_main, &child);
    yield(loop);
    child.deadline_ms = in_ms(10000);
    CU_ASSERT(fiber_park(loop, in_ms(20)) == FIBER_TIMEOUT && child.wake == FIBER_TIMEOUT);
    fiber_wake(child.fiber);
    yield(loop);
    CU_ASSERT(child.ended && child.wake == FIBER_WOKEN);
}

static void test_timeout_first_then_a_wake(void)
{
    unit_on_fiber(wakes_differ, NULL);
}

static void test_a_wake_before_the_park(void)
{
    unit_on_fiber(early_wake, NULL);
}

static void sleeping(struct loop *loop, void *arg UNUSED)
{
    int64_t begin = clock_mono_ms();
    struct error err;

    error_init(&err, NULL);
    fiber_wake(fiber_self(loop));
    CU_ASSERT(fiber_sleep_until(loop, begin + 30, &err) == 0);
    UNIT_CHECK(clock_mono_ms() >= begin + 30, "a stray wake does not end a sleep");
    fiber_cancel_all(loop);
    CU_ASSERT(fiber_sleep_until(loop, in_ms(10000), &err) == -1 && err.code == ERR_UNAVAILABLE);
}

static void test_sleep(void)
{
    unit_on_fiber(sleeping, NULL);
}

static void cancelling(struct loop *loop, void *arg UNUSED)
{
    struct child children[3];

    for (size_t i = 0; i < ARRAY_SIZE(children); i++) {
        children[i] = (struct child){.loop = loop, .deadline_ms = INT64_MAX, .parks = 3};
        start(loop, child_main, &children[i]);
    }
    yield(loop);
    fiber_cancel_all(loop);
    /* The children use this fiber's stack, so it waits until they have ended. */
    for (size_t i = 0; i < ARRAY_SIZE(children); i++)
        while (!children[i].ended)
            CU_ASSERT(fiber_park(loop, INT64_MAX) == FIBER_CANCELLED);
    CU_ASSERT(children[2].wake == FIBER_CANCELLED && fiber_count(loop) == 1);
}

static void test_cancelled_fibers_unwind(void)
{
    unit_on_fiber(cancelling, NULL);
}

static void limit(struct loop *loop, void *arg UNUSED)
{
    struct child children[3];
    struct error err;

    fiber_set_max(loop, 3);
    error_init(&err, NULL);
    for (size_t i = 0; i < ARRAY_SIZE(children); i++) {
        children[i] = (struct child){.loop = loop, .deadline_ms = INT64_MAX, .parks = 1};
        CU_ASSERT(fiber_start(loop, child_main, &children[i], &err) == (i < 2 ? 0 : -1));
    }
    CU_ASSERT(err.code == ERR_OVERLOADED && err.retry_after_s > 0);
    yield(loop);
    fiber_wake(children[0].fiber);
    yield(loop);
    UNIT_CHECK(fiber_start(loop, child_main, &children[2], &err) == 0, "one ended: room again");
    fiber_cancel_all(loop);
    while (fiber_count(loop) > 1)
        CU_ASSERT(fiber_park(loop, 0) == FIBER_CANCELLED);
}

static void test_the_number_of_fibers_is_bounded(void)
{
    unit_on_fiber(limit, NULL);
}

struct waiter {
    struct loop *loop;
    struct fiber_queue *queue;
    int64_t deadline_ms;
    enum fiber_wake wake;
    int *order, rank; /* rank: order of return */
};

static void wait_in_queue(void *arg)
{
    struct waiter *waiter = arg;

    waiter->wake = fiber_queue_wait(waiter->loop, waiter->queue, waiter->deadline_ms);
    waiter->rank = ++*waiter->order;
}

static void queue(struct loop *loop, void *arg UNUSED)
{
    struct fiber_queue waiting = {0};
    struct waiter waiters[5];
    int order = 0;

    CU_ASSERT(!fiber_queue_wake_one(&waiting));
    for (size_t i = 0; i < ARRAY_SIZE(waiters); i++) {
        waiters[i] = (struct waiter){.loop = loop,
                                     .queue = &waiting,
                                     .deadline_ms = in_ms(i == 1 || i == 4 ? 10 : 10000),
                                     .order = &order};
        start(loop, wait_in_queue, &waiters[i]);
    }
    yield(loop);
    CU_ASSERT(waiting.length == 5);
    while (order < 2)
        yield(loop);
    UNIT_CHECK(waiting.length == 3 && waiters[1].wake == FIBER_TIMEOUT &&
                   waiters[4].wake == FIBER_TIMEOUT,
               "the overdue have left");
    CU_ASSERT(fiber_queue_wake_one(&waiting));
    yield(loop);
    CU_ASSERT(waiters[0].rank == 3 && waiters[0].wake == FIBER_WOKEN);
    waiters[1].deadline_ms = in_ms(10000);
    start(loop, wait_in_queue, &waiters[1]);
    yield(loop);
    fiber_queue_wake_all(&waiting);
    yield(loop);
    CU_ASSERT(waiting.length == 0 && order == 6);
    CU_ASSERT(waiters[2].rank == 4 && waiters[3].rank == 5 && waiters[1].rank == 6);
}

static void test_a_queue_is_first_come_first_served(void)
{
    unit_on_fiber(queue, NULL);
}

/* A waiter whose deadline passes in the turn of its wake must not lose the wake. */
static void queue_race(struct loop *loop, void *arg UNUSED)
{
    struct fiber_queue waiting = {0};
    struct waiter first = {.loop = loop, .queue = &waiting, .deadline_ms = in_ms(10)};
    int order = 0;

    first.order = &order;
    start(loop, wait_in_queue, &first);
    yield(loop);
    /* Both deadlines pass in one turn. This fiber runs first, because it was armed for the earlier
     * time. */
    CU_ASSERT(fiber_park(loop, first.deadline_ms - 1) == FIBER_TIMEOUT);
    while (clock_mono_ms() <= first.deadline_ms)
        ;
    yield(loop);
    if (order == 0)
        CU_ASSERT(fiber_queue_wake_one(&waiting));
    yield(loop);
    CU_ASSERT(order == 1 && waiting.length == 0);
}

static void test_a_wake_is_not_lost_to_a_deadline(void)
{
    unit_on_fiber(queue_race, NULL);
}

static int deep(int depth)
{
    volatile char frame[1024];

    memset((char *)(uintptr_t)frame, depth, sizeof(frame));
    return depth == 0 ? 0 : deep(depth - 1) + frame[0] - frame[0] + 1;
}

static void use_stack(void *arg)
{
    CU_ASSERT(deep(40) == 40);
    ++*(int *)arg;
}

struct many {
    struct loop *loop;
    struct fiber_queue gate;
    int ended;
};

static void pass_gate(void *arg)
{
    struct many *many = arg;

    CU_ASSERT(fiber_queue_wait(many->loop, &many->gate, in_ms(20000)) == FIBER_WOKEN);
    use_stack(&many->ended);
}

static void many_fibers(struct loop *loop, void *arg UNUSED)
{
    struct many many = {.loop = loop};

    for (int round = 0; round < 3; round++) {
        many.ended = 0;
        for (int i = 0; i < 1000; i++)
            start(loop, pass_gate, &many);
        yield(loop);
        CU_ASSERT(many.gate.length == 1000);
        fiber_queue_wake_all(&many.gate);
        while (many.ended < 1000)
            yield(loop);
    }
    for (int i = 0; i < 5000; i++) {
        start(loop, use_stack, &many.ended);
        if (i % 10 == 0)
            yield(loop);
    }
    yield(loop);
    CU_ASSERT(many.ended == 6000 && fiber_count(loop) == 1);
}

static void test_a_thousand_stacks_used_and_reused(void)
{
    unit_on_fiber(many_fibers, NULL);
}

static void test_the_loop_itself_is_no_fiber(void)
{
    struct loop *loop = loop_new();

    CU_ASSERT_PTR_NULL(fiber_self(loop));
    CU_ASSERT(fiber_count(loop) == 0);
    loop_destroy(&loop);
}

static const struct unit_case cases[] = {
    CASE(test_woken_or_too_late),
    CASE(test_a_wake_before_the_park),
    CASE(test_timeout_first_then_a_wake),
    CASE(test_sleep),
    CASE(test_cancelled_fibers_unwind),
    CASE(test_the_number_of_fibers_is_bounded),
    CASE(test_a_queue_is_first_come_first_served),
    CASE(test_a_wake_is_not_lost_to_a_deadline),
    CASE(test_a_thousand_stacks_used_and_reused),
    CASE(test_the_loop_itself_is_no_fiber),
};

int main(void)
{
    return unit_run("fiber", cases, ARRAY_SIZE(cases));
}
