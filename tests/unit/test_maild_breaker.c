/*
 * test_maild_breaker.c - retries of a failing mail server on the test's clock, and an email's
 * pauses.
 */
#include "maild/breaker.h"
#include "maild/deliver_backoff.h"
#include "tests/support/unit.h"

enum { LIMIT = 8 };

static void test_opens_at_a_failure_and_probes_after_a_pause(void)
{
    struct breaker self = breaker_new(LIMIT);
    int64_t now = 1000000;

    CU_ASSERT_EQUAL(breaker_room(&self, 3, now), LIMIT - 3);
    breaker_fail(&self, "gone", now);
    CU_ASSERT_EQUAL(breaker_state(&self, now), BREAKER_OPEN);
    CU_ASSERT_EQUAL(breaker_room(&self, 0, now), 0);
    CU_ASSERT_STRING_EQUAL(self.reason, "gone");
    now = self.retry_at;
    CU_ASSERT_EQUAL(breaker_state(&self, now), BREAKER_PROBING);
    CU_ASSERT_EQUAL(breaker_room(&self, 0, now), 1);
    CU_ASSERT_EQUAL(breaker_room(&self, 1, now), 0);
    CU_ASSERT_TRUE(breaker_succeed(&self, now));
    CU_ASSERT_FALSE(breaker_succeed(&self, now));
    CU_ASSERT_EQUAL(breaker_state(&self, now), BREAKER_CLOSED);
    CU_ASSERT_STRING_EQUAL(self.reason, "");
}

/* Each pause is about twice the previous, up to a quarter shorter or longer; the last is a
 * minute. */
static void test_pauses_grow_up_to_a_minute(void)
{
    struct breaker self = breaker_new(LIMIT);
    int64_t now = 1000000, base = BREAKER_PAUSE_MIN_MS;

    for (int i = 0; i < 12; i++) {
        int64_t pause;

        breaker_fail(&self, "gone", now);
        pause = self.retry_at - now;
        UNIT_CHECK(pause >= base * 3 / 4 && pause <= base * 5 / 4, "pause %d: %lld ms", i,
                   (long long)pause);
        now = self.retry_at;
        base = MIN(base * 2, (int64_t)BREAKER_PAUSE_MAX_MS);
    }
    CU_ASSERT_EQUAL(self.opened_at, 1000000);
    breaker_succeed(&self, now);
    now += 2 * (int64_t)BREAKER_RECENT_MS;
    breaker_fail(&self, "gone", now);
    CU_ASSERT_TRUE(self.retry_at - now <= BREAKER_PAUSE_MIN_MS * 5 / 4);
}

/* Failures of attempts that were in progress when the breaker opened do not lengthen the pause. */
static void test_late_failures_lengthen_nothing(void)
{
    struct breaker self = breaker_new(LIMIT);
    int64_t retry_at;

    breaker_fail(&self, "gone", 1000);
    retry_at = self.retry_at;
    for (int i = 1; i < LIMIT; i++)
        breaker_fail(&self, "gone", 1000 + i);
    CU_ASSERT_EQUAL(self.retry_at, retry_at);
}

static void test_comes_back_slowly(void)
{
    struct breaker self = breaker_new(LIMIT);
    int64_t now = 1000, want = 1;

    breaker_fail(&self, "gone", now);
    now = self.retry_at;
    for (int i = 0; i < 6; i++) {
        breaker_succeed(&self, now);
        UNIT_CHECK(breaker_room(&self, 0, now) == want, "%d: %lld", i,
                   (long long)breaker_room(&self, 0, now));
        want = MIN(2 * want, (int64_t)LIMIT);
    }
}

static void test_one_failure_among_successes_means_fewer_connections(void)
{
    struct breaker self = breaker_new(LIMIT);

    breaker_succeed(&self, 1000);
    breaker_fail(&self, "no more connections", 1001);
    CU_ASSERT_EQUAL(breaker_room(&self, 0, 1001), LIMIT / 2);
    for (int i = 1; i < BREAKER_STREAK_MAX; i++)
        breaker_fail(&self, "no more connections", 1002);
    CU_ASSERT_EQUAL(breaker_state(&self, 1002), BREAKER_OPEN);
}

static void test_refusals_in_a_row_open_it(void)
{
    struct breaker self = breaker_new(LIMIT);

    for (int i = 1; i < BREAKER_REFUSALS_MAX; i++)
        CU_ASSERT_FALSE(breaker_refuse(&self, "451", 1000));
    CU_ASSERT_EQUAL(breaker_state(&self, 1000), BREAKER_CLOSED);
    CU_ASSERT_FALSE(breaker_refuse(&self, "451", 1000));
    CU_ASSERT_EQUAL(breaker_state(&self, 1000), BREAKER_OPEN);
}

static void test_the_pause_can_be_ended(void)
{
    struct breaker self = breaker_new(LIMIT);

    breaker_fail(&self, "gone", 1000);
    breaker_hurry(&self, 1001);
    CU_ASSERT_EQUAL(breaker_room(&self, 0, 1001), 1);
}

static void test_the_pauses_of_a_mail(void)
{
    static const struct {
        int64_t (*pause)(int64_t n);
        int64_t n, want;
    } rows[] = {{deliver_backoff_ms, 1, 1000},      {deliver_backoff_ms, 4, 8000},
                {deliver_backoff_ms, 13, 3600000},  {deliver_backoff_ms, 1000, 3600000},
                {deliver_unreached_ms, 1, 1000},    {deliver_unreached_ms, 7, 60000},
                {deliver_unreached_ms, 1000, 60000}};

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        UNIT_CHECK(rows[i].pause(rows[i].n) == rows[i].want, "row %zu", i);
    CU_ASSERT_EQUAL(deliver_unknown_ms(30000, 1), 30000);
    CU_ASSERT_EQUAL(deliver_unknown_ms(30000, 2), 120000);
    CU_ASSERT_EQUAL(deliver_unknown_ms(30000, DELIVER_UNKNOWNS_MAX), 3600000);
    CU_ASSERT_EQUAL(deliver_unknown_ms(4000000, 1), 4000000);
}

int main(void)
{
    static const struct unit_case cases[] = {
        CASE(test_opens_at_a_failure_and_probes_after_a_pause),
        CASE(test_pauses_grow_up_to_a_minute),
        CASE(test_late_failures_lengthen_nothing),
        CASE(test_comes_back_slowly),
        CASE(test_one_failure_among_successes_means_fewer_connections),
        CASE(test_refusals_in_a_row_open_it),
        CASE(test_the_pause_can_be_ended),
        CASE(test_the_pauses_of_a_mail),
    };

    return unit_run("maild breaker", cases, ARRAY_SIZE(cases));
}
