/*
 * test_fiber_sem.c - the counting semaphore: order, limits, deadlines, cancellation and
 * destruction.
 */
#include "common/base/clock.h"
#include "common/runtime/fiber_sem.h"
#include "tests/support/unit.h"

enum { FAR_MS = 60000 };

static int64_t in_ms(int64_t ms)
{
    return clock_mono_ms() + ms;
}

/* A fiber that acquires the semaphore and holds it until told to release it. */
struct taker {
    struct fiber_sem *sem;
    size_t count;
    int64_t deadline_ms;
    int *order, rank; /* rank: order of return */
    int rc;
    enum error_code code;
};

static void take(void *arg)
{
    struct taker *taker = arg;
    struct error err;

    error_init(&err, NULL);
    taker->rc = fiber_sem_acquire(taker->sem, taker->count, taker->deadline_ms, &err);
    taker->code = err.code;
    taker->rank = ++*taker->order;
}

static void start(struct loop *loop, struct taker *taker)
{
    struct error err;

    error_init(&err, NULL);
    CU_ASSERT(fiber_start(loop, take, taker, &err) == 0);
}

/* Lets everything run that is ready. */
static void yield(struct loop *loop)
{
    (void)!fiber_park(loop, 0);
}

static void start_all(struct loop *loop, struct fiber_sem *sem, struct taker *takers, size_t n,
                      const size_t *counts, int *order)
{
    for (size_t i = 0; i < n; i++) {
        takers[i] = (struct taker){.sem = sem,
                                   .count = counts ? counts[i] : 1,
                                   .deadline_ms = in_ms(FAR_MS),
                                   .order = order};
        start(loop, &takers[i]);
    }
    yield(loop);
}

static void in_order(struct loop *loop, void *arg UNUSED)
{
    struct fiber_sem sem;
    struct taker takers[4], late;
    int order = 0, late_order = 0;

    fiber_sem_init(&sem, loop, 2, FIBER_SEM_UNBOUNDED);
    CU_ASSERT(fiber_sem_is_idle(&sem));
    start_all(loop, &sem, takers, ARRAY_SIZE(takers), NULL, &order);
    CU_ASSERT(order == 2 && sem.taken == 2 && sem.waiting == 2 && !fiber_sem_try(&sem, 1));
    fiber_sem_release(&sem, 1);
    UNIT_CHECK(sem.taken == 2 && sem.waiting == 1, "it is handed on within the release");
    start_all(loop, &sem, &late, 1, NULL, &late_order);
    UNIT_CHECK(takers[2].rank == 3 && late_order == 0, "one that comes later does not overtake");
    fiber_sem_release(&sem, 1);
    fiber_sem_release(&sem, 1);
    yield(loop);
    CU_ASSERT(takers[3].rank == 4 && late_order == 1 && sem.taken == 2);
    fiber_sem_release(&sem, 2);
    CU_ASSERT(fiber_sem_is_idle(&sem));
    CU_ASSERT(fiber_sem_try(&sem, 2) && !fiber_sem_try(&sem, 1));
}

static void waiters_acquire_in_order(void)
{
    unit_on_fiber(in_order, NULL);
}

static void by_size(struct loop *loop, void *arg UNUSED)
{
    static const size_t counts[] = {8, 6, 2, 4};
    struct fiber_sem sem;
    struct taker takers[4];
    int order = 0;

    fiber_sem_init(&sem, loop, 10, FIBER_SEM_UNBOUNDED);
    start_all(loop, &sem, takers, ARRAY_SIZE(takers), counts, &order);
    UNIT_CHECK(takers[0].rank == 1 && takers[2].rank == 2 && order == 2,
               "a small one that fits does not wait for a large one");
    fiber_sem_release(&sem, 2);
    CU_ASSERT(sem.taken == 8 && sem.waiting == 2);
    fiber_sem_release(&sem, 8);
    yield(loop);
    UNIT_CHECK(takers[1].rank == 3 && takers[3].rank == 4 && sem.taken == 10,
               "one release serves all that fit");
}

static void those_that_fit_go_first(void)
{
    unit_on_fiber(by_size, NULL);
}

static void too_many(struct loop *loop, void *arg UNUSED)
{
    struct fiber_sem sem, none;
    struct taker takers[3];
    struct error err;
    int order = 0;

    fiber_sem_init(&sem, loop, 1, 1);
    start_all(loop, &sem, takers, ARRAY_SIZE(takers), NULL, &order);
    CU_ASSERT(takers[0].rc == 0 && sem.waiting == 1);
    CU_ASSERT(takers[2].rc == -1 && takers[2].code == ERR_OVERLOADED);
    fiber_sem_release(&sem, 1);
    yield(loop);
    CU_ASSERT(takers[1].rc == 0);

    error_init(&err, NULL);
    fiber_sem_init(&none, loop, 1, 0);
    CU_ASSERT(fiber_sem_acquire(&none, 1, 0, &err) == 0);
    CU_ASSERT(fiber_sem_acquire(&none, 1, in_ms(FAR_MS), &err) == -1);
    UNIT_CHECK(err.code == ERR_OVERLOADED && err.retry_after_s > 0, "none may wait");
}

static void the_line_is_bounded(void)
{
    unit_on_fiber(too_many, NULL);
}

static void overdue(struct loop *loop, void *arg UNUSED)
{
    struct fiber_sem sem;
    struct taker takers[4];
    int order = 0;

    fiber_sem_init(&sem, loop, 1, FIBER_SEM_UNBOUNDED);
    CU_ASSERT(fiber_sem_try(&sem, 1));
    for (size_t i = 0; i < ARRAY_SIZE(takers); i++) {
        takers[i] = (struct taker){.sem = &sem,
                                   .count = 1,
                                   .deadline_ms = in_ms(i == 0 || i == 3 ? 10 : FAR_MS),
                                   .order = &order};
        start(loop, &takers[i]);
    }
    while (order < 2)
        (void)!fiber_park(loop, in_ms(1));
    CU_ASSERT(takers[0].rc == -1 && takers[0].code == ERR_DEADLINE);
    CU_ASSERT(takers[3].rc == -1 && takers[3].code == ERR_DEADLINE);
    UNIT_CHECK(sem.waiting == 2 && sem.taken == 1, "the overdue have left with nothing");
    fiber_sem_release(&sem, 1);
    fiber_sem_release(&sem, 1);
    yield(loop);
    CU_ASSERT(takers[1].rc == 0 && takers[2].rc == 0 && sem.taken == 1);
    fiber_sem_release(&sem, 1);
    CU_ASSERT(fiber_sem_is_idle(&sem));
}

static void the_overdue_leave_the_line(void)
{
    unit_on_fiber(overdue, NULL);
}

/* A grant in the turn of the deadline must be returned, or it would never be released. */
static void race(struct loop *loop, void *arg UNUSED)
{
    struct fiber_sem sem;
    struct taker taker = {.sem = &sem, .count = 1, .deadline_ms = in_ms(10)};
    int order = 0;

    taker.order = &order;
    fiber_sem_init(&sem, loop, 1, FIBER_SEM_UNBOUNDED);
    CU_ASSERT(fiber_sem_try(&sem, 1));
    start(loop, &taker);
    yield(loop);
    /* Both deadlines pass in one turn. This fiber runs first, because it was armed for the earlier
     * time. */
    (void)!fiber_park(loop, taker.deadline_ms - 1);
    while (clock_mono_ms() <= taker.deadline_ms)
        ;
    fiber_sem_release(&sem, 1);
    yield(loop);
    CU_ASSERT(order == 1 && sem.taken == (taker.rc == 0 ? 1 : 0) && sem.waiting == 0);
}

static void a_grant_is_not_lost_to_a_deadline(void)
{
    unit_on_fiber(race, NULL);
}

static void cancelled(struct loop *loop, void *arg UNUSED)
{
    struct fiber_sem sem;
    struct taker takers[3];
    int order = 0;

    fiber_sem_init(&sem, loop, 1, FIBER_SEM_UNBOUNDED);
    start_all(loop, &sem, takers, ARRAY_SIZE(takers), NULL, &order);
    CU_ASSERT(sem.waiting == 2);
    fiber_cancel_all(loop);
    yield(loop);
    CU_ASSERT(takers[1].code == ERR_UNAVAILABLE && takers[2].code == ERR_UNAVAILABLE);
    CU_ASSERT(sem.waiting == 0 && sem.taken == 1);
}

static void cancelled_fibers_get_nothing(void)
{
    unit_on_fiber(cancelled, NULL);
}

static const struct unit_case cases[] = {
    CASE(waiters_acquire_in_order),
    CASE(those_that_fit_go_first),
    CASE(the_line_is_bounded),
    CASE(the_overdue_leave_the_line),
    CASE(a_grant_is_not_lost_to_a_deadline),
    CASE(cancelled_fibers_get_nothing),
};

int main(void)
{
    return unit_run("fiber_sem", cases, ARRAY_SIZE(cases));
}
