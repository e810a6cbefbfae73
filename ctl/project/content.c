/*
 * content.c - `atriumctl content import`: imports entries of any number in batches. It can be
 * repeated.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/file.h"
#include "common/wire/codec.h"
#include "ctl/ctl.h"
#include "ctl/ctl_bus.h"
#include "ctl/output.h"
#include "ctl/progress.h"
#include "docd/cms_api.h"
#include "docd/docd_api.h"

enum {
    BATCH_BYTES = 1024 * 1024, /* well below the bus limit */
};

struct import {
    struct ctl *ctl;
    const char *path;
    FILE *file;
    int64_t size; /* 0: a pipe */
    struct uuid project;
    struct cms_imported sum;
    struct progress progress;
    /* memory of the batch */
    struct arena *arena;
    struct cms_entry entries[CMS_IMPORT_MAX];
    size_t count, bytes;
};

static void import_close(struct import *self)
{
    progress_end(&self->progress);
    if (self->file && self->file != stdin)
        fclose(self->file);
    arena_destroy(&self->arena);
}

static int next_char(FILE *file)
{
    int c;

    do
        c = getc(file);
    while (c != EOF && isspace(c));
    return c;
}

static int bad_file(const struct import *self, struct error *err)
{
    return error_set(err, ERR_BAD_REQUEST,
                     "%s: entry %lld: the file must be a JSON array of objects", self->path,
                     (long long)self->sum.entries + (long long)self->count + 1);
}

static int send_batch(struct import *self, struct error *err)
{
    struct request req = ctl_bus_request(self->ctl->bus, self->ctl->arena);
    struct cms_import_in in = {.projectId = self->project, .entries = {self->entries, self->count}};
    struct cms_imported out = {0};

    if (self->count == 0)
        return 0;
    if (docd_cms_import(self->ctl->bus->bus, &req, &in, &out, err) < 0)
        return -1;
    self->sum.entries += out.entries;
    self->sum.changed += out.changed;
    self->count = self->bytes = 0;
    arena_reset(self->arena);
    progress_part(&self->progress, self->sum.entries, self->size > 0 ? ftello(self->file) : 0,
                  self->size);
    return 0;
}

static int bad_entry(const struct import *self, struct error *err)
{
    char what[sizeof(err->message)];
    const struct error_item *problem = err->problems;

    if (problem)
        snprintf(what, sizeof(what), "%s %s", problem->name, problem->value);
    else
        snprintf(what, sizeof(what), "%s", err->message);
    error_clear(err);
    return error_set(err, ERR_BAD_REQUEST, "%s: entry %lld: %s", self->path,
                     (long long)self->sum.entries + (long long)self->count + 1, what);
}

static int add_entry(struct import *self, json_t *json, struct error *err)
{
    size_t size = json_dumpb(json, NULL, 0, JSON_COMPACT);

    if (size > BATCH_BYTES) {
        error_set(err, ERR_TOO_LARGE, "is larger than 1 MiB");
        return bad_entry(self, err);
    }
    if ((self->count == CMS_IMPORT_MAX || self->bytes + size > BATCH_BYTES) &&
        send_batch(self, err) < 0)
        return -1;
    if (fields_read(&cms_entry_table, &(struct field_source){.body = json}, self->arena,
                    &self->entries[self->count], err) < 0)
        return bad_entry(self, err);
    self->count++;
    self->bytes += size;
    return 0;
}

/* Holds one entry in memory. */
static int read_entries(struct import *self, struct error *err)
{
    /* Files of other systems can have numbers beyond int64. */
    const size_t flags = JSON_REJECT_DUPLICATES | JSON_DISABLE_EOF_CHECK | JSON_DECODE_INT_AS_REAL;
    int c = next_char(self->file) == '[' ? next_char(self->file) : EOF;
    bool more = c != ']';

    while (more) {
        json_auto_t *json = NULL;

        if (c == '{' && ungetc(c, self->file) == c)
            json = json_loadf(self->file, flags, NULL);
        if (!json)
            return bad_file(self, err);
        if (add_entry(self, json, err) < 0)
            return -1;
        c = next_char(self->file);
        more = c == ',';
        if (more)
            c = next_char(self->file);
    }
    return c == ']' && next_char(self->file) == EOF ? 0 : bad_file(self, err);
}

static int open_file(struct import *self, struct error *err)
{
    struct stat status;

    self->file = strcmp(self->path, "-") == 0 ? stdin : fopen(self->path, "re");
    if (!self->file)
        return error_set(err, ERR_NOT_FOUND, "%s: %s", self->path, strerror(errno));
    file_skip_mark(self->file);
    if (fstat(fileno(self->file), &status) == 0 && S_ISREG(status.st_mode))
        self->size = status.st_size;
    return 0;
}

int content_import_command(struct ctl *ctl, struct error *err)
{
    const char *path = arguments_get(&ctl->args, "FILE.json");
    CLEANUP(import_close) struct import self = {.ctl = ctl, .path = path, .arena = arena_new()};

    if (project_from_args(ctl, &self.project, err) < 0 || open_file(&self, err) < 0)
        return -1;
    progress_start(&self.progress, "import", "entries", ctl->json);
    if (read_entries(&self, err) < 0 || send_batch(&self, err) < 0)
        return -1;
    progress_end(&self.progress);
    output_record(ctl, &cms_imported_table, &self.sum);
    return 0;
}
