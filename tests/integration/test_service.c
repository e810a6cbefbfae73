/*
 * test_service.c - a daemon's life from outside: this program runs itself as a small daemon without
 * a database, and checks exit codes, notes to systemd, bus responses and its end.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/service/metric_rows.h"
#include "common/service/service.h"
#include "tests/support/unit.h"

#define DAEMON_ENV "ATRIUM_TEST_SERVICE" /* set: run as the daemon */

struct tick_config {
    const char *word, *fixed;
    bool fail_start, slow_start;
    const char **list;
};

struct tick {
    struct service svc;
    uint64_t *ticks;
};

static int tick_run(void *daemon, const struct request *req UNUSED, struct error *err)
{
    struct tick *self = daemon;

    if (++*self->ticks == 2)
        return error_set(err, ERR_CONFLICT, "The second one fails.");
    return 0;
}

static int tick_start(void *daemon, struct error *err)
{
    struct tick *self = daemon;
    const struct tick_config *config = self->svc.config;

    self->ticks = metrics_counter(self->svc.metrics, "atrium_test_ticks_total", "", "Ticks.");
    service_every(&self->svc, "tick", 20, tick_run);
    log_event(LOG_NOTICE, "test", "start hook", NULL);
    if (fiber_sleep_until(self->svc.loop, clock_mono_ms() + (config->slow_start ? 30000 : 30),
                          err) < 0)
        return -1;
    return config->fail_start ? error_set(err, ERR_INTERNAL, "It shall not start.") : 0;
}

/* Checks settings that parse but would stop a start. A slow file takes half a second. */
static int tick_configured(void *daemon, struct error *err)
{
    const struct tick_config *config = ((const struct tick *)daemon)->svc.config;

    if (strcmp(config->word, "slow") == 0)
        usleep(500000);
    return strcmp(config->word, "forbidden") != 0
               ? 0
               : error_set(err, ERR_INTERNAL, "That word is forbidden.");
}

static void tick_reload(void *daemon, void *fresh)
{
    const struct tick_config *config = ((const struct tick *)daemon)->svc.config,
                             *given = ((const struct tick *)fresh)->svc.config;

    log_event(LOG_NOTICE, "test", "reload hook", "word", config->word, "fixed", config->fixed,
              "list", config->list[0] ? config->list[0] : "", "given", given->fixed, NULL);
}

static void tick_drain(void *daemon UNUSED)
{
    log_event(LOG_NOTICE, "test", "drain hook", NULL);
}

static void tick_stop(void *daemon)
{
    struct tick *self = daemon;

    log_event(LOG_NOTICE, "test", self->svc.tasks == 0 ? "stop hook" : "stop hook too early", NULL);
}

/* Takes half a second. */
static int tick_slow(void *daemon, const struct request *req, const void *in, void *out,
                     struct error *err)
{
    struct tick *self = daemon;

    (void)req, (void)in, (void)out;
    return fiber_sleep_until(self->svc.loop, clock_mono_ms() + 500, err);
}

static int daemon_main(int argc, char **argv)
{
    static const struct config_row rows[] = {
        CONFIG_TEXT(struct tick_config, word, "hello", CONFIG_RELOAD, "A word."),
        CONFIG_TEXT(struct tick_config, fixed, "stone", 0, "A word that a reload leaves."),
        CONFIG_LIST_RELOAD(struct tick_config, list, "a, b", "Words."),
        CONFIG_BOOL(struct tick_config, fail_start, "false", "Fails at the start."),
        CONFIG_BOOL(struct tick_config, slow_start, "false", "Takes half a minute to start."),
    };
    static const struct operation operations[] = {
        {"tick_slow", "ctl", ACCESS_INTERNAL, REACH_PUBLIC, 0, &nothing_table, &nothing_table,
         tick_slow},
        {.name = NULL},
    };
    static const struct service_definition definition = {
        .name = "tickd",
        .summary = "Ticks.",
        .size = sizeof(struct tick),
        .config = rows,
        .config_count = ARRAY_SIZE(rows),
        .config_size = sizeof(struct tick_config),
        .database_offset = SIZE_MAX,
        .operations = operations,
        .seal_key_offset = SIZE_MAX,
        .configured = tick_configured,
        .reload = tick_reload,
        .start = tick_start,
        .drain = tick_drain,
        .stop = tick_stop,
    };

    return service_main(argc, argv, &definition);
}

struct daemon {
    struct unit_dir dir;
    char config[128], log[128];
    int notify; /* systemd's end */
    pid_t pid;
};

static void daemon_make(struct daemon *self, const char *section)
{
    char text[1024];

    *self = (struct daemon){.dir = unit_dir_make()};
    snprintf(text, sizeof(text), "common\n    run_dir = \"%s\"\n%s", self->dir.path, section);
    snprintf(self->config, sizeof(self->config), "%s",
             unit_dir_write(&self->dir, "atrium.conf", text));
    snprintf(self->log, sizeof(self->log), "%s", unit_dir_write(&self->dir, "log", ""));
}

static void listen_for_notes(struct daemon *self)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct timeval limit = {.tv_sec = 10};

    snprintf(address.sun_path, sizeof(address.sun_path), "%s/notify", self->dir.path);
    self->notify = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    CU_ASSERT(bind(self->notify, (struct sockaddr *)&address, sizeof(address)) == 0);
    setsockopt(self->notify, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    setenv("NOTIFY_SOCKET", address.sun_path, 1);
}

/* Runs this program as the daemon with stdout and stderr in the log file. */
static void daemon_start(struct daemon *self, const char *const *extra)
{
    const char *argv[12] = {"tickd", "--config", self->config};
    char program[512];
    /* The link's target, because under valgrind the link itself leads to valgrind. */
    ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);

    program[length > 0 ? length : 0] = '\0';

    for (size_t i = 0; extra && extra[i]; i++)
        argv[3 + i] = extra[i];
    self->pid = fork();
    if (self->pid == 0) {
        int fd = open(self->log, O_WRONLY | O_APPEND | O_CLOEXEC);

        dup2(fd, STDOUT_FILENO);
        dup2(fd, STDERR_FILENO);
        setenv(DAEMON_ENV, "1", 1);
        execv(program, (char **)(uintptr_t)argv);
        _exit(127);
    }
}

/* Returns the next note to systemd, "" after ten seconds. */
static const char *daemon_note(struct daemon *self, char text[static 256])
{
    ssize_t length = recv(self->notify, text, 255, 0);

    text[length > 0 ? length : 0] = '\0';
    return text;
}

/* Returns the exit code; 1000 and more for a signal. */
static int daemon_wait(struct daemon *self)
{
    int status = 0;

    while (waitpid(self->pid, &status, 0) < 0)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

static bool daemon_said(const struct daemon *self, const char *text)
{
    char log[16384];
    int fd = open(self->log, O_RDONLY | O_CLOEXEC);
    ssize_t length = read(fd, log, sizeof(log) - 1);

    close(fd);
    log[length > 0 ? length : 0] = '\0';
    return strstr(log, text) != NULL;
}

static void daemon_free(struct daemon *self)
{
    if (self->notify > 0)
        close(self->notify);
    unsetenv("NOTIFY_SOCKET");
    unsetenv("WATCHDOG_USEC");
    unit_dir_remove(&self->dir);
}

static void test_command_line_and_configuration(void)
{
    static const struct {
        const char *label, *section, *extra[4];
        int exit_code;
        const char *says;
    } rows[] = {
        {"version", "", {"--version"}, 0, "atrium-tickd 0."},
        {"help", "", {"--help"}, 0, "Ticks."},
        {"unknown option", "", {"--frob"}, 2, "frob"},
        {"an argument", "", {"frob"}, 2, "unexpected argument 'frob'"},
        {"check", "tickd\n    word = \"x\"\n", {"--check-config"}, 0, ""},
        {"check finds", "tickd\n    wort = \"x\"\n", {"--check-config"}, 1, "atrium.conf:4"},
        {"print", "tickd\n    word = \"moon\"\n", {"--print-config"}, 0, "word = \"moon\""},
        {"print has defaults", "", {"--print-config"}, 0, "log_level = \"info\""},
        {"bad level", "    log_level = \"loud\"\n", {"--check-config"}, 1, "log_level"},
        {"test clock", "", {"--test-clock", "/tmp/x"}, 1, "development"},
        {"instance", "", {"--instance", "../1"}, 1, "--instance"},
        {"failing start", "tickd\n    fail_start = true\n", {NULL}, 1, "It shall not start."},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct daemon daemon;
        int exit_code;

        daemon_make(&daemon, rows[i].section);
        daemon_start(&daemon, rows[i].extra);
        exit_code = daemon_wait(&daemon);
        UNIT_CHECK(exit_code == rows[i].exit_code, "%s: exit code %d", rows[i].label, exit_code);
        UNIT_CHECK(daemon_said(&daemon, rows[i].says), "%s: did not say %s", rows[i].label,
                   rows[i].says);
        daemon_free(&daemon);
    }
}

static void test_ready_watchdog_sigterm_exit_0(void)
{
    struct daemon daemon;
    char text[256];
    int64_t begin = clock_mono_ms();

    daemon_make(&daemon, "");
    listen_for_notes(&daemon);
    setenv("WATCHDOG_USEC", "60000", 1);
    daemon_start(&daemon, NULL);
    CU_ASSERT(strstr(daemon_note(&daemon, text), "READY=1") != NULL);
    UNIT_CHECK(clock_mono_ms() - begin < 2000, "ready after %lld ms",
               (long long)(clock_mono_ms() - begin));
    for (int i = 0; i < 4; i++)
        UNIT_CHECK(strstr(daemon_note(&daemon, text), "WATCHDOG=1") != NULL, "%s", text);
    CU_ASSERT(kill(daemon.pid, SIGTERM) == 0);
    do
        daemon_note(&daemon, text);
    while (strstr(text, "WATCHDOG=1"));
    UNIT_CHECK(strstr(text, "STOPPING=1") != NULL, "%s", text);
    CU_ASSERT(kill(daemon.pid, SIGTERM) == 0);
    CU_ASSERT(daemon_wait(&daemon) == 0);
    UNIT_CHECK(daemon_said(&daemon, "The second one fails.") && daemon_said(&daemon, "runs again"),
               "a failing run is logged and tried again");
    CU_ASSERT(daemon_said(&daemon, "drain hook") && daemon_said(&daemon, "\"stop hook\""));
    daemon_free(&daemon);
}

static void check_undone(const struct daemon *daemon)
{
    CU_ASSERT(daemon_said(daemon, "\"stop hook\""));
    CU_ASSERT_FALSE(daemon_said(daemon, "stop hook too early"));
    CU_ASSERT_FALSE(daemon_said(daemon, "drain hook"));
}

static void test_failed_start_is_undone(void)
{
    struct daemon daemon;

    daemon_make(&daemon, "tickd\n    fail_start = true\n");
    daemon_start(&daemon, NULL);
    CU_ASSERT_EQUAL(daemon_wait(&daemon), 1);
    CU_ASSERT(daemon_said(&daemon, "It shall not start."));
    check_undone(&daemon);
    daemon_free(&daemon);
}

static void test_start_that_sigterm_cuts_off_is_undone(void)
{
    struct daemon daemon;

    daemon_make(&daemon, "tickd\n    slow_start = true\n");
    daemon_start(&daemon, NULL);
    for (int i = 0; i < 1000 && !daemon_said(&daemon, "start hook"); i++)
        usleep(10000);
    CU_ASSERT(kill(daemon.pid, SIGTERM) == 0);
    CU_ASSERT_EQUAL(daemon_wait(&daemon), 0);
    CU_ASSERT_FALSE(daemon_said(&daemon, "cannot start"));
    check_undone(&daemon);
    daemon_free(&daemon);
}

static void reload_with(struct daemon *self, const char *section)
{
    char text[1024];

    snprintf(text, sizeof(text), "common\n    run_dir = \"%s\"\n%s", self->dir.path, section);
    unit_dir_write(&self->dir, "atrium.conf", text);
    CU_ASSERT(kill(self->pid, SIGHUP) == 0);
    UNIT_CHECK(strstr(daemon_note(self, text), "RELOADING=1\nMONOTONIC_USEC=") != NULL, "%s", text);
    UNIT_CHECK(strcmp(daemon_note(self, text), "READY=1") == 0, "%s", text);
}

static void test_applies_what_a_reload_can_change(void)
{
    struct daemon daemon;
    char text[256];

    daemon_make(&daemon, "tickd\n    word = \"one\"\n");
    listen_for_notes(&daemon);
    daemon_start(&daemon, NULL);
    CU_ASSERT(strstr(daemon_note(&daemon, text), "READY=1") != NULL);
    reload_with(&daemon, "tickd\n    word = \"one\"\n");
    CU_ASSERT(daemon_said(&daemon, "\"configuration reloaded\" changed=nothing"));
    reload_with(&daemon,
                "    log_level = \"notice\"\ntickd\n    word = \"two\"\n    fixed = \"x\"\n"
                "    list = \"c\"\n");
    CU_ASSERT(daemon_said(&daemon, "changed=\"common.log_level, tickd.word, tickd.list\""));
    CU_ASSERT(daemon_said(&daemon, "\"a change needs a restart\" keys=tickd.fixed"));
    CU_ASSERT(daemon_said(&daemon, "\"reload hook\" word=two fixed=stone list=c given=x"));
    CU_ASSERT(kill(daemon.pid, SIGTERM) == 0 && daemon_wait(&daemon) == 0);
    UNIT_CHECK(!daemon_said(&daemon, "stopping"), "the log level was applied");
    daemon_free(&daemon);
}

static void test_keeps_its_configuration_when_the_new_one_is_refused(void)
{
    struct daemon daemon;
    char text[256];

    daemon_make(&daemon, "tickd\n    word = \"one\"\n");
    listen_for_notes(&daemon);
    daemon_start(&daemon, NULL);
    CU_ASSERT(strstr(daemon_note(&daemon, text), "READY=1") != NULL);
    reload_with(&daemon, "tickd\n    list = \"c\"\n    wort = \"two\"\n");
    CU_ASSERT(daemon_said(&daemon, "configuration refused, nothing was changed"));
    CU_ASSERT(daemon_said(&daemon, "atrium.conf:5: section"));
    reload_with(&daemon, "tickd\n    list = \"c\"\n    word = \"forbidden\"\n");
    CU_ASSERT(daemon_said(&daemon, "That word is forbidden."));
    CU_ASSERT(!daemon_said(&daemon, "reload hook"));
    reload_with(&daemon, "tickd\n    list = \"c\"\n");
    CU_ASSERT(daemon_said(&daemon, "\"reload hook\" word=hello fixed=stone list=c"));
    CU_ASSERT(kill(daemon.pid, SIGTERM) == 0 && daemon_wait(&daemon) == 0);
    daemon_free(&daemon);
}

/* A stopping daemon does not reload, because reload() would use freed memory. */
static void test_a_stop_overtakes_a_reload(void)
{
    struct daemon daemon;
    char text[256];

    daemon_make(&daemon, "tickd\n    word = \"one\"\n");
    listen_for_notes(&daemon);
    daemon_start(&daemon, NULL);
    CU_ASSERT(strstr(daemon_note(&daemon, text), "READY=1") != NULL);
    snprintf(text, sizeof(text), "common\n    run_dir = \"%s\"\ntickd\n    word = \"slow\"\n",
             daemon.dir.path);
    unit_dir_write(&daemon.dir, "atrium.conf", text);
    CU_ASSERT(kill(daemon.pid, SIGHUP) == 0);
    UNIT_CHECK(strstr(daemon_note(&daemon, text), "RELOADING=1\n") != NULL, "%s", text);
    CU_ASSERT(kill(daemon.pid, SIGTERM) == 0);
    UNIT_CHECK(strcmp(daemon_note(&daemon, text), "STOPPING=1") == 0, "%s", text);
    CU_ASSERT_EQUAL(daemon_wait(&daemon), 0);
    CU_ASSERT(daemon_said(&daemon, "\"stop hook\""));
    CU_ASSERT_FALSE(daemon_said(&daemon, "reload hook"));
    CU_ASSERT_FALSE(daemon_said(&daemon, "configuration reloaded"));
    UNIT_CHECK(recv(daemon.notify, text, sizeof(text), MSG_DONTWAIT) < 0,
               "a note behind STOPPING=1");
    daemon_free(&daemon);
}

/* A core file would contain secrets. */
static void test_no_core_file(void)
{
    struct daemon daemon;
    struct rlimit before, given, limit = {.rlim_cur = 1};
    char text[256];

    CU_ASSERT(getrlimit(RLIMIT_CORE, &before) == 0);
    given = (struct rlimit){before.rlim_max, before.rlim_max};
    CU_ASSERT(setrlimit(RLIMIT_CORE, &given) == 0);
    daemon_make(&daemon, "");
    listen_for_notes(&daemon);
    daemon_start(&daemon, NULL);
    CU_ASSERT(strstr(daemon_note(&daemon, text), "READY=1") != NULL);
    CU_ASSERT(prlimit(daemon.pid, RLIMIT_CORE, NULL, &limit) == 0);
    CU_ASSERT(limit.rlim_cur == 0);
    CU_ASSERT(kill(daemon.pid, SIGTERM) == 0 && daemon_wait(&daemon) == 0);
    CU_ASSERT(setrlimit(RLIMIT_CORE, &before) == 0);
    daemon_free(&daemon);
}

static void test_one_instance_of_a_name(void)
{
    struct daemon daemon, second;
    char text[256];

    daemon_make(&daemon, "");
    listen_for_notes(&daemon);
    daemon_start(&daemon, NULL);
    CU_ASSERT(strstr(daemon_note(&daemon, text), "READY=1") != NULL);
    second = daemon;
    daemon_start(&second, NULL);
    UNIT_CHECK(daemon_wait(&second) == 1, "a second one of the same name gives up");
    daemon_start(&second, (const char *const[]){"--instance", "2", NULL});
    CU_ASSERT(strstr(daemon_note(&daemon, text), "READY=1") != NULL);
    CU_ASSERT(kill(second.pid, SIGTERM) == 0 && daemon_wait(&second) == 0);
    CU_ASSERT(kill(daemon.pid, SIGTERM) == 0 && daemon_wait(&daemon) == 0);
    daemon_free(&daemon);
}

struct asker {
    struct bus *bus;
    struct arena *arena;
    struct request req;
    struct daemon *daemon;
};

static void ask_status(struct asker *self)
{
    struct bus_method method = service_status_method("tickd");
    struct service_status_out out = {0};
    struct error err;

    error_init(&err, self->arena);
    UNIT_REQUIRE(bus_call_instance(self->bus, "tickd.1", &method, &self->req, &(struct nothing){0},
                                   &out, &err) == 0,
                 "%s", err.message);
    CU_ASSERT(strcmp(out.service, "tickd") == 0 && strcmp(out.instance, "1") == 0);
    CU_ASSERT(out.pid == self->daemon->pid && out.inFlight == 1 && out.database);
    CU_ASSERT(out.uptimeMs >= 30 && out.fibers >= 2);
}

static void ask_metrics(struct asker *self)
{
    struct bus_method method = service_metrics_method("tickd");
    struct service_metrics_out out = {0};
    const struct metric_row *rows;
    struct error err;
    int64_t ticks = 0;

    error_init(&err, self->arena);
    UNIT_REQUIRE(bus_call(self->bus, &method, &self->req, &(struct nothing){0}, &out, &err) == 0,
                 "%s", err.message);
    rows = out.metrics.items;
    for (size_t i = 0; i < out.metrics.count; i++)
        if (strcmp(rows[i].name, "atrium_test_ticks_total") == 0)
            ticks = rows[i].value;
    CU_ASSERT(ticks >= 1);
}

static void ask_during_drain(struct asker *self)
{
    const struct bus_method method = {"tickd", "tick_slow", 0, &nothing_table, &nothing_table};
    struct nothing out;
    struct error err;

    error_init(&err, self->arena);
    UNIT_CHECK(bus_call(self->bus, &method, &self->req, &(struct nothing){0}, &out, &err) == 0,
               "%s", err.message);
}

static void terminate(void *arg)
{
    kill(((struct daemon *)arg)->pid, SIGTERM);
}

static void on_bus(struct loop *loop, void *arg)
{
    static const char *const upstreams[] = {"tickd", NULL};
    static const struct operation none[] = {{.name = NULL}};
    struct asker caller = {.arena = arena_new(), .daemon = arg};
    struct bus_options options = {.service = "ctl",
                                  .instance = "t",
                                  .version = "0",
                                  .run_dir = caller.daemon->dir.path,
                                  .operations = none,
                                  .upstreams = upstreams,
                                  .peer_max = 8,
                                  .serve_max = 8};
    struct clock *clock = clock_new(NULL);
    struct metrics *metrics = metrics_new();
    int64_t until = clock_mono_ms() + 10000;
    struct error err;

    error_init(&err, caller.arena);
    caller.req = (struct request){.arena = caller.arena,
                                  .service = "ctl",
                                  .trace = "t",
                                  .address = "",
                                  .userAgent = "",
                                  .deadline_mono_ms = until};
    caller.bus = bus_new(loop, clock, metrics, &options, &err);
    UNIT_CHECK(caller.bus != NULL, "%s", err.message);
    while (caller.bus && !bus_has_peer(caller.bus, "tickd") && clock_mono_ms() < until)
        CU_ASSERT(fiber_sleep_until(loop, clock_mono_ms() + 5, &err) == 0);
    if (caller.bus) {
        ask_status(&caller);
        ask_metrics(&caller);
        loop_at(loop, clock_mono_ms() + 100, terminate, caller.daemon);
        ask_during_drain(&caller);
    }
    bus_destroy(&caller.bus);
    metrics_destroy(&metrics);
    clock_destroy(&clock);
    arena_destroy(&caller.arena);
}

static void test_status_metrics_and_drain_over_the_bus(void)
{
    struct daemon daemon;
    char text[256];

    daemon_make(&daemon, "");
    listen_for_notes(&daemon);
    daemon_start(&daemon, NULL);
    CU_ASSERT(strstr(daemon_note(&daemon, text), "READY=1") != NULL);
    unit_on_fiber(on_bus, &daemon);
    CU_ASSERT(daemon_wait(&daemon) == 0);
    daemon_free(&daemon);
}

static const struct unit_case cases[] = {
    CASE(test_command_line_and_configuration),
    CASE(test_ready_watchdog_sigterm_exit_0),
    CASE(test_failed_start_is_undone),
    CASE(test_start_that_sigterm_cuts_off_is_undone),
    CASE(test_applies_what_a_reload_can_change),
    CASE(test_keeps_its_configuration_when_the_new_one_is_refused),
    CASE(test_a_stop_overtakes_a_reload),
    CASE(test_no_core_file),
    CASE(test_one_instance_of_a_name),
    CASE(test_status_metrics_and_drain_over_the_bus),
};

int main(int argc, char **argv)
{
    if (getenv(DAEMON_ENV))
        return daemon_main(argc, argv);
    return unit_run("service", cases, ARRAY_SIZE(cases));
}
