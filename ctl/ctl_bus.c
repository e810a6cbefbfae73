/*
 * ctl_bus.c - one connection to the bus for one command; see ctl_bus.h.
 */
#include "ctl/ctl_bus.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/config.h"
#include "common/log.h"
#include "common/service.h"

enum { PEER_POLL_MS = 5, INSTANCES_MAX = 256 };

const char *const ctl_bus_services[] = {"gateway", "authd", "settingsd", "maild",
                                        "docd",    "botd",  NULL};

static const struct operation no_operations[] = {{.name = NULL}};

struct ctl_bus *ctl_bus_new(struct loop *loop, const char *run_dir, struct error *err)
{
    struct ctl_bus *self = calloc(1, sizeof *self);

    if (!self)
        log_die("ctl", "out of memory");
    self->loop = loop;
    self->run_dir = run_dir;
    self->clock = clock_new(NULL);
    self->metrics = metrics_new();
    snprintf(self->instance, sizeof self->instance, "%d", (int)getpid());
    self->options = (struct bus_options){.service = "ctl",
                                         .instance = self->instance,
                                         .version = ATRIUM_VERSION,
                                         .run_dir = run_dir,
                                         .operations = no_operations,
                                         .asks = ctl_bus_services,
                                         .peer_max = 16,
                                         .serve_max = 1};
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

/* A socket named "ctl.<instance>" in the service's directory is an instance's. */
const char **ctl_bus_instances(const struct ctl_bus *self, const char *service, struct arena *arena)
{
    static const char prefix[] = "ctl.";
    DIR *listing = opendir(arena_printf(arena, "%s/bus/%s", self->run_dir, service));
    const char **names = arena_calloc(arena, INSTANCES_MAX + 1, sizeof(*names));
    size_t count = 0;

    if (listing == NULL)
        return names;
    for (struct dirent *entry; count < INSTANCES_MAX && (entry = readdir(listing)) != NULL;) {
        if (strncmp(entry->d_name, prefix, sizeof(prefix) - 1) == 0)
            names[count++] = arena_strdup(arena, entry->d_name + sizeof(prefix) - 1);
    }
    closedir(listing);
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

/* ---- one operator command ---- */

struct run {
    struct ctl *ctl;
    const struct command *command;
    struct loop *loop;
    struct error *err;
    int result;
};

static const char *run_dir_of(struct ctl *ctl, struct error *err)
{
    struct common_config common = {0};
    struct config_section section = {"common", common_config_rows, common_config_row_count,
                                     &common};
    const char *file = ctl->config ? ctl->config : "/etc/atrium/atrium.conf";

    if (ctl->dir)
        file = arena_printf(ctl->arena, "%s/atrium.conf", ctl->dir);
    if (access(file, R_OK) < 0) {
        error_set(err, ERR_NOT_FOUND, "%s cannot be read; name a suite with --dir or --config",
                  file);
        return NULL;
    }
    if (config_load(file, &section, 1, ctl->arena, err) < 0)
        return NULL;
    return common.run_dir;
}

static void run_fiber(void *arg)
{
    struct run *run = arg;
    const char *service = run->command->asks;

    run->result = 0;
    if (*service)
        run->result = ctl_bus_wait(run->ctl->bus, service, CTL_BUS_PEER_MS, run->err);
    if (run->result == 0)
        run->result = run->command->run(run->ctl, run->err);
    loop_stop(run->loop);
}

static void on_signal(void *arg, int signo UNUSED)
{
    struct run *run = arg;

    run->result = error_set(run->err, ERR_UNAVAILABLE, "interrupted");
    fiber_cancel_all(run->loop);
}

int ctl_bus_run(struct ctl *ctl, const struct command *command, struct error *err)
{
    const char *run_dir = run_dir_of(ctl, err);
    struct run run = {.ctl = ctl, .command = command, .err = err, .result = -1};

    if (!run_dir)
        return -1;
    run.loop = loop_new();
    loop_on_signal(run.loop, on_signal, &run);
    ctl->bus = ctl_bus_new(run.loop, run_dir, err);
    if (ctl->bus && fiber_start(run.loop, run_fiber, &run, err) == 0 && loop_run(run.loop) < 0)
        run.result = error_set(err, ERR_INTERNAL, "the event loop failed");
    ctl_bus_destroy(&ctl->bus);
    loop_destroy(&run.loop);
    return run.result;
}
