/*
 * tenant_export.c - `atriumctl tenant key`, `tenant export`: writes a tenant to a file
 * (docs/transfer.md).
 *
 * The tenant must not change, so --read-only makes it read-only; a failure undoes that. A second
 * read without documents' bytes, which never change, detects changes. --resume continues an
 * interrupted file: it reads all rows again, but only the missing bytes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "ctl/ctl_bus.h"
#include "ctl/output.h"
#include "ctl/project_hold.h"
#include "ctl/tenant/tenant_walk.h"
#include "settingsd/tenant_api.h"

struct export
{
    struct ctl *ctl;
    struct tenant tenant;
    const char *path;
    bool live, read_only, resume;
    bool began; /* this command made the tenant read-only */
    struct tenant_writer *writer;
    struct tenant_bytes_place from; /* end of the written bytes */
    struct progress progress;
    int64_t began_mono_ms, held_mono_ms; /* held: when --read-only began */
};

int tenant_key_command(struct ctl *ctl, struct error *err)
{
    CLEANUP(seal_keys_wipe) struct seal_keys keys = {.count = 0};
    struct tenant_key key;
    json_auto_t *json = NULL;
    const char *text;

    if (tenant_keys_load(ctl, &keys, err) < 0)
        return -1;
    key = tenant_key_derive(seal_keys_current(&keys));
    text = tenant_key_print(ctl->arena, &key);
    json = json_pack("{s:s}", "key", text);
    if (ctl->json)
        output_object(ctl, json);
    else
        printf("%s\n", text);
    return 0;
}

/* ---- export ---- */

static const char *head_of(const struct export *self)
{
    char at[25];
    json_auto_t *json = NULL;

    clock_format_iso(clock_real_ms(), at);
    json = json_pack("{s:i, s:s, s:s, s:s, s:s*, s:s, s:b}", "format", TENANT_HEAD_FORMAT,
                     "version", ATRIUM_VERSION, "projectId", self->tenant.projectId.text, "name",
                     self->tenant.name, "tenantCode", self->tenant.tenantCode, "exportedAt", at,
                     "live", self->live);
    return codec_dump_json(self->ctl->arena, json);
}

static int write_table(void *arg, const char *name, struct error *err)
{
    return tenant_writer_table(((const struct export *)arg)->writer, name, err);
}

static int write_row(void *arg, const void *bytes, size_t size, struct error *err)
{
    return tenant_writer_row(((const struct export *)arg)->writer, bytes, size, err);
}

static int check_held(const struct export *self, struct error *err)
{
    if (!self->tenant.readOnly || self->live)
        return 0;
    return project_hold_check(self->ctl, self->tenant.projectId, err);
}

static int find_tenant(struct export *self, struct error *err)
{
    const char *code = arguments_get(&self->ctl->args, "CODE");

    if (self->live && self->read_only)
        return error_set(err, ERR_BAD_REQUEST, "--live and --read-only exclude each other");
    if (self->live && self->resume)
        return error_set(err, ERR_BAD_REQUEST,
                         "--live and --resume exclude each other, because a tenant in use changes");
    if (project_find(self->ctl, code, &self->tenant, err) < 0)
        return -1;
    if (self->tenant.deleting)
        return error_set(err, ERR_CONFLICT, "%s is being deleted.", code);
    if (!self->tenant.suspended && !self->tenant.readOnly && !self->live && !self->read_only)
        return error_set(err, ERR_CONFLICT,
                         "%s is in use and can change while it is read: use --read-only, or --live "
                         "for a rehearsal",
                         code);
    return self->read_only ? 0 : check_held(self, err);
}

static void summing_free(struct tenant_summing **self_p)
{
    free(*self_p);
}

static int read_again(struct export *self, struct error *err)
{
    CLEANUP(summing_free) struct tenant_summing *now = tenant_summing_alloc(sizeof(*now));
    const struct tenant_sums *written = tenant_writer_sums(self->writer);

    if (self->live)
        return 0;
    progress_start(&self->progress, "reading again", "rows", self->ctl->json);
    if (tenant_walk_sums(self->ctl, self->tenant.projectId, false, NULL, now, &self->progress,
                         err) < 0)
        return -1;
    progress_end(&self->progress);
    for (size_t i = 0; i < now->sums.count; i++) {
        const struct tenant_sum *sum = &now->sums.items[i],
                                *before = tenant_sums_find(written, sum->table);

        if (!before || !tenant_sum_same(before, sum))
            return error_set(err, ERR_CONFLICT,
                             "%s changed while it was read: run this command again", sum->table);
    }
    return 0;
}

/* Fails for another tenant's file. */
static int check_head(const struct export *self, struct error *err)
{
    json_auto_t *json = json_loads(tenant_writer_head(self->writer), 0, NULL);
    const char *of = json_string_value(json_object_get(json, "projectId"));

    return of && strcmp(of, self->tenant.projectId.text) == 0
               ? 0
               : error_set(err, ERR_CONFLICT, "%s.part: belongs to another tenant", self->path);
}

/* Finds where to continue; if there is no part file, that is the start. */
static int resume_file(struct export *self, const struct tenant_key *to,
                       const struct seal_keys *keys, struct error *err)
{
    const struct tenant_last *last;

    self->writer = tenant_writer_resume(self->path, to, keys, err);
    if (!self->writer) {
        if (err->code != ERR_NOT_FOUND)
            return -1;
        output_note(self->ctl, "%s: the export starts again.", err->message);
        error_clear(err);
        return 0;
    }
    if (check_head(self, err) < 0) {
        (void)tenant_writer_keep(self->writer);
        return -1;
    }
    output_note(self->ctl, "%s.part continues after %.1f MB.", self->path,
                (double)tenant_writer_had(self->writer) / 1e6);
    last = tenant_writer_last(self->writer, TENANT_BYTES_TABLE);
    return last ? tenant_bytes_behind(last->bytes, last->size, &self->from, err) : 0;
}

/* Opens the file before the tenant becomes read-only. If the keys cannot be read, the export cannot
 * be resumed. */
static int open_file(struct export *self, struct error *err)
{
    CLEANUP(seal_keys_wipe) struct seal_keys keys = {.count = 0};
    struct tenant_key to, own;
    bool readable;

    if (tenant_key_parse(arguments_get(&self->ctl->args, "--to"), &to, err) < 0)
        return -1;
    readable = tenant_keys_load(self->ctl, &keys, err) == 0;
    if (self->resume && (!readable || resume_file(self, &to, &keys, err) < 0))
        return -1;
    error_clear(err);
    if (readable)
        own = tenant_key_derive(seal_keys_current(&keys));
    if (!self->writer)
        self->writer =
            tenant_writer_create(self->path, &to, readable ? &own : NULL, head_of(self), err);
    return self->writer ? 0 : -1;
}

/* An interrupted export may have left some daemons read-only. */
static int hold(struct export *self, struct error *err)
{
    if (!self->read_only)
        return 0;
    self->held_mono_ms = clock_mono_ms();
    return project_hold_begin(self->ctl, &self->tenant, &self->began, err);
}

static int write_file(struct export *self, struct error *err)
{
    const struct tenant_sink sink = {.table = write_table, .row = write_row, .arg = self};

    progress_start(&self->progress, "export", "rows", self->ctl->json);
    if (tenant_walk(self->ctl, self->tenant.projectId, &self->from, &sink, &self->progress, err) <
        0)
        return -1;
    progress_end(&self->progress);
    return read_again(self, err) < 0 || check_held(self, err) < 0
               ? -1
               : tenant_writer_finish(self->writer, err);
}

/* Keeps a part file, which is useful until the tenant changes. */
static void keep_for_later(struct export *self, const struct error *err)
{
    if (self->writer && !self->live && !self->began && err->code != ERR_CONFLICT &&
        tenant_writer_keep(self->writer))
        output_note(self->ctl, "%s.part is kept: --resume continues it.", self->path);
}

static void show(const struct export *self)
{
    int64_t now = clock_mono_ms();
    double seconds = (double)(now - self->began_mono_ms) / 1000;
    double held = (double)(now - self->held_mono_ms) / 1000;
    json_auto_t *json =
        json_pack("{s:s, s:s*, s:s, s:b, s:f}", "projectId", self->tenant.projectId.text,
                  "tenantCode", self->tenant.tenantCode, "file", self->path, "live", self->live,
                  "seconds", seconds);

    if (self->began)
        json_object_set_new(json, "readOnlySeconds", json_real(held));
    if (self->resume)
        json_object_set_new(json, "resumedBytes",
                            json_integer((json_int_t)tenant_writer_had(self->writer)));

    tenant_sums_show(self->ctl, tenant_writer_sums(self->writer), json);
    if (self->ctl->json)
        output_object(self->ctl, json);
    output_note(self->ctl, "\n%s has %s, read in %.1f s%s.", self->path, self->tenant.name, seconds,
                self->live ? " while it was in use: only for a rehearsal" : " and unchanged since");
    if (self->began)
        output_note(self->ctl, "It has been read-only for %.1f s.", held);
}

int tenant_export_command(struct ctl *ctl, struct error *err)
{
    struct export self = {.ctl = ctl,
                          .path = arguments_get(&ctl->args, "FILE"),
                          .live = arguments_has(&ctl->args, "--live"),
                          .read_only = arguments_has(&ctl->args, "--read-only"),
                          .resume = arguments_has(&ctl->args, "--resume"),
                          .began_mono_ms = clock_mono_ms()};
    int rc = find_tenant(&self, err) < 0 || open_file(&self, err) < 0 || hold(&self, err) < 0
                 ? -1
                 : write_file(&self, err);

    progress_end(&self.progress);
    if (rc < 0)
        keep_for_later(&self, err);
    if (rc < 0 && self.began)
        rc = project_hold_undo(ctl, &self.tenant, err);
    if (rc == 0)
        show(&self);
    tenant_writer_destroy(&self.writer);
    return rc;
}
