/*
 * test_bot_sweep.c - retention of executions, including more than one statement can delete in its
 * time. The test clock sweeps twice a second.
 */
#include <CUnit/CUnit.h>

#include "tests/support/suite.h"
#include "tests/support/unit.h"

enum { KEPT = 1000, SWEPT_MS = 120000 };

static struct suite *suite;

static void add(int count, int days_ago)
{
    UNIT_CHECK(suite_count(suite,
                           "with added as (insert into bot.execution (project_id, id, bot_id, "
                           "started_at, duration_ms, outcome) select b.project_id, "
                           "gen_random_uuid(), b.id, %lld - i * 1000, 1, 'success' from bot.bot b, "
                           "generate_series(0, %d) i where b.name = 'Echo' returning 1) "
                           "select count(*) from added",
                           (long long)(suite_now_ms(suite) - days_ago * 86400000LL),
                           count - 1) == count,
               "%d", count);
}

/* All rows together take fifty times as long as the statement timeout allows. */
static void the_latest_thousand_stay_of_very_many(void)
{
    add(200000, 1);
    CU_ASSERT_TRUE(suite_comes_to(suite, KEPT, SWEPT_MS, "select count(*) from bot.execution"));
}

static void all_go_after_thirty_days(void)
{
    add(1500, 31);
    CU_ASSERT_TRUE(suite_comes_to(suite, 0, SWEPT_MS,
                                  "select count(*) from bot.execution where started_at < %lld",
                                  (long long)(suite_now_ms(suite) - 30 * 86400000LL)));
}

static void suite_shuts_down_cleanly(void)
{
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(the_latest_thousand_stay_of_very_many),
    CASE(all_go_after_thirty_days),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite = suite_start(
        &(struct suite_options){.test_clock = true, .set = "botd.statement_timeout=300ms"});
    return unit_run("sweep of executions", cases, ARRAY_SIZE(cases));
}
