/* ctl_bus.c - see ctl_bus.h. */
#include "ctl/ctl_bus.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/memory.h"
#include "common/service/config.h"
#include "common/service/service.h"

enum { PEER_POLL_MS = 5, INSTANCES_MAX = 256, RETRY_PAUSE_MS = 250 };

const char *const ctl_bus_services[] = {"gateway", "authd", "settingsd", "maild",
                                        "docd",    "botd",  NULL};

static const struct operation no_operations[] = {{.name = NULL}};

/* If there are no other hosts, the instance is named after the pid, because parallel commands need
 * their own sockets; otherwise after its bus key. */
struct ctl_bus *ctl_bus_new(struct loop *loop, const char *run_dir, const struct bus_hosts *hosts,
                            struct error *err)
{
    struct ctl_bus *self = memory_new(sizeof(*self));

    self->loop = loop;
    self->run_dir = run_dir;
    self->clock = clock_new(NULL);
    self->metrics = metrics_new();
    if (hosts)
        snprintf(self->instance, sizeof(self->instance), "%s", hosts->own->instance);
    else
        snprintf(self->instance, sizeof(self->instance), "%d", (int)getpid());
    self->options = (struct bus_options){.service = "ctl",
                                         .instance = self->instance,
                                         .version = ATRIUM_VERSION,
                                         .run_dir = run_dir,
                                         .operations = no_operations,
                                         .upstreams = ctl_bus_services,
                                         .peer_max = 16,
                                         .serve_max = 1,
                                         .hosts = hosts};
    self->bus = bus_new(loop, self->clock, self->metrics, &self->options, err);
    if (!self->bus)
        ctl_bus_destroy(&self);
    return self;
}

void ctl_bus_destroy(struct ctl_bus **self_p)
{
    struct ctl_bus *self = *self_p;

    if (!self)
        return;
    bus_destroy(&self->bus);
    metrics_destroy(&self->metrics);
    clock_destroy(&self->clock);
    free(self);
    *self_p = NULL;
}

int ctl_bus_wait(struct ctl_bus *self, const char *service, int64_t timeout_ms, struct error *err)
{
    int64_t deadline = clock_mono_ms() + timeout_ms;

    while (!bus_has_peer(self->bus, service)) {
        int64_t now = clock_mono_ms();

        if (now >= deadline)
            return error_set(err, ERR_UNAVAILABLE, "no %s answers below %s: is the suite running?",
                             service, self->run_dir);
        if (fiber_sleep_until(self->loop, MIN(now + PEER_POLL_MS, deadline), err) < 0)
            return -1;
    }
    return 0;
}

static size_t add_name(const char **names, size_t count, const char *name, struct arena *arena)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0)
            return count;
    }
    if (count < INSTANCES_MAX)
        names[count++] = arena_strdup(arena, name);
    return count;
}

static size_t add_sockets(const struct ctl_bus *self, const char *service, const char **names,
                          struct arena *arena)
{
    static const char prefix[] = "ctl.";
    DIR *listing = opendir(arena_printf(arena, "%s/bus/%s", self->run_dir, service));
    size_t count = 0;

    if (!listing)
        return 0;
    for (struct dirent *entry; (entry = readdir(listing));) {
        if (strncmp(entry->d_name, prefix, sizeof(prefix) - 1) == 0)
            count = add_name(names, count, entry->d_name + sizeof(prefix) - 1, arena);
    }
    closedir(listing);
    return count;
}

static int compare_names(const void *a, const void *b)
{
    return strverscmp(*(const char *const *)a, *(const char *const *)b);
}

const char **ctl_bus_instances(const struct ctl_bus *self, const char *service, struct arena *arena)
{
    const struct bus_hosts *hosts = self->options.hosts;
    const char **names = arena_calloc(arena, INSTANCES_MAX + 1, sizeof(*names));
    size_t count = add_sockets(self, service, names, arena);

    for (size_t i = 0; hosts && i < hosts->count; i++) {
        if (hosts->rows[i].endpoint && strcmp(hosts->rows[i].service, service) == 0)
            count = add_name(names, count, hosts->rows[i].instance, arena);
    }
    qsort(names, count, sizeof(*names), compare_names);
    return names;
}

struct request ctl_bus_request(struct ctl_bus *self, struct arena *arena)
{
    return (struct request){.arena = arena,
                            .service = "ctl",
                            .trace = arena_strdup(arena, uuid_random().text),
                            .address = "",
                            .userAgent = "",
                            .now_ms = clock_now_ms(self->clock),
                            .deadline_mono_ms = clock_mono_ms() + CTL_BUS_CALL_MS};
}

int ctl_bus_retry(struct ctl_bus *self, int64_t since_mono_ms, struct error *err)
{
    int64_t now_ms = clock_mono_ms();
    bool passing = err->code == ERR_UNAVAILABLE || err->code == ERR_UNCERTAIN ||
                   err->code == ERR_OVERLOADED || err->code == ERR_DEADLINE;

    if (!passing || now_ms - since_mono_ms >= CTL_BUS_RETRY_MS)
        return -1;
    error_clear(err);
    return fiber_sleep_until(self->loop, now_ms + RETRY_PAUSE_MS, err);
}

int ctl_bus_call(struct ctl_bus *self, struct arena *arena, const struct bus_method *method,
                 const void *in, void *out, struct error *err)
{
    int64_t since = clock_mono_ms();
    struct request req;

    do {
        req = ctl_bus_request(self, arena);
        memset(out, 0, method->output->size);
        if (bus_call(self->bus, method, &req, in, out, err) == 0)
            return 0;
    } while (ctl_bus_retry(self, since, err) == 0);
    return -1;
}

/* ---- running a command ---- */

struct run {
    struct ctl *ctl;
    struct loop *loop;
    struct error *err;
    int result;
};

int ctl_bus_config(struct ctl *ctl, struct common_config *ret, struct error *err)
{
    struct config_section section = {
        .name = "common", .rows = common_config_rows, .count = common_config_row_count, .out = ret};
    const char *file = ctl->config ? ctl->config : CONFIG_FILE, **files;

    if (ctl->dir)
        file = arena_printf(ctl->arena, "%s/atrium.conf", ctl->dir);
    if (config_files_of(file, ctl->arena, &files, err) < 0)
        return -1;
    if (access(files[0], R_OK) < 0)
        return error_set(err, ERR_NOT_FOUND,
                         "%s cannot be read; select a suite with --dir or --config", files[0]);
    return config_read(files, &section, 1, ctl->arena, err);
}

/* Finds the first ctl key on this host. *ret NULL: no key, or a suite of one host. */
static int find_hosts(struct ctl *ctl, const struct common_config *common, struct bus_hosts **ret,
                      struct error *err)
{
    struct bus_hosts *hosts = NULL;

    *ret = NULL;
    if (!common->bus_hosts)
        return 0;
    if (bus_hosts_read(common->bus_hosts, ctl->arena, &hosts, err) < 0)
        return -1;
    for (size_t i = 0; i < hosts->count; i++) {
        const char *name = hosts->rows[i].name;

        if (strcmp(hosts->rows[i].service, "ctl") != 0 ||
            (access(arena_printf(ctl->arena, "%s/%s.key", common->bus_keys, name), F_OK) < 0 &&
             errno == ENOENT))
            continue;
        *ret = hosts;
        return bus_hosts_take_key(hosts, common->bus_keys, name, err);
    }
    return 0;
}

/* A cancelled wait reports a stopping daemon; this reports an interruption instead, and keeps what
 * the command added. */
static void name_interruption(struct error *err)
{
    struct error stopping;

    error_init(&stopping, NULL);
    if (fiber_wake_error(FIBER_CANCELLED, &stopping) < 0 &&
        strncmp(err->message, stopping.message, strlen(stopping.message)) == 0)
        error_set(err, err->code, "Interrupted.%s", err->message + strlen(stopping.message));
}

static void run_fiber(void *arg)
{
    struct run *run = arg;
    const char *service = run->ctl->command->service;

    run->result = 0;
    if (*service)
        run->result = ctl_bus_wait(run->ctl->bus, service, CTL_BUS_PEER_MS, run->err);
    if (run->result == 0)
        run->result = run->ctl->command->run(run->ctl, run->err);
    if (run->result < 0 && run->ctl->bus->interrupted)
        name_interruption(run->err);
    loop_stop(run->loop);
}

static void on_signal(void *arg, int signo UNUSED)
{
    struct run *run = arg;
    struct ctl_bus *bus = run->ctl->bus;
    bool waits = bus->interruption_waits && !bus->interrupted;

    bus->interrupted = true;
    if (!waits)
        fiber_cancel_all(run->loop);
}

int ctl_bus_run(struct ctl *ctl, struct error *err)
{
    struct run run = {.ctl = ctl, .err = err, .result = -1};
    struct common_config common = {0};
    struct bus_hosts *hosts;

    if (ctl_bus_config(ctl, &common, err) < 0 || find_hosts(ctl, &common, &hosts, err) < 0)
        return -1;
    run.loop = loop_new();
    loop_on_signal(run.loop, on_signal, &run);
    ctl->bus = ctl_bus_new(run.loop, common.run_dir, hosts, err);
    if (ctl->bus && fiber_start(run.loop, run_fiber, &run, err) == 0 && loop_run(run.loop) < 0)
        run.result = error_set(err, ERR_INTERNAL, "the event loop failed");
    ctl_bus_destroy(&ctl->bus);
    loop_destroy(&run.loop);
    return run.result;
}
