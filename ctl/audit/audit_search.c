/*
 * audit_search.c - `atriumctl audit tail|search`: prints rows of all audit logs. Memory holds only
 * the printed rows.
 */
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/service/service.h"
#include "common/wire/codec.h"
#include "ctl/audit/audit_address.h"
#include "ctl/audit/audit_page.h"
#include "ctl/ctl.h"
#include "ctl/ctl_bus.h"
#include "ctl/output.h"

enum { COUNT = 20, COUNT_MAX = 10000 };

struct audit_line {
    const char *at, *daemon, *action, *outcome, *account, *entity, *detail, *address;
    int64_t sequence, ms;
    struct audit_sealed sealed; /* encrypted address */
};
static const struct field audit_line_rows[] = {
    FIELD_TEXT(struct audit_line, at, 0, 64, 0, "Time, UTC", "2026-01-31T10:00:00.000Z"),
    FIELD_TEXT(struct audit_line, daemon, 0, 64, 0, "Daemon of this audit log", "authd"),
    FIELD_INT(struct audit_line, sequence, 0, 0, 0, 0, "Sequence number in its chain", "17"),
    FIELD_TEXT(struct audit_line, action, 0, 64, 0, "Action", "session.create"),
    FIELD_TEXT(struct audit_line, outcome, 0, 64, 0, "success or failure", "success"),
    FIELD_TEXT(struct audit_line, account, 0, 64, 0, "Account", ""),
    FIELD_TEXT(struct audit_line, entity, 0, 1 << 16, 0, "Entity", "Session/1"),
    FIELD_TEXT(struct audit_line, detail, 0, 1 << 16, 0, "Details", "password"),
    FIELD_TEXT(struct audit_line, address, 0, 64, 0, "Network address of the client", "192.0.2.7"),
};
static FIELD_TABLE(audit_line);

/* NULL or absent: any. */
struct filter {
    const char *action;  /* an action, or its beginning: "session." */
    const char *account; /* the account acts, or is the subject */
    const char *entity;
    struct uuid project;
};

struct lines {
    struct arena *arena;
    struct audit_line *items; /* a ring per daemon, see add() */
    size_t count, max, first; /* first: start of the current daemon's ring */
    size_t seen;
};

static const char *time_text(struct arena *arena, int64_t ms)
{
    char text[25];

    clock_format_iso(ms, text);
    return arena_strdup(arena, text);
}

static const char *member(const json_t *event, const char *name, struct arena *arena)
{
    const json_t *value = json_object_get(event, name);

    if (!value || json_is_null(value))
        return NULL;
    return json_is_string(value) ? arena_strdup(arena, json_string_value(value))
                                 : codec_dump_json(arena, value);
}

static bool begins(const char *text, const char *with)
{
    return !with || (text && strncmp(text, with, strlen(with)) == 0);
}

static bool is_text(const json_t *value, const char *text)
{
    return json_is_string(value) && strcmp(json_string_value(value), text) == 0;
}

/* True if the account acted or is the subject. */
static bool is_of_account(const char *account, const json_t *event, const struct audit_record *row)
{
    static const char type[] = "Account/";

    return is_text(json_object_get(event, "account"), account) ||
           is_text(json_object_get(json_object_get(event, "agent"), "account"), account) ||
           (row->entity && strncmp(row->entity, type, strlen(type)) == 0 &&
            strcmp(row->entity + strlen(type), account) == 0);
}

static bool is_wanted(const struct filter *filter, const json_t *event,
                      const struct audit_record *row)
{
    return begins(json_string_value(json_object_get(event, "action")), filter->action) &&
           begins(row->entity, filter->entity) &&
           (!filter->account || is_of_account(filter->account, event, row));
}

static void add(struct lines *self, const char *daemon, const json_t *event,
                const struct audit_record *row)
{
    struct arena *arena = self->arena;
    struct audit_line *line = &self->items[self->first + self->seen++ % self->max];

    *line = (struct audit_line){
        .at = time_text(arena, row->at),
        .daemon = daemon,
        .sequence = row->sequence,
        .ms = row->at,
        .action = member(event, "action", arena),
        .outcome = member(event, "outcome", arena),
        .account = member(event, "account", arena),
        .entity = row->entity ? arena_strdup(arena, row->entity) : NULL,
        .detail = member(event, "detail", arena),
        .address = member(event, "address", arena),
    };
    (void)audit_sealed_of(arena, row->event, &line->sealed);
}

static void add_page(struct lines *lines, const char *service, const struct filter *filter,
                     const struct field_list *rows, struct audit_page_in *in)
{
    const struct audit_record *row = rows->items;

    for (size_t i = 0; i < rows->count; i++) {
        json_auto_t *event = json_loads(row[i].event, 0, NULL);

        in->after = row[i].sequence;
        if (is_wanted(filter, event, &row[i]))
            add(lines, service, event, &row[i]);
    }
}

/* Reads a daemon's log. `newest`: how many rows from its end; 0: all. */
static int read_trail(struct ctl *ctl, const char *service, const struct filter *filter,
                      int64_t newest, struct lines *lines, struct error *err)
{
    CLEANUP(arena_destroy) struct arena *scratch = arena_new();
    struct audit_page_in in = {.project = filter->project, .after = newest > 0 ? INT64_MAX - 1 : 0};
    struct audit_page_out page;

    if (newest > 0) {
        if (audit_page_fetch(ctl, service, &in, scratch, &page, err) < 0)
            return -1;
        in.after = MAX(page.sequence - newest, (int64_t)0);
    }
    lines->first = lines->count;
    lines->seen = 0;
    do {
        arena_reset(scratch);
        if (audit_page_fetch(ctl, service, &in, scratch, &page, err) < 0)
            return -1;
        add_page(lines, service, filter, &page.rows, &in);
    } while (page.rows.count > 0);
    lines->count += MIN(lines->seen, lines->max);
    return 0;
}

static int by_time(const void *left, const void *right)
{
    const struct audit_line *a = left, *b = right;

    if (a->ms != b->ms)
        return a->ms < b->ms ? -1 : 1;
    if (strcmp(a->daemon, b->daemon) != 0)
        return strcmp(a->daemon, b->daemon);
    return (a->sequence > b->sequence) - (a->sequence < b->sequence);
}

/* Decrypts the addresses. Shows "erased" for an erased one, and "sealed" if there is no authd. */
static int open_addresses(struct ctl *ctl, struct field_list *list, struct error *err)
{
    struct audit_line *lines = arena_calloc(ctl->arena, list->count + 1, sizeof(*lines));
    struct audit_sealed *sealed = arena_calloc(ctl->arena, list->count + 1, sizeof(*sealed));
    const char **opened = arena_calloc(ctl->arena, list->count + 1, sizeof(*opened));
    size_t count = 0;

    if (list->count > 0)
        memcpy(lines, list->items, list->count * sizeof(*lines));
    for (size_t i = 0; i < list->count; i++)
        if (lines[i].sealed.sealed)
            sealed[count++] = lines[i].sealed;
    if (audit_addresses_open(ctl, ctl->arena, sealed, count, opened, err) < 0)
        return -1;
    for (size_t i = 0, at = 0; i < list->count; i++)
        if (lines[i].sealed.sealed) {
            const char *address = opened[at++];

            lines[i].address = !address ? "sealed" : *address == '\0' ? "erased" : address;
        }
    list->items = lines;
    return 0;
}

static int show(struct ctl *ctl, const struct filter *filter, int64_t count, bool newest,
                struct error *err)
{
    static const char *const columns[] = {"at",      "daemon", "action", "outcome",
                                          "account", "entity", "detail", NULL};
    struct lines lines = {.arena = ctl->arena, .max = (size_t)count};
    size_t services = 0, skip;
    struct field_list list;

    while (ctl_bus_services[services])
        services++;
    lines.items = arena_calloc(ctl->arena, services * lines.max, sizeof(*lines.items));
    for (size_t i = 0; i < services; i++) {
        const char *service = ctl_bus_services[i];

        if (!*ctl_bus_instances(ctl->bus, service, ctl->arena))
            continue;
        if (ctl_bus_wait(ctl->bus, service, CTL_BUS_PEER_MS, err) < 0 ||
            read_trail(ctl, service, filter, newest ? count : 0, &lines, err) < 0)
            return -1;
    }
    qsort(lines.items, lines.count, sizeof(*lines.items), by_time);
    skip = lines.count > lines.max ? lines.count - lines.max : 0;
    list = (struct field_list){lines.items + skip, lines.count - skip};
    if (open_addresses(ctl, &list, err) < 0)
        return -1;
    output_list(ctl, &audit_line_table, &list, columns);
    return 0;
}

static int read_options(struct ctl *ctl, struct filter *filter, int64_t *ret_count,
                        struct error *err)
{
    if (arguments_int(&ctl->args, "--count", COUNT, 1, COUNT_MAX, ret_count, err) < 0)
        return -1;
    return arguments_has(&ctl->args, "--project") ? project_audited(ctl, &filter->project, err) : 0;
}

int audit_tail_command(struct ctl *ctl, struct error *err)
{
    struct filter filter = {0};
    int64_t count;

    return read_options(ctl, &filter, &count, err) < 0
               ? -1
               : show(ctl, &filter, count, !uuid_is_set(&filter.project), err);
}

int audit_search_command(struct ctl *ctl, struct error *err)
{
    struct filter filter = {.action = arguments_get(&ctl->args, "--action"),
                            .account = arguments_get(&ctl->args, "--account"),
                            .entity = arguments_get(&ctl->args, "--entity")};
    int64_t count;

    return read_options(ctl, &filter, &count, err) < 0 ? -1 : show(ctl, &filter, count, false, err);
}
