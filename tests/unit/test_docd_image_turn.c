/*
 * test_docd_image_turn.c - the order of image decoding: limits of clients without an account, and
 * their effect on others.
 */
#include <stdio.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/runtime/fiber.h"
#include "docd/image/image_turn.h"
#include "tests/support/unit.h"

enum { LARGE = 100 * 1000 * 1000, SOON_MS = 100, LATER_MS = 60000 };

static void enter(struct image_scheduler *scheduler, const char *address, int64_t timeout_ms,
                  struct image_turn *ret, enum error_code want)
{
    struct request req = {.address = address, .deadline_mono_ms = clock_mono_ms() + timeout_ms};
    struct error err;
    bool parked;

    error_init(&err, NULL);
    (void)!image_turn_enter(scheduler, &req, ret, &parked, &err);
    UNIT_CHECK(err.code == want, "%s: %d", address, err.code);
}

static void begin(struct image_turn *turn, enum error_code want, const char *label)
{
    struct error err;

    error_init(&err, NULL);
    (void)!image_turn_begin(turn, clock_mono_ms() + SOON_MS, &err);
    UNIT_CHECK(err.code == want, "%s: %d", label, err.code);
}

static void four_at_a_time(struct loop *loop, void *arg UNUSED)
{
    struct image_scheduler *scheduler = image_scheduler_new(loop, 8, 8, 64, 64);
    struct image_turn own[IMAGE_CLIENT_DECODES + 1], other;

    for (size_t i = 0; i < ARRAY_SIZE(own); i++)
        enter(scheduler, "192.0.2.1", LATER_MS, &own[i], ERR_NONE);
    for (size_t i = 0; i < IMAGE_CLIENT_DECODES; i++)
        begin(&own[i], ERR_NONE, "one of four");
    begin(&own[IMAGE_CLIENT_DECODES], ERR_THROTTLED, "the fifth");
    enter(scheduler, "192.0.2.2", LATER_MS, &other, ERR_NONE);
    begin(&other, ERR_NONE, "another client's");
    image_turn_end(&own[0]);
    begin(&own[IMAGE_CLIENT_DECODES], ERR_NONE, "the fifth, later");
    CU_ASSERT_EQUAL(image_scheduler_waiting(scheduler), 0);
    for (size_t i = 0; i < ARRAY_SIZE(own); i++)
        image_turn_leave(&own[i]);
    image_turn_leave(&other);
    image_scheduler_destroy(&scheduler);
}

struct contender {
    struct image_scheduler *scheduler;
    struct fiber *starter;
    const char *address;
    struct image_turn turn;
    enum error_code code;
    int place, *places;
    bool done;
};

static void contend(void *arg)
{
    struct contender *self = arg;
    struct error err;

    error_init(&err, NULL);
    enter(self->scheduler, self->address, LATER_MS, &self->turn, ERR_NONE);
    image_turn_enlarge(&self->turn, LARGE);
    (void)!image_turn_begin(&self->turn, clock_mono_ms() + 2000, &err);
    self->code = err.code;
    self->place = ++*self->places;
    image_turn_leave(&self->turn);
    self->done = true;
    fiber_wake(self->starter);
}

/* A client over its pixels per minute waits until no other client waits. */
static void other_clients_precede_one_over_its_limit(struct loop *loop, void *arg UNUSED)
{
    struct image_scheduler *scheduler = image_scheduler_new(loop, 1, 1, 64, 64);
    struct image_turn holder;
    int places = 0;
    struct contender all[] = {
        {.address = "192.0.2.1"}, {.address = "192.0.2.1"},   {.address = "192.0.2.1"},
        {.address = "192.0.2.1"}, {.address = "2001:db8::1"}, {.address = "192.0.2.3"},
    };
    struct error err;

    error_init(&err, NULL);
    enter(scheduler, "192.0.2.9", LATER_MS, &holder, ERR_NONE);
    image_turn_enlarge(&holder, LARGE);
    begin(&holder, ERR_NONE, "who is first");
    for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
        all[i].scheduler = scheduler;
        all[i].starter = fiber_self(loop);
        all[i].places = &places;
        CU_ASSERT_EQUAL(fiber_start(loop, contend, &all[i], &err), 0);
    }
    while (image_scheduler_waiting(scheduler) < ARRAY_SIZE(all))
        UNIT_REQUIRE(fiber_park(loop, clock_mono_ms() + 1) != FIBER_CANCELLED, "waiting");
    image_turn_leave(&holder);
    for (size_t i = 0; i < ARRAY_SIZE(all); i++)
        while (!all[i].done)
            UNIT_REQUIRE(fiber_park(loop, clock_mono_ms() + 1) != FIBER_CANCELLED, "done");
    for (size_t i = 0; i < ARRAY_SIZE(all); i++)
        UNIT_CHECK(all[i].code == ERR_NONE && (all[i].place <= 2) == (i >= 4), "%zu: %d, place %d",
                   i, all[i].code, all[i].place);
    image_scheduler_destroy(&scheduler);
}

/* Images of a client over its pixel limit are only measured, in the slow lane. Two large images are
 * within the limit. */
static void pixels_of_a_minute(struct loop *loop, void *arg UNUSED)
{
    struct image_scheduler *scheduler = image_scheduler_new(loop, 1, 1, 64, 64);
    struct image_turn turn, neighbour;

    enter(scheduler, "2001:db8:0:1::1", LATER_MS, &turn, ERR_NONE);
    CU_ASSERT_EQUAL(image_turn_pixels(&turn), IMAGE_FAST_PIXELS_PUBLIC);
    image_turn_enlarge(&turn, LARGE);
    image_turn_enlarge(&turn, LARGE - 1000);
    CU_ASSERT_FALSE(image_turn_over(&turn));
    image_turn_enlarge(&turn, LARGE);
    CU_ASSERT_TRUE(image_turn_over(&turn));
    CU_ASSERT_EQUAL(image_turn_pixels(&turn), 0);
    image_turn_leave(&turn);
    /* the whole /64 is one client */
    enter(scheduler, "2001:db8:0:1:ffff::2", LATER_MS, &turn, ERR_NONE);
    CU_ASSERT_TRUE(image_turn_over(&turn));
    enter(scheduler, "2001:db8:0:2::1", LATER_MS, &neighbour, ERR_NONE);
    CU_ASSERT_FALSE(image_turn_over(&neighbour));
    image_turn_leave(&turn);
    image_turn_leave(&neighbour);
    image_scheduler_destroy(&scheduler);
}

/* Beyond its share, a client's request waits outside and gets the error at its deadline. */
static void a_share_each(struct loop *loop, void *arg UNUSED)
{
    struct image_scheduler *scheduler = image_scheduler_new(loop, 1, 1, 64, 2);
    struct image_turn own[3], other;

    enter(scheduler, "192.0.2.1", LATER_MS, &own[0], ERR_NONE);
    enter(scheduler, "192.0.2.1", LATER_MS, &own[1], ERR_NONE);
    enter(scheduler, "192.0.2.1", SOON_MS, &own[2], ERR_THROTTLED);
    enter(scheduler, "192.0.2.2", SOON_MS, &other, ERR_NONE);
    image_turn_leave(&own[0]);
    enter(scheduler, "192.0.2.1", SOON_MS, &own[2], ERR_NONE);
    for (size_t i = 0; i < ARRAY_SIZE(own); i++)
        image_turn_leave(&own[i]);
    image_turn_leave(&other);
    image_scheduler_destroy(&scheduler);
}

#define ON_FIBER(name)             \
    static void test_##name(void)  \
    {                              \
        unit_on_fiber(name, NULL); \
    }
ON_FIBER(four_at_a_time)
ON_FIBER(other_clients_precede_one_over_its_limit)
ON_FIBER(pixels_of_a_minute)
ON_FIBER(a_share_each)

static const struct unit_case cases[] = {
    CASE(test_four_at_a_time),
    CASE(test_other_clients_precede_one_over_its_limit),
    CASE(test_pixels_of_a_minute),
    CASE(test_a_share_each),
};

int main(void)
{
    return unit_run("docd image turn", cases, ARRAY_SIZE(cases));
}
