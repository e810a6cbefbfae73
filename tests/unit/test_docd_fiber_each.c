/*
 * test_docd_fiber_each.c - fiber_each() on many items: order, concurrency, and what a failure or
 * time limit leaves out.
 */
#include "common/base/clock.h"
#include "common/runtime/fiber.h"
#include "docd/document/fiber_each.h"
#include "tests/support/unit.h"

enum { ITEMS = 10 };

struct work {
    struct loop *loop;
    size_t begun[ITEMS], count; /* items in order of their start */
    size_t now, most;           /* concurrent ones */
    size_t failing[2], failings;
    int64_t item_ms;
};

static int run(void *arg, size_t item, struct error *err)
{
    struct work *self = arg;

    self->begun[self->count++] = item;
    self->most = MAX(self->most, ++self->now);
    CU_ASSERT(fiber_sleep_until(self->loop, clock_mono_ms() + self->item_ms, err) == 0);
    self->now--;
    for (size_t i = 0; i < self->failings; i++)
        if (self->failing[i] == item)
            return error_set(err, ERR_CONFLICT, "item %zu", item);
    return 0;
}

static int run_all(struct work *self, struct fiber_each each, size_t *ret_begun, struct error *err)
{
    int result;

    each.run = run;
    each.arg = self;
    error_init(err, NULL);
    result = fiber_each(self->loop, &each, ret_begun, err);
    UNIT_CHECK(self->now == 0, "%zu items are under way at the end", self->now);
    CU_ASSERT(fiber_count(self->loop) == 1);
    return result;
}

static void check_order(const struct work *self, size_t count)
{
    CU_ASSERT(self->count == count);
    for (size_t i = 0; i < MIN(self->count, count); i++)
        UNIT_CHECK(self->begun[i] == i, "item %zu in place %zu", self->begun[i], i);
}

static void all_of_them(struct loop *loop, void *arg UNUSED)
{
    static const struct {
        size_t count, most, want;
    } rows[] = {{ITEMS, 3, 3}, {ITEMS, 1, 1}, {2, 8, 2}, {1, 8, 1}, {0, 8, 0}};

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct work work = {.loop = loop, .item_ms = 1};
        struct error err;
        size_t begun = 99;

        CU_ASSERT(run_all(&work, (struct fiber_each){.count = rows[i].count, .most = rows[i].most},
                          &begun, &err) == 0);
        CU_ASSERT(begun == rows[i].count);
        check_order(&work, rows[i].count);
        UNIT_CHECK(work.most == rows[i].want, "%zu at a time instead of %zu", work.most,
                   rows[i].want);
    }
}

static void items_run_in_order_so_many_at_a_time(void)
{
    unit_on_fiber(all_of_them, NULL);
}

static void with_failures(struct loop *loop, void *arg UNUSED)
{
    struct work stops = {.loop = loop, .item_ms = 1, .failing = {3, 4}, .failings = 2};
    struct work goes_on = stops;
    struct error err;
    size_t begun;

    CU_ASSERT(run_all(&stops, (struct fiber_each){.count = ITEMS, .most = 1}, &begun, &err) == -1);
    CU_ASSERT(err.code == ERR_CONFLICT);
    CU_ASSERT_STRING_EQUAL(err.message, "item 3");
    CU_ASSERT(begun == 4);
    check_order(&stops, 4);
    CU_ASSERT(run_all(&goes_on,
                      (struct fiber_each){.count = ITEMS, .most = 2, .past_failure = true}, &begun,
                      &err) == -1);
    CU_ASSERT_STRING_EQUAL(err.message, "item 3");
    CU_ASSERT(begun == ITEMS);
    check_order(&goes_on, ITEMS);
}

static void the_first_failure_is_told_and_ends_it_or_not(void)
{
    unit_on_fiber(with_failures, NULL);
}

static void with_a_limit(struct loop *loop, void *arg UNUSED)
{
    struct work late = {.loop = loop, .item_ms = 1}, short_of = {.loop = loop, .item_ms = 20};
    struct error err;
    size_t begun;

    CU_ASSERT(run_all(&late, (struct fiber_each){.count = ITEMS, .most = 1, .until_mono_ms = 1},
                      &begun, &err) == 0);
    CU_ASSERT(begun == 1);
    CU_ASSERT(run_all(&short_of,
                      (struct fiber_each){
                          .count = ITEMS, .most = 1, .until_mono_ms = clock_mono_ms() + 30},
                      &begun, &err) == 0);
    UNIT_CHECK(begun >= 1 && begun <= 2, "%zu items in 30 ms", begun);
    check_order(&short_of, begun);
}

static void behind_the_limit_only_the_first_is_begun(void)
{
    unit_on_fiber(with_a_limit, NULL);
}

static void alone(struct loop *loop, void *arg UNUSED)
{
    struct work work = {.loop = loop, .item_ms = 0};
    struct error err;

    fiber_set_max(loop, 1);
    CU_ASSERT(run_all(&work, (struct fiber_each){.count = ITEMS, .most = 4}, NULL, &err) == 0);
    CU_ASSERT(work.most == 1);
    check_order(&work, ITEMS);
}

static void without_another_fiber_the_caller_does_it_alone(void)
{
    unit_on_fiber(alone, NULL);
}

static const struct unit_case cases[] = {
    CASE(items_run_in_order_so_many_at_a_time),
    CASE(the_first_failure_is_told_and_ends_it_or_not),
    CASE(behind_the_limit_only_the_first_is_begun),
    CASE(without_another_fiber_the_caller_does_it_alone),
};

int main(void)
{
    return unit_run("fiber each", cases, ARRAY_SIZE(cases));
}
