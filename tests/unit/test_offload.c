/*
 * test_offload.c - the offload pool.
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <unistd.h>
#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#else
#define RUNNING_ON_VALGRIND 0
#endif

#include "common/base/clock.h"
#include "common/runtime/fiber.h"
#include "common/runtime/offload.h"
#include "tests/support/unit.h"

static int64_t in_ms(int64_t ms)
{
    return clock_mono_ms() + ms;
}

struct probe {
    int nice, before;
    bool other_thread, signals_blocked;
    pthread_t loop_thread;
};

static void look_around(void *arg)
{
    struct probe *probe = arg;
    sigset_t blocked;

    probe->nice = getpriority(PRIO_PROCESS, (id_t)gettid());
    probe->other_thread = !pthread_equal(pthread_self(), probe->loop_thread);
    pthread_sigmask(SIG_BLOCK, NULL, &blocked);
    probe->signals_blocked = sigismember(&blocked, SIGCHLD) && sigismember(&blocked, SIGTERM);
}

static void one_job(struct loop *loop, void *arg UNUSED)
{
    struct offload *offload = offload_new(loop, 0, 4);
    struct probe probe = {.loop_thread = pthread_self()};
    struct error err;

    probe.before = getpriority(PRIO_PROCESS, (id_t)gettid());
    error_init(&err, NULL);
    CU_ASSERT(offload_run(offload, look_around, &probe, in_ms(10000), &err) == 0);
    CU_ASSERT(probe.other_thread && probe.signals_blocked);
    CU_ASSERT(probe.nice == MIN(probe.before + 5, 19));
    CU_ASSERT(getpriority(PRIO_PROCESS, (id_t)gettid()) == probe.before);
    offload_destroy(&offload);
    CU_ASSERT_PTR_NULL(offload);
}

static void test_a_job_runs_on_another_thread_of_lower_priority(void)
{
    unit_on_fiber(one_job, NULL);
}

struct gate {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool open;
    atomic_int order;
};

struct runner {
    struct loop *loop;
    struct offload *offload;
    struct gate *gate;
    int64_t deadline_ms;
    int result, rank;
    struct error err;
    bool ended;
};

static void pass_gate(void *arg)
{
    struct runner *runner = arg;
    struct gate *gate = runner->gate;

    pthread_mutex_lock(&gate->mutex);
    while (!gate->open)
        pthread_cond_wait(&gate->changed, &gate->mutex);
    pthread_mutex_unlock(&gate->mutex);
    runner->rank = ++gate->order;
}

static void open_gate(struct gate *gate)
{
    pthread_mutex_lock(&gate->mutex);
    gate->open = true;
    pthread_cond_broadcast(&gate->changed);
    pthread_mutex_unlock(&gate->mutex);
}

static void runner_main(void *arg)
{
    struct runner *runner = arg;

    error_init(&runner->err, NULL);
    runner->result =
        offload_run(runner->offload, pass_gate, runner, runner->deadline_ms, &runner->err);
    runner->ended = true;
}

static void start_runner(struct runner *runner, struct loop *loop, struct offload *offload,
                         struct gate *gate, int64_t deadline_ms)
{
    struct error err;

    *runner =
        (struct runner){.loop = loop, .offload = offload, .gate = gate, .deadline_ms = deadline_ms};
    error_init(&err, NULL);
    CU_ASSERT(fiber_start(loop, runner_main, runner, &err) == 0);
}

static void pause_ms(struct loop *loop, int64_t ms)
{
    CU_ASSERT(fiber_park(loop, in_ms(ms)) == FIBER_TIMEOUT);
}

/* 0 runs, 1 and 2 wait (1 only briefly), 3 finds the queue full. */
static void bounds(struct loop *loop, void *arg UNUSED)
{
    struct gate gate = {.mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
    struct offload *offload = offload_new(loop, 1, 2);
    struct runner runners[4];
    int64_t limit_ms = 0;

    do { /* running work is waited for; a thread that starts late finds it cancelled */
        limit_ms += 30;
        start_runner(&runners[0], loop, offload, &gate, in_ms(limit_ms));
        while (offload_running(offload) == 0 && !runners[0].ended)
            pause_ms(loop, 1);
    } while (runners[0].ended);
    start_runner(&runners[1], loop, offload, &gate, in_ms(300));
    start_runner(&runners[2], loop, offload, &gate, in_ms(20000));
    start_runner(&runners[3], loop, offload, &gate, in_ms(20000));
    pause_ms(loop, 0);
    CU_ASSERT(offload_waiting(offload) == 2 && offload_running(offload) == 1);
    CU_ASSERT(runners[3].ended && runners[3].result == -1);
    CU_ASSERT(runners[3].err.code == ERR_OVERLOADED && runners[3].err.retry_after_s == 1);
    pause_ms(loop, 310 + limit_ms);
    CU_ASSERT(runners[1].ended && runners[1].err.code == ERR_DEADLINE);
    CU_ASSERT(!runners[0].ended && !runners[2].ended && offload_waiting(offload) == 1);
    open_gate(&gate);
    while (!runners[0].ended || !runners[2].ended)
        pause_ms(loop, 1);
    CU_ASSERT(runners[0].result == 0 && runners[0].rank == 1);
    CU_ASSERT(runners[2].result == 0 && runners[2].rank == 2);
    UNIT_CHECK(runners[1].rank == 0, "what was given up never ran");
    CU_ASSERT(offload_waiting(offload) == 0 && offload_running(offload) == 0);
    offload_destroy(&offload);
}

static void test_full_queue_deadline_and_a_running_job(void)
{
    unit_on_fiber(bounds, NULL);
}

static void first_come(struct loop *loop, void *arg UNUSED)
{
    enum { COUNT = 50 };
    struct gate gate = {.mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
    struct offload *offload = offload_new(loop, 1, COUNT);
    struct runner runners[COUNT];

    for (size_t i = 0; i < COUNT; i++)
        start_runner(&runners[i], loop, offload, &gate, in_ms(20000));
    pause_ms(loop, 5);
    open_gate(&gate);
    for (size_t i = 0; i < COUNT; i++) {
        while (!runners[i].ended)
            pause_ms(loop, 1);
        UNIT_CHECK(runners[i].rank == (int)i + 1, "job %zu ran as number %d", i, runners[i].rank);
    }
    offload_destroy(&offload);
}

static void test_first_come_first_served(void)
{
    unit_on_fiber(first_come, NULL);
}

static void sleep_a_little(void *arg)
{
    usleep(50000);
    *(bool *)arg = true;
}

struct slow {
    struct loop *loop;
    struct offload *offload;
    bool done, ended;
    int result;
};

static void slow_main(void *arg)
{
    struct slow *slow = arg;
    struct error err;

    error_init(&err, NULL);
    slow->result = offload_run(slow->offload, sleep_a_little, &slow->done, INT64_MAX, &err);
    slow->ended = true;
}

static void cancelling(struct loop *loop, void *arg UNUSED)
{
    struct offload *offload = offload_new(loop, 1, 4);
    struct slow running = {.loop = loop, .offload = offload}, waiting = running;
    struct error err;

    error_init(&err, NULL);
    CU_ASSERT(fiber_start(loop, slow_main, &running, &err) == 0);
    CU_ASSERT(fiber_start(loop, slow_main, &waiting, &err) == 0);
    while (offload_running(offload) == 0)
        pause_ms(loop, 1);
    fiber_cancel_all(loop);
    while (!running.ended || !waiting.ended)
        CU_ASSERT(fiber_park(loop, INT64_MAX) == FIBER_CANCELLED);
    UNIT_CHECK(running.result == 0 && running.done, "what runs is waited for");
    UNIT_CHECK(waiting.result == -1 && !waiting.done, "what waits is given up");
    offload_destroy(&offload);
}

static void test_cancelled(void)
{
    unit_on_fiber(cancelling, NULL);
}

static void starving(struct loop *loop, void *arg UNUSED)
{
    struct offload *offload = offload_new(loop, 2, 4);
    struct rlimit before, tight;
    bool done = false;
    struct error err;

    error_init(&err, NULL);
    getrlimit(RLIMIT_AS, &before);
    tight = before;
    tight.rlim_cur = 1;
    setrlimit(RLIMIT_AS, &tight);
    CU_ASSERT(offload_run(offload, sleep_a_little, &done, in_ms(10000), &err) < 0);
    setrlimit(RLIMIT_AS, &before);
    UNIT_CHECK(err.code == ERR_OVERLOADED && err.retry_after_s > 0 && !done, "%s", err.message);
    error_clear(&err);
    CU_ASSERT(offload_run(offload, sleep_a_little, &done, in_ms(10000), &err) == 0);
    CU_ASSERT_TRUE(done);
    offload_destroy(&offload);
}

/* Not under AddressSanitizer or valgrind, which need memory here. The first case, because glibc
 * keeps ended threads' stacks. */
static void test_no_memory_for_threads(void)
{
    if (UNIT_KEPT_KIB == 0 && RUNNING_ON_VALGRIND == 0)
        unit_on_fiber(starving, NULL);
}

static const struct unit_case cases[] = {
    CASE(test_no_memory_for_threads),
    CASE(test_a_job_runs_on_another_thread_of_lower_priority),
    CASE(test_full_queue_deadline_and_a_running_job),
    CASE(test_first_come_first_served),
    CASE(test_cancelled),
};

int main(void)
{
    return unit_run("offload", cases, ARRAY_SIZE(cases));
}
