/*
 * test_bus_deaths.c - calls on the bus while instances are killed, stopped, restarted and drained:
 * executed, failed, and how soon. The servers are this program (bus_kit.h).
 *
 * tier: time quiet
 */
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/bus_kit.h"
#include "tests/support/bus_raw.h"

static void killed(struct loop *loop, void *arg UNUSED)
{
    struct kit kit;
    struct kit_flock reads = {.kit = &kit, .method = &kit_read, .number = 300, .timeout_ms = 3000};
    struct kit_flock works = {.kit = &kit, .method = &kit_work, .number = 300, .timeout_ms = 3000};

    kit_open(&kit, loop, "gateway", 512);
    kit_start(&kit, 1, "64");
    kit_start(&kit, 2, "64");
    CU_ASSERT(kit_wait(&kit, 2));
    kit_flock_start(&reads, 20);
    kit_flock_start(&works, 20);
    kit_sleep(&kit, 100);
    kit_end(&kit, 1, SIGKILL);
    kit_sleep(&kit, 50);
    /* The dead instance had half of the calls: its writes fail immediately, its reads go to the
     * other one. */
    UNIT_CHECK(works.unavailable == 10, "%d", works.unavailable);
    CU_ASSERT(works.slowest_ms < 250);
    kit_flock_wait(&reads);
    kit_flock_wait(&works);
    UNIT_CHECK(reads.ok == 20, "%d", reads.ok);
    UNIT_CHECK(works.ok == 10, "%d", works.ok);
    UNIT_CHECK(atomic_load(&kit.counts->executed) == 50, "%ld", atomic_load(&kit.counts->executed));

    /* No instance is left. */
    reads.ok = works.ok = works.unavailable = 0;
    kit_flock_start(&reads, 5);
    kit_flock_start(&works, 5);
    kit_sleep(&kit, 100);
    kit_end(&kit, 2, SIGKILL);
    kit_flock_wait(&reads);
    kit_flock_wait(&works);
    CU_ASSERT(reads.unavailable == 5 && works.unavailable == 5);
    CU_ASSERT(reads.slowest_ms < 250);
    kit_close(&kit);
}

static void test_kill_9_with_calls_in_flight(void)
{
    unit_on_fiber(killed, NULL);
}

/* One of two instances has lost its database: reads still succeed, and it is not asked again and
 * again. */
static void sick(struct loop *loop, void *arg UNUSED)
{
    enum { CALLS = 100 };
    struct kit kit;
    struct kit_result result;
    int failed = 0;

    kit_open(&kit, loop, "gateway", 512);
    kit_start(&kit, 1, "64");
    kit_start(&kit, 2, "64");
    CU_ASSERT(kit_wait(&kit, 2));
    for (int i = 0; i < CALLS; i++) {
        kit_call(&kit, &result, &kit_sick, NULL, "", kit.servers[2], 2000);
        UNIT_CHECK(result.result == 0 && result.out.pid == kit.servers[1], "%s",
                   result.err.message);
        kit_result_free(&result);
    }
    UNIT_CHECK(atomic_load(&kit.counts->executed) == 1, "%ld", (long)kit.counts->executed);
    kit_sleep(&kit, 1100); /* after this time it may have recovered */
    for (int i = 0; i < CALLS; i++) {
        kit_call(&kit, &result, &kit_sick_write, NULL, "", kit.servers[2], 2000);
        failed += result.err.code == ERR_UNAVAILABLE;
        kit_result_free(&result);
    }
    UNIT_CHECK(failed == 1, "%d", failed);
    /* The last instance is asked even if it is degraded. */
    kit_end(&kit, 1, SIGKILL);
    CU_ASSERT(kit_wait(&kit, 1));
    kit_call(&kit, &result, &kit_sick, NULL, "", kit.servers[2], 2000);
    CU_ASSERT(result.err.code == ERR_UNAVAILABLE && result.err.retry_after_s == 1);
    UNIT_CHECK(strcmp(result.err.message, "The database is gone.") == 0, "%s", result.err.message);
    kit_result_free(&result);
    kit_close(&kit);
}

static void test_an_unavailable_instance_is_tried_last(void)
{
    unit_on_fiber(sick, NULL);
}

/* The next instance gets the dead one's name, directory and lock, but none of its requests. */
static void restarted(struct loop *loop, void *arg UNUSED)
{
    struct kit kit;
    struct kit_flock flock = {.kit = &kit, .method = &kit_work, .timeout_ms = 3000};
    struct kit_result result;
    struct raw raw;
    char frame[256];
    uint64_t id = 0;

    kit_open(&kit, loop, "gateway", 512);
    kit_start(&kit, 1, "64");
    CU_ASSERT(kit_wait(&kit, 1));
    kill(kit.servers[1], SIGSTOP);
    kit_flock_start(&flock, 300);
    kit_sleep(&kit, 50);
    kit_end(&kit, 1, SIGKILL);
    kit_start(&kit, 1, "64");
    kit_flock_wait(&flock);
    UNIT_CHECK(flock.unavailable == 300, "%d", flock.unavailable);
    CU_ASSERT(kit_wait(&kit, 1));
    kit_sleep(&kit, 300);
    CU_ASSERT(atomic_load(&kit.counts->executed) == 0);
    kit_call(&kit, &result, &kit_work, NULL, "", 0, 2000);
    CU_ASSERT(result.result == 0);
    kit_result_free(&result);

    /* A raw request with an old boot id is refused. */
    CU_ASSERT(raw_open(&raw, &kit, ZMQ_DEALER, "settingsd/gateway.1"));
    CU_ASSERT(raw_hello(&raw, "gateway", "7"));
    raw_send(&raw, frame, raw_pack_request(frame, 5, raw.boot + 1, "work"));
    CU_ASSERT(raw_receive(&raw, &id) == 6 && id == 5);
    raw_send(&raw, frame, raw_pack_request(frame, 6, raw.boot, "work"));
    CU_ASSERT(raw_receive(&raw, &id) == 4 && id == 6);
    raw_close(&raw);
    CU_ASSERT(atomic_load(&kit.counts->executed) == 2);
    kit_close(&kit);
}

static void test_a_successor_executes_nothing_old(void)
{
    unit_on_fiber(restarted, NULL);
}

/* Calls wait in the sockets of a stopped instance. After a short stop they are only delayed. After
 * a longer one they are refused, and repeated for callers that still wait. Calls that timed out are
 * never executed. */
static void standstill(struct loop *loop, void *arg UNUSED)
{
    enum { CALLS = 20 };
    static const struct {
        const char *label;
        int64_t still_ms; /* 0: until the calls are lost */
        int answer, ok;   /* response kind to a raw request; successful calls */
    } rows[] = {
        {"short", 300, 4, CALLS},
        {"long", 2300, 6, CALLS},
        {"given up", 0, 6, 0},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct kit kit;
        struct kit_flock flock = {.kit = &kit, .method = &kit_work, .timeout_ms = 20000};
        struct raw raw;
        char frame[256];
        uint64_t id = 0;

        kit_open(&kit, loop, "gateway", 512);
        kit_start(&kit, 1, "64");
        CU_ASSERT(kit_wait(&kit, 1));
        CU_ASSERT(raw_open(&raw, &kit, ZMQ_DEALER, "settingsd/gateway.1"));
        CU_ASSERT(raw_hello(&raw, "gateway", "7"));
        kill(kit.servers[1], SIGSTOP);
        raw_send(&raw, frame, raw_pack_request(frame, 5, raw.boot, "echo"));
        kit_flock_start(&flock, CALLS);
        if (rows[i].still_ms > 0)
            kit_sleep(&kit, rows[i].still_ms);
        else
            kit_flock_wait(&flock);
        kill(kit.servers[1], SIGCONT);
        UNIT_CHECK(raw_receive(&raw, &id) == rows[i].answer && id == 5, "%s", rows[i].label);
        kit_flock_wait(&flock);
        UNIT_CHECK(flock.ok == rows[i].ok && flock.unavailable == CALLS - rows[i].ok,
                   "%s: %d ok, %d unavailable", rows[i].label, flock.ok, flock.unavailable);
        CU_ASSERT(kit_wait(&kit, 1));
        kit_sleep(&kit, 300);
        UNIT_CHECK(atomic_load(&kit.counts->executed) == rows[i].ok, "%s: %ld executed",
                   rows[i].label, atomic_load(&kit.counts->executed));
        raw_close(&raw);
        kit_close(&kit);
    }
}

static void test_a_standstill_executes_nothing_that_was_given_up(void)
{
    unit_on_fiber(standstill, NULL);
}

static void rolling_restart(struct loop *loop, void *arg UNUSED)
{
    bool stop = false;
    struct kit kit;
    struct kit_flock flock = {
        .kit = &kit, .method = &kit_work, .number = 3, .timeout_ms = 5000, .stop = &stop};

    kit_open(&kit, loop, "gateway", 512);
    kit_start(&kit, 1, "64");
    kit_start(&kit, 2, "64");
    CU_ASSERT(kit_wait(&kit, 2));
    kit_flock_start(&flock, 24);
    for (int round = 0; round < 6; round++) {
        int instance = round % 2 + 1;

        kit_sleep(&kit, 60);
        CU_ASSERT(kit_end(&kit, instance, SIGTERM) == 0);
        kit_start(&kit, instance, "64");
        CU_ASSERT(kit_wait(&kit, 2));
    }
    stop = true;
    kit_flock_wait(&flock);
    UNIT_CHECK(flock.unavailable + flock.overloaded + flock.deadline + flock.other == 0,
               "%d unavailable, %d overloaded, %d late, %d other", flock.unavailable,
               flock.overloaded, flock.deadline, flock.other);
    CU_ASSERT(flock.ok > 1000);
    CU_ASSERT(atomic_load(&kit.counts->executed) == flock.ok);
    kit_close(&kit);
}

static void test_rolling_restart_loses_nothing(void)
{
    unit_on_fiber(rolling_restart, NULL);
}

/* A caller that dies does not delay the drain; one that hangs delays it only to its limit. */
static void drain_without_ack(struct loop *loop, void *arg UNUSED)
{
    struct kit kit;
    struct raw stuck;
    int64_t start;

    for (int dies = 0; dies < 2; dies++) {
        kit_open(&kit, loop, "gateway", 512);
        kit_start(&kit, 1, "64");
        CU_ASSERT(kit_wait(&kit, 1));
        CU_ASSERT(raw_open(&stuck, &kit, ZMQ_DEALER, "settingsd/ctl.1"));
        CU_ASSERT(raw_hello(&stuck, "ctl", "1"));
        start = clock_mono_ms();
        kill(kit.servers[1], SIGTERM);
        kit_sleep(&kit, 200);
        if (dies)
            raw_close(&stuck);
        CU_ASSERT(kit_end(&kit, 1, SIGTERM) == 0);
        start = clock_mono_ms() - start;
        UNIT_CHECK(dies ? start < 1000 : start >= KIT_DRAIN_MS, "%d ms", (int)start);
        if (!dies)
            raw_close(&stuck);
        kit_close(&kit);
    }
}

static void test_a_drain_does_not_wait_for_dead_callers(void)
{
    unit_on_fiber(drain_without_ack, NULL);
}

static const struct unit_case cases[] = {
    CASE(test_kill_9_with_calls_in_flight),
    CASE(test_an_unavailable_instance_is_tried_last),
    CASE(test_a_successor_executes_nothing_old),
    CASE(test_a_standstill_executes_nothing_that_was_given_up),
    CASE(test_rolling_restart_loses_nothing),
    CASE(test_a_drain_does_not_wait_for_dead_callers),
};

int main(int argc, char **argv)
{
    kit_server_main(argc, argv);
    return unit_run("bus deaths", cases, ARRAY_SIZE(cases));
}
