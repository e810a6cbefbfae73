/*
 * audit.c - `atriumctl audit verify|export`: verifies audit logs and exports a project's rows. A
 * log can be longer than memory, so each page has its own arena.
 */
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/service/audit_fhir.h"
#include "common/service/service.h"
#include "ctl/audit/audit_address.h"
#include "ctl/audit/audit_page.h"
#include "ctl/audit/audit_walk.h"
#include "ctl/ctl.h"
#include "ctl/ctl_bus.h"
#include "ctl/files.h"
#include "ctl/output.h"
#include "ctl/printable.h"
#include "ctl/progress.h"

enum {
    SERVICES_MAX = 16,
    HEX_SIZE = 2 * AUDIT_HASH_SIZE + 1,
    SEAL_WAIT_MS = 5000,
    SEAL_POLL_MS = 100,
};

/* `quiet`: shows no progress, because the output goes to the terminal too. */
static void start_progress(struct progress *ret, struct ctl *ctl, const char *service, bool quiet)
{
    progress_start(ret, arena_printf(ctl->arena, "audit of %s", service), "rows",
                   quiet || ctl->json);
}

/* ---- verify ---- */

struct audit_report {
    const char *service, *state; /* "ok", or the kind of fault */
    int64_t rows, ofProject, dropped, unsealed, sequence;
    const char *hash; /* hex */
    int64_t brokenAt;
    const char *problem;
};
static const struct field audit_report_rows[] = {
    FIELD_TEXT(struct audit_report, service, 0, 64, 0, "Service", "authd"),
    FIELD_TEXT(struct audit_report, state, 0, 64, 0, "ok, or what is wrong", "ok"),
    FIELD_INT(struct audit_report, rows, 0, 0, 0, 0, "Rows that were verified", "1000"),
    FIELD_INT(struct audit_report, ofProject, 0, 0, 0, FIELD_OMIT_ZERO, "Rows of --project", "9"),
    FIELD_INT(struct audit_report, dropped, 0, 0, 0, 0, "Rows that audit_drop() removed", "0"),
    FIELD_INT(struct audit_report, unsealed, 0, 0, 0, 0, "Rows that are not sealed yet", "3"),
    FIELD_INT(struct audit_report, sequence, 0, 0, 0, 0, "Sequence number of the last row", "1000"),
    FIELD_TEXT(struct audit_report, hash, 0, 64, 0, "Hash of the last row", "9f86d081884c7d65..."),
    FIELD_INT(struct audit_report, brokenAt, 0, 0, 0, FIELD_OMIT_ZERO, "First broken row", "17"),
    FIELD_TEXT(struct audit_report, problem, 0, 256, 0, "What is wrong with this row", ""),
};
static FIELD_TABLE(audit_report);

struct question {
    json_t *kept;        /* reports of an earlier verification; NULL: none */
    struct uuid project; /* project whose rows are counted; absent: none */
};

static int read_kept(struct ctl *ctl, json_t **ret, struct error *err)
{
    const char *path = arguments_get(&ctl->args, "--kept");
    const char *text;

    *ret = NULL;
    if (!path)
        return 0;
    text = files_read(ctl->arena, path, err);
    if (!text)
        return -1;
    *ret = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    if (!json_is_array(*ret))
        return error_set(err, ERR_BAD_REQUEST, "%s: not the output of `audit verify --json`", path);
    return 0;
}

static int expect_kept(struct ctl *ctl, const json_t *kept, const char *service,
                       struct audit_walk *walk, struct error *err)
{
    uint8_t *hash = arena_alloc(ctl->arena, AUDIT_HASH_SIZE);
    const json_t *report;
    size_t i, size = 0;

    json_array_foreach(kept, i, report)
    {
        const char *name = json_string_value(json_object_get(report, "service"));
        const char *text = json_string_value(json_object_get(report, "hash"));

        if (!name || strcmp(name, service) != 0 || !text || text[0] == '\0')
            continue;
        if (sodium_hex2bin(hash, AUDIT_HASH_SIZE, text, strlen(text), NULL, &size, NULL) < 0 ||
            size != AUDIT_HASH_SIZE)
            return error_set(err, ERR_BAD_REQUEST, "--kept: the hash of %s is invalid", service);
        walk->kept_sequence = json_integer_value(json_object_get(report, "sequence"));
        walk->kept_hash = (struct field_bytes){hash, size};
    }
    return 0;
}

static int64_t count_project(const struct field_list *rows, int64_t after, struct uuid project)
{
    const struct audit_record *row = rows->items;
    int64_t count = 0;

    for (size_t i = 0; i < rows->count && uuid_is_set(&project); i++)
        count += row[i].sequence > after && uuid_equal(&row[i].project, &project);
    return count;
}

/* Walks a daemon's chain. *ret: the last page, which has no new rows or a fault. */
static int walk_trail(struct ctl *ctl, const char *service, struct audit_walk *walk,
                      struct uuid project, int64_t *ret_of_project, struct arena *scratch,
                      struct audit_page_out *ret, struct error *err)
{
    CLEANUP(progress_end) struct progress progress;
    bool more = true, sound = true;

    start_progress(&progress, ctl, service, false);
    *ret_of_project = 0;
    while (more && sound) {
        const struct audit_page_in in = {.after = audit_walk_after(walk)};
        int64_t after = walk->sequence;

        arena_reset(scratch);
        if (audit_page_fetch(ctl, service, &in, scratch, ret, err) < 0)
            return -1;
        sound = audit_walk_page(walk, &ret->rows, &ret->gaps, &more);
        *ret_of_project += count_project(&ret->rows, after, project);
        if (ret->kept)
            progress_part(&progress, walk->rows, walk->sequence, ret->sequence);
    }
    if (sound)
        audit_walk_end(walk, ret->sequence, ret->hash);
    return 0;
}

/* Verifies a daemon's chain. *ret_kept: the daemon has a log. */
static int verify_trail(struct ctl *ctl, const char *service, const struct question *question,
                        struct audit_report *ret, bool *ret_kept, struct error *err)
{
    CLEANUP(arena_destroy) struct arena *scratch = arena_new();
    struct audit_walk walk = {.sequence = 0};
    struct audit_page_out last;
    char *hash = arena_alloc(ctl->arena, HEX_SIZE);
    int64_t of_project;

    if (expect_kept(ctl, question->kept, service, &walk, err) < 0 ||
        walk_trail(ctl, service, &walk, question->project, &of_project, scratch, &last, err) < 0)
        return -1;
    sodium_bin2hex(hash, HEX_SIZE, walk.hash, walk.hash_size);
    *ret_kept = last.kept;
    *ret = (struct audit_report){
        .service = service,
        .state = walk.fault.kind ? walk.fault.kind : "ok",
        .rows = walk.rows,
        .ofProject = of_project,
        .dropped = walk.dropped,
        .unsealed = last.unsealed,
        .sequence = walk.sequence,
        .hash = hash,
        .brokenAt = walk.fault.sequence,
        .problem = walk.fault.text,
    };
    return 0;
}

static int judge(const struct field_list *reports, struct error *err)
{
    const struct audit_report *report = reports->items;

    for (size_t i = 0; i < reports->count; i++) {
        if (report[i].problem)
            return error_set(err, ERR_CONFLICT, "%s: row %lld %s", report[i].service,
                             (long long)report[i].brokenAt, report[i].problem);
    }
    return 0;
}

/* Waits for a daemon of the service. *ret: an instance was started here at some time; if none was,
 * there is no wait. */
static int find_daemon(struct ctl *ctl, const char *service, bool *ret, struct error *err)
{
    *ret = *ctl_bus_instances(ctl->bus, service, ctl->arena) != NULL;
    return *ret ? ctl_bus_wait(ctl->bus, service, CTL_BUS_PEER_MS, err) : 0;
}

int audit_verify_command(struct ctl *ctl, struct error *err)
{
    static const char *const columns[] = {"service",  "state",    "rows", "dropped",
                                          "unsealed", "sequence", "hash", NULL};
    struct audit_report *reports = arena_calloc(ctl->arena, SERVICES_MAX, sizeof(*reports));
    struct field_list list = {.items = reports};
    json_auto_t *kept = NULL;
    struct question question = {.kept = NULL};
    bool there;

    if (read_kept(ctl, &kept, err) < 0 || (arguments_has(&ctl->args, "--project") &&
                                           project_audited(ctl, &question.project, err) < 0))
        return -1;
    question.kept = kept;
    for (size_t i = 0; ctl_bus_services[i]; i++) {
        if (find_daemon(ctl, ctl_bus_services[i], &there, err) < 0)
            return -1;
        if (there && verify_trail(ctl, ctl_bus_services[i], &question, &reports[list.count], &there,
                                  err) < 0)
            return -1;
        list.count += there;
    }
    if (list.count == 0)
        return error_set(err, ERR_UNAVAILABLE, "no daemon answers below %s: is the suite running?",
                         ctl->bus->run_dir);
    output_list(ctl, &audit_report_table, &list, columns);
    return judge(&list, err);
}

/* ---- export ---- */

struct bundle {
    size_t entries;
};

static void print_event(struct bundle *self, const char *service, const struct audit_record *row,
                        struct arena *arena)
{
    json_auto_t *entry = json_pack("{s:s, s:o}", "fullUrl", audit_fhir_url(row, arena), "resource",
                                   audit_fhir_event(service, row, arena));

    printf(self->entries++ > 0 ? ",\n" : "\n");
    printable_json(entry, JSON_COMPACT, stdout);
}

/* Waits briefly for new rows, which get their place in the chain within a second. */
static int export_trail(struct ctl *ctl, const char *service, struct uuid project,
                        struct bundle *bundle, struct error *err)
{
    CLEANUP(arena_destroy) struct arena *scratch = arena_new();
    CLEANUP(progress_end) struct progress progress;
    struct audit_page_in in = {.project = project};
    struct audit_page_out page;
    int64_t events = 0, end = -1, until_ms = clock_mono_ms() + SEAL_WAIT_MS;
    bool waits;

    start_progress(&progress, ctl, service, isatty(STDOUT_FILENO));
    do {
        const struct audit_record *row;

        arena_reset(scratch);
        if (audit_page_fetch(ctl, service, &in, scratch, &page, err) < 0)
            return -1;
        if (end < 0)
            end = page.sequence + page.unsealed;
        if (audit_addresses_show(ctl, scratch, &page.rows, err) < 0)
            return -1;
        row = page.rows.items;
        for (size_t i = 0; i < page.rows.count; i++) {
            print_event(bundle, service, &row[i], scratch);
            in.after = row[i].sequence;
        }
        events += (int64_t)page.rows.count;
        if (page.kept)
            progress_part(&progress, events, page.rows.count > 0 ? in.after : page.sequence,
                          page.sequence);
        waits = page.rows.count == 0 && page.sequence < end && clock_mono_ms() < until_ms;
        if (waits && fiber_sleep_until(ctl->bus->loop, clock_mono_ms() + SEAL_POLL_MS, err) < 0)
            return -1;
    } while (page.rows.count > 0 || waits);
    return 0;
}

/* Each daemon's rows are in chain order. */
int audit_export_command(struct ctl *ctl, struct error *err)
{
    struct bundle bundle = {0};
    struct uuid project;
    bool there;

    if (project_audited(ctl, &project, err) < 0)
        return -1;
    printf("{\"resourceType\":\"Bundle\",\"type\":\"collection\",\"entry\":[");
    for (size_t i = 0; ctl_bus_services[i]; i++) {
        if (find_daemon(ctl, ctl_bus_services[i], &there, err) < 0 ||
            (there && export_trail(ctl, ctl_bus_services[i], project, &bundle, err) < 0))
            return -1;
    }
    printf("\n]}\n");
    return 0;
}
