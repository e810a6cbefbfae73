/*
 * bus_bench.c - the cost of a call over the bus, with two processes and many concurrent calls.
 *
 *     bus_bench [calls] [in flight] [with a user: 0 or 1] [ipc or curve]
 *
 * Prints the rate and each side's CPU time per call, including libzmq's thread. With "curve" the
 * child listens on TCP with keys, as on another host. Used by curves.py, and by hand after changes
 * of the bus.
 */
#include <arpa/inet.h>
#include <signal.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/log.h"
#include "common/bus/bus.h"
#include "common/bus/bus_hosts.h"

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
    .role = ROLE_PRACTITIONER,
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
    {"echo", "gateway", ACCESS_PUBLIC, REACH_PUBLIC, R_SAFE, &bench_in_table, &bench_in_table,
     echo},
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
    if (!bus)
        log_die("bench", err.message);
    return bus;
}

static void on_signal(void *arg, int signo UNUSED)
{
    loop_stop(arg);
}

static int free_port(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof(address);
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    if (bind(fd, (struct sockaddr *)&address, size) != 0 ||
        getsockname(fd, (struct sockaddr *)&address, &size) != 0)
        log_die("bench", "no port");
    close(fd);
    return ntohs(address.sin_port);
}

/* Writes a new key for an instance and its line in the hosts file. */
static void write_key(const char *dir, FILE *hosts, const char *name, const char *where)
{
    uint8_t secret[BUS_KEY_SIZE], public[BUS_KEY_SIZE];
    char text[BUS_KEY_TEXT_SIZE], digits[2 * BUS_KEY_SIZE + 1], path[128];
    FILE *file;

    randombytes_buf(secret, sizeof(secret));
    bus_hosts_public_key(secret, public);
    bus_hosts_key_text(public, text);
    fprintf(hosts, "%s %s %s\n", name, where, text);
    snprintf(path, sizeof(path), "%s/%s.key", dir, name);
    file = fopen(path, "w");
    if (!file || chmod(path, 0600) != 0)
        log_die("bench", "no key");
    fputs(sodium_bin2hex(digits, sizeof(digits), secret, sizeof(secret)), file);
    fclose(file);
}

static void write_hosts(const char *dir)
{
    char path[128], where[64];
    FILE *hosts;

    snprintf(path, sizeof(path), "%s/hosts", dir);
    hosts = fopen(path, "w");
    if (!hosts)
        log_die("bench", "no hosts");
    snprintf(where, sizeof(where), "tcp://127.0.0.1:%d", free_port());
    write_key(dir, hosts, "settingsd.1", where);
    write_key(dir, hosts, "gateway.1", "-");
    fclose(hosts);
}

/* Reads the hosts file as an instance does; NULL if there is none. */
static const struct bus_hosts *read_hosts(const char *dir, const char *name)
{
    struct bus_hosts *hosts = NULL;
    struct error err;
    char path[128];

    snprintf(path, sizeof(path), "%s/hosts", dir);
    if (access(path, F_OK) != 0)
        return NULL;
    error_init(&err, NULL);
    if (bus_hosts_read(path, arena_new(), &hosts, &err) < 0 ||
        bus_hosts_take_key(hosts, dir, name, &err) < 0)
        log_die("bench", err.message);
    return hosts;
}

static void serve(const char *dir, int result)
{
    const struct bus_options options = {.service = "settingsd",
                                        .hosts = read_hosts(dir, "settingsd.1"),
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
    const char *const upstreams[] = {"settingsd", NULL};
    char dir[] = "/tmp/bus-bench-XXXXXX", far[64], command[64];
    long calls = argc > 1 ? atol(argv[1]) : 200000, flight = argc > 2 ? atol(argv[2]) : 128;
    struct bench bench = {
        .left = calls, .running = flight, .caller = argc > 3 && atoi(argv[3]) ? &user : NULL};
    struct bus_options options = {.service = "gateway",
                                  .instance = "1",
                                  .version = "bench",
                                  .operations = no_operations,
                                  .upstreams = upstreams,
                                  .peer_max = 4096,
                                  .serve_max = 4096};
    double before, mine, theirs = 0, seconds;
    int results[2];
    pid_t child;

    if (!mkdtemp(dir) || pipe(results) != 0)
        return 1;
    options.run_dir = dir;
    if (argc > 4 && strcmp(argv[4], "curve") == 0) {
        write_hosts(dir);
        options.hosts = read_hosts(dir, "gateway.1");
        snprintf(far, sizeof(far), "%s/far", dir); /* a directory without the child's sockets */
        options.run_dir = far;
        if (mkdir(far, 0700) != 0)
            return 1;
    }
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
