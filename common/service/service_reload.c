/*
 * service_reload.c - SIGHUP: reads the configuration again and applies what can change.
 *
 * An unreadable or invalid configuration changes nothing. Rows with CONFIG_RELOAD are copied into
 * the structs in use; texts stay allocated, since requests can hold them. The log names the changed
 * keys and those that need a restart.
 */
#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <systemd/sd-daemon.h>
#include <time.h>

#include "common/base/memory.h"
#include "common/service/service_private.h"

enum { READ_MS = 30000 };

struct service *service_fresh_new(const struct service *self)
{
    struct service *fresh = memory_new(self->definition->size);

    fresh->definition = self->definition;
    fresh->arena = arena_new();
    return fresh;
}

void service_fresh_destroy(struct service **self_p)
{
    struct service *self = TAKE_PTR(*self_p);

    if (!self)
        return;
    arena_destroy(&self->hosts_arena);
    arena_destroy(&self->arena);
    sodium_memzero(self, self->definition->size);
    free(self);
}

struct reading {
    const struct service *self;
    struct service *fresh;
    struct error *err;
};

static void read_fresh(void *arg)
{
    const struct reading *job = arg;

    if (service_config_check(job->fresh, job->self->options, job->err) == 0)
        error_clear(job->err);
}

int service_fresh_read(const struct service *self, struct service *fresh, int64_t deadline_mono_ms,
                       struct error *ret_refusal, struct error *err)
{
    struct reading job = {.self = self, .fresh = fresh, .err = ret_refusal};

    return offload_run(self->offload, read_fresh, &job, deadline_mono_ms, err);
}

static bool same_value(const struct config_row *row, const void *a, const void *b,
                       struct arena *arena)
{
    const char *left = config_value(row, a, arena), *right = config_value(row, b, arena);

    return left && right ? strcmp(left, right) == 0 : left == right;
}

static void each_difference(const struct service *self, const struct service *fresh,
                            struct arena *arena,
                            void (*fn)(void *arg, const struct config_section *mine,
                                       const struct config_section *theirs, size_t row),
                            void *arg)
{
    struct config_section mine[SERVICE_SECTIONS], theirs[SERVICE_SECTIONS];

    service_sections(self, mine);
    service_sections(fresh, theirs);
    for (size_t s = 0; s < SERVICE_SECTIONS; s++) {
        for (size_t i = 0; i < mine[s].count; i++)
            if (!same_value(&mine[s].rows[i], mine[s].out, theirs[s].out, arena))
                fn(arg, &mine[s], &theirs[s], i);
    }
}

struct comparison {
    struct service_difference difference;
    struct arena *arena;
};

static void note_difference(void *arg, const struct config_section *mine,
                            const struct config_section *theirs UNUSED, size_t row)
{
    struct comparison *self = arg;
    const char **list = mine->rows[row].flags & CONFIG_RELOAD ? &self->difference.reload
                                                              : &self->difference.restart;

    *list = arena_printf(self->arena, "%s%s%s.%s", *list, **list ? ", " : "", mine->name,
                         mine->rows[row].key);
}

/* Reports if the new hosts fit the listening socket and its key, which are fixed at start. */
static bool can_use_hosts(const struct bus_hosts *mine, const struct bus_hosts *fresh)
{
    return mine && fresh && memcmp(mine->own->key, fresh->own->key, BUS_KEY_SIZE) == 0 &&
           (mine->own->endpoint && fresh->own->endpoint
                ? strcmp(mine->own->endpoint, fresh->own->endpoint) == 0
                : mine->own->endpoint == fresh->own->endpoint);
}

/* Notes a changed list of hosts: its file, and how many lines were added and removed. */
static void note_hosts(struct comparison *self, const struct service *mine,
                       const struct service *fresh)
{
    size_t added = 0, removed = 0;
    const char **list;

    if (!mine->hosts || !fresh->hosts)
        return;
    added = bus_hosts_count_missing(fresh->hosts, mine->hosts);
    removed = bus_hosts_count_missing(mine->hosts, fresh->hosts);
    if (added + removed == 0)
        return;
    list = can_use_hosts(mine->hosts, fresh->hosts) ? &self->difference.reload
                                                    : &self->difference.restart;
    *list = arena_printf(self->arena, "%s%sbus_hosts (%zu lines more, %zu less)", *list,
                         **list ? ", " : "", added, removed);
}

struct service_difference service_compare(const struct service *self, const struct service *fresh,
                                          struct arena *arena)
{
    struct comparison comparison = {.difference = {"", ""}, .arena = arena};

    each_difference(self, fresh, arena, note_difference, &comparison);
    note_hosts(&comparison, self, fresh);
    return comparison.difference;
}

static void apply_difference(void *arg, const struct config_section *mine,
                             const struct config_section *theirs, size_t row)
{
    struct service *self = arg;

    if (mine->rows[row].flags & CONFIG_RELOAD)
        config_copy_value(&mine->rows[row], theirs->out, mine->out, self->arena);
}

/* Notes the files of values; copies names only if changed, so that they do not accumulate. */
static void take_origins(struct service *self, const struct service *fresh)
{
    struct config_section mine[SERVICE_SECTIONS], theirs[SERVICE_SECTIONS];

    service_sections(self, mine);
    service_sections(fresh, theirs);
    for (size_t s = 0; s < SERVICE_SECTIONS; s++) {
        for (size_t i = 0; i < mine[s].count; i++) {
            struct config_origin *to = &mine[s].origins[i];
            const struct config_origin *from = &theirs[s].origins[i];

            to->line = from->line;
            if (!from->file || !to->file || strcmp(from->file, to->file) != 0)
                to->file = from->file ? arena_strdup(self->arena, from->file) : NULL;
            to->text = NULL;
        }
    }
}

static void take_hosts(struct service *self, struct service *fresh)
{
    struct bus_hosts *hosts = self->hosts;
    struct arena *arena = self->hosts_arena;

    bus_use_hosts(self->bus, fresh->hosts);
    self->hosts = fresh->hosts;
    self->hosts_arena = fresh->hosts_arena;
    fresh->hosts = hosts;
    fresh->hosts_arena = arena;
}

/* Replaces everything that refers to the former configuration, whose arena is freed afterwards. */
static void apply(struct service *self, struct service *fresh, struct arena *arena)
{
    each_difference(self, fresh, arena, apply_difference, self);
    take_origins(self, fresh);
    log_set_level(service_log_level(self->common->log_level));
    if (self->db)
        db_set_slow(self->db, self->common->slow_statement * 1000);
    if (can_use_hosts(self->hosts, fresh->hosts))
        take_hosts(self, fresh);
    if (!self->definition->reload)
        return;
    self->definition->reload(self, fresh);
    arena_destroy(&self->reload_arena);
    self->reload_arena = TAKE_PTR(fresh->arena);
}

static void reload(struct service *self)
{
    CLEANUP(service_fresh_destroy) struct service *fresh = service_fresh_new(self);
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    struct service_difference changed;
    struct error err;

    error_init(&err, arena);
    (void)!service_fresh_read(self, fresh, clock_mono_ms() + READ_MS, &err, &err);
    if (self->stopping) /* what the daemon's reload() uses may be freed */
        return;
    if (err.code != ERR_NONE) {
        log_event(LOG_ERR, "service", "configuration refused, nothing was changed", "error",
                  err.message, "detail", err.detail[0] ? err.detail : NULL, NULL);
        return;
    }
    changed = service_compare(self, fresh, arena);
    apply(self, fresh, arena);
    log_event(LOG_NOTICE, "service", "configuration reloaded", "changed",
              *changed.reload ? changed.reload : "nothing", NULL);
    if (*changed.restart)
        log_event(LOG_WARNING, "service", "a change needs a restart", "keys", changed.restart,
                  NULL);
}

/* Notifies systemd, for ExecReload=kill -HUP (sd_notify(3)). */
static void notify_reloading(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%" PRId64,
               (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000);
}

static void reload_fiber(void *arg)
{
    struct service *self = arg;

    notify_reloading();
    do {
        self->reload_again = false;
        reload(self);
    } while (self->reload_again && !self->stopping);
    self->reloading = false;
    if (!self->stopping)
        sd_notify(0, "READY=1");
}

void service_reload(struct service *self)
{
    struct error err;

    if (self->reloading || !self->ready) {
        self->reload_again = true;
        return;
    }
    error_init(&err, NULL);
    self->reload_again = false;
    self->reloading = fiber_start(self->loop, reload_fiber, self, &err) == 0;
    if (!self->reloading)
        log_event(LOG_ERR, "service", "the configuration could not be reloaded", "error",
                  err.message, NULL);
}
