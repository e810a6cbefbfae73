/*
 * service_check.c - every daemon's checks. Files are read on the offload pool; everything else
 * parks.
 */
#include <sodium.h>
#include <sys/stat.h>

#include "common/base/clock.h"
#include "common/base/descriptors.h"
#include "common/service/service_private.h"

enum {
    AUDIT_WARN_MS = 10 * 1000, /* rows are sealed within a second */
    AUDIT_FAIL_MS = MINUTES(1),
    OUTBOX_WARN_MS = MINUTES(1), /* retries come within a minute */
    OUTBOX_FAIL_MS = MINUTES(10),
    DESCRIPTORS_WARN = 5, /* warns when 1/5 of the limit is left */
    DESCRIPTORS_FAIL = 20,
};

static const struct field service_check_out_rows[] = {
    FIELD_OBJECTS(struct service_check_out, findings, finding, CHECKS_MAX, 0, "What was found"),
    FIELD_TEXT(struct service_check_out, server, 1, 512, 0, "Location of its database",
               "host=/run/postgresql port=5432"),
};
FIELD_TABLE(service_check_out);

/* ---- configuration ---- */

/* The configuration files as a start would read them now. */
struct reading {
    const struct service *self;
    struct arena *arena;
    struct error *err;
    bool good;
    struct service_difference changed;
    const char *open; /* first file that others can write, or NULL */
};

/* Returns a file that others can write, which would let them control the daemon's configuration. */
static const char *find_open_file(const char *config, struct arena *arena)
{
    const char **files;
    struct stat status;
    struct error err;

    error_init(&err, arena);
    if (config_files_of(config, arena, &files, &err) < 0)
        return NULL;
    for (; *files; files++)
        if (stat(*files, &status) == 0 && (status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
            return *files;
    return NULL;
}

static void read_again(void *arg)
{
    struct reading *job = arg;
    CLEANUP(service_fresh_destroy) struct service *fresh = service_fresh_new(job->self);

    job->good = service_config_check(fresh, job->self->options, job->err) == 0;
    if (job->good)
        job->changed = service_compare(job->self, fresh, job->arena);
    job->open = find_open_file(job->self->options->config, job->arena);
}

static const char *restart_command(const struct service *self, struct arena *arena)
{
    return arena_printf(arena, "systemctl restart atrium-%s@%s", self->definition->name,
                        self->instance);
}

static int check_configuration(void *daemon, const struct request *req, struct finding *ret,
                               struct error *err)
{
    const struct service *self = daemon;
    const char *file = self->options->config;
    struct reading job = {.self = self, .arena = req->arena, .err = err};

    if (offload_run(self->offload, read_again, &job, req->deadline_mono_ms, err) < 0 || !job.good)
        return -1;
    if (job.open)
        return check_fail(req, ret, arena_printf(req->arena, "chmod go-w %s", job.open),
                          "%s can be changed by users other than its owner", job.open);
    if (*job.changed.restart)
        return check_warn(req, ret, restart_command(self, req->arena),
                          "%s has changed since this instance started: %s", file,
                          job.changed.restart);
    if (*job.changed.reload)
        return check_warn(req, ret,
                          arena_printf(req->arena, "systemctl reload atrium-%s@%s",
                                       self->definition->name, self->instance),
                          "%s has changed since this instance read it: %s", file,
                          job.changed.reload);
    return check_ok(req, ret, "%s", file);
}

/* ---- key files ---- */

struct key_files {
    const struct service *self;
    struct arena *arena;
    struct error *err;
    size_t count;
    bool good, exchanged, rotated;
};

static bool check_key_file(struct key_files *job, const char *path)
{
    job->count++;
    return secret_check_file(path, job->err) == 0;
}

static bool check_settings(struct key_files *job)
{
    const struct service_definition *definition = job->self->definition;

    for (size_t i = 0; i < definition->config_count; i++) {
        const char *path;

        if (!(definition->config[i].flags & CONFIG_SECRET))
            continue;
        memcpy(&path, (const uint8_t *)job->self->config + definition->config[i].offset,
               sizeof(path));
        if (path && !check_key_file(job, path))
            return false;
    }
    return true;
}

static bool check_host_key(struct key_files *job)
{
    const struct service *self = job->self;

    return !self->hosts ||
           check_key_file(job, arena_printf(job->arena, "%s/%s.%s.key", self->common->bus_keys,
                                            self->definition->name, self->instance));
}

static bool check_seal_key(struct key_files *job)
{
    const char *path = service_seal_key_path(job->self);
    const struct seal_keys *ours = &job->self->seal;
    CLEANUP(seal_keys_wipe) struct seal_keys keys = {.count = 0};

    if (!path)
        return true;
    if (seal_keys_load(path, &keys, job->err) < 0)
        return false;
    job->exchanged =
        !seal_keys_find(&keys, ours->items[0].id) && !seal_keys_find(ours, keys.items[0].id);
    job->rotated = keys.in_file != ours->in_file;
    for (size_t i = 0; i < keys.in_file && i < ours->in_file; i++)
        job->rotated |= strcmp(keys.items[i].id, ours->items[i].id) != 0;
    return true;
}

static void look_at_keys(void *arg)
{
    struct key_files *job = arg;

    job->good = check_settings(job) && check_host_key(job) && check_seal_key(job);
}

static int check_keys(void *daemon, const struct request *req, struct finding *ret,
                      struct error *err)
{
    const struct service *self = daemon;
    struct key_files job = {.self = self, .arena = req->arena, .err = err};

    if (offload_run(self->offload, look_at_keys, &job, req->deadline_mono_ms, err) < 0 || !job.good)
        return -1;
    if (job.count == 0)
        return 0;
    if (job.exchanged)
        return check_fail(req, ret,
                          "Restore the previous key (from the backup) before this daemon restarts: "
                          "no other key can decrypt its data.",
                          "%s has a different key than the one in use",
                          service_seal_key_path(self));
    if (job.rotated)
        return check_warn(req, ret, restart_command(self, req->arena),
                          "%s has changed since this instance started",
                          service_seal_key_path(self));
    return check_ok(req, ret, "%zu, closed to other users", job.count);
}

/* ---- the bus ---- */

static size_t count_peers(const struct service *self, const char *service, struct arena *arena)
{
    const char **peers = bus_peers(self->bus, service, arena);
    size_t count = 0;

    while (peers[count])
        count++;
    return count;
}

static int check_peers(void *daemon, const struct request *req, struct finding *ret,
                       struct error *err UNUSED)
{
    const struct service *self = daemon;
    const char *const *upstreams = self->definition->upstreams;
    const char *seen = "", *missing = "";

    for (; upstreams && *upstreams; upstreams++) {
        size_t count = count_peers(self, *upstreams, req->arena);
        const char **list = count > 0 ? &seen : &missing;

        /* A service with a single instance has no other instance to call. */
        if (count == 0 && strcmp(*upstreams, self->definition->name) == 0)
            continue;
        *list = count > 0
                    ? arena_printf(req->arena, "%s%s%s %zu", *list, **list ? ", " : "", *upstreams,
                                   count)
                    : arena_printf(req->arena, "%s%s%s", *list, **list ? ", " : "", *upstreams);
    }
    if (*missing != '\0')
        return check_fail(req, ret, NULL, "no instance can be reached: %s", missing);
    return *seen == '\0' ? 0 : check_ok(req, ret, "%s", seen);
}

/* ---- descriptors ---- */

static void count_descriptors(void *arg)
{
    *(size_t *)arg = descriptors_used();
}

static int check_descriptors(void *daemon, const struct request *req, struct finding *ret,
                             struct error *err)
{
    const struct service *self = daemon;
    size_t used = 0, limit = descriptors_limit();

    if (offload_run(self->offload, count_descriptors, &used, req->deadline_mono_ms, err) < 0)
        return -1;
    if (limit > 0 && used > limit - limit / DESCRIPTORS_WARN)
        return check_say(req, ret, used > limit - limit / DESCRIPTORS_FAIL ? "fail" : "warn", NULL,
                         "%zu of %zu are open", used, limit);
    return check_ok(req, ret, "%zu of %zu are open", used, limit);
}

/* ---- waiting rows ---- */

static int check_audit(void *daemon, const struct request *req, struct finding *ret,
                       struct error *err)
{
    struct service *self = daemon;
    struct audit_state state;
    int64_t age;

    if (!self->audit)
        return 0;
    if (audit_chain_state(self->audit, req, &state, err) < 0)
        return -1;
    age = state.unsealed > 0 ? clock_now_ms(self->clock) - state.waiting_since : 0;
    if (age > AUDIT_WARN_MS)
        return check_say(req, ret, age > AUDIT_FAIL_MS ? "fail" : "warn", NULL,
                         "%lld rows are not sealed, the first for %s", (long long)state.unsealed,
                         check_age(req->arena, age));
    return check_ok(req, ret, "sealed up to row %lld", (long long)state.sequence);
}

static int check_outbox(void *daemon, const struct request *req, struct finding *ret,
                        struct error *err)
{
    struct service *self = daemon;
    struct outbox_state state;
    int64_t age;

    if (!self->outbox)
        return 0;
    if (outbox_state(self->outbox, req, &state, err) < 0)
        return -1;
    age = state.waiting > 0 ? clock_real_ms() - state.oldest_at : 0;
    if (age > OUTBOX_WARN_MS)
        return check_say(req, ret, age > OUTBOX_FAIL_MS ? "fail" : "warn", NULL,
                         "%lld%s calls of other daemons wait, the oldest for %s",
                         (long long)state.waiting,
                         state.waiting == OUTBOX_COUNT_MAX ? " or more" : "",
                         check_age(req->arena, age));
    return check_ok(req, ret, "%lld wait", (long long)state.waiting);
}

/* ---- all checks ---- */

static const struct check own_checks[] = {
    {"configuration", 0, "Correct that line, and run --check-config again before the next restart.",
     check_configuration},
    {"key files", 0,
     "The file must exist, belong to root or the daemon's user, and be closed to other users "
     "(chown, chmod 600).",
     check_keys},
    {"peers", 0,
     "Start the missing daemons (systemctl start 'atrium-NAME@1'); check that this daemon's user "
     "is in the group of its bus directory.",
     check_peers},
    {"descriptors", 0,
     "Raise LimitNOFILE= in a drop-in of the unit (systemctl edit), or start another instance.",
     check_descriptors},
    {.name = NULL},
};

static const struct check queue_checks[] = {
    {"audit", CHECK_DATABASE,
     "Check who has locked the row of audit_head (pg_locks), and what this daemon logs about its "
     "audit log.",
     check_audit},
    {"outbox", CHECK_DATABASE,
     "Start the missing daemons; this daemon's log names rows that were rejected, with the reason.",
     check_outbox},
    {.name = NULL},
};

static const char *server_of(const struct service *self, struct arena *arena)
{
    char text[512];

    db_server(self->db, text, sizeof(text));
    return text[0] == '\0' ? NULL : arena_strdup(arena, text);
}

/* Runs all checks: each for at most CHECK_EACH_MS, and all until the request's deadline. */
int service_check(struct service *self, const struct request *req, const struct nothing *in,
                  struct service_check_out *out, struct error *err)
{
    struct check_report *report = arena_alloc(req->arena, sizeof(*report));
    unsigned without = !self->db ? CHECK_DATABASE : 0;

    (void)in, (void)err;
    checks_run(own_checks, without, self, req, report);
    if (!checks_run(check_database_reachable, without, self, req, report))
        without |= CHECK_DATABASE;
    checks_run(check_database_rows, without, self, req, report);
    checks_run(queue_checks, without, self, req, report);
    checks_run(service_seal_checks, without, self, req, report);
    checks_run(self->definition->checks, without, self, req, report);
    out->findings = (struct field_list){report->items, report->count};
    out->server = !self->db ? NULL : server_of(self, req->arena);
    return 0;
}
