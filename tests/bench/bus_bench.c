/*
 * bus_bench.c - what a call over the bus costs: two processes, many calls in flight.
 *
 *     bus_bench [calls] [in flight] [with a user: 0 or 1]
 *
 * The parent calls an operation of its child that answers at once, and prints the rate and the CPU time that
 * each side spent per call, libzmq's own thread included.  Run by hand when the bus changes.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/bus.h"
#include "common/log.h"

struct bench_in {
    const char *name, *value;
    int64_t number;
};
static const struct field bench_in_rows[] = {
    FIELD_TEXT(struct bench_in, name, 1, 64, FIELD_REQUIRED, "Name", "x"),
    FIELD_TEXT(struct bench_in, value, 0, 1024, 0, "Value", "x"),
    FIELD_INT(struct bench_in, number, 0, INT64_MAX, 0, 0, "Number", "1"),
};
static FIELD_TABLE(bench_in);

static const struct bus_method method = {"settingsd", "echo", R_SAFE, &bench_in_table,
                                         &bench_in_table};

struct bench {
    struct loop *loop;
    struct bus *bus;
    const struct caller *caller;
    long left, running, failed;
    int64_t started_us;
};

static const struct caller user = {
    .account = {"5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"},
    .membership = {"5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"},
    .project = {"5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"},
    .session = {"5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"},
    .profile = {"5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"},
    .tokenId = {"5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"},
    .role = "Practitioner",
    .display = "Ana Example",
    .projectName = "Demo",
    .policyName = "Default",
    .policyResource = "[{\"resourceType\":\"*\"}]",
};

static int echo(void *daemon, const struct request *req, const void *in, void *out,
                struct error *err)
{
    (void)daemon, (void)req, (void)err;
    memcpy(out, in, sizeof(struct bench_in));
    return 0;
}

static const struct operation operations[] = {
    {"echo", "gateway", ACCESS_PUBLIC, R_SAFE, &bench_in_table, &bench_in_table, echo},
    {0},
};
static const struct operation no_operations[] = {{0}};

static double cpu_us(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e6 +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static struct bus *open_bus(struct loop *loop, const struct bus_options *options)
{
    struct error err;
    struct bus *bus;

    error_init(&err, NULL);
    bus = bus_new(loop, clock_new(NULL), metrics_new(), options, &err);
    if (bus == NULL)
        log_die("bench", err.message);
    return bus;
}

static void on_signal(void *arg, int signo)
{
    (void)signo;
    loop_stop(arg);
}

static void serve(const char *dir, int result)
{
    const struct bus_options options = {.service = "settingsd",
                                        .instance = "1",
                                        .version = "bench",
                                        .run_dir = dir,
                                        .operations = operations,
                                        .peer_max = 4096,
                                        .serve_max = 4096};
    struct loop *loop = loop_new();
    struct bus *bus = open_bus(loop, &options);
    double used;

    loop_on_signal(loop, on_signal, loop);
    if (loop_run(loop) < 0)
        log_die("bench", "loop");
    used = cpu_us();
    if (write(result, &used, sizeof(used)) != sizeof(used))
        log_die("bench", "pipe");
    bus_destroy(&bus);
    _exit(0);
}

static void caller_fiber(void *arg)
{
    struct bench *bench = arg;
    const struct bench_in in = {"PATIENT_APP_URL", "https://app.example.org/start", 42};
    struct arena *arena = arena_new();

    while (bench->left-- > 0) {
        struct request req = {.arena = arena,
                              .caller = bench->caller,
                              .trace = "5f0c4a528c1e4d8a9b0e0e8f1c2d3a4b",
                              .address = "192.0.2.17",
                              .userAgent = "Mozilla/5.0 (X11; Linux x86_64) Bench/1.0",
                              .deadline_mono_ms = clock_mono_ms() + 10000};
        struct bench_in out;
        struct error err;

        error_init(&err, arena);
        if (bus_call(bench->bus, &method, &req, &in, &out, &err) < 0 || out.number != 42)
            bench->failed++;
        arena_reset(arena);
    }
    arena_destroy(&arena);
    if (--bench->running == 0)
        loop_stop(bench->loop);
}

static void on_presence(void *arg, const char *service)
{
    struct bench *bench = arg;
    struct error err;

    if (bench->started_us != 0 || !bus_has_peer(bench->bus, service))
        return;
    error_init(&err, NULL);
    bench->started_us = clock_mono_us();
    for (long i = 0; i < bench->running; i++) {
        if (fiber_start(bench->loop, caller_fiber, bench, &err) < 0)
            log_die("bench", err.message);
    }
}

int main(int argc, char **argv)
{
    const char *const asks[] = {"settingsd", NULL};
    char dir[] = "/tmp/bus-bench-XXXXXX", command[64];
    long calls = argc > 1 ? atol(argv[1]) : 200000, flight = argc > 2 ? atol(argv[2]) : 128;
    struct bench bench = {
        .left = calls, .running = flight, .caller = argc > 3 && atoi(argv[3]) ? &user : NULL};
    struct bus_options options = {.service = "gateway",
                                  .instance = "1",
                                  .version = "bench",
                                  .operations = no_operations,
                                  .asks = asks,
                                  .peer_max = 4096,
                                  .serve_max = 4096};
    double before, mine, theirs = 0, seconds;
    int results[2];
    pid_t child;

    if (mkdtemp(dir) == NULL || pipe(results) != 0)
        return 1;
    options.run_dir = dir;
    child = fork();
    if (child == 0)
        serve(dir, results[1]);
    bench.loop = loop_new();
    bench.bus = open_bus(bench.loop, &options);
    bus_on_presence(bench.bus, on_presence, &bench);
    before = cpu_us();
    if (loop_run(bench.loop) < 0)
        return 1;
    mine = cpu_us() - before;
    seconds = (double)(clock_mono_us() - bench.started_us) / 1e6;
    kill(child, SIGTERM);
    if (read(results[0], &theirs, sizeof(theirs)) != sizeof(theirs))
        return 1;
    waitpid(child, NULL, 0);
    printf("%ld calls, %ld in flight, %ld failed: %.0f calls/s; CPU per call: caller %.2f us, "
           "instance %.2f us\n",
           calls, flight, bench.failed, (double)calls / seconds, mine / (double)calls,
           theirs / (double)calls);
    bus_destroy(&bench.bus);
    snprintf(command, sizeof(command), "rm -r '%s'", dir);
    return system(command) != 0 || bench.failed != 0;
}
