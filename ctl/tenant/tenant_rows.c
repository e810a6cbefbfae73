/* tenant_rows.c - see tenant_rows.h. */
#include "ctl/tenant/tenant_rows.h"

#include <string.h>

#include "ctl/ctl_bus.h"

/* settingsd's policies come before memberships, and people before their data. */
static const char *const services[] = {"settingsd", "authd", "docd", "maild", "botd", NULL};

struct walk {
    struct ctl *ctl;
    struct uuid project;
    const struct tenant_sink *sink;
    struct progress *progress;
    int64_t rows;
};

/* Lists a daemon's tables. Fails if the daemon deleted `project` recently; absent: not checked. */
static int list_tables(struct ctl *ctl, const char *service, struct uuid project,
                       struct tenant_tables_out *ret, struct error *err)
{
    const struct bus_method method = tenant_tables_method(service);
    const struct tenant_tables_in in = {.projectId = project};

    return ctl_bus_call(ctl->bus, ctl->arena, &method, &in, ret, err);
}

/* `after` can be in the arena: it is encoded first. */
static int read_page(struct walk *self, const char *service, const struct tenant_read_in *in,
                     struct arena *arena, struct tenant_read_out *ret, struct error *err)
{
    const struct bus_method method = tenant_read_method(service);

    return ctl_bus_call(self->ctl->bus, arena, &method, in, ret, err);
}

static int walk_page(struct walk *self, const struct tenant_read_out *page, struct error *err)
{
    const struct tenant_json *rows = page->rows.items;

    for (size_t i = 0; i < page->rows.count; i++) {
        if (self->sink->row(self->sink->arg, rows[i].value, strlen(rows[i].value), err) < 0)
            return -1;
        self->rows++;
        if (self->progress)
            progress_count(self->progress, self->rows, 0);
    }
    return 0;
}

/* Alternates two arenas: a page begins at the previous one's last row. */
static int walk_table(struct walk *self, const char *service, const char *table, struct error *err)
{
    CLEANUP(arena_destroy) struct arena *first = arena_new();
    CLEANUP(arena_destroy) struct arena *second = arena_new();
    struct tenant_read_in in = {.projectId = self->project, .table = table};
    struct tenant_read_out page;
    struct arena *arena = first;

    do {
        const struct tenant_json *rows;

        if (read_page(self, service, &in, arena, &page, err) < 0 || walk_page(self, &page, err) < 0)
            return -1;
        rows = page.rows.items;
        if (page.rows.count > 0)
            in.after = rows[page.rows.count - 1].value;
        arena = arena == first ? second : first;
        arena_reset(arena);
    } while (page.more);
    return 0;
}

static int walk_service(struct walk *self, const char *service, struct error *err)
{
    const struct tenant_table_name *names;
    struct tenant_tables_out tables;

    if (list_tables(self->ctl, service, (struct uuid){""}, &tables, err) < 0)
        return -1;
    if (tables.tables.count == 0)
        return error_set(err, ERR_CONFLICT,
                         "%s is of an older release without this: upgrade it first", service);
    names = tables.tables.items;
    for (size_t i = 0; i < tables.tables.count; i++) {
        const char *name = arena_printf(self->ctl->arena, "%s.%s", service, names[i].name);

        if (self->sink->table(self->sink->arg, name, err) < 0 ||
            walk_table(self, service, names[i].name, err) < 0)
            return -1;
    }
    return 0;
}

int tenant_rows_table(struct ctl *ctl, struct uuid project, const char *service, const char *table,
                      const struct tenant_sink *sink, struct error *err)
{
    struct walk self = {.ctl = ctl, .project = project, .sink = sink};

    return walk_table(&self, service, table, err);
}

int tenant_rows_walk(struct ctl *ctl, struct uuid project, const struct tenant_sink *sink,
                     struct progress *progress, struct error *err)
{
    struct walk self = {.ctl = ctl, .project = project, .sink = sink, .progress = progress};

    for (const char *const *service = services; *service; service++)
        if (ctl_bus_wait(ctl->bus, *service, CTL_BUS_PEER_MS, err) < 0 ||
            walk_service(&self, *service, err) < 0)
            return -1;
    return 0;
}

int tenant_rows_check(struct ctl *ctl, struct uuid project, const char *name, struct error *err)
{
    const struct tenant_table_name *names;
    struct tenant_tables_out tables;
    const char *service, *table;

    if (tenant_table_split(ctl->arena, name, &service, &table, err) < 0 ||
        ctl_bus_wait(ctl->bus, service, CTL_BUS_PEER_MS, err) < 0 ||
        list_tables(ctl, service, project, &tables, err) < 0)
        return -1;
    names = tables.tables.items;
    for (size_t i = 0; i < tables.tables.count; i++)
        if (strcmp(names[i].name, table) == 0)
            return 0;
    return error_set(err, ERR_CONFLICT, "%s is of another release: %s does not have it", name,
                     service);
}

int tenant_table_split(struct arena *arena, const char *name, const char **ret_service,
                       const char **ret_table, struct error *err)
{
    const char *dot = strchr(name, '.');

    for (const char *const *service = services; dot && *service; service++) {
        if (strlen(*service) != (size_t)(dot - name) ||
            strncmp(*service, name, (size_t)(dot - name)) != 0)
            continue;
        *ret_service = *service;
        *ret_table = arena_strdup(arena, dot + 1);
        return 0;
    }
    return error_set(err, ERR_CONFLICT, "%s is of another release: no daemon here has it", name);
}
