/*
 * dev.c - atrium-dev: runs the whole suite in the foreground. One fiber starts the cluster, the
 * daemons and the demo tenant, waits for a signal, and stops everything.
 */
#include "dev/dev.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/runtime/offload.h"
#include "ctl/dev_usage.h"
#include "ctl/error_line.h"
#include "ctl/files.h"
#include "dev/ports.h"

enum {
    DATABASE_LIMIT_MS = 60000,
    DATABASE_POLL_MS = 20,
    DAEMON_STOP_MS = 15000,
    POSTGRES_STOP_MS = 10000,
    MAIL_POLL_MS = 500,
};

static void write_json(struct dev *self, pid_t pid)
{
    struct error err;

    error_init(&err, NULL);
    if (devjson_write(&self->json, self->json_file, pid, &err) < 0)
        log_event(LOG_ERR, "dev", err.message, NULL);
}

/* Writes dev.json again. It exists only after "ready". */
static void on_change(void *arg)
{
    struct dev *self = arg;

    if (self->ready)
        write_json(self, getpid());
}

static void on_signal(void *arg, int signo UNUSED)
{
    struct dev *self = arg;

    self->stopping = true;
    supervisor_interrupt(self->supervisor);
    if (self->main)
        fiber_wake(self->main);
}

/* ---- start ---- */

static int make_directories(struct dev *self, struct error *err)
{
    static const char *const names[] = {"log", "mail", "bots", "keys"};

    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        if (suite_dir_make_directory(&self->dir, self->arena, names[i], err) < 0)
            return -1;
    }
    if (self->clock_file && access(self->clock_file, F_OK) < 0)
        return files_replace(self->clock_file, 0600, "0\n", err);
    return 0;
}

static int open_ports(struct dev *self, struct error *err)
{
    int sockets[INSTANCES_MAX];

    if (ports_listen(&self->port, sockets, self->gateway_count, err) < 0)
        return -1;
    for (size_t i = 0; i < self->gateway_count; i++) {
        struct gateway_site *gateway = &self->gateways[i];

        gateway->public_socket = sockets[i];
        gateway->admin_port = 0;
        if (ports_listen(&gateway->admin_port, &gateway->admin_socket, 1, err) < 0)
            return -1;
    }
    self->base_url = arena_printf(self->arena, "http://127.0.0.1:%d", self->port);
    self->public_url = arena_printf(self->arena, "http://localhost:%d", self->port);
    return 0;
}

/* libpq's calls block, so they run on a thread. */
struct provision {
    const struct postgres *postgres;
    struct error err;
    int result;
};

static void provision_work(void *arg)
{
    struct provision *work = arg;

    work->result = postgres_provision(work->postgres, &work->err);
}

static int provision(struct dev *self, struct error *err)
{
    CLEANUP(offload_destroy) struct offload *pool = offload_new(self->loop, 1, 1);
    int64_t deadline = clock_mono_ms() + DATABASE_LIMIT_MS;
    struct provision work = {.postgres = &self->postgres};

    for (;;) {
        error_init(&work.err, NULL);
        if (dev_ready_check(self, err) < 0 ||
            offload_run(pool, provision_work, &work, deadline, err) < 0)
            return -1;
        if (work.result == 0)
            return 0;
        if (supervisor_pause(self->supervisor, DATABASE_POLL_MS, err) < 0)
            return -1;
        if (work.err.code != ERR_UNAVAILABLE || clock_mono_ms() >= deadline) {
            *err = work.err;
            return -1;
        }
    }
}

static int start_postgres(struct dev *self, struct error *err)
{
    struct child *child;

    if (self->database) {
        postgres_use(&self->postgres, self->arena, self->database);
        return 0;
    }
    self->postgres.data_dir = suite_dir_path(&self->dir, self->arena, "pg");
    self->postgres.socket_dir = self->dir.socket_dir;
    self->postgres.log = suite_dir_log(&self->dir, self->arena, "postgresql");
    if (postgres_prepare(&self->postgres, self->supervisor, self->arena, err) < 0)
        return -1;
    child = postgres_start(&self->postgres, self->supervisor, self->arena, err);
    self->json.postgres = child;
    return child ? 0 : -1;
}

static int start_instance(struct dev *self, const struct daemon *daemon, size_t number,
                          struct error *err)
{
    const char *instance = arena_printf(self->arena, "%zu", number);
    const char *log = arena_printf(self->arena, "%s.%zu", daemon->name, number);
    struct child_options options = {
        .name = daemon->name,
        .instance = instance,
        .argv = {daemon->program, "--config", self->config_file, "--instance", instance,
                 self->clock_file ? "--test-clock" : NULL, self->clock_file},
        .log = suite_dir_log(&self->dir, self->arena, log),
        .death_signal = SIGKILL,
    };

    if (strcmp(daemon->name, "gateway") == 0) {
        const struct gateway_site *gateway = &self->gateways[number - 1];

        options.sockets[0] = gateway->public_socket;
        options.sockets[1] = gateway->admin_socket;
        options.socket_count = 2;
        options.socket_names = "public:admin";
    }
    return supervisor_start(self->supervisor, &options, err) ? 0 : -1;
}

static int start_daemons(struct dev *self, struct error *err)
{
    for (size_t d = 0; d < self->daemon_count; d++) {
        for (size_t i = 1; i <= self->daemons[d].instances; i++) {
            if (start_instance(self, &self->daemons[d], i, err) < 0)
                return -1;
        }
    }
    return 0;
}

static void describe(struct dev *self)
{
    self->json.base_url = self->base_url;
    self->json.public_url = self->public_url;
    self->json.admin_url =
        arena_printf(self->arena, "http://127.0.0.1:%d", self->gateways[0].admin_port);
    self->json.conninfo = self->postgres.conninfo;
    self->json.mail_dir = suite_dir_path(&self->dir, self->arena, "mail");
    self->json.clock_file = self->clock_file;
    self->json.bus_dir = arena_printf(self->arena, "%s/bus", self->dir.socket_dir);
    self->json.bot_dir = suite_dir_path(&self->dir, self->arena, "bots");
    self->json.demo = self->demo_wanted ? &self->demo : NULL;
    self->json.children = supervisor_children(self->supervisor);
}

static int bring_up(struct dev *self, struct error *err)
{
    const char *demo_file = suite_dir_path(&self->dir, self->arena, "demo.json");

    if (start_postgres(self, err) < 0 || dev_config_write(self, err) < 0 ||
        provision(self, err) < 0 || start_daemons(self, err) < 0)
        return -1;
    self->bus = ctl_bus_new(self->loop, self->dir.socket_dir, NULL, err);
    if (!self->bus || dev_ready_wait(self, err) < 0)
        return -1;
    if (self->demo_wanted &&
        demo_open(self->bus, demo_file, suite_dir_path(&self->dir, self->arena, "bots"),
                  self->arena, &self->demo, err) < 0)
        return -1;
    describe(self);
    if (devjson_write(&self->json, self->json_file, getpid(), err) < 0)
        return -1;
    self->ready = true;
    return 0;
}

/* ---- stop ---- */

/* Gateways stop first, so that their requests are answered; PostgreSQL stops last. */
static void take_down(struct dev *self)
{
    int64_t deadline = clock_mono_ms() + DAEMON_STOP_MS;

    ctl_bus_destroy(&self->bus);
    supervisor_retire(self->supervisor);
    supervisor_end(self->supervisor, "gateway", SIGTERM, deadline);
    for (size_t i = 0; i < self->daemon_count; i++)
        supervisor_signal(self->supervisor, self->daemons[i].name, SIGTERM);
    for (size_t i = 0; i < self->daemon_count; i++)
        supervisor_end(self->supervisor, self->daemons[i].name, 0, deadline);
    supervisor_end(self->supervisor, NULL, SIGINT, clock_mono_ms() + POSTGRES_STOP_MS);
    if (self->ready)
        write_json(self, 0);
}

static void run_suite(void *arg)
{
    struct dev *self = arg;

    self->main = fiber_self(self->loop);
    self->result = bring_up(self, self->err);
    if (self->result == 0) {
        ctl_bus_destroy(&self->bus);
        dev_show(self);
        do
            dev_mail_refresh(self);
        while (!self->stopping &&
               fiber_park(self->loop, clock_mono_ms() + MAIL_POLL_MS) != FIBER_CANCELLED);
    }
    self->main = NULL;
    if (self->stopping) /* requested, possibly before "ready" */
        self->result = 0;
    take_down(self);
    loop_stop(self->loop);
}

static int run_loop(struct dev *self, struct error *err)
{
    self->loop = loop_new();
    loop_on_signal(self->loop, on_signal, self);
    self->supervisor = supervisor_new(self->loop, on_change, self);
    if (fiber_start(self->loop, run_suite, self, err) < 0)
        self->result = -1;
    else if (loop_run(self->loop) < 0)
        self->result = error_set(err, ERR_INTERNAL, "the event loop failed");
    supervisor_destroy(&self->supervisor);
    loop_destroy(&self->loop);
    return self->result;
}

static int prepare(struct dev *self, const struct arguments *args, struct error *err)
{
    self->config_file = suite_dir_path(&self->dir, self->arena, "atrium.conf");
    self->json_file = suite_dir_path(&self->dir, self->arena, "dev.json");
    if (arguments_has(args, "--test-clock"))
        self->clock_file = suite_dir_path(&self->dir, self->arena, "clock");
    unlink(self->json_file); /* the pids in the file are stale */
    if (dev_config_daemons(self, args, err) < 0 || make_directories(self, err) < 0)
        return -1;
    return open_ports(self, err);
}

static int dev_run(struct arena *arena, const struct arguments *args, struct error *err)
{
    struct dev *self = arena_alloc(arena, sizeof(*self));
    const char *dir = arguments_get(args, "--dir");
    int result;

    self->arena = arena;
    self->err = err;
    if (dev_config_options(self, args, err) < 0 ||
        suite_dir_open(&self->dir, dir ? dir : "var", arena, err) < 0)
        return -1;
    result = prepare(self, args, err);
    if (result == 0)
        result = run_loop(self, err);
    if (!self->ready)
        suite_dir_discard(&self->dir, result < 0);
    suite_dir_close(&self->dir);
    return result;
}

int main(int argc, char **argv)
{
    static const char usage[] = "[--dir DIR] " DEV_USAGE;
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    struct arguments args;
    struct error err;

    error_init(&err, arena);
    log_open("atrium-dev", "dev", LOG_WARNING);
    signal(SIGPIPE, SIG_IGN);
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        printf("usage: atrium-dev %s\n\n" DEV_SUMMARY "\n\n" DEV_NOTE "\n", usage);
        return EXIT_DONE;
    }
    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        puts("atrium-dev " ATRIUM_VERSION);
        return EXIT_DONE;
    }
    if (arguments_parse(&args, usage, (const char *const *)argv + 1, (size_t)argc - 1, arena,
                        &err) < 0) {
        error_line_print("atrium-dev", &err);
        return EXIT_USAGE;
    }
    if (dev_run(arena, &args, &err) < 0) {
        error_line_print("atrium-dev", &err);
        return EXIT_FAILED;
    }
    return fflush(stdout) == 0 ? EXIT_DONE : EXIT_FAILED;
}
