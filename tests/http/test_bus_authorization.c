/*
 * test_bus_authorization.c - calls every operation of every daemon as each service and as an
 * unknown one.
 *
 * The socket identifies the caller. A daemon has sockets only for services in its rows, and each
 * socket opens only their operations. The body is not a map, so nothing is executed.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/bus/bus.h"
#include "tests/support/suite.h"
#include "tests/support/unit.h"

struct row {
    const char *service, *operation, *callers;
};

#define BUILT_IN(service)                                                                    \
    {service, "service_status", "gateway ctl"}, {service, "service_metrics", "gateway ctl"}, \
        {service, "audit_page", "ctl"}, {service, "service_check", "ctl"},                   \
        {service, "audit_leaves", "authd"}, {service, "audit_rows", "authd"},                \
    {                                                                                        \
        service, "no_such_operation", ""                                                     \
    }

static const struct row rows[] = {
#define ROUTE(method, path, handler, ...) {"authd", #handler, "gateway"},
#define ALIAS(...)
#define PAGE(method, path, handler, ...) {"authd", #handler, "gateway"},
#define ENDPOINT(method, path, handler, ...) {"authd", #handler, "gateway"},
#define OP(handler, input, output, callers, flags) {"authd", #handler, callers},
#include "authd/authd_routes.def"
#define ROUTE(method, path, handler, ...) {"settingsd", #handler, "gateway"},
#define ALIAS(...)
#define PAGE(method, path, handler, ...) {"settingsd", #handler, "gateway"},
#define ENDPOINT(method, path, handler, ...) {"settingsd", #handler, "gateway"},
#define OP(handler, input, output, callers, flags) {"settingsd", #handler, callers},
#include "settingsd/settingsd_routes.def"
#define ROUTE(method, path, handler, ...) {"maild", #handler, "gateway"},
#define ALIAS(...)
#define PAGE(method, path, handler, ...) {"maild", #handler, "gateway"},
#define ENDPOINT(method, path, handler, ...) {"maild", #handler, "gateway"},
#define OP(handler, input, output, callers, flags) {"maild", #handler, callers},
#include "maild/maild_routes.def"
#define ROUTE(method, path, handler, ...) {"docd", #handler, "gateway"},
#define ALIAS(...)
#define PAGE(method, path, handler, ...) {"docd", #handler, "gateway"},
#define ENDPOINT(method, path, handler, ...) {"docd", #handler, "gateway"},
#define OP(handler, input, output, callers, flags) {"docd", #handler, callers},
#include "docd/docd_routes.def"
#define ROUTE(method, path, handler, ...) {"botd", #handler, "gateway"},
#define ALIAS(...)
#define PAGE(method, path, handler, ...) {"botd", #handler, "gateway"},
#define ENDPOINT(method, path, handler, ...) {"botd", #handler, "gateway"},
#define OP(handler, input, output, callers, flags) {"botd", #handler, callers},
#include "botd/botd_routes.def"
    BUILT_IN("authd"), BUILT_IN("settingsd"), BUILT_IN("maild"),
    BUILT_IN("docd"),  BUILT_IN("botd"),      BUILT_IN("gateway"),
};

static const char *const services[] = {"authd", "settingsd", "maild", "docd",
                                       "botd",  "gateway",   NULL};
static const char *const callers[] = {"gateway", "authd", "settingsd", "maild",
                                      "docd",    "botd",  "ctl",       "stranger"};

static struct suite *suite;

static bool is_named(const char *list, const char *word)
{
    size_t length = strlen(word);

    for (const char *at = list; *at != '\0'; at += strspn(at, " ")) {
        size_t size = strcspn(at, " ");

        if (size == length && strncmp(at, word, size) == 0)
            return true;
        at += size;
    }
    return false;
}

static bool has_door(const char *service, const char *caller)
{
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        if (strcmp(rows[i].service, service) == 0 && is_named(rows[i].callers, caller))
            return true;
    }
    return false;
}

struct probe {
    const char *caller;
    struct loop *loop;
    struct clock *clock;
    struct metrics *metrics;
    struct bus_options options;
    struct bus *bus;
    size_t refused, listed;
};

/* Returns the error of the operation for a body that is not a map; ERR_UNAVAILABLE if there is no
 * socket. */
static enum error_code ask(struct probe *probe, const struct row *row)
{
    static const char no_map[] = "\x90"; /* an empty array */
    const struct bus_method method = {row->service, row->operation, 0, NULL, NULL};
    struct request req = {.arena = arena_new(), .deadline_mono_ms = clock_mono_ms() + 10000};
    msgpack_object body;
    struct error err;

    error_init(&err, req.arena);
    if (bus_call_packed(probe->bus, &method, &req, no_map, 1, &body, &err) == 0)
        error_clear(&err);
    arena_destroy(&req.arena);
    return err.code;
}

static void check_row(struct probe *probe, const struct row *row)
{
    enum error_code code = ask(probe, row);

    if (!has_door(row->service, probe->caller)) {
        UNIT_CHECK(code == ERR_UNAVAILABLE, "%s reached %s.%s: %s", probe->caller, row->service,
                   row->operation, error_kind(code)->wire);
    } else if (*row->callers == '\0') {
        /* The daemon responds as to a newer caller's unknown operation, because the caller of a
         * dropped request would wait until its deadline. */
        UNIT_CHECK(code == ERR_UNAVAILABLE, "%s asked %s for what it has not: %s", probe->caller,
                   row->service, error_kind(code)->wire);
    } else if (!is_named(row->callers, probe->caller)) {
        probe->refused++;
        UNIT_CHECK(code == ERR_FORBIDDEN, "%s asked %s.%s: %s", probe->caller, row->service,
                   row->operation, error_kind(code)->wire);
    } else {
        /* Admitted, then refused for the body or the missing user. */
        probe->listed++;
        UNIT_CHECK(code == ERR_BAD_REQUEST || code == ERR_UNAUTHORIZED, "%s asked %s.%s: %s",
                   probe->caller, row->service, row->operation, error_kind(code)->wire);
    }
}

static void check_sockets(const struct probe *probe)
{
    char path[256];

    for (size_t i = 0; services[i]; i++) {
        snprintf(path, sizeof(path), "%s/%s/%s.1", suite_text(suite, "busDir"), services[i],
                 probe->caller);
        UNIT_CHECK((access(path, F_OK) == 0) == has_door(services[i], probe->caller), "%s", path);
    }
}

static bool wait_doors(struct probe *probe)
{
    struct error err;

    error_init(&err, NULL);
    for (int i = 0; i < 1000; i++) {
        bool all = true;

        for (size_t s = 0; services[s]; s++)
            all = all &&
                  (bus_has_peer(probe->bus, services[s]) || !has_door(services[s], probe->caller));
        if (all)
            return true;
        if (fiber_sleep_until(probe->loop, clock_mono_ms() + 10, &err) < 0)
            return false;
    }
    return false;
}

static void probe_open(struct probe *probe, const char *run_dir)
{
    static const struct operation no_operations[] = {{.name = NULL}};
    struct error err;

    probe->clock = clock_new(NULL);
    probe->metrics = metrics_new();
    probe->options = (struct bus_options){.service = probe->caller,
                                          .instance = "probe",
                                          .version = "0",
                                          .run_dir = run_dir,
                                          .operations = no_operations,
                                          .upstreams = services,
                                          .peer_max = 16,
                                          .serve_max = 1};
    error_init(&err, NULL);
    probe->bus = bus_new(probe->loop, probe->clock, probe->metrics, &probe->options, &err);
    UNIT_REQUIRE(probe->bus != NULL, "%s", err.message);
}

static void probe_close(struct probe *probe)
{
    bus_destroy(&probe->bus);
    metrics_destroy(&probe->metrics);
    clock_destroy(&probe->clock);
}

static void ask_everything(struct loop *loop, void *arg)
{
    size_t *counts = arg;
    char run_dir[256];

    snprintf(run_dir, sizeof(run_dir), "%s", suite_text(suite, "busDir"));
    *strrchr(run_dir, '/') = '\0';
    for (size_t c = 0; c < ARRAY_SIZE(callers); c++) {
        struct probe probe = {.caller = callers[c], .loop = loop};

        probe_open(&probe, run_dir);
        UNIT_CHECK(wait_doors(&probe), "%s is not let in", callers[c]);
        check_sockets(&probe);
        for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
            check_row(&probe, &rows[i]);
        counts[0] += probe.refused;
        counts[1] += probe.listed;
        probe_close(&probe);
    }
}

static void only_listed_services_may_call_an_operation(void)
{
    size_t counts[2] = {0};

    unit_on_fiber(ask_everything, counts);
    /* Both sides of the table occurred. */
    CU_ASSERT_TRUE(counts[0] > 200);
    CU_ASSERT_TRUE(counts[1] > 100);
}

static void suite_shuts_down_cleanly(void)
{
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(only_listed_services_may_call_an_operation),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite = suite_start(&(struct suite_options){.no_demo = true});
    return unit_run("callers", cases, ARRAY_SIZE(cases));
}
