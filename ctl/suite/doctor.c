/*
 * doctor.c - `atriumctl doctor`: runs every instance's checks (common/service/check.h), and adds
 * instances that do not answer, other versions, and PostgreSQL's disks. Causes (causes[]) are
 * printed before their consequences.
 */
#include <stdio.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/service/service.h"
#include "ctl/ctl.h"
#include "ctl/ctl_bus.h"
#include "ctl/output.h"
#include "ctl/suite/instances.h"
#include "ctl/suite/server_disk.h"

enum {
    ANSWER_MS = 20000, /* some checks may hang */
    ROWS_MAX = 4096,
    SERVERS_MAX = 16,
};
#define DISK_WARN (512LL << 20) /* bytes left */
#define DISK_FAIL (64LL << 20)  /* four WAL segments */

struct doctor_row {
    const char *daemon, *check, *state, *seen, *mend;
    const char *follows; /* such as "postgresql disk"; NULL: unknown */
};
static const struct field doctor_row_rows[] = {
    FIELD_TEXT(struct doctor_row, daemon, 0, 64, 0, "Instance", "authd.1"),
    FIELD_TEXT(struct doctor_row, check, 0, 64, 0, "What was checked", "database"),
    FIELD_TEXT(struct doctor_row, state, 0, 8, 0, "ok, warn or fail", "ok"),
    FIELD_TEXT(struct doctor_row, seen, 0, 2048, 0, "What was found", "responds in 2 ms"),
    FIELD_TEXT(struct doctor_row, mend, 0, 2048, 0, "Remedy", ""),
    FIELD_TEXT(struct doctor_row, follows, 0, 160, 0, "Check whose failure causes this one",
               "postgresql disk"),
};
static FIELD_TABLE(doctor_row);

struct report {
    struct arena *arena;
    struct doctor_row rows[ROWS_MAX];
    size_t count;
};

struct instance_probe {
    struct ctl *ctl;
    const struct instance *instance;
    struct service_status_out status;
    struct service_check_out found;
    struct error status_err, err;
    size_t *left;
    struct fiber *parent;
};

static void add(struct report *self, const struct doctor_row *row)
{
    if (self->count < ROWS_MAX)
        self->rows[self->count++] = *row;
}

/* ---- calls ---- */

static void instance_probe(void *arg)
{
    struct instance_probe *self = arg;
    struct ctl *ctl = self->ctl;
    const struct bus_method status = service_status_method(self->instance->service);
    const struct bus_method check = service_check_method(self->instance->service);
    struct request req = ctl_bus_request(ctl->bus, ctl->arena);
    const struct nothing in = {0};

    if (bus_call_instance(ctl->bus->bus, self->instance->name, &status, &req, &in, &self->status,
                          &self->status_err) == 0) {
        req.deadline_mono_ms = clock_mono_ms() + ANSWER_MS;
        (void)!bus_call_instance(ctl->bus->bus, self->instance->name, &check, &req, &in,
                                 &self->found, &self->err);
    }
    if (--*self->left == 0)
        fiber_wake(self->parent);
}

static struct instance_probe *instance_probe_all(struct ctl *ctl, const struct instances *all)
{
    struct instance_probe *probes = arena_calloc(ctl->arena, all->count, sizeof(*probes));
    size_t left = 0;

    for (size_t i = 0; i < all->count; i++) {
        probes[i] = (struct instance_probe){.ctl = ctl,
                                            .instance = &all->items[i],
                                            .left = &left,
                                            .parent = fiber_self(ctl->bus->loop)};
        error_init(&probes[i].status_err, ctl->arena);
        error_init(&probes[i].err, ctl->arena);
        if (!all->items[i].connected)
            error_set(&probes[i].status_err, ERR_UNAVAILABLE, "has a socket, but does not respond");
        else if (fiber_start(ctl->bus->loop, instance_probe, &probes[i], &probes[i].status_err) ==
                 0)
            left++;
    }
    /* Waits for all calls, because `left` is on this stack. */
    while (left > 0)
        (void)!fiber_park(ctl->bus->loop, INT64_MAX);
    return probes;
}

/* ---- the report ---- */

static void add_absent(struct report *report, const struct ctl *ctl, const char *service)
{
    add(report, &(struct doctor_row){
                    .daemon = service,
                    .check = "bus",
                    .state = "fail",
                    .seen = arena_printf(report->arena, "no instance has a socket below %s",
                                         ctl->bus->run_dir),
                    .mend = arena_printf(report->arena,
                                         "systemctl enable --now atrium-%s@1; if it does not "
                                         "start, journalctl -u atrium-%s@1 says why.",
                                         service, service)});
}

static void add_silent(struct report *report, const struct instance_probe *probe,
                       const struct error *err)
{
    const struct instance *instance = probe->instance;

    add(report, &(struct doctor_row){
                    .daemon = instance->name,
                    .check = "bus",
                    .state = "fail",
                    .seen = arena_strdup(report->arena, err->message),
                    .mend = arena_printf(
                        report->arena,
                        "The instance has died, hangs, or waits for its database: see journalctl "
                        "-u atrium-%s@%s. If it will not come back, remove its socket.",
                        instance->service, instance->instance)});
}

static void add_alike(struct report *report, const struct instance_probe *probe)
{
    add(report,
        &(struct doctor_row){
            .daemon = probe->instance->name,
            .check = "bus",
            .state = "ok",
            .seen = arena_printf(report->arena, "version %s, up %s", ATRIUM_VERSION,
                                 instances_up_time(report->arena, probe->status.uptimeMs))});
}

/* Adds rows for an instance of another version. An older one can lack the operation. */
static void add_other_version(struct report *report, const struct instance_probe *probe)
{
    struct doctor_row row = {
        .daemon = probe->instance->name,
        .check = "bus",
        .state = "warn",
        .seen = arena_printf(report->arena, "version %s, but this atriumctl has version %s",
                             probe->status.version, ATRIUM_VERSION),
        .mend = arena_printf(report->arena, "Finish the upgrade: systemctl restart atrium-%s@%s",
                             probe->instance->service, probe->instance->instance)};

    add(report, &row);
    if (probe->err.code == ERR_NONE)
        return;
    row.check = "checks";
    row.seen = arena_strdup(report->arena, probe->err.message);
    add(report, &row);
}

static void add_findings(struct report *report, const struct instance_probe *probe)
{
    const struct finding *found = probe->found.findings.items;

    for (size_t i = 0; i < probe->found.findings.count; i++)
        add(report, &(struct doctor_row){.daemon = probe->instance->name,
                                         .check = found[i].check,
                                         .state = found[i].state,
                                         .seen = found[i].seen,
                                         .mend = found[i].mend});
}

static void add_probe(struct report *report, const struct instance_probe *probe)
{
    if (probe->status_err.code != ERR_NONE) {
        add_silent(report, probe, &probe->status_err);
        return;
    }
    if (strcmp(probe->status.version, ATRIUM_VERSION) != 0)
        add_other_version(report, probe);
    else if (probe->err.code == ERR_NONE)
        add_alike(report, probe);
    else
        add_silent(report, probe, &probe->err);
    add_findings(report, probe);
}

/* ---- PostgreSQL's disks ---- */

static void add_disk(struct report *report, const struct server_disk *disk)
{
    bool fails = disk->free < DISK_FAIL, warns = disk->free < DISK_WARN;

    add(report,
        &(struct doctor_row){
            .daemon = "postgresql",
            .check = "disk",
            .state = fails ? "fail" : (warns ? "warn" : "ok"),
            .seen =
                arena_printf(report->arena, "%s on %s, mounted at %s: %lld of %lld MiB are free",
                             disk->path, disk->device, disk->mount, (long long)(disk->free >> 20),
                             (long long)(disk->size >> 20)),
            .mend =
                warns ? arena_printf(report->arena,
                                     "Free space on %s, or enlarge it; the daemons write again "
                                     "within seconds. Never remove a file of PostgreSQL's by hand.",
                                     disk->mount)
                      : NULL});
}

static void add_disks(struct report *report, const struct instance_probe *probes, size_t count)
{
    const char *servers[SERVERS_MAX];
    size_t known = 0;

    for (size_t v = 0; v < count && known < SERVERS_MAX; v++) {
        const char *server = probes[v].found.server;
        struct server_disk disks[SERVER_DISKS_MAX];
        size_t found, i = 0;

        while (server && i < known && strcmp(servers[i], server) != 0)
            i++;
        if (!server || i < known)
            continue;
        servers[known++] = server;
        found = server_disks(server, report->arena, disks);
        for (size_t d = 0; d < found; d++)
            add_disk(report, &disks[d]);
    }
}

/* ---- causes ---- */

/* Possible causes, deepest first. A daemon's broken database makes other daemons' requests fail. */
static const struct cause {
    const char *daemon; /* NULL: any */
    const char *check, *followers;
} causes[] = {
    {"postgresql", "disk",
     "database|database writes|bus|peers|lease|audit|outbox|mail queue|jobs|signing keys|issuer "
     "keys"},
    {NULL, "database", "bus|peers|lease|audit|outbox|mail queue|jobs|migrations|durability"},
    {NULL, "database writes", "lease|audit|outbox|mail queue|jobs"},
    {NULL, "database locks",
     "database|migrations|lease|audit|outbox|mail queue|jobs|signing keys|issuer keys"},
    {NULL, "configuration", "peers|lease"},
    {NULL, "key files", "peers|lease"},
    {NULL, "bus", "peers|lease|outbox"},
};

static bool is_in(const char *list, const char *word)
{
    size_t length = strlen(word);

    for (const char *at = list; (at = strstr(at, word)); at++)
        if ((at == list || at[-1] == '|') && (at[length] == '|' || at[length] == '\0'))
            return true;
    return false;
}

static bool is_cause(const struct cause *self, const struct doctor_row *row)
{
    return strcmp(row->state, "fail") == 0 && strcmp(row->check, self->check) == 0 &&
           (!self->daemon || strcmp(row->daemon, self->daemon) == 0);
}

/* Returns a cause that is no consequence itself, or NULL. */
static const struct doctor_row *cause_row(const struct report *report, const struct cause *self)
{
    for (size_t i = 0; i < report->count; i++)
        if (is_cause(self, &report->rows[i]) && !report->rows[i].follows)
            return &report->rows[i];
    return NULL;
}

static void find_causes(struct report *report)
{
    for (size_t c = 0; c < ARRAY_SIZE(causes); c++) {
        const struct doctor_row *first = cause_row(report, &causes[c]);

        for (size_t i = 0; first && i < report->count; i++) {
            struct doctor_row *row = &report->rows[i];

            if (strcmp(row->state, "ok") != 0 && !row->follows && row != first &&
                is_in(causes[c].followers, row->check))
                row->follows = arena_printf(report->arena, "%s %s", first->daemon, first->check);
        }
    }
}

static size_t rank_of(const struct doctor_row *row)
{
    size_t c = 0;

    while (c < ARRAY_SIZE(causes) && !is_cause(&causes[c], row))
        c++;
    return c;
}

static void note(const struct ctl *ctl, const struct doctor_row *row)
{
    if (row->follows)
        output_note(ctl,
                    "\n%s, %s: %s\n"
                    "    Follows from %s; if it remains: %s",
                    row->daemon, row->check, row->seen, row->follows, row->mend ? row->mend : "");
    else
        output_note(ctl, "\n%s, %s: %s\n    %s", row->daemon, row->check, row->seen,
                    row->mend ? row->mend : "");
}

static void tell_how_to_mend(const struct ctl *ctl, const struct report *report)
{
    for (size_t rank = 0; rank <= ARRAY_SIZE(causes); rank++)
        for (size_t i = 0; i < report->count; i++)
            if (strcmp(report->rows[i].state, "ok") != 0 && !report->rows[i].follows &&
                rank_of(&report->rows[i]) == rank)
                note(ctl, &report->rows[i]);
    for (size_t i = 0; i < report->count; i++)
        if (report->rows[i].follows)
            note(ctl, &report->rows[i]);
}

static int judge(const struct report *report, struct error *err)
{
    size_t failed = 0;

    for (size_t i = 0; i < report->count; i++)
        failed += strcmp(report->rows[i].state, "fail") == 0;
    return failed == 0
               ? 0
               : error_set(err, ERR_UNAVAILABLE, "%zu of %zu checks failed", failed, report->count);
}

int doctor_command(struct ctl *ctl, struct error *err)
{
    static const char *const columns[] = {"daemon", "check", "state", "seen", NULL};
    const struct instances *all = instances_find(ctl, err);
    struct report *report = arena_alloc(ctl->arena, sizeof(*report));
    struct instance_probe *probes;
    struct field_list list;

    if (!all)
        return -1;
    report->arena = ctl->arena;
    probes = instance_probe_all(ctl, all);
    for (size_t i = 0; ctl_bus_services[i]; i++) {
        bool any = false;

        for (size_t v = 0; v < all->count; v++) {
            if (strcmp(all->items[v].service, ctl_bus_services[i]) != 0)
                continue;
            any = true;
            add_probe(report, &probes[v]);
        }
        if (!any)
            add_absent(report, ctl, ctl_bus_services[i]);
    }
    add_disks(report, probes, all->count);
    find_causes(report);
    list = (struct field_list){report->rows, report->count};
    output_list(ctl, &doctor_row_table, &list, columns);
    tell_how_to_mend(ctl, report);
    return judge(report, err);
}
