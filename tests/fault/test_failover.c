/*
 * test_failover.c - the primary dies under load, its synchronous standby is promoted, and the
 * primary returns writable. No daemon restarts, and all acknowledged data is on the new primary.
 * The suite's server is the primary; atriumctl, which would restart it, is stopped meanwhile.
 *
 * tier: fault
 */
#include <CUnit/CUnit.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/clock.h"
#include "tests/support/chaos.h"
#include "tests/support/pg.h"
#include "tests/support/program.h"
#include "tests/support/suite.h"

enum { CLIENTS = 5, LOAD_MS = 3000, BACK_MS = 20000, REST_MS = 30000, STALL_MS = 15000 };

static const char *const daemons[] = {"settingsd", "authd", "maild", "docd", "botd", "gateway"};

static struct suite *suite;
static struct pg *standby; /* connected to the suite's server */
static pid_t pids[ARRAY_SIZE(daemons)];

static const char *primary_dir(char text[static 128])
{
    if (sscanf(suite_text(suite, "postgres.conninfo"), "host=%127s", text) != 1)
        abort();
    return text;
}

static void open_primary(void)
{
    char dir[128], path[160];

    snprintf(path, sizeof(path), "%s/.s.PGSQL.5432", primary_dir(dir));
    CU_ASSERT_EQUAL(chmod(dir, 0711), 0);
    CU_ASSERT_EQUAL(chmod(path, 0777), 0);
}

/* Changes "host=A" to "host=A,B" for all daemons, which read it only at start. */
static void name_both_hosts(void)
{
    char dir[128], rule[512], path[512];
    const char *const argv[] = {"/usr/bin/sed", "-i", rule, path, NULL};

    snprintf(rule, sizeof(rule), "s|host=%s |host=%s,%s |", primary_dir(dir), dir,
             standby->dir.path);
    snprintf(path, sizeof(path), "%s/atrium.conf", suite_dir(suite));
    PROGRAM sed = program_run(argv, NULL);
    CHECK_EXIT(sed, 0);
    for (size_t i = 0; i < ARRAY_SIZE(daemons); i++) {
        pid_t pid = suite_pid(suite, daemons[i], "1");

        suite_signal(suite, daemons[i], "1", SIGTERM);
        CU_ASSERT_TRUE(suite_wait_new_pid(suite, daemons[i], "1", pid));
    }
}

static void a_standby_is_synchronous(void)
{
    char dir[128], primary[192];

    open_primary();
    snprintf(primary, sizeof(primary), "host=%s user=postgres", primary_dir(dir));
    standby = pg_new_standby(primary);
    snprintf(standby->conninfo, sizeof(standby->conninfo), "host=%s user=postgres dbname=atrium",
             standby->dir.path);
    free(suite_query(suite, "alter system set synchronous_standby_names = 'standby'"));
    free(suite_query(suite, "select pg_reload_conf()"));
    CU_ASSERT_TRUE(suite_comes_to(
        suite, 1, BACK_MS, "select count(*) from pg_stat_replication where sync_state = 'sync'"));
    name_both_hosts();
    for (size_t i = 0; i < ARRAY_SIZE(daemons); i++)
        pids[i] = suite_pid(suite, daemons[i], "1");
}

static long connections(const char *conninfo)
{
    struct pg server = {.pid = 0};

    snprintf(server.conninfo, sizeof(server.conninfo), "%s", conninfo);
    return pg_exec(&server, "select count(*) from pg_stat_activity where usename like 'atrium%'");
}

static void primary_comes_back(pid_t supervisor)
{
    int64_t deadline_ms = clock_mono_ms() + BACK_MS;

    kill(supervisor, SIGCONT);
    while (PQping(suite_text(suite, "postgres.conninfo")) != PQPING_OK &&
           clock_mono_ms() < deadline_ms)
        unit_sleep_ms(20);
    char *recovering = suite_query(suite, "select pg_is_in_recovery()");
    CU_ASSERT_STRING_EQUAL(recovering, "f"); /* both servers accept writes */
    free(recovering);
}

/* Cuts all connections, so that daemons choose a server again. */
static void cut_all(void)
{
    CU_ASSERT_TRUE(pg_exec(standby, "select count(pg_terminate_backend(pid)) from pg_stat_activity "
                                    "where usename like 'atrium%'") > 0);
}

static void wait_for_rest(void)
{
    int64_t deadline_ms = clock_mono_ms() + REST_MS;

    while (pg_exec(standby, "select (select count(*) from auth.outbox) + (select count(*) from "
                            "settings.outbox) + (select count(*) from mail.message where state = "
                            "'queued')") != 0 &&
           clock_mono_ms() < deadline_ms)
        unit_sleep_ms(50);
    CU_ASSERT_TRUE(clock_mono_ms() < deadline_ms);
}

static void the_standby_takes_over_and_stays(void)
{
    pid_t supervisor = suite_supervisor(suite), primary = suite_pid(suite, "postgres", "");
    struct chaos *chaos = chaos_start(suite, 1, CLIENTS);
    struct chaos_result result;

    unit_sleep_ms(LOAD_MS);
    kill(supervisor, SIGSTOP);
    kill(primary, SIGKILL);
    unit_sleep_ms(300);
    chaos_cause(chaos, CHAOS_POSTGRES);
    CU_ASSERT_EQUAL(pg_exec(standby, "select pg_promote()::int"), 1);
    unit_sleep_ms(LOAD_MS);
    primary_comes_back(supervisor);
    for (int i = 0; i < 5; i++) {
        cut_all();
        unit_sleep_ms(500);
        CU_ASSERT_EQUAL(connections(suite_text(suite, "postgres.conninfo")), 0);
    }
    CU_ASSERT_TRUE(connections(standby->conninfo) > 0);
    unit_sleep_ms(LOAD_MS);
    chaos_stop(chaos);
    result = chaos_result(chaos);
    CU_ASSERT_TRUE(suite_wait_ready(suite, BACK_MS));
    wait_for_rest();
    chaos_read_back(chaos);
    chaos_print(chaos);
    printf("longest stall %lld ms (%s), %ld of %ld requests failed\n",
           (long long)result.stalls[CHAOS_POSTGRES].ms, result.stalls[CHAOS_POSTGRES].request,
           result.failed, result.requests);
    result = chaos_result(chaos);
    CU_ASSERT_TRUE(result.requests > 200);
    CU_ASSERT_EQUAL(result.wrong, 0);
    CU_ASSERT_EQUAL(result.lost, 0);
    CU_ASSERT_TRUE(result.stalls[CHAOS_POSTGRES].ms < STALL_MS);
    for (size_t i = 0; i < ARRAY_SIZE(daemons); i++)
        CU_ASSERT_EQUAL(suite_pid(suite, daemons[i], "1"), pids[i]);
    chaos_destroy(&chaos);
}

static void suite_shuts_down_cleanly(void)
{
    suite_stop(&suite);
    pg_destroy(&standby);
}

static const struct unit_case cases[] = {
    CASE(a_standby_is_synchronous),
    CASE(the_standby_takes_over_and_stays),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite = suite_start(NULL);
    return unit_run("failover", cases, ARRAY_SIZE(cases));
}
