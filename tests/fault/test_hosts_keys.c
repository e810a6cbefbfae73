/*
 * test_hosts_keys.c - the list of hosts and their keys: an instance removed from the list is gone,
 * and a missing or wrong key opens nothing. Three hosts (host_suite.h).
 *
 * tier: fault
 */
#include <CUnit/CUnit.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/bus/bus.h"
#include "tests/support/host_suite.h"

static struct host_suite suite;
static char *reader_token;

static void the_suite_starts(void)
{
    host_suite_start(&suite);
    host_suite_make_project(&suite);
    HTTP_ANSWER made = host_suite_register("reader@hosts.example");
    CHECK_STATUS(made, 200);
    reader_token = strdup(http_text(made, "accessToken"));
}

static size_t log_count(size_t i, const char *text)
{
    host_suite_log_has(&suite, i, text); /* reads the rest of the output */
    return unit_occurrences(suite.running[i]->err, text);
}

/* Writes the list of hosts without one instance's line; NULL: complete. */
static void write_hosts_without(const char *name)
{
    static char *all;
    char *path = arena_printf(suite.texts, "%s/hosts", suite.dir.path), *line, *rest;
    FILE *file;

    if (!all)
        all = arena_strdup(suite.texts, unit_dir_read(&suite.dir, "hosts"));
    rest = arena_strdup(suite.texts, all);
    file = fopen(path, "we");
    while ((line = strsep(&rest, "\n")))
        if (*line && !(name && strncmp(line, name, strlen(name)) == 0))
            fprintf(file, "%s\n", line);
    fclose(file);
}

/* Sends SIGHUP to all daemons except one and waits for each to log this line. */
static void reload_hosts(const char *but, const char *text)
{
    int64_t deadline = clock_mono_ms() + HOST_BACK_MS;

    for (size_t i = 0; i < HOST_DAEMONS; i++) {
        size_t before = log_count(i, text);

        if (but && strcmp(host_suite_daemons[i].name, but) == 0)
            continue;
        kill(suite.running[i]->pid, SIGHUP);
        while (log_count(i, text) == before && clock_mono_ms() < deadline)
            unit_sleep_ms(20);
        UNIT_CHECK(log_count(i, text) > before, "%s: %s", host_suite_daemons[i].name, text);
    }
}

static bool documents_become(int status)
{
    int64_t deadline = clock_mono_ms() + HOST_BACK_MS;
    int last = 0;

    while (last != status && clock_mono_ms() < deadline) {
        HTTP_ANSWER answer = http_get(HOST_URL, "/document", reader_token);

        last = answer->status;
        if (last != status)
            unit_sleep_ms(50);
    }
    return last == status;
}

static void a_removed_host_is_disconnected_until_it_is_listed_again(void)
{
    static const char docd[] = "docd.c1";

    CU_ASSERT_TRUE(documents_become(200));
    write_hosts_without(docd);
    reload_hosts(docd, "configuration reloaded");
    CU_ASSERT_TRUE(
        host_suite_log_has(&suite, host_suite_place("gateway.a1"), "no longer in bus_hosts"));
    CU_ASSERT_TRUE(documents_become(503));
    for (int i = 0; i < 20; i++) { /* docd's calls do not bring it back */
        HTTP_ANSWER answer = http_get(HOST_URL, "/document", reader_token);
        HTTP_ANSWER me = host_suite_me(reader_token);

        CHECK_STATUS(answer, 503);
        CHECK_STATUS(me, 200);
        unit_sleep_ms(100);
    }
    write_hosts_without(NULL);
    reload_hosts(docd, "configuration reloaded");
    CU_ASSERT_TRUE(documents_become(200));
    CU_ASSERT_TRUE(host_suite_is_up(&suite, HOST_BACK_MS));
}

static void a_broken_list_of_hosts_changes_nothing(void)
{
    unit_dir_write(&suite.dir, "hosts", "docd.c1 is no line of this list\n");
    reload_hosts(NULL, "configuration refused");
    CU_ASSERT_TRUE(documents_become(200));
    write_hosts_without(NULL);
    reload_hosts(NULL, "configuration reloaded");
    CU_ASSERT_TRUE(documents_become(200));
}

/* The operations that docd's key opens, which are the rows that name docd. */
struct thief {
    struct loop *loop;
    struct bus *bus;
};

static enum error_code steal(struct thief *self, const char *service, const char *operation)
{
    const struct bus_method method = {service, operation, 0, NULL, NULL};
    struct request req = {.arena = arena_new(), .deadline_mono_ms = clock_mono_ms() + 5000};
    msgpack_object body;
    struct error err;

    error_init(&err, req.arena);
    if (bus_call_packed(self->bus, &method, &req, "\x90", 1, &body, &err) ==
        0) /* refused as not a map */
        error_clear(&err);
    arena_destroy(&req.arena);
    return err.code;
}

static void steal_everything(struct loop *loop, void *arg)
{
    static const struct {
        const char *service, *operation;
    } rows[] = {
#define ROUTE(method, path, handler, ...) {"settingsd", #handler},
#define ALIAS(...)
#define PAGE(method, path, handler, ...) {"settingsd", #handler},
#define ENDPOINT(method, path, handler, ...) {"settingsd", #handler},
#define OP(handler, ...) {"settingsd", #handler},
#include "settingsd/settingsd_routes.def"
        {"authd", "admin_create"},     {"authd", "identity_get"},    {"authd", "keys_rotate"},
        {"authd", "patient_register"}, {"authd", "session_end_get"}, {"maild", "mail_enqueue"},
        {"gateway", "service_status"},
    };
    static const char *const upstreams[] = {"authd", "settingsd", "maild", "gateway", NULL};
    static const struct operation none[] = {{.name = NULL}};
    struct thief thief = {.loop = loop};
    struct arena *arena = arg;
    struct bus_options options = {.service = "docd",
                                  .instance = "c1",
                                  .version = "0",
                                  .run_dir = arena_printf(suite.texts, "%s/thief", suite.dir.path),
                                  .operations = none,
                                  .upstreams = upstreams,
                                  .peer_max = 16,
                                  .serve_max = 1};
    struct clock *clock = clock_new(NULL);
    struct metrics *metrics = metrics_new();
    struct bus_hosts *list;
    struct error err;

    error_init(&err, NULL);
    if (bus_hosts_read(arena_printf(suite.texts, "%s/hosts", suite.dir.path), arena, &list, &err) <
            0 ||
        bus_hosts_take_key(list, arena_printf(suite.texts, "%s/c/keys", suite.dir.path), "docd.c1",
                           &err) < 0)
        UNIT_CHECK(false, "%s", err.message);
    options.hosts = list;
    thief.bus = bus_new(loop, clock, metrics, &options, &err);
    for (int i = 0; i < 300; i++)
        (void)!fiber_sleep_until(loop, clock_mono_ms() + 10, &err);
    CU_ASSERT(bus_has_peer(thief.bus, "settingsd"));
    CU_ASSERT(bus_has_peer(thief.bus, "authd"));
    CU_ASSERT(!bus_has_peer(thief.bus, "maild"));
    CU_ASSERT(!bus_has_peer(thief.bus, "gateway"));
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        enum error_code code = steal(&thief, rows[i].service, rows[i].operation);
        bool reached = bus_has_peer(thief.bus, rows[i].service),
             allowed = strcmp(rows[i].operation, "tenant_lookup") == 0 ||
                       strcmp(rows[i].operation, "session_end_get") == 0;

        UNIT_CHECK(code == (allowed   ? ERR_BAD_REQUEST
                            : reached ? ERR_FORBIDDEN
                                      : ERR_UNAVAILABLE),
                   "%s: %s", rows[i].operation, error_kind(code)->wire);
    }
    bus_destroy(&thief.bus);
    metrics_destroy(&metrics);
    clock_destroy(&clock);
}

static void a_stolen_docd_key_has_the_rights_of_docd(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();

    unit_expect_log(UNIT_ANY_LOG);
    hosts_enter(
        suite.hosts,
        HOST_C); /* before the first socket, because libzmq's thread stays where it starts */
    unit_on_fiber(steal_everything, arena);
    hosts_enter(suite.hosts, HOST_A);
    CU_ASSERT(host_suite_log_has(&suite, host_suite_place("maild.a1"),
                                 "a caller from another host was refused"));
    CU_ASSERT(host_suite_log_has(&suite, host_suite_place("maild.a1"), "10.77.0.3"));
}

/* A daemon with its own key, which only its own list of hosts has. */
static void an_unknown_key_is_refused(void)
{
    char *path = program_path("atrium-docd");
    const char *config = arena_printf(suite.texts, "%s/x/atrium.conf", suite.dir.path);
    const char *const argv[] = {path, "--config", config, "--instance", "c9", NULL};
    size_t settingsd = host_suite_place("settingsd.a1");
    struct program *stranger;
    FILE *file;

    host_suite_write_config(&suite, HOST_STRANGER,
                            arena_printf(suite.texts, "%s/x/hosts", suite.dir.path));
    PROGRAM key = HOST_CTL(&suite, HOST_STRANGER, NULL, "keys", "bus", "docd.c9");
    file = fopen(arena_printf(suite.texts, "%s/x/hosts", suite.dir.path), "w");
    fprintf(file, "%s%s", key->out, unit_dir_read(&suite.dir, "hosts"));
    fclose(file);
    CU_ASSERT(!host_suite_log_has(&suite, settingsd, "its key is not in bus_hosts"));
    hosts_enter(suite.hosts, HOST_C);
    stranger = program_start(argv, NULL);
    hosts_enter(suite.hosts, HOST_A);
    unit_sleep_ms(4000);
    program_wait_output(stranger, "nothing", 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(stranger->err, "it refuses our key"));
    CU_ASSERT_PTR_NULL(strstr(stranger->err, "peer connected"));
    CU_ASSERT(host_suite_log_has(&suite, settingsd, "its key is not in bus_hosts"));
    program_destroy(&stranger);
    free(path);
}

static void suite_shuts_down_cleanly(void)
{
    host_suite_stop(&suite);
    free(reader_token);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(the_suite_starts),
    CASE(a_removed_host_is_disconnected_until_it_is_listed_again),
    CASE(a_broken_list_of_hosts_changes_nothing),
    CASE(a_stolen_docd_key_has_the_rights_of_docd),
    CASE(an_unknown_key_is_refused),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    int failed;

    if (!host_suite_make(&suite))
        return unit_leave_out_suite("keys of hosts",
                                    "no network namespaces with a bridge can be made");
    unit_optional();
    failed = unit_run("keys of hosts", cases, ARRAY_SIZE(cases));
    host_suite_destroy(&suite);
    return failed;
}
