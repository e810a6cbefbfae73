/*
 * status.c - `atriumctl status`: each instance that has a socket for us, and how it answers.
 */
#include <stdio.h>
#include <string.h>

#include "common/clock.h"
#include "common/service.h"
#include "ctl/ctl.h"
#include "ctl/ctl_bus.h"
#include "ctl/output.h"

enum { STATUS_MAX = 256, STATUS_WAIT_MS = 1000, STATUS_POLL_MS = 5 };

struct status_row {
    const char *service, *instance, *state, *version, *upTime;
    int64_t pid, inFlight, queued, latencyUs;
    bool database;
};
static const struct field status_row_rows[] = {
    FIELD_TEXT(struct status_row, service, 0, 64, 0, "Service", "authd"),
    FIELD_TEXT(struct status_row, instance, 0, 64, 0, "Instance", "1"),
    FIELD_TEXT(struct status_row, state, 0, 64, 0, "up or down", "up"),
    FIELD_TEXT(struct status_row, version, 0, 64, 0, "Version", "0.1.0"),
    FIELD_TEXT(struct status_row, upTime, 0, 64, 0, "Since its start", "2h 5m"),
    FIELD_INT(struct status_row, pid, 0, 0, 0, 0, "Process", "4711"),
    FIELD_INT(struct status_row, inFlight, 0, 0, 0, 0, "Requests being served", "0"),
    FIELD_INT(struct status_row, queued, 0, 0, 0, 0, "Jobs that wait for a thread", "0"),
    FIELD_INT(struct status_row, latencyUs, 0, 0, 0, 0, "Time of this answer", "350"),
    FIELD_BOOL(struct status_row, database, 0, 0, "Is its database reachable?"),
};
static FIELD_TABLE(status_row);

static const char *up_time(struct arena *arena, int64_t ms)
{
    long long s = ms / 1000;

    if (s < 60)
        return arena_printf(arena, "%llds", s);
    if (s < 3600)
        return arena_printf(arena, "%lldm %llds", s / 60, s % 60);
    if (s < 86400)
        return arena_printf(arena, "%lldh %lldm", s / 3600, s / 60 % 60);
    return arena_printf(arena, "%lldd %lldh", s / 86400, s / 3600 % 24);
}

static size_t find_instances(const struct ctl *ctl, const char *service, struct status_row *rows,
                             size_t room)
{
    const char **names = ctl_bus_instances(ctl->bus, service, ctl->arena);
    size_t count = 0;

    for (; count < room && names[count]; count++)
        rows[count] =
            (struct status_row){.service = service, .instance = names[count], .state = "down"};
    return count;
}

static bool is_connected(const struct ctl *ctl, const struct status_row *row)
{
    const char **peers = bus_peers(ctl->bus->bus, row->service, ctl->arena);
    const char *name = arena_printf(ctl->arena, "%s.%s", row->service, row->instance);

    for (; *peers; peers++) {
        if (strcmp(*peers, name) == 0)
            return true;
    }
    return false;
}

/* Connections come within milliseconds; what is not there after a second is down. */
static int wait_for_peers(struct ctl *ctl, const struct status_row *rows, size_t count,
                          struct error *err)
{
    int64_t deadline = clock_mono_ms() + STATUS_WAIT_MS;

    for (size_t i = 0; i < count; i++) {
        while (!is_connected(ctl, &rows[i]) && clock_mono_ms() < deadline) {
            if (fiber_sleep_until(ctl->bus->loop, clock_mono_ms() + STATUS_POLL_MS, err) < 0)
                return -1;
        }
    }
    return 0;
}

static void ask(struct ctl *ctl, struct status_row *row)
{
    const struct bus_method method = service_status_method(row->service);
    struct request req = ctl_bus_request(ctl->bus, ctl->arena);
    struct nothing in = {0};
    struct service_status_out out = {0};
    struct error err;
    int64_t before = clock_mono_us();

    error_init(&err, ctl->arena);
    req.deadline_mono_ms = clock_mono_ms() + STATUS_WAIT_MS;
    if (bus_call_instance(ctl->bus->bus,
                          arena_printf(ctl->arena, "%s.%s", row->service, row->instance), &method,
                          &req, &in, &out, &err) < 0)
        return;
    row->latencyUs = clock_mono_us() - before;
    row->state = "up";
    row->version = out.version;
    row->upTime = up_time(ctl->arena, out.uptimeMs);
    row->pid = out.pid;
    row->inFlight = MAX(out.inFlight - 1, (int64_t)0); /* without this question */
    row->queued = out.queued;
    row->database = out.database;
}

int status_command(struct ctl *ctl, struct error *err)
{
    static const char *const columns[] = {"service",   "instance", "state",    "version",
                                          "pid",       "upTime",   "inFlight", "queued",
                                          "latencyUs", "database", NULL};
    struct status_row *rows = arena_calloc(ctl->arena, STATUS_MAX, sizeof *rows);
    struct field_list list = {.items = rows};
    size_t up = 0;

    for (size_t i = 0; ctl_bus_services[i]; i++)
        list.count +=
            find_instances(ctl, ctl_bus_services[i], rows + list.count, STATUS_MAX - list.count);
    if (wait_for_peers(ctl, rows, list.count, err) < 0)
        return -1;
    for (size_t i = 0; i < list.count; i++) {
        ask(ctl, &rows[i]);
        up += strcmp(rows[i].state, "up") == 0;
    }
    output_list(ctl, &status_row_table, &list, columns);
    if (up == 0)
        return error_set(err, ERR_UNAVAILABLE, "nothing answers below %s: is the suite running?",
                         ctl->bus->run_dir);
    if (up < list.count)
        return error_set(err, ERR_UNAVAILABLE, "%zu of %zu instances do not answer",
                         list.count - up, list.count);
    return 0;
}
