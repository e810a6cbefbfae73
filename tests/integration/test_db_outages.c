/*
 * test_db_outages.c - the database layer while connections, standby or server fail: repeated reads,
 * uncertain writes, and no lost acknowledged write.
 *
 * tier: time quiet
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "tests/support/db_jobs.h"

static const struct db_statement statements[] = {
    DB_JOB_STATEMENTS,
    {.name = NULL},
};

static struct pg *server;

static bool setup(struct db_fixture *self, struct loop *loop, const char *schema)
{
    struct db_options options = db_kit_options(server, schema, statements);

    return db_kit_setup(self, server, loop, &options);
}

/* A stopped server (as with a broken disk) costs each request its deadline and is used again after
 * SIGCONT. */
static void a_hanging_server_costs_a_deadline(struct loop *loop, void *arg UNUSED)
{
    struct db_job jobs[10] = {0};
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    struct db_fixture self;

    if (setup(&self, loop, "hanging") && DB_KIT_QUERY(&self, SQL_PID, &res) == 0) {
        kill((pid_t)db_int(res, 0, 0), SIGSTOP);
        for (size_t i = 0; i < ARRAY_SIZE(jobs); i++)
            jobs[i] = (struct db_job){
                .statement = SQL_ADD, .a = 1, .b = 1, .params = 2, .timeout_ms = 200};
        db_jobs_start(&self, jobs, ARRAY_SIZE(jobs));
        db_jobs_wait(&self, jobs, ARRAY_SIZE(jobs));
        CU_ASSERT_EQUAL(jobs[0].err.code, ERR_DEADLINE);
        kill((pid_t)db_int(res, 0, 0), SIGCONT);
        CU_ASSERT_EQUAL(db_jobs_count_things(&self), 0);
    }
    db_kit_teardown(&self);
}

static const char kill_all[] = "select count(pg_terminate_backend(pid)) from pg_stat_activity"
                               " where pid <> pg_backend_pid() and application_name = 'loss'";

/* All backends are terminated during requests: reads are repeated, the write is reported as
 * uncertain, later requests work. */
static void terminated_backends_reads_again_writes_uncertain(struct loop *loop, void *arg UNUSED)
{
    struct db_job jobs[] = {
        {.statement = SQL_SLEEP, .a = 300, .params = 1},
        {.statement = SQL_ADD, .a = 1, .b = 2, .params = 2},
        {.statement = SQL_ADD, .a = 3, .b = 4, .params = 2},
        {.statement = SQL_PUT_SLOWLY, .a = 1, .b = 1, .params = 2},
    };
    struct db_fixture self;

    if (setup(&self, loop, "loss")) {
        db_jobs_start(&self, jobs, ARRAY_SIZE(jobs));
        db_kit_sleep_ms(&self, 50);
        CU_ASSERT_TRUE(pg_exec(server, kill_all) >= 2);
        db_jobs_wait(&self, jobs, ARRAY_SIZE(jobs));
        for (int i = 0; i < 3; i++)
            UNIT_CHECK(jobs[i].rc == 0, "%d: %s", i, jobs[i].err.message);
        CU_ASSERT_EQUAL(jobs[2].value, 7);
        CU_ASSERT_EQUAL(jobs[3].err.code, ERR_UNCERTAIN);
        CU_ASSERT_TRUE(db_stats(self.db).reconnects >= 2);

        /* Idle connections that die fail no request. */
        pg_exec(server, kill_all);
        db_kit_sleep_ms(&self, 100);
        memset(jobs, 0, sizeof(jobs));
        jobs[0] = (struct db_job){.statement = SQL_PUT, .a = 2, .b = 2, .params = 2};
        db_jobs_start(&self, jobs, 1);
        db_jobs_wait(&self, jobs, 1);
        UNIT_CHECK(jobs[0].rc == 0, "%s", jobs[0].err.message);
        CU_ASSERT_EQUAL(db_jobs_count_things(&self), 1);
    }
    db_kit_teardown(&self);
}

/* Cancels commits' waits for a standby, as an operator can. */
static long cancel_waits(void)
{
    return pg_exec(server, "select count(pg_cancel_backend(pid)) from pg_stat_activity where "
                           "wait_event = 'SyncRep'");
}

static bool cancel_wait(struct db_fixture *self)
{
    int64_t until = db_kit_soon(self);

    while (cancel_waits() == 0) {
        if (!UNIT_CHECK(loop_mono_ms(self->loop) < until, "no commit waits"))
            return false;
        db_kit_sleep_ms(self, 10);
    }
    return true;
}

static void set_standby(struct db_fixture *self, const char *name)
{
    char sql[128];

    snprintf(sql, sizeof(sql), "alter system set synchronous_standby_names = '%s'", name);
    pg_exec(server, sql);
    pg_exec(server, "select pg_reload_conf()");
    while (pg_exec(server, "select (current_setting('synchronous_standby_names') <> '')::int") !=
           (*name != '\0'))
        db_kit_sleep_ms(self, 10);
    db_kit_sleep_ms(self, 200); /* until the checkpointer has informed the backends */
}

/* The server reports the commit, with a warning that the standby may lack it. */
static void cancelled_wait(struct loop *loop, void *arg UNUSED)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    struct db_fixture self;
    struct db_job put = {.statement = SQL_PUT, .a = 1, .b = 1, .params = 2};

    if (setup(&self, loop, "standby")) {
        set_standby(&self, "nowhere");
        db_jobs_start(&self, &put, 1);
        CU_ASSERT_TRUE(cancel_wait(&self));
        db_jobs_wait(&self, &put, 1);
        CU_ASSERT_EQUAL(put.rc, -1);
        CU_ASSERT_EQUAL(put.err.code, ERR_UNCERTAIN);
        set_standby(&self, "");
        CU_ASSERT_EQUAL(DB_KIT_QUERY(&self, SQL_PUT, &res, DB_INT(2), DB_INT(1)), 0);
        CU_ASSERT_EQUAL(db_jobs_count_things(&self), 2);
    }
    db_kit_teardown(&self);
}

struct load {
    struct db_fixture *fixture;
    int first;
    bool stop, ended;
    int acked, refused, uncertain, other;
    int64_t longest_ms;
};

static void run_load(void *arg)
{
    struct load *load = arg;
    struct db_fixture *self = load->fixture;
    struct error err;

    for (int i = 0; !load->stop; i++) {
        CLEANUP(db_result_destroy) struct db_result *res = NULL;
        struct db_param params[] = {DB_INT(load->first + i), DB_INT(1)};
        int64_t started = clock_mono_ms();

        error_init(&err, NULL);
        if (db_kit_query(self->db, loop_mono_ms(self->loop) + 5000, &self->options.sql[SQL_PUT],
                         &res, &err, params, 2) == 0)
            load->acked++;
        else if (err.code == ERR_UNAVAILABLE)
            load->refused++;
        else if (err.code == ERR_UNCERTAIN)
            load->uncertain++;
        else
            load->other++;
        load->longest_ms = MAX(load->longest_ms, clock_mono_ms() - started);
        if (fiber_sleep_until(self->loop, clock_mono_ms() + 1, &err) < 0)
            break;
    }
    load->ended = true;
}

/* The server restarts under load. Until it is back requests are refused immediately; this process
 * does not restart, and no acknowledged write is lost. */
static void restart(struct loop *loop, void *arg UNUSED)
{
    struct load loads[8] = {0};
    int acked = 0, refused = 0, uncertain = 0, other = 0;
    struct db_fixture self;

    if (!setup(&self, loop, "restart")) {
        db_kit_teardown(&self);
        return;
    }
    for (size_t i = 0; i < ARRAY_SIZE(loads); i++) {
        loads[i] = (struct load){.fixture = &self, .first = (int)i * 100000};
        if (fiber_start(loop, run_load, &loads[i], &self.err) < 0)
            CU_FAIL("fiber_start");
    }
    db_kit_sleep_ms(&self, 200);
    pg_stop(server, SIGINT);
    db_kit_sleep_ms(&self, 700);
    CU_ASSERT_FALSE(db_ready(self.db));
    for (size_t i = 0; i < ARRAY_SIZE(loads); i++)
        refused += loads[i].refused;
    UNIT_CHECK(refused > 500, "%d",
               refused); /* refused immediately: hundreds of attempts per client */
    pg_start(server);
    db_kit_sleep_ms(&self, 1500);
    CU_ASSERT_TRUE(db_ready(self.db));
    for (size_t i = 0; i < ARRAY_SIZE(loads); i++)
        acked -= loads[i].acked;
    db_kit_sleep_ms(&self, 200);
    for (size_t i = 0; i < ARRAY_SIZE(loads); i++) {
        acked += loads[i].acked;
        loads[i].stop = true;
    }
    UNIT_CHECK(acked > 0, "%d", acked);
    db_kit_sleep_ms(&self, 200);
    acked = 0;
    for (size_t i = 0; i < ARRAY_SIZE(loads); i++) {
        CU_ASSERT_TRUE(loads[i].ended);
        acked += loads[i].acked;
        uncertain += loads[i].uncertain;
        other += loads[i].other;
        UNIT_CHECK(loads[i].longest_ms < 3000, "%d", (int)loads[i].longest_ms);
    }
    UNIT_CHECK(other == 0, "%d", other);
    UNIT_CHECK(uncertain <= 64, "%d", uncertain);
    UNIT_CHECK(db_jobs_count_things(&self) >= acked &&
                   db_jobs_count_things(&self) <= acked + uncertain,
               "%d rows, %d acknowledged, %d uncertain", (int)db_jobs_count_things(&self), acked,
               uncertain);
    db_kit_teardown(&self);
}

/* The first success after an outage, of a read or write, ends the outage for both pools, even if
 * the other one is in the middle of its back-off. */
static void recovery(struct loop *loop, void *arg UNUSED)
{
    enum { ROUNDS = 6, WITHIN_MS = 1000 };
    struct db_fixture self;

    if (!setup(&self, loop, "recovery")) {
        db_kit_teardown(&self);
        return;
    }
    for (int round = 0; round < ROUNDS; round++) {
        struct db_job read = {.statement = SQL_ADD, .a = 1, .b = 1, .params = 2};
        struct db_job write = {.statement = SQL_PUT, .a = round, .b = 1, .params = 2};
        struct db_job *first = round % 2 ? &write : &read, *second = round % 2 ? &read : &write;
        int64_t since;

        pg_stop(server, SIGINT);
        db_kit_sleep_ms(&self, 800); /* the back-off is near its maximum */
        pg_start(server);
        do {
            first->done = false;
            db_jobs_start(&self, first, 1);
            db_jobs_wait(&self, first, 1);
        } while (first->rc < 0 && first->err.code == ERR_UNAVAILABLE);
        since = clock_mono_ms();
        db_jobs_start(&self, second, 1);
        db_jobs_wait(&self, second, 1);
        UNIT_CHECK(first->rc == 0 && second->rc == 0, "round %d: %s%s", round, first->err.message,
                   second->err.message);
        UNIT_CHECK(clock_mono_ms() - since < WITHIN_MS, "round %d: %d ms", round,
                   (int)(clock_mono_ms() - since));
    }
    db_kit_teardown(&self);
}

#define ON_FIBER(fn_)             \
    static void test_##fn_(void)  \
    {                             \
        unit_on_fiber(fn_, NULL); \
    }
ON_FIBER(a_hanging_server_costs_a_deadline)
ON_FIBER(terminated_backends_reads_again_writes_uncertain)

static void test_a_cancelled_wait_for_a_standby_is_uncertain(void)
{
    unit_expect_log(1);
    unit_on_fiber(cancelled_wait, NULL);
}

static void test_restart_of_the_server_under_load(void)
{
    unit_expect_log(1);
    unit_on_fiber(restart, NULL);
}

static void test_one_answer_ends_an_outage_for_reads_and_writes(void)
{
    unit_expect_log(6); /* one per outage */
    unit_on_fiber(recovery, NULL);
}

static const struct unit_case cases[] = {
    CASE(test_a_hanging_server_costs_a_deadline),
    CASE(test_terminated_backends_reads_again_writes_uncertain),
    CASE(test_a_cancelled_wait_for_a_standby_is_uncertain),
    CASE(test_restart_of_the_server_under_load),
    CASE(test_one_answer_ends_an_outage_for_reads_and_writes),
};

int main(void)
{
    int rc;

    log_open("test_db_outages", "1", LOG_WARNING);
    server = pg_new();
    rc = unit_run("db outages", cases, ARRAY_SIZE(cases));
    pg_destroy(&server);
    return rc;
}
