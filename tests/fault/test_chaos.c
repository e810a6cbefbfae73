/*
 * test_chaos.c - a mixed load while daemons and PostgreSQL are killed at random: nothing
 * acknowledged is lost, no response is wrong, and no client waits long. `make fault` runs it for
 * five minutes with a kill every five seconds, `make test-fault` briefly.
 *   FAULT_SECONDS   duration of the load (16)
 *   FAULT_EVERY_MS  between two kills (2,000); every sixth is PostgreSQL
 *   FAULT_CLIENTS   (6)
 *   FAULT_SEED      requests and kills, as printed by an earlier run
 *   FAULT_STALL_MS  maximum time of waiting or retrying (10,000: other tests may run in parallel);
 *                   after a kill of PostgreSQL it counts from its return
 *
 * tier: fault
 */
#include <CUnit/CUnit.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "tests/support/chaos.h"
#include "tests/support/suite.h"
#include "tests/support/trail.h"
#include "tests/support/unit.h"

enum { REST_MS = 60000, POSTGRES_EVERY = 6 };

static const struct {
    const char *name, *instance;
} victims[] = {
    {"authd", "1"}, {"authd", "2"}, {"settingsd", "1"}, {"settingsd", "2"},
    {"docd", "1"},  {"docd", "2"},  {"maild", "1"},     {"maild", "2"},
    {"botd", "1"},  {"botd", "2"},  {"gateway", "1"},   {"gateway", "2"},
};

static struct suite *suite;

static long number_of(const char *name, long otherwise)
{
    const char *text = getenv(name);

    return text && *text ? strtol(text, NULL, 10) : otherwise;
}

/* Kills one backend, after which the server closes all connections and recovers. */
static void kill_backend(void)
{
    pid_t pid = (pid_t)suite_count(suite, "select pid from pg_stat_activity where usename like "
                                          "'atrium%%' order by random() limit 1");

    if (pid > 0)
        kill(pid, SIGKILL);
}

/* The longest time that PostgreSQL was away, which depends on the machine. */
static int64_t away_ms;

static void wait_for_postgres(void)
{
    int64_t began_ms = clock_mono_ms();

    usleep(20000);
    while (PQping(suite_text(suite, "postgres.conninfo")) != PQPING_OK &&
           clock_mono_ms() < began_ms + REST_MS)
        usleep(5000);
    away_ms = MAX(away_ms, clock_mono_ms() - began_ms);
    printf(", back after %lld ms\n", (long long)(clock_mono_ms() - began_ms));
}

static void kill_postgres(unsigned how)
{
    static const char *const names[] = {"SIGQUIT to", "SIGKILL to", "SIGKILL to a process of"};
    pid_t pid = suite_pid(suite, "postgres", "");

    printf("  %s postgres", names[how]);
    if (how == 2)
        kill_backend();
    else if (pid > 0)
        kill(pid, how == 0 ? SIGQUIT : SIGKILL);
    wait_for_postgres();
}

static void kill_somebody(struct chaos *chaos, unsigned *seed, int number)
{
    size_t who = (size_t)rand_r(seed) % ARRAY_SIZE(victims);
    unsigned how = (unsigned)rand_r(seed) % 3;
    pid_t pid = suite_pid(suite, victims[who].name, victims[who].instance);

    chaos_cause(chaos,
                number % POSTGRES_EVERY == POSTGRES_EVERY - 1 ? CHAOS_POSTGRES : CHAOS_DAEMON);
    if (number % POSTGRES_EVERY == POSTGRES_EVERY - 1) {
        kill_postgres(how);
        return;
    }
    printf("  SIGKILL to %s.%s\n", victims[who].name, victims[who].instance);
    if (pid > 0)
        kill(pid, SIGKILL);
}

/* Waits until no email or message between daemons is pending. */
static void wait_for_rest(void)
{
    CU_ASSERT_TRUE(suite_wait_ready(suite, REST_MS));
    CU_ASSERT_TRUE(suite_comes_to_rest(suite, REST_MS));
    CU_ASSERT_EQUAL(suite_count(suite, "select count(*) from mail.message where state = 'dead'"),
                    0);
}

static void the_load_is_served(void)
{
    unsigned seed = (unsigned)number_of("FAULT_SEED", (long)time(NULL) % 1000000);
    int64_t began_ms = clock_mono_ms(), end_ms = began_ms + number_of("FAULT_SECONDS", 16) * 1000;
    int64_t stall_max_ms = number_of("FAULT_STALL_MS", 10000);
    int every_ms = (int)number_of("FAULT_EVERY_MS", 2000), kills = 0;

    printf("seed %u\n", seed);
    struct chaos *chaos = chaos_start(suite, seed, (size_t)number_of("FAULT_CLIENTS", 6));
    for (; clock_mono_ms() + every_ms < end_ms; kills++) {
        usleep((useconds_t)every_ms * 1000);
        printf("%6.1f s", (double)(clock_mono_ms() - began_ms) / 1000);
        kill_somebody(chaos, &seed, kills);
        fflush(stdout);
    }
    usleep((useconds_t)every_ms * 1000);
    chaos_stop(chaos);
    struct chaos_result load = chaos_result(chaos);
    wait_for_rest();
    chaos_read_back(chaos);
    chaos_print(chaos);
    struct chaos_result all = chaos_result(chaos);
    printf("chaos: %d kills, %ld requests, %.2f %% failed, %ld wrong answers, %ld acknowledged "
           "writes lost\n",
           kills, load.requests, 100.0 * (double)load.failed / (double)MAX(load.requests, 1L),
           all.wrong, all.lost);
    for (size_t i = 0; i < CHAOS_CAUSES; i++) {
        const struct chaos_stall *stall = &load.stalls[i];

        printf("chaos: longest stall after the death of %s: %lld ms (%s, at %.1f s)\n",
               i == CHAOS_DAEMON ? "a daemon" : "PostgreSQL", (long long)stall->ms, stall->request,
               (double)(stall->since_ms - began_ms) / 1000);
        CU_ASSERT_TRUE(stall->ms < stall_max_ms + (i == CHAOS_DAEMON ? 0 : away_ms));
    }
    CU_ASSERT_TRUE(load.requests > 200);
    CU_ASSERT_EQUAL(all.wrong, 0);
    CU_ASSERT_EQUAL(all.lost, 0);
    chaos_destroy(&chaos);
}

static void the_audit_trail_is_whole(void)
{
    trail_open(suite);
    trail_check_sealed(suite);
    trail_check_sound(suite);
}

static void suite_shuts_down_cleanly(void)
{
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(the_load_is_served),
    CASE(the_audit_trail_is_whole),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite = suite_start(&(struct suite_options){
        .instances = "authd=2,settingsd=2,docd=2,maild=2,botd=2,gateway=2"});
    return unit_run("chaos", cases, ARRAY_SIZE(cases));
}
