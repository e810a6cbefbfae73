/*
 * tenant_import.c - `atriumctl tenant import`, `tenant verify`: adds a tenant from a file
 * (docs/transfer.md). It reads a whole file before it adds a row, and skips existing rows, so it
 * can be repeated. The project stays suspended.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "ctl/ctl_bus.h"
#include "ctl/output.h"
#include "ctl/tenant/tenant_bytes.h"
#include "ctl/tenant/tenant_walk.h"
#include "settingsd/tenant_api.h"

enum { BATCH_ROWS = 200, BATCH_BYTES = 1024 * 1024 };

struct import {
    struct ctl *ctl;
    const char *path;
    struct seal_keys keys;
    struct tenant_reader *reader;
    struct uuid project;
    const char *name, *code, *exported_at, *version;
    bool live;
    int64_t began_mono_ms;
    struct progress progress;
    int64_t rows, added, total;
    int64_t table_rows;
    /* rows to send */
    struct arena *arena;
    struct tenant_json *items;
    const char *service, *table;
    size_t count, bytes;
    struct tenant_bytes_adder files;
    struct tenant_invited invited;
    int64_t admins; /* admins in the file */
    /* sums for verify, without rows of invited practitioners */
    struct tenant_summing *here, *given;
};

/* ---- the file ---- */

static int read_head(struct import *self, struct error *err)
{
    json_auto_t *json = json_loads(tenant_reader_head(self->reader), 0, NULL);
    const char *project = "", *name = "", *code = NULL, *at = "", *version = "";
    int format = 0, live = 0;

    if (json_unpack(json, "{s:i, s:s, s:s, s?s, s:s, s:s, s:b}", "format", &format, "projectId",
                    &project, "name", &name, "tenantCode", &code, "exportedAt", &at, "version",
                    &version, "live", &live) < 0 ||
        format != TENANT_HEAD_FORMAT || uuid_parse(project, &self->project) < 0)
        return error_set(err, ERR_CONFLICT, "%s is of a release that this one cannot read",
                         self->path);
    self->name = output_printable(self->ctl->arena, name);
    self->code = code ? output_printable(self->ctl->arena, code) : NULL;
    self->exported_at = output_printable(self->ctl->arena, at);
    self->version = output_printable(self->ctl->arena, version);
    self->live = live;
    return 0;
}

static int open_file(struct import *self, struct error *err)
{
    tenant_reader_destroy(&self->reader);
    self->reader = tenant_reader_open(self->path, &self->keys, err);
    return self->reader ? read_head(self, err) : -1;
}

/* Counts a row of an admin. The search is safe, because texts in JSON have no bare quotes. */
static void count_admin(struct import *self, const struct tenant_row *row)
{
    static const char admin[] = "\"admin\":true";

    if (strcmp(row->table, TENANT_ACCOUNT_TABLE) == 0 &&
        memmem(row->bytes, row->size, admin, strlen(admin)))
        self->admins++;
}

static int read_through(struct import *self, struct error *err)
{
    struct tenant_row row;
    int got;

    progress_start(&self->progress, "reading", "rows", self->ctl->json);
    while ((got = tenant_reader_next(self->reader, &row, err)) > 0) {
        count_admin(self, &row);
        progress_count(&self->progress, ++self->total, 0);
    }
    progress_end(&self->progress);
    return got;
}

static int begin(struct import *self, struct ctl *ctl, struct error *err)
{
    self->ctl = ctl;
    self->began_mono_ms = clock_mono_ms();
    self->path = arguments_get(&ctl->args, "FILE");
    if (tenant_keys_load(ctl, &self->keys, err) < 0 || open_file(self, err) < 0)
        return -1;
    return read_through(self, err);
}

static void end(struct import *self)
{
    progress_end(&self->progress);
    tenant_reader_destroy(&self->reader);
    seal_keys_wipe(&self->keys);
    arena_destroy(&self->arena);
    free(self->here);
    free(self->given);
    tenant_invited_wipe(&self->invited);
    tenant_bytes_adder_wipe(&self->files);
    free(self);
}

/* ---- target ---- */

/* Fails if a daemon lacks one of the file's tables, or deleted the project within the last day. */
static int check_tables(struct import *self, struct error *err)
{
    const struct tenant_sums *sums = tenant_reader_sums(self->reader);

    for (size_t i = 0; i < sums->count; i++)
        if (strcmp(sums->items[i].table, TENANT_BYTES_TABLE) != 0 &&
            tenant_rows_check(self->ctl, self->project, sums->items[i].table, err) < 0)
            return -1;
    return 0;
}

/* Rejects an active project: anyone with the key can make a file. */
static int check_project(struct import *self, struct error *err)
{
    struct tenant tenant = {0}, other = {0};
    bool here = project_find(self->ctl, self->project.text, &tenant, err) == 0;

    if (!here && err->code != ERR_NOT_FOUND)
        return -1;
    error_clear(err);
    if (here && !tenant.suspended)
        return error_set(err, ERR_CONFLICT, "%s is in use here: nothing was added to it",
                         self->name);
    if (here && !arguments_has(&self->ctl->args, "--resume"))
        return error_set(err, ERR_CONFLICT,
                         "%s is already here: to continue an interrupted import, use --resume",
                         self->name);
    if (here || !self->code)
        return 0;
    if (project_find(self->ctl, self->code, &other, err) == 0)
        return error_set(err, ERR_CONFLICT, "the tenant code %s is already used here by %s",
                         self->code, other.name);
    if (err->code != ERR_NOT_FOUND)
        return -1;
    error_clear(err);
    return 0;
}

/* ---- rows ---- */

static int send_rows(struct import *self, struct error *err)
{
    const struct tenant_add_in in = {.projectId = self->project,
                                     .table = self->table,
                                     .rows = {self->items, self->count},
                                     .before = self->table_rows};
    struct bus_method method;
    struct tenant_add_out out;

    if (self->count == 0)
        return 0;
    method = tenant_add_method(self->service);
    if (ctl_bus_call(self->ctl->bus, self->arena, &method, &in, &out, err) < 0)
        return -1;
    self->rows += (int64_t)self->count;
    self->table_rows += (int64_t)self->count;
    self->added += out.added;
    self->count = self->bytes = 0;
    arena_reset(self->arena);
    self->items = arena_calloc(self->arena, BATCH_ROWS, sizeof(*self->items));
    progress_count(&self->progress, self->rows, self->total);
    return 0;
}

static int begin_table(struct import *self, const char *name, struct error *err)
{
    self->table_rows = 0;
    return tenant_table_split(self->ctl->arena, name, &self->service, &self->table, err);
}

static int take_row(struct import *self, const struct tenant_row *row, const char **table,
                    struct error *err)
{
    if (strcmp(row->table, TENANT_BYTES_TABLE) == 0) {
        progress_count(&self->progress, ++self->rows, self->total);
        return send_rows(self, err) < 0
                   ? -1
                   : tenant_bytes_add(&self->files, row->bytes, row->size, err);
    }
    if (*table != row->table) {
        if (send_rows(self, err) < 0 || begin_table(self, row->table, err) < 0)
            return -1;
        *table = row->table;
    }
    if ((self->count == BATCH_ROWS || self->bytes + row->size > BATCH_BYTES) &&
        send_rows(self, err) < 0)
        return -1;
    self->items[self->count++].value =
        arena_strndup(self->arena, (const char *)row->bytes, row->size);
    self->bytes += row->size;
    return 0;
}

static int add_rows(struct import *self, struct error *err)
{
    const char *table = NULL;
    struct tenant_row row;
    int got;

    if (open_file(self, err) < 0)
        return -1;
    self->files = (struct tenant_bytes_adder){.ctl = self->ctl, .project = self->project};
    self->arena = arena_new();
    self->items = arena_calloc(self->arena, BATCH_ROWS, sizeof(*self->items));
    progress_start(&self->progress, "import", "rows", self->ctl->json);
    while ((got = tenant_reader_next(self->reader, &row, err)) > 0)
        if (take_row(self, &row, &table, err) < 0)
            return -1;
    return got < 0 || send_rows(self, err) < 0 ? -1 : tenant_bytes_end(&self->files, err);
}

/* ---- dry run ---- */

static int check_rows(struct import *self, struct error *err)
{
    const struct field_list rows = {self->items, self->count};

    if (self->count > 0 && tenant_invited_check(&self->invited, self->ctl, self->project, rows,
                                                self->table_rows, err) < 0)
        return -1;
    self->table_rows += (int64_t)self->count;
    self->count = self->bytes = 0;
    arena_reset(self->arena);
    self->items = arena_calloc(self->arena, BATCH_ROWS, sizeof(*self->items));
    return 0;
}

/* Checks accounts with authd, which stores nothing. */
static int check_accounts(struct import *self, struct error *err)
{
    struct tenant_row row;
    int got;

    if (open_file(self, err) < 0)
        return -1;
    self->arena = arena_new();
    self->items = arena_calloc(self->arena, BATCH_ROWS, sizeof(*self->items));
    while ((got = tenant_reader_next(self->reader, &row, err)) > 0) {
        if (strcmp(row.table, TENANT_ACCOUNT_TABLE) != 0)
            continue;
        if ((self->count == BATCH_ROWS || self->bytes + row.size > BATCH_BYTES) &&
            check_rows(self, err) < 0)
            return -1;
        self->items[self->count++].value =
            arena_strndup(self->arena, (const char *)row.bytes, row.size);
        self->bytes += row.size;
    }
    return got < 0 ? -1 : check_rows(self, err);
}

/* ---- commands ---- */

static const char *code_of(const struct import *self)
{
    return self->code ? self->code : self->project.text;
}

static void show(struct import *self, bool dry_run)
{
    double seconds = (double)(clock_mono_ms() - self->began_mono_ms) / 1000;
    json_auto_t *json =
        json_pack("{s:s, s:s*, s:s, s:s, s:b, s:b, s:I, s:I, s:f}", "projectId", self->project.text,
                  "tenantCode", self->code, "exportedAt", self->exported_at, "version",
                  self->version, "live", self->live, "dryRun", dry_run, "rows",
                  (json_int_t)self->total, "added", (json_int_t)self->added, "seconds", seconds);

    tenant_sums_show(self->ctl, tenant_reader_sums(self->reader), json);
    json_object_set(json, "invited", self->invited.list);
    json_object_set_new(json, "administrators", json_integer(self->admins - self->invited.admins));
    if (self->ctl->json)
        output_object(self->ctl, json);
    if (self->live)
        output_note(
            self->ctl,
            "\nIt was exported while people used it, so some of their changes can be missing.");
    if (dry_run)
        output_note(self->ctl, "\nThe file is complete, and %s can be added here.", self->name);
    else
        output_note(self->ctl,
                    "\n%s was imported: %lld rows were added, %lld were already here, in %.1f s. "
                    "It is suspended: run `tenant verify`, then `project suspend %s --resume`.",
                    self->name, (long long)self->added, (long long)(self->rows - self->added),
                    seconds, code_of(self));
    tenant_invited_show(&self->invited, self->ctl, code_of(self), self->admins);
}

int tenant_import_command(struct ctl *ctl, struct error *err)
{
    struct import *self = tenant_summing_alloc(sizeof(*self));
    bool dry_run = arguments_has(&ctl->args, "--dry-run");
    int rc =
        begin(self, ctl, err) < 0 || check_tables(self, err) < 0 || check_project(self, err) < 0
            ? -1
            : 0;

    if (rc == 0)
        rc = dry_run ? check_accounts(self, err)
             : add_rows(self, err) < 0
                 ? -1
                 : tenant_invited_load(&self->invited, ctl, self->project, err);
    progress_end(&self->progress);
    if (rc == 0)
        show(self, dry_run);
    end(self);
    return rc;
}

static bool show_table(struct ctl *ctl, const char *table, const struct tenant_sums *file,
                       const struct tenant_sums *here, json_t *list)
{
    const struct tenant_sum *left = tenant_sums_find(file, table),
                            *right = tenant_sums_find(here, table);
    uint64_t rows = left ? left->rows : 0, here_rows = right ? right->rows : 0;
    bool same = left && right && tenant_sum_same(left, right);

    json_array_append_new(list,
                          json_pack("{s:s, s:I, s:I, s:b}", "table", table, "rows",
                                    (json_int_t)rows, "here", (json_int_t)here_rows, "same", same));
    if (!ctl->json)
        printf("%-28s %10llu rows %10llu here   %s\n", table, (unsigned long long)rows,
               (unsigned long long)here_rows, same ? "same" : "DIFFERS");
    return same;
}

static int sum_file(struct import *self, struct error *err)
{
    const struct tenant_sums *all;
    const char *table = NULL;
    struct tenant_row row;
    int got;

    self->given = tenant_summing_alloc(sizeof(*self->given));
    if (open_file(self, err) < 0)
        return -1;
    while ((got = tenant_reader_next(self->reader, &row, err)) > 0) {
        if (table != row.table && tenant_summing_table(self->given, row.table, strlen(row.table)))
            return error_set(err, ERR_INTERNAL, "%s is not the name of a table", row.table);
        table = row.table;
        if (!tenant_invited_skips(&self->invited, row.table, row.bytes, row.size))
            tenant_summing_row(self->given, row.bytes, row.size);
    }
    if (got < 0)
        return -1;
    all = tenant_reader_sums(self->reader);
    for (size_t i = 0; i < all->count; i++) /* adds tables without rows */
        if (!tenant_sums_find(&self->given->sums, all->items[i].table) &&
            tenant_summing_table(self->given, all->items[i].table, strlen(all->items[i].table)) < 0)
            return error_set(err, ERR_INTERNAL, "%s is not the name of a table",
                             all->items[i].table);
    tenant_summing_end(self->given);
    return 0;
}

static int verify(struct import *self, struct error *err)
{
    struct tenant_summing *here = self->here = tenant_summing_alloc(sizeof(*here));
    const struct tenant_sums *file;
    json_auto_t *json = json_pack("{s:s}", "projectId", self->project.text);
    json_t *list = json_array();
    size_t differ = 0;

    json_object_set_new(json, "tables", list);
    if (tenant_invited_load(&self->invited, self->ctl, self->project, err) < 0 ||
        sum_file(self, err) < 0)
        return -1;
    file = &self->given->sums;
    json_object_set(json, "invited", self->invited.list);
    progress_start(&self->progress, "comparing", "rows", self->ctl->json);
    if (tenant_walk_sums(self->ctl, self->project, true, &self->invited, here, &self->progress,
                         err) < 0)
        return -1;
    progress_end(&self->progress);
    for (size_t i = 0; i < file->count; i++)
        differ += !show_table(self->ctl, file->items[i].table, file, &here->sums, list);
    for (size_t i = 0; i < here->sums.count; i++)
        if (!tenant_sums_find(file, here->sums.items[i].table))
            differ += !show_table(self->ctl, here->sums.items[i].table, file, &here->sums, list);
    if (self->ctl->json)
        output_object(self->ctl, json);
    tenant_invited_show(&self->invited, self->ctl, code_of(self), self->admins);
    return differ > 0
               ? error_set(err, ERR_CONFLICT, "%zu tables differ from %s", differ, self->path)
               : 0;
}

int tenant_verify_command(struct ctl *ctl, struct error *err)
{
    struct import *self = tenant_summing_alloc(sizeof(*self));
    struct tenant tenant = {0};
    int rc = begin(self, ctl, err) < 0 || project_find(ctl, self->project.text, &tenant, err) < 0
                 ? -1
                 : verify(self, err);

    if (rc == 0)
        output_note(ctl, "\n%s is the same here as in %s.", self->name, self->path);
    end(self);
    return rc;
}
