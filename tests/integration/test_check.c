/*
 * test_check.c - check.h: running a table of checks, and judging a database server.
 */
#include <string.h>

#include "common/base/clock.h"
#include "common/runtime/fiber.h"
#include "common/service/check.h"
#include "tests/support/unit.h"

struct subject {
    struct loop *loop;
    int runs;
};

static int run_ok(void *daemon, const struct request *req, struct finding *ret,
                  struct error *err UNUSED)
{
    struct subject *self = daemon;

    self->runs++;
    return check_ok(req, ret, "%d of them", 3);
}

static int run_warn(void *daemon, const struct request *req, struct finding *ret, struct error *err)
{
    (void)daemon, (void)err;
    return check_warn(req, ret, "Better do it.", "not done");
}

static int run_fail(void *daemon, const struct request *req, struct finding *ret, struct error *err)
{
    (void)daemon, (void)err;
    return check_fail(req, ret, NULL, "broken");
}

static int run_error(void *daemon, const struct request *req, struct finding *ret,
                     struct error *err)
{
    (void)daemon, (void)req, (void)ret;
    error_set(err, ERR_UNAVAILABLE, "It is away.");
    return error_detail(err, "refused");
}

static int run_nothing(void *daemon, const struct request *req, struct finding *ret,
                       struct error *err)
{
    (void)daemon, (void)req, (void)ret, (void)err;
    return 0;
}

static int run_long(void *daemon, const struct request *req, struct finding *ret, struct error *err)
{
    struct subject *self = daemon;

    if (fiber_sleep_until(self->loop, req->deadline_mono_ms, err) < 0)
        return -1;
    return check_fail(req, ret, NULL, "no answer");
}

static const struct check table[] = {
    {"good", 0, "Nothing.", run_ok},
    {"doubtful", 0, "Do it.", run_warn},
    {"bad", 0, "Mend it.", run_fail},
    {"away", 0, "Start it.", run_error},
    {"absent", 0, "Never said.", run_nothing},
    {"stored", CHECK_DATABASE, "Nothing.", run_ok},
    {.name = NULL},
};

static void check_found(const struct finding *found, const char *check, const char *state,
                        const char *seen, const char *mend)
{
    UNIT_CHECK(strcmp(found->check, check) == 0, "%s", found->check);
    UNIT_CHECK(strcmp(found->state, state) == 0, "%s: %s", check, found->state);
    UNIT_CHECK(strcmp(found->seen, seen) == 0, "%s: %s", check, found->seen);
    UNIT_CHECK(mend ? found->mend && strcmp(found->mend, mend) == 0 : !found->mend, "%s: %s", check,
               found->mend ? found->mend : "none");
}

static struct request request_until(struct arena *arena, int64_t deadline_mono_ms)
{
    return (struct request){.arena = arena, .deadline_mono_ms = deadline_mono_ms};
}

static void test_rows_become_findings(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    struct request req = request_until(arena, clock_mono_ms() + 60000);
    struct check_report report = {.count = 0};
    struct subject subject = {.runs = 0};

    CU_ASSERT_FALSE(checks_run(table, 0, &subject, &req, &report));
    CU_ASSERT_EQUAL_FATAL(report.count, 5);
    check_found(&report.items[0], "good", "ok", "3 of them", NULL);
    check_found(&report.items[1], "doubtful", "warn", "not done", "Better do it.");
    check_found(&report.items[2], "bad", "fail", "broken", "Mend it.");
    check_found(&report.items[3], "away", "fail", "It is away. (refused)", "Start it.");
    check_found(&report.items[4], "stored", "ok", "3 of them", NULL);

    /* A second table is appended; database checks can be skipped; no table is allowed. */
    CU_ASSERT_TRUE(checks_run(table + 4, CHECK_DATABASE, &subject, &req, &report));
    CU_ASSERT_TRUE(checks_run(NULL, 0, &subject, &req, &report));
    CU_ASSERT_EQUAL(report.count, 5);
    CU_ASSERT_TRUE(checks_run(table + 5, 0, &subject, &req, &report));
    CU_ASSERT_EQUAL(report.count, 6);
    CU_ASSERT_EQUAL(subject.runs, 3);
}

static void test_a_report_has_its_bound(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    struct request req = request_until(arena, clock_mono_ms() + 60000);
    struct check_report report = {.count = CHECKS_MAX - 1};
    struct subject subject = {.runs = 0};

    checks_run(table, 0, &subject, &req, &report);
    CU_ASSERT_EQUAL(report.count, CHECKS_MAX);
}

/* A slow check is cut off, and nothing starts after the deadline. */
static void run_out_of_time(struct loop *loop, void *arg UNUSED)
{
    static const struct check rows[] = {
        {"long", 0, "Kill it.", run_long},
        {"behind it", 0, "Try again.", run_ok},
        {.name = NULL},
    };
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    int64_t since = clock_mono_ms();
    struct request req = request_until(arena, since + 200);
    struct subject subject = {.loop = loop};
    struct check_report report = {.count = 0};

    CU_ASSERT_FALSE(checks_run(rows, 0, &subject, &req, &report));
    UNIT_REQUIRE(report.count == 2, "%zu", report.count);
    check_found(&report.items[0], "long", "fail", "no answer", "Kill it.");
    check_found(&report.items[1], "behind it", "fail", "not checked: earlier checks took too long",
                "Try again.");
    CU_ASSERT_EQUAL(subject.runs, 0);

    report.count = 0;
    since = clock_mono_ms();
    req.deadline_mono_ms = since + 60000;
    checks_run(rows, 0, &subject, &req, &report);
    CU_ASSERT_TRUE(clock_mono_ms() - since < 2 * CHECK_EACH_MS);
    CU_ASSERT_EQUAL(subject.runs, 1);
}

static void test_time_is_bounded(void)
{
    unit_on_fiber(run_out_of_time, NULL);
}

static void test_settings_of_servers_are_checked(void)
{
    static const struct {
        struct check_server server;
        const char *version, *durability, *clock; /* states */
        const char *word; /* advice for the check that fails; NULL: none fails */
    } rows[] = {
        {{"15.14", 150014, "on", "on", "on", 0}, "ok", "ok", "ok", NULL},
        {{"17.2", 170002, "remote_apply", "on", "on", 1000}, "ok", "ok", "ok", NULL},
        {{"15.14", 150014, "local", "on", "on", -1000}, "ok", "ok", "ok", NULL},
        {{"14.9", 140009, "on", "on", "on", 0}, "fail", "ok", "ok", "PostgreSQL 15 or later"},
        {{"15.14", 150014, "off", "on", "on", 0}, "ok", "fail", "ok", "synchronous_commit = on"},
        {{"15.14", 150014, "on", "off", "on", 0}, "ok", "fail", "ok", "fsync = on"},
        {{"15.14", 150014, "on", "on", "off", 0}, "ok", "fail", "ok", "full_page_writes = on"},
        {{"15.14", 150014, "on", "on", "on", 1001}, "ok", "ok", "warn", "NTP"},
        {{"15.14", 150014, "on", "on", "on", -5000}, "ok", "ok", "warn", "NTP"},
        {{"15.14", 150014, "on", "on", "on", 5001}, "ok", "ok", "fail", "NTP"},
        {{"15.14", 150014, "on", "on", "on", -5001}, "ok", "ok", "fail", "NTP"},
    };
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    struct request req = request_until(arena, 0);

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct finding found[3] = {{.check = NULL}};
        const char *const want[] = {rows[i].version, rows[i].durability, rows[i].clock};

        check_server_version(&req, &rows[i].server, &found[0]);
        check_server_durability(&req, &rows[i].server, &found[1]);
        check_server_clock(&req, &rows[i].server, &found[2]);
        for (size_t f = 0; f < ARRAY_SIZE(found); f++) {
            UNIT_CHECK(strcmp(found[f].state, want[f]) == 0, "row %zu: %s", i, found[f].seen);
            UNIT_CHECK(*want[f] == 'o' ? !found[f].mend
                                       : found[f].mend && strstr(found[f].mend, rows[i].word),
                       "row %zu: %s", i, found[f].mend ? found[f].mend : "no advice");
        }
    }
}

static void test_ages_are_reported(void)
{
    static const struct {
        int64_t ms;
        const char *want;
    } rows[] = {
        {0, "0 s"},       {119999, "119 s"},   {120000, "2 min"},     {7199999, "119 min"},
        {7200000, "2 h"}, {172799999, "47 h"}, {172800000, "2 days"}, {34560000000, "400 days"}};
    CLEANUP(arena_destroy) struct arena *arena = arena_new();

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const char *text = check_age(arena, rows[i].ms);

        UNIT_CHECK(strcmp(text, rows[i].want) == 0, "%s, not %s", text, rows[i].want);
    }
}

static const struct unit_case cases[] = {
    CASE(test_rows_become_findings), CASE(test_a_report_has_its_bound),
    CASE(test_time_is_bounded),      CASE(test_settings_of_servers_are_checked),
    CASE(test_ages_are_reported),
};

int main(void)
{
    return unit_run("check", cases, ARRAY_SIZE(cases));
}
