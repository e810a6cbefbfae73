/*
 * bus_kit.c - service and client, see bus_kit.h.
 */
#include "tests/support/bus_kit.h"

#include <fcntl.h>
#include <signal.h>
#include <sodium.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/log.h"
#include "common/service/metric_rows.h"

static const struct field kit_in_rows[] = {
    FIELD_TEXT(struct kit_in, text, 0, CODEC_FRAME_MAX * 2, 0, "Text", "x"),
    FIELD_INT(struct kit_in, number, 0, INT64_MAX, 0, 0, "Number", "1"),
};
FIELD_TABLE(kit_in);

static const struct field kit_out_rows[] = {
    FIELD_TEXT(struct kit_out, text, 0, CODEC_FRAME_MAX * 2, 0, "Text", "x"),
    FIELD_TEXT(struct kit_out, service, 0, 64, 0, "Caller", "gateway"),
    FIELD_TEXT(struct kit_out, trace, 0, 256, 0, "Trace", "x"),
    FIELD_TEXT(struct kit_out, address, 0, 256, 0, "Address", "x"),
    FIELD_TEXT(struct kit_out, agent, 0, 1024, 0, "Agent", "x"),
    FIELD_INT(struct kit_out, number, 0, INT64_MAX, 0, 0, "Number", "1"),
    FIELD_INT(struct kit_out, pid, 0, INT64_MAX, 0, 0, "Process", "1"),
};
FIELD_TABLE(kit_out);

#define KIT_METHOD(name, flags) \
    const struct bus_method kit_##name = {"settingsd", #name, flags, &kit_in_table, &kit_out_table};
KIT_METHOD(echo, R_SAFE)
KIT_METHOD(refuse, R_SAFE)
KIT_METHOD(work, 0)
KIT_METHOD(read, R_SAFE)
KIT_METHOD(sick, R_SAFE)
KIT_METHOD(sick_write, 0)
KIT_METHOD(large, R_SAFE)
KIT_METHOD(user, R_SAFE)
KIT_METHOD(logout, R_SAFE)
KIT_METHOD(practitioner, R_SAFE)
KIT_METHOD(admin, R_SAFE)
KIT_METHOD(operator, R_SAFE)
KIT_METHOD(tell, 0)
KIT_METHOD(dropped, R_SAFE)
KIT_METHOD(traced, R_SAFE)
KIT_METHOD(unknown, R_SAFE)

struct server {
    struct loop *loop;
    struct clock *clock;
    struct metrics *metrics;
    struct spans *spans; /* NULL: like an older version, which records none */
    struct bus *bus;
    struct kit_counts *counts;
    bool draining;
};

static int op_echo(void *daemon, const struct request *req, const void *input, void *output,
                   struct error *err)
{
    const struct kit_in *in = input;
    struct kit_out *out = output;

    (void)daemon, (void)err;
    *out = (struct kit_out){in->text,       req->service, req->trace, req->address,
                            req->userAgent, in->number,   getpid()};
    return 0;
}

static int op_refuse(void *daemon, const struct request *req, const void *input, void *output,
                     struct error *err)
{
    const struct kit_in *in = input;

    (void)daemon, (void)req, (void)output;
    if (strcmp(in->text, "throttle") == 0) {
        error_retry(err, ERR_THROTTLED, 17, "Slow down.");
        err->limit = 5;
        err->remaining = 0;
        err->reset_s = 42;
        return -1;
    }
    if (strcmp(in->text, "setting") == 0) {
        error_set(err, ERR_INVALID_SETTING_VALUE, "No such policy.");
        error_member(err, "code", "INVALID_SETTING_VALUE");
        return error_problem(err, "value", "must name a policy");
    }
    if (strcmp(in->text, "cut") == 0) {
        char text[301]; /* two-byte characters; the limit of an error message falls inside one */

        for (size_t i = 0; i < 300; i += 2)
            memcpy(text + i, "\u00e9", 2);
        text[300] = '\0';
        return error_set(err, ERR_NOT_FOUND, "%s", text);
    }
    for (int64_t i = 0; i < in->number; i++)
        error_problem(err, arena_printf(req->arena, "field.%d", (int)i), "wrong %d", (int)i);
    return error_detail(err, "for the operator only");
}

static int op_work(void *daemon, const struct request *req, const void *input, void *output,
                   struct error *err)
{
    struct server *server = daemon;
    const struct kit_in *in = input;

    atomic_fetch_add(&server->counts->executed, 1);
    if (in->number > 0 && fiber_sleep_until(server->loop, clock_mono_ms() + in->number, err) < 0)
        return -1;
    return op_echo(daemon, req, input, output, err);
}

static int op_sick(void *daemon, const struct request *req, const void *input, void *output,
                   struct error *err)
{
    struct server *server = daemon;
    const struct kit_in *in = input;

    if (in->number != getpid())
        return op_echo(daemon, req, input, output, err);
    atomic_fetch_add(&server->counts->executed, 1);
    return error_retry(err, ERR_UNAVAILABLE, 1, "The database is gone.");
}

static int op_large(void *daemon, const struct request *req, const void *input, void *output,
                    struct error *err)
{
    const struct kit_in *in = input;
    struct kit_out *out = output;
    char *text = arena_alloc(req->arena, (size_t)in->number + 1);

    (void)daemon, (void)err;
    memset(text, 'x', (size_t)in->number);
    *out = (struct kit_out){.text = text};
    return 0;
}

static int op_tell(void *daemon, const struct request *req, const void *input, void *output,
                   struct error *err)
{
    struct server *server = daemon;
    const struct kit_in *in = input;
    struct kit_out *out = output;
    CLEANUP(bus_announce_destroy)
    struct bus_announcement *news = bus_announce(server->bus, "change", &kit_in_table, in);
    int64_t deadline = clock_mono_ms() + in->number;

    (void)req, (void)err;
    while (!bus_announce_complete(news) && clock_mono_ms() < deadline)
        bus_announce_wait(news, deadline);
    *out = (struct kit_out){.number = bus_announce_complete(news) +
                                      2 * bus_announce_acked(news, "gateway.1")};
    return 0;
}

static int op_traced(void *daemon, const struct request *req, const void *input UNUSED,
                     void *output, struct error *err UNUSED)
{
    const struct activity *activity = activity_current(((struct server *)daemon)->loop);
    struct kit_out *out = output;
    char text[TRACEPARENT_SIZE] = "";

    if (activity->spans)
        traceparent_write(&activity->context, text);
    *out = (struct kit_out){.text = arena_strdup(req->arena, text),
                            .service = "",
                            .trace = req->trace,
                            .address = activity->state,
                            .agent = "",
                            .pid = getpid()};
    return 0;
}

static int op_dropped(void *daemon, const struct request *req, const void *input, void *output,
                      struct error *err UNUSED)
{
    struct server *server = daemon;
    struct field_list list = metrics_rows(server->metrics, req->arena);
    const struct metric_row *rows = list.items;
    const struct kit_in *in = input;
    const char *wanted = *in->text != '\0' ? in->text : "atrium_bus_dropped_total";
    struct kit_out *out = output;

    *out = (struct kit_out){0};
    for (size_t i = 0; i < list.count; i++) {
        if (strcmp(rows[i].name, wanted) == 0)
            out->number += rows[i].value;
    }
    return 0;
}

#define KIT_ROW(name, callers, access, flags, fn)                                     \
    {                                                                                 \
        name, callers, access, REACH_PUBLIC, flags, &kit_in_table, &kit_out_table, fn \
    }
static const struct operation operations[] = {
    KIT_ROW("echo", "gateway ctl", ACCESS_PUBLIC, R_SAFE, op_echo),
    KIT_ROW("refuse", "gateway", ACCESS_PUBLIC, R_SAFE, op_refuse),
    KIT_ROW("work", "gateway", ACCESS_PUBLIC, 0, op_work),
    KIT_ROW("read", "gateway", ACCESS_PUBLIC, R_SAFE, op_work),
    KIT_ROW("sick", "gateway", ACCESS_PUBLIC, R_SAFE, op_sick),
    KIT_ROW("sick_write", "gateway", ACCESS_PUBLIC, 0, op_sick),
    KIT_ROW("large", "gateway", ACCESS_PUBLIC, R_SAFE, op_large),
    KIT_ROW("user", "gateway ctl", ACCESS_USER, R_SAFE, op_echo),
    KIT_ROW("logout", "gateway ctl", ACCESS_LOGOUT, R_SAFE, op_echo),
    KIT_ROW("practitioner", "gateway", ACCESS_PRACTITIONER, R_SAFE, op_echo),
    KIT_ROW("admin", "gateway", ACCESS_ADMIN, R_SAFE, op_echo),
    KIT_ROW("operator", "ctl", ACCESS_INTERNAL, R_SAFE, op_echo),
    KIT_ROW("tell", "gateway", ACCESS_PUBLIC, 0, op_tell),
    KIT_ROW("dropped", "gateway", ACCESS_PUBLIC, R_SAFE, op_dropped),
    KIT_ROW("traced", "gateway", ACCESS_PUBLIC, R_SAFE, op_traced),
    {0},
};
static const struct operation no_operations[] = {{0}};

static struct kit_counts *counts_map(const char *dir)
{
    char path[128];
    void *memory = MAP_FAILED;
    int fd;

    snprintf(path, sizeof(path), "%s/counts", dir);
    fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd >= 0 && ftruncate(fd, sizeof(struct kit_counts)) == 0)
        memory = mmap(NULL, sizeof(struct kit_counts), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED)
        log_die("kit", "the counters cannot be mapped");
    close(fd);
    return memory;
}

static void drain_fiber(void *arg)
{
    struct server *server = arg;

    bus_drain(server->bus, clock_mono_ms() + KIT_DRAIN_MS);
    loop_stop(server->loop);
}

static void on_signal(void *arg, int signo UNUSED)
{
    struct server *server = arg;
    struct error err;

    if (server->draining)
        return;
    server->draining = true;
    error_init(&err, NULL);
    if (fiber_start(server->loop, drain_fiber, server, &err) < 0)
        log_die("kit", err.message);
}

/* Reads the directory's `hosts` file, NULL if there is none. The result lives as long as the
 * process. */
static struct bus_hosts *server_hosts(const char *dir, const char *instance)
{
    struct arena *arena = arena_new();
    const char *file = arena_printf(arena, "%s/hosts", dir);
    struct bus_hosts *hosts = NULL;
    struct error err;

    error_init(&err, NULL);
    if (access(file, F_OK) == 0 &&
        (bus_hosts_read(file, arena, &hosts, &err) < 0 ||
         bus_hosts_take_key(hosts, dir, arena_printf(arena, "settingsd.%s", instance), &err) < 0))
        log_die("kit", err.message);
    return hosts;
}

void kit_server_main(int argc, char **argv)
{
    struct server server;
    struct bus_options options;
    struct error err;

    if (argc != 5 || strcmp(argv[1], "--bus-kit") != 0)
        return;
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* must not outlive a killed test */
    log_open("kit", argv[3], LOG_CRIT);
    server = (struct server){.loop = loop_new(),
                             .clock = clock_new(NULL),
                             .metrics = metrics_new(),
                             .counts = counts_map(argv[2])};
    if (atoi(argv[3]) != KIT_OLD)
        server.spans = spans_new(server.metrics);
    options = (struct bus_options){.service = "settingsd",
                                   .instance = argv[3],
                                   .version = "0",
                                   .run_dir = argv[2],
                                   .hosts = server_hosts(argv[2], argv[3]),
                                   .spans = server.spans,
                                   .operations = operations,
                                   .daemon = &server,
                                   .peer_max = 512,
                                   .serve_max = (size_t)strtoul(argv[4], NULL, 10)};
    error_init(&err, NULL);
    server.bus = bus_new(server.loop, server.clock, server.metrics, &options, &err);
    if (!server.bus)
        log_die("kit", err.message);
    loop_on_signal(server.loop, on_signal, &server);
    if (loop_run(server.loop) < 0)
        log_die("kit", "loop");
    bus_destroy(&server.bus);
    spans_destroy(&server.spans);
    metrics_destroy(&server.metrics);
    clock_destroy(&server.clock);
    loop_destroy(&server.loop);
    exit(0);
}

struct kit_key kit_key_new(void)
{
    struct kit_key key;

    randombytes_buf(key.secret, sizeof(key.secret));
    bus_hosts_public_key(key.secret, key.public);
    sodium_bin2hex(key.digits, sizeof(key.digits), key.secret, sizeof(key.secret));
    bus_hosts_key_text(key.public, key.text);
    return key;
}

void kit_prepare(struct kit *self, struct loop *loop)
{
    *self = (struct kit){.dir = unit_dir_make(), .loop = loop, .arena = arena_new()};
    self->counts = counts_map(self->dir.path);
    self->clock = clock_new(NULL);
}

static void open_client(struct kit *self, const char *service, const char *instance,
                        const char *run_dir, size_t peer_max)
{
    static const char *const upstreams[] = {"settingsd", NULL};
    struct error err;

    self->metrics = metrics_new();
    self->spans = spans_new(self->metrics);
    self->options = (struct bus_options){.service = service,
                                         .instance = instance,
                                         .version = "0",
                                         .run_dir = run_dir,
                                         .operations = no_operations,
                                         .upstreams = upstreams,
                                         .peer_max = peer_max,
                                         .serve_max = 16,
                                         .hosts = self->hosts,
                                         .spans = self->spans};
    error_init(&err, NULL);
    self->bus = bus_new(self->loop, self->clock, self->metrics, &self->options, &err);
    if (!self->bus)
        log_die("kit", err.message);
}

void kit_open(struct kit *self, struct loop *loop, const char *service, size_t peer_max)
{
    kit_prepare(self, loop);
    open_client(self, service, "1", self->dir.path, peer_max);
}

void kit_open_far(struct kit *self, const char *name, const char *hosts)
{
    struct error err;

    error_init(&err, NULL);
    if (bus_hosts_read(arena_printf(self->arena, "%s/%s", self->dir.path, hosts), self->arena,
                       &self->hosts, &err) < 0 ||
        bus_hosts_take_key(self->hosts, self->dir.path, name, &err) < 0)
        log_die("kit", err.message);
    open_client(self, self->hosts->own->service, self->hosts->own->instance,
                arena_printf(self->arena, "%s/far", self->dir.path), 512);
}

void kit_leave(struct kit *self)
{
    bus_destroy(&self->bus);
    spans_destroy(&self->spans);
    metrics_destroy(&self->metrics);
}

void kit_close(struct kit *self)
{
    for (int i = 0; i < (int)ARRAY_SIZE(self->servers); i++)
        kit_end(self, i, SIGKILL);
    kit_leave(self);
    clock_destroy(&self->clock);
    munmap(self->counts, sizeof(*self->counts));
    arena_destroy(&self->arena);
    unit_dir_remove(&self->dir);
}

void kit_start(struct kit *self, int instance, const char *serve_max)
{
    char program[] = "test_bus", flag[] = "--bus-kit", name[8], max[16];
    char *argv[] = {program, flag, self->dir.path, name, max, NULL};

    snprintf(name, sizeof(name), "%d", instance);
    snprintf(max, sizeof(max), "%s", serve_max);
    UNIT_REQUIRE(posix_spawn(&self->servers[instance], "/proc/self/exe", NULL, NULL, argv,
                             environ) == 0,
                 "cannot start a server");
}

int kit_end(struct kit *self, int instance, int signo)
{
    pid_t pid = self->servers[instance];
    int status = 0;

    if (pid == 0)
        return 0;
    self->servers[instance] = 0;
    kill(pid, signo);
    /* A drain needs our ACK, so the loop must run. */
    while (waitpid(pid, &status, WNOHANG) == 0)
        kit_sleep(self, 2);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

void kit_sleep(struct kit *self, int64_t ms)
{
    struct error err;

    error_init(&err, NULL);
    if (fiber_sleep_until(self->loop, clock_mono_ms() + ms, &err) < 0)
        log_die("kit", "cancelled while asleep");
}

static size_t peer_count(const struct kit *self)
{
    struct arena *arena = arena_new();
    const char **names = bus_peers(self->bus, "settingsd", arena);
    size_t count = 0;

    while (names[count])
        count++;
    arena_destroy(&arena);
    return count;
}

bool kit_wait(struct kit *self, size_t peers)
{
    int64_t deadline = clock_mono_ms() + 5000;

    while (peer_count(self) != peers && clock_mono_ms() < deadline)
        kit_sleep(self, 2);
    return peer_count(self) == peers;
}

void kit_call(struct kit *self, struct kit_result *ret, const struct bus_method *method,
              const struct caller *caller, const char *text, int64_t number, int64_t timeout_ms)
{
    const struct kit_in in = {text, number};
    int64_t start = clock_mono_ms();
    struct request req = {.arena = arena_new(),
                          .caller = caller,
                          .service = "",
                          .trace = "trace-1",
                          .address = "192.0.2.1",
                          .userAgent = "kit",
                          .deadline_mono_ms = start + timeout_ms};

    *ret = (struct kit_result){.arena = req.arena};
    error_init(&ret->err, req.arena);
    ret->result = bus_call(self->bus, method, &req, &in, &ret->out, &ret->err);
    ret->took_ms = clock_mono_ms() - start;
}

void kit_result_free(struct kit_result *self)
{
    arena_destroy(&self->arena);
}

static void flock_count(struct kit_flock *self, const struct kit_result *result)
{
    if (result->result == 0) {
        self->ok++;
        return;
    }
    self->slowest_ms = MAX(self->slowest_ms, result->took_ms);
    if (result->err.code == ERR_UNAVAILABLE && result->err.retry_after_s == 1)
        self->unavailable++;
    else if (result->err.code == ERR_OVERLOADED && result->err.retry_after_s == 1)
        self->overloaded++;
    else if (result->err.code == ERR_DEADLINE)
        self->deadline++;
    else
        self->other++;
}

static void flock_fiber(void *arg)
{
    struct kit_flock *self = arg;

    do {
        struct kit_result result;

        kit_call(self->kit, &result, self->method, NULL, "x", self->number, self->timeout_ms);
        flock_count(self, &result);
        kit_result_free(&result);
    } while (self->stop && !*self->stop);
    self->running--;
}

void kit_flock_start(struct kit_flock *self, int calls)
{
    struct error err;

    error_init(&err, NULL);
    for (int i = 0; i < calls; i++) {
        UNIT_REQUIRE(fiber_start(self->kit->loop, flock_fiber, self, &err) == 0, "%s", err.message);
        self->running++;
    }
}

void kit_flock_wait(struct kit_flock *self)
{
    while (self->running > 0)
        kit_sleep(self->kit, 1);
}
