/*
 * test_batch.c - several fibers' items in one call: grouping, results, and early ends of waits.
 */
#include "common/base/clock.h"
#include "common/runtime/batch.h"
#include "tests/support/unit.h"

enum { FAR_MS = 60000, MANY = 6 };

struct calls {
    struct loop *loop;
    struct batch batch;
    size_t began, ended;
    size_t counts[MANY];         /* items of each call */
    struct fiber *leaders[MANY]; /* each call's leader, while the call runs */
    int64_t deadlines[MANY];
    enum error_code fails; /* error of each call; ERR_NONE: none */
};

struct caller {
    struct batch_item item;
    struct calls *calls;
    int64_t deadline_ms;
    struct error err;
    size_t call; /* number of the call with this item, from 1 */
    int rc;
    bool over;
};

static int run(void *owner, const struct batch_item *own, struct batch_item *const *items,
               size_t count, int64_t deadline_mono_ms, struct error *err)
{
    struct calls *self = owner;
    size_t call = self->began++;

    CU_ASSERT_PTR_EQUAL(own, items[0]);
    self->counts[call] = count;
    self->deadlines[call] = deadline_mono_ms;
    self->leaders[call] = fiber_self(self->loop);
    (void)!fiber_park(self->loop, clock_mono_ms() + FAR_MS);
    self->leaders[call] = NULL;
    self->ended++;
    if (self->fails != ERR_NONE)
        return error_set(err, self->fails, "No.");
    for (size_t i = 0; i < count; i++)
        if (items[i])
            ((struct caller *)items[i])->call = call + 1;
    return 0;
}

static const struct batch_kind reads = {.run = run, .items_max = 3, .running_max = 1};
static const struct batch_kind writes = {
    .run = run, .items_max = 3, .running_max = 1, .writes = true};

static void call(void *arg)
{
    struct caller *self = arg;

    error_init(&self->err, NULL);
    self->rc = batch_run(&self->calls->batch, &self->item, self->deadline_ms, &self->err);
    self->over = true;
}

/* Waits two turns, one of them for the leader's pause. */
static void turn(struct loop *loop)
{
    for (int i = 0; i < 3; i++)
        (void)!fiber_park(loop, 0);
}

static void begin(struct calls *self, const struct batch_kind *kind, struct loop *loop)
{
    *self = (struct calls){.loop = loop, .fails = ERR_NONE};
    batch_init(&self->batch, kind, loop, self);
}

static void start(struct calls *calls, struct caller *callers, size_t count)
{
    struct error err;

    error_init(&err, NULL);
    for (size_t i = 0; i < count; i++) {
        callers[i] = (struct caller){.calls = calls, .deadline_ms = clock_mono_ms() + FAR_MS};
        CU_ASSERT(fiber_start(calls->loop, call, &callers[i], &err) == 0);
    }
}

static void share(struct loop *loop, void *arg UNUSED)
{
    struct caller callers[MANY];
    struct calls calls;

    begin(&calls, &reads, loop);
    start(&calls, callers, 2);
    turn(loop);
    UNIT_CHECK(calls.began == 1 && calls.counts[0] == 2, "those of one turn go together");
    start(&calls, callers + 2, 4);
    turn(loop);
    UNIT_CHECK(calls.began == 1, "no more calls run than may");
    fiber_wake(calls.leaders[0]);
    turn(loop);
    UNIT_CHECK(calls.began == 2 && calls.counts[1] == 3, "as many as fit wait no longer");
    CU_ASSERT(callers[0].over && callers[1].over && !callers[2].over);
    fiber_wake(calls.leaders[1]);
    turn(loop);
    UNIT_CHECK(calls.began == 3 && calls.counts[2] == 1, "the others are next");
    fiber_wake(calls.leaders[2]);
    turn(loop);
    for (size_t i = 0; i < MANY; i++)
        UNIT_CHECK(callers[i].rc == 0 && callers[i].call == (i < 2   ? 1
                                                             : i < 5 ? 2
                                                                     : 3),
                   "%zu: %zu", i, callers[i].call);
}

static void items_of_one_turn_share_a_call(void)
{
    unit_on_fiber(share, NULL);
}

static void failure(struct loop *loop, void *arg UNUSED)
{
    struct caller callers[3];
    struct calls calls;

    begin(&calls, &writes, loop);
    calls.fails = ERR_UNCERTAIN;
    start(&calls, callers, 3);
    turn(loop);
    fiber_wake(calls.leaders[0]);
    turn(loop);
    for (size_t i = 0; i < 3; i++)
        CU_ASSERT(callers[i].over && callers[i].rc == -1 && callers[i].err.code == ERR_UNCERTAIN);
}

static void a_failed_call_fails_all_of_its_items(void)
{
    unit_on_fiber(failure, NULL);
}

/* The second item's deadline passes during a call, the fourth's while it waits for one. */
static void give_up(struct loop *loop, const struct batch_kind *kind, enum error_code during)
{
    struct caller callers[4];
    struct calls calls;

    begin(&calls, kind, loop);
    start(&calls, callers, 3);
    callers[1].deadline_ms = clock_mono_ms() + 20;
    callers[2].deadline_ms += FAR_MS;
    turn(loop);
    CU_ASSERT(calls.counts[0] == 3);
    UNIT_CHECK(calls.deadlines[0] == callers[2].deadline_ms, "a call has the latest deadline");
    start(&calls, callers + 3, 1);
    callers[3].deadline_ms = clock_mono_ms() + 20;
    while (!callers[1].over || !callers[3].over)
        (void)!fiber_park(loop, clock_mono_ms() + 5);
    CU_ASSERT(callers[1].rc == -1 && callers[1].err.code == during);
    CU_ASSERT(callers[3].rc == -1 && callers[3].err.code == ERR_DEADLINE);
    fiber_wake(calls.leaders[0]);
    turn(loop);
    CU_ASSERT(callers[0].rc == 0 && callers[0].call == 1);
    CU_ASSERT(callers[2].rc == 0 && callers[2].call == 1);
    CU_ASSERT(callers[1].call == 0 && calls.began == 1);
}

static void give_up_each(struct loop *loop, void *arg UNUSED)
{
    give_up(loop, &reads, ERR_DEADLINE);
    give_up(loop, &writes, ERR_UNCERTAIN);
}

static void an_item_that_gives_up_leaves_the_others(void)
{
    unit_on_fiber(give_up_each, NULL);
}

int main(void)
{
    static const struct unit_case cases[] = {
        CASE(items_of_one_turn_share_a_call),
        CASE(a_failed_call_fails_all_of_its_items),
        CASE(an_item_that_gives_up_leaves_the_others),
    };

    return unit_run("batch", cases, ARRAY_SIZE(cases));
}
