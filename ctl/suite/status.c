/* status.c - `atriumctl status`. */
#include <string.h>

#include "common/base/clock.h"
#include "common/service/service.h"
#include "ctl/ctl.h"
#include "ctl/ctl_bus.h"
#include "ctl/output.h"
#include "ctl/suite/instances.h"

enum { STATUS_WAIT_MS = 1000 };

struct status_row {
    const char *service, *instance, *state, *version, *upTime;
    int64_t pid, upTimeSeconds, inFlight, queued, latencyUs;
    bool database, writable;
    const char *sandbox;
};
static const struct field status_row_rows[] = {
    FIELD_TEXT(struct status_row, service, 0, 64, 0, "Service", "authd"),
    FIELD_TEXT(struct status_row, instance, 0, 64, 0, "Instance", "1"),
    FIELD_TEXT(struct status_row, state, 0, 64, 0, "up or down", "up"),
    FIELD_TEXT(struct status_row, version, 0, 64, 0, "Version", "0.1.0"),
    FIELD_TEXT(struct status_row, upTime, 0, 64, 0, "Time since its start", "2h 5m"),
    FIELD_INT(struct status_row, upTimeSeconds, 0, 0, 0, 0, "The same in seconds", "7500"),
    FIELD_INT(struct status_row, pid, 0, 0, 0, 0, "Process", "4711"),
    FIELD_INT(struct status_row, inFlight, 0, 0, 0, 0, "Requests in progress", "0"),
    FIELD_INT(struct status_row, queued, 0, 0, 0, 0, "Jobs that wait for a thread", "0"),
    FIELD_INT(struct status_row, latencyUs, 0, 0, 0, 0, "Time of this response", "350"),
    FIELD_BOOL(struct status_row, database, 0, 0, "Whether its database responds"),
    FIELD_BOOL(struct status_row, writable, 0, 0, "Whether its database accepts writes"),
    FIELD_TEXT(struct status_row, sandbox, 0, 64, 0, "Sandbox of its programs", "bubblewrap"),
};
static FIELD_TABLE(status_row);

static void ask(struct ctl *ctl, const struct instance *instance, struct status_row *row)
{
    const struct bus_method method = service_status_method(row->service);
    struct request req = ctl_bus_request(ctl->bus, ctl->arena);
    struct nothing in = {0};
    struct service_status_out out = {0};
    struct error err;
    int64_t before = clock_mono_us();

    error_init(&err, ctl->arena);
    req.deadline_mono_ms = clock_mono_ms() + STATUS_WAIT_MS;
    if (bus_call_instance(ctl->bus->bus, instance->name, &method, &req, &in, &out, &err) < 0)
        return;
    row->latencyUs = clock_mono_us() - before;
    row->state = "up";
    row->version = out.version;
    row->upTime = instances_up_time(ctl->arena, out.uptimeMs);
    row->upTimeSeconds = out.uptimeMs / 1000;
    row->pid = out.pid;
    row->inFlight = MAX(out.inFlight - 1, (int64_t)0); /* without this request itself */
    row->queued = out.queued;
    row->database = out.database;
    row->writable = out.database && out.writable != TRISTATE_FALSE;
    row->sandbox = out.sandbox;
}

int status_command(struct ctl *ctl, struct error *err)
{
    static const char *const columns[] = {"service",  "instance", "state",  "version",   "pid",
                                          "upTime",   "inFlight", "queued", "latencyUs", "database",
                                          "writable", "sandbox",  NULL};
    const struct instances *all = instances_find(ctl, err);
    const char *one = arguments_get(&ctl->args, "INSTANCE"); /* "authd.1" */
    struct status_row *rows;
    struct field_list list;
    size_t up = 0;

    if (!all)
        return -1;
    rows = arena_calloc(ctl->arena, all->count, sizeof(*rows));
    list = (struct field_list){rows, 0};
    for (size_t i = 0; i < all->count; i++) {
        const struct instance *instance = &all->items[i];
        struct status_row *row = &rows[list.count];

        if (one && strcmp(one, instance->name) != 0)
            continue;
        *row = (struct status_row){
            .service = instance->service, .instance = instance->instance, .state = "down"};
        ask(ctl, instance, row);
        up += strcmp(row->state, "up") == 0;
        list.count++;
    }
    output_list(ctl, &status_row_table, &list, columns);
    if (one && up == 0)
        return error_set(err, ERR_UNAVAILABLE, "%s does not answer", one);
    if (up == 0)
        return error_set(err, ERR_UNAVAILABLE, "no daemon answers below %s: is the suite running?",
                         ctl->bus->run_dir);
    if (up < list.count)
        return error_set(err, ERR_UNAVAILABLE, "%zu of %zu instances do not answer",
                         list.count - up, list.count);
    return 0;
}
