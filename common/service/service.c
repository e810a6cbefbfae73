/*
 * service.c - a daemon's life. Start and stop run on fibers; the loop ends with the last fiber.
 * Closing reverses opening.
 */
#include "common/service/service.h"

#include <inttypes.h>
#include <malloc.h>
#include <signal.h>
#include <sodium.h>
#include <stdio.h>
#include <sys/resource.h>
#include <systemd/sd-daemon.h>

#include "common/base/descriptors.h"
#include "common/base/memory.h"
#include "common/service/project_read_only.h"
#include "common/service/service_private.h"

enum {
    PEER_MAX = 512,   /* in flight, per instance */
    SERVE_MAX = 1024, /* requests served at a time */
    STATEMENT_QUEUE_MAX = 2048,
    OFFLOAD_QUEUE_MAX = 64, /* a full queue is seconds of password hashing on two cores */
    DRAIN_MS = 10000,
    DATABASE_RETRY_MIN_MS = 50,
    DATABASE_RETRY_MAX_MS = 1000,
    AUDIT_OPEN_MS = 2000,
};

/* ---- opening, in order ---- */

static void log_failure(int level, const char *message, const struct error *err)
{
    log_event(level, "service", message, "error", err->message, "detail",
              err->detail[0] != '\0' ? err->detail : NULL, NULL);
}

/* Opens the bus, not on a fiber: group lookups can load libraries with large stacks. Callers wait
 * for open_all(). */
static int open_bus(struct service *self, struct error *err)
{
    const struct service_definition *definition = self->definition;
    struct bus_options *options = arena_alloc(self->arena, sizeof(*options));

    *options = (struct bus_options){
        .service = definition->name,
        .instance = self->instance,
        .version = ATRIUM_VERSION,
        .run_dir = self->common->run_dir,
        .operations = service_operations(definition->operations, self->arena),
        .daemon = self,
        .admit = definition->admit,
        .find_project = definition->find_project,
        .upstreams = definition->upstreams,
        .peer_max = PEER_MAX,
        .serve_max = SERVE_MAX,
        .held = true,
        .hosts = self->hosts,
        .spans = self->spans,
    };
    self->bus = bus_new(self->loop, self->clock, self->metrics, options, err);
    return !self->bus ? -1 : 0;
}

/* Waits for the server. Fails if it rejects this daemon, or the service stops. */
static int prepare_database(struct service *self, struct error *err)
{
    int64_t pause_ms = DATABASE_RETRY_MIN_MS;

    while (db_prepare(self->db, err) < 0) {
        if ((err->code != ERR_UNAVAILABLE && err->code != ERR_OVERLOADED) || self->stopping)
            return -1;
        if (pause_ms == DATABASE_RETRY_MIN_MS)
            log_failure(LOG_WARNING, "waiting for the database", err);
        if (fiber_sleep_until(self->loop, clock_mono_ms() + pause_ms, err) < 0)
            return -1;
        pause_ms = MIN(pause_ms * 2, (int64_t)DATABASE_RETRY_MAX_MS);
        error_clear(err);
    }
    return 0;
}

static int open_database(struct service *self, struct error *err)
{
    const struct service_definition *definition = self->definition;
    const struct database_config *config;
    struct db_options *options;

    if (definition->database_offset == SIZE_MAX)
        return 0;
    config = service_database_config(self);
    options = arena_alloc(self->arena, sizeof(*options));
    *options = (struct db_options){
        .conninfo = config->database,
        .schema = definition->schema,
        .program = arena_printf(self->arena, "atrium-%s.%s", definition->name, self->instance),
        .sql = definition->sql,
        .migrations = definition->migrations,
        .read_connections = (size_t)config->read_connections,
        .write_connections = (size_t)config->write_connections,
        .statement_timeout_ms = config->statement_timeout,
        .lock_timeout_ms = config->lock_timeout,
        .queue_max = STATEMENT_QUEUE_MAX,
    };
    self->db = db_new(self->loop, self->metrics, options);
    db_set_slow(self->db, self->common->slow_statement * 1000);
    check_database_extend(self->db);
    service_database_extend(self);
    if (definition->audit)
        self->audit = audit_chain_new(self->arena, self->db, self->metrics);
    if (self->seal.count > 0)
        service_seal_extend(self);
    if (definition->purge)
        project_purge_extend(self);
    if (definition->erasure)
        service_erasure_extend(self);
    if (definition->tenant)
        project_read_only_extend(self);
    return prepare_database(self, err);
}

static int run_audit(void *daemon, const struct request *req, struct error *err)
{
    struct service *self = daemon;

    return audit_chain_run(self->audit, req, err);
}

/* Creates the month's partition before the first row, if possible. Rows have a place without it,
 * too. */
static void open_audit(struct service *self)
{
    CLEANUP(service_request_destroy)
    struct request *req = service_request_new(self, AUDIT_OPEN_MS);
    struct error err;

    error_init(&err, req->arena);
    if (audit_chain_months(self->audit, req, &err) < 0)
        log_failure(LOG_WARNING, "cannot create a new partition for the audit log", &err);
    service_every(self, "audit", AUDIT_PERIOD_MS, run_audit);
}

/* Opens everything a daemon needs, in order. `ret_begun`: start() was called. */
static int open_all(struct service *self, bool *ret_begun, struct error *err)
{
    const struct service_definition *definition = self->definition;

    if (service_seal_load(self, err) < 0 || open_database(self, err) < 0)
        return -1;
    if (self->audit)
        open_audit(self); /* before the first audit row, perhaps the seal key's */
    if (service_seal_open(self, err) < 0)
        return -1;
    if (definition->outbox_methods)
        self->outbox = outbox_new(self->loop, self->db, self->bus, self->metrics,
                                  definition->outbox_methods, &self->seal);
    if (self->db)
        service_database_watch(self);
    if (definition->purge)
        project_purge_watch(self);
    *ret_begun = true;
    if (definition->start && definition->start(self, err) < 0)
        return -1;
    bus_open(self->bus);
    return 0;
}

static void close_all(struct service *self)
{
    static const int signals[] = {SIGTERM, SIGINT, SIGHUP};

    /* The event loop unblocks these signals when it ends. They are ignored then, so that a second
     * signal does not kill the exiting process. */
    for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
        signal(signals[i], SIG_IGN);
    loop_cancel(self->loop, &self->watchdog);
    outbox_destroy(&self->outbox);
    db_destroy(&self->db);
    bus_destroy(&self->bus);
    spans_destroy(&self->spans);
    offload_destroy(&self->offload);
    metrics_destroy(&self->metrics);
    clock_destroy(&self->clock);
    log_set_context(NULL, NULL);
    loop_destroy(&self->loop);
    seal_keys_wipe(&self->seal);
}

/* ---- serving ---- */

static void feed_watchdog(void *arg)
{
    struct service *self = arg;
    uint64_t limit_us = 0;

    self->watchdog = NULL;
    if (sd_watchdog_enabled(0, &limit_us) <= 0)
        return;
    sd_notify(0, "WATCHDOG=1");
    self->watchdog =
        loop_at(self->loop, clock_mono_ms() + (int64_t)(limit_us / 2000), feed_watchdog, self);
}

static void end(struct service *self)
{
    self->ended = true;
    fiber_cancel_all(self->loop);
}

static void end_when_unwound(void *arg)
{
    struct service *self = arg;

    if (self->ended && fiber_count(self->loop) == 0)
        loop_stop(self->loop);
}

/* Drains, then cancels the remaining requests and waits for their end. */
static void drain(struct service *self)
{
    if (self->definition->drain)
        self->definition->drain(self);
    bus_drain(self->bus, clock_mono_ms() + DRAIN_MS);
    if (bus_serving(self->bus) > 0) {
        log_event(LOG_WARNING, "service", "running requests were canceled", NULL);
        fiber_cancel_all(self->loop);
    }
    while (bus_serving(self->bus) > 0)
        (void)!fiber_park(self->loop, INT64_MAX);
    service_tasks_stop(self);
}

static void stop_fiber(void *arg)
{
    struct service *self = arg;

    sd_notify(0, "STOPPING=1");
    log_event(LOG_INFO, "service", "stopping", NULL);
    drain(self);
    if (self->definition->stop)
        self->definition->stop(self);
    end(self);
}

static void on_signal(void *arg, int signo)
{
    struct service *self = arg;
    struct error err;

    if (self->stopping)
        return;
    if (signo == SIGHUP) {
        service_reload(self);
        return;
    }
    self->stopping = true;
    error_init(&err, NULL);
    fiber_set_max(self->loop, SIZE_MAX);
    if (!self->ready)
        fiber_cancel_all(self->loop); /* start_fiber() gives up */
    else if (fiber_start(self->loop, stop_fiber, self, &err) < 0)
        log_die("service", "cannot start the last fiber");
}

/* Undoes a failed start as SIGTERM would. */
static void give_up(struct service *self, bool begun)
{
    fiber_cancel_all(self->loop);
    service_tasks_stop(self);
    if (begun && self->definition->stop)
        self->definition->stop(self);
}

static void start_fiber(void *arg)
{
    struct service *self = arg;
    char took[24];
    bool begun = false;
    struct error err;

    error_init(&err, self->arena);
    if (open_all(self, &begun, &err) < 0) {
        if (!self->stopping) {
            log_failure(LOG_ERR, "cannot start", &err);
            self->exit_code = EXIT_FAILURE;
        }
        self->stopping = true;
        give_up(self, begun);
        end(self);
        return;
    }
    malloc_trim(0); /* returns memory that only the start needed */
    self->ready = true;
    if (self->reload_again)
        service_reload(self);
    snprintf(took, sizeof(took), "%" PRId64, clock_mono_ms() - self->started_mono_ms);
    log_event(LOG_INFO, "service", "ready", "version", ATRIUM_VERSION, "ms", took, NULL);
    sd_notify(0, "READY=1");
    feed_watchdog(self);
    if (self->stopping) /* SIGTERM in the last step */
        stop_fiber(self);
}

static int64_t read_uptime(void *arg)
{
    return (clock_mono_ms() - ((const struct service *)arg)->started_mono_ms) / 1000;
}

static int64_t read_descriptors(void *arg UNUSED)
{
    return (int64_t)descriptors_used();
}

static int64_t read_descriptors_max(void *arg UNUSED)
{
    return (int64_t)descriptors_limit();
}

static void make_metrics(struct service *self)
{
    self->metrics = metrics_new();
    self->spans = spans_new(self->metrics);
    metrics_gauge(self->metrics, "atrium_uptime_seconds", "Time since the start of the process.",
                  read_uptime, self);
    metrics_gauge(self->metrics, "atrium_descriptors", "Open files and sockets.", read_descriptors,
                  self);
    metrics_gauge(self->metrics, "atrium_descriptors_max", "Limit of open files and sockets.",
                  read_descriptors_max, self);
    if (self->definition->database_offset != SIZE_MAX)
        service_database_metrics(self);
}

/* Fills the context for lines without their own. */
static void read_log_context(void *arg, struct log_context *ret)
{
    const struct activity *activity = activity_current(arg);

    if (!activity)
        return;
    ret->request_id = activity->request_id;
    if (!activity->spans)
        return;
    trace_hex(activity->context.trace_id, TRACE_ID_BYTES, ret->trace_id);
    trace_hex(activity->context.span_id, SPAN_ID_BYTES, ret->span_id);
}

static int run(struct service *self, const struct service_options *options)
{
    struct error err;

    self->options = options;
    self->started_mono_ms = clock_mono_ms();
    self->loop = loop_new();
    log_set_context(read_log_context, self->loop);
    self->clock = clock_new(options->test_clock);
    make_metrics(self);
    self->offload = offload_new(self->loop, 0, OFFLOAD_QUEUE_MAX);
    loop_on_signal(self->loop, on_signal, self);
    loop_each_turn(self->loop, end_when_unwound, self);
    error_init(&err, self->arena);
    if (open_bus(self, &err) < 0) {
        log_failure(LOG_ERR, "cannot start", &err);
        self->exit_code = EXIT_FAILURE;
    } else if (fiber_start(self->loop, start_fiber, self, &err) < 0 || loop_run(self->loop) < 0) {
        log_die("service", "the loop cannot run");
    }
    close_all(self);
    return self->exit_code;
}

static int start_or_print(struct service *self, const struct service_options *options)
{
    struct error err;

    error_init(&err, self->arena);
    if ((options->print_config ? service_config_load(self, options, &err)
                               : service_config_check(self, options, &err)) < 0) {
        log_failure(LOG_ERR, "cannot start", &err);
        return EXIT_FAILURE;
    }
    if (options->print_config)
        fputs(service_config_text(self, self->arena), stdout);
    if (options->print_config || options->check_config)
        return EXIT_SUCCESS;
    log_set_level(service_log_level(self->common->log_level));
    log_set_format(log_format_from(self->common->log_format));
    return run(self, options);
}

/* Prevents core files, which would hold secrets. A debugging operator can raise the soft limit. */
static void leave_no_core(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_CORE, &limit) < 0)
        log_die("service", "cannot set the limit of core files");
    limit.rlim_cur = 0;
    if (setrlimit(RLIMIT_CORE, &limit) < 0)
        log_die("service", "core files cannot be turned off");
}

int service_main(int argc, char **argv, const struct service_definition *definition)
{
    struct service_options options;
    struct service *self;
    char program[64];
    int exit_code;

    if (service_options_read(argc, argv, definition, &options, &exit_code) < 0)
        return exit_code;
    self = memory_new(definition->size);
    if (sodium_init() < 0)
        log_die("service", "no random source");
    signal(SIGPIPE, SIG_IGN);
    snprintf(program, sizeof(program), "atrium-%s", definition->name);
    log_open(program, options.instance, LOG_INFO);
    leave_no_core();
    descriptors_raise();
    self->definition = definition;
    self->arena = arena_new();
    exit_code = start_or_print(self, &options);
    arena_destroy(&self->reload_arena);
    arena_destroy(&self->hosts_arena);
    arena_destroy(&self->arena);
    free(self);
    return exit_code;
}
