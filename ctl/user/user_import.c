/*
 * user_import.c - `atriumctl user import`: imports accounts from an NDJSON file (docs/import.md),
 * in batches that authd commits as a whole. A hash of file and options identifies the import: when
 * repeated, committed batches get the same answer.
 */
#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "authd/authd_api.h"
#include "authd/import/import_api.h"
#include "common/base/file.h"
#include "common/base/memory.h"
#include "ctl/ctl.h"
#include "ctl/ctl_bus.h"
#include "ctl/output.h"
#include "ctl/printable.h"
#include "ctl/progress.h"

enum {
    BATCH_LINES = IMPORT_LINES_MAX,
    BATCH_SIZE = IMPORT_BATCH_MAX + 2 * IMPORT_LINE_MAX,
    BATCHES = 2, /* authd reads one while the other is filled */
    SEEN_MIN = 4096,
};

struct seen {
    uint64_t *slots; /* 0: free */
    size_t size, count;
};

struct batch {
    struct import *import;
    struct arena *arena;
    char *text;
    size_t bytes, lines, starts[BATCH_LINES + 1];
    int64_t first_line;
    /* state of the fiber */
    bool begun, done;
    struct fiber *waiter;
    struct operator_import_out out;
    struct error err;
    int result;
};

struct import {
    struct ctl *ctl;
    const char *path;
    FILE *file, *report;
    int64_t size;
    bool verified, dry_run;
    struct uuid project;
    uint8_t id[IMPORT_ID_SIZE];
    bool array; /* prints the report in the JSON on stdout */
    int64_t next_line, imported, refused, existing;
    struct seen seen;
    struct progress progress;
    struct batch *batches; /* used in turn */
};

/* Waits for a batch's fiber, which always ends: each wait has a deadline. */
static void batch_wait(struct batch *batch)
{
    struct loop *loop = batch->import->ctl->bus->loop;

    batch->waiter = fiber_self(loop);
    while (batch->begun && !batch->done)
        (void)!fiber_park_until(loop, &batch->done, clock_mono_ms() + CTL_BUS_RETRY_MS);
    batch->begun = false;
}

static void import_close(struct import *self)
{
    for (size_t i = 0; self->batches && i < BATCHES; i++) {
        batch_wait(&self->batches[i]);
        free(self->batches[i].text);
        arena_destroy(&self->batches[i].arena);
    }
    free(self->batches);
    progress_end(&self->progress);
    if (self->file)
        fclose(self->file);
    if (self->report && self->report != stdout)
        fclose(self->report);
    free(self->seen.slots);
}

/* Allocates memory for the whole command. */
static void batches_new(struct import *self)
{
    self->batches = memory_array(BATCHES, sizeof(*self->batches));
    for (size_t i = 0; i < BATCHES; i++) {
        self->batches[i].import = self;
        self->batches[i].arena = arena_new();
        self->batches[i].text = memory_new(BATCH_SIZE);
    }
}

/* ---- the file ---- */

static int unreadable(const struct import *self, struct error *err)
{
    return error_set(err, ERR_NOT_FOUND, "%s: %s", self->path, strerror(errno));
}

/* Hashes and rewinds the file. */
static int hash_file(struct import *self, struct error *err)
{
    static const char purpose[] = "atrium user import 1";
    uint8_t flags = self->verified;
    crypto_generichash_state state;
    char *text = self->batches->text;
    size_t got;

    crypto_generichash_init(&state, NULL, 0, sizeof(self->id));
    crypto_generichash_update(&state, (const uint8_t *)purpose, sizeof(purpose));
    crypto_generichash_update(&state, (const uint8_t *)self->project.text,
                              sizeof(self->project.text));
    crypto_generichash_update(&state, &flags, sizeof(flags));
    while ((got = fread(text, 1, IMPORT_BATCH_MAX, self->file)) > 0)
        crypto_generichash_update(&state, (const uint8_t *)text, got);
    crypto_generichash_final(&state, self->id, sizeof(self->id));
    return ferror(self->file) || fseeko(self->file, 0, SEEK_SET) < 0 ? unreadable(self, err) : 0;
}

/* Opens a file. A pipe could not be read twice, so it is rejected. */
static int open_file(struct import *self, struct error *err)
{
    struct stat status;

    self->file = fopen(self->path, "re");
    if (!self->file || fstat(fileno(self->file), &status) < 0)
        return unreadable(self, err);
    if (!S_ISREG(status.st_mode))
        return error_set(err, ERR_BAD_REQUEST, "%s: must be a file", self->path);
    self->size = status.st_size;
    if (hash_file(self, err) < 0)
        return -1;
    file_skip_mark(self->file);
    return 0;
}

static int open_report(struct import *self, struct error *err)
{
    const char *path = arguments_get(&self->ctl->args, "--report");
    int fd;

    self->report = stdout;
    if (!path)
        return 0;
    /* Contains people's addresses. */
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    self->report = fd < 0 ? NULL : fdopen(fd, "w");
    return self->report ? 0 : error_set(err, ERR_NOT_FOUND, "%s: %s", path, strerror(errno));
}

/* Adds a line, cut where authd rejects its length. False: none. */
static bool read_line(FILE *file, struct batch *batch)
{
    size_t start = batch->bytes;
    int c;

    while ((c = getc_unlocked(file)) != EOF && c != '\n') {
        if (batch->bytes - start <= IMPORT_LINE_MAX)
            batch->text[batch->bytes++] = (char)c;
    }
    if (c == EOF && batch->bytes == start)
        return false;
    batch->text[batch->bytes++] = '\n';
    batch->starts[batch->lines++] = start;
    batch->starts[batch->lines] = batch->bytes;
    return true;
}

static int read_batch(struct import *self, struct batch *batch, struct error *err)
{
    batch->first_line = self->next_line;
    batch->lines = batch->bytes = 0;
    arena_reset(batch->arena);
    while (batch->lines < BATCH_LINES && batch->bytes < IMPORT_BATCH_MAX &&
           read_line(self->file, batch))
        ;
    self->next_line += (int64_t)batch->lines;
    return ferror(self->file) ? unreadable(self, err) : 0;
}

/* ---- duplicate addresses in a dry run ---- */

/* Adds a hash. True when it was there already. */
static bool seen_put(struct seen *self, uint64_t hash)
{
    size_t at = (size_t)hash & (self->size - 1);

    while (self->slots[at] != 0 && self->slots[at] != hash)
        at = (at + 1) & (self->size - 1);
    if (self->slots[at] == hash)
        return true;
    self->slots[at] = hash;
    self->count++;
    return false;
}

static bool seen_add(struct seen *self, uint64_t hash)
{
    struct seen larger = {.size = self->size > 0 ? 2 * self->size : SEEN_MIN};

    if (2 * self->count >= self->size) {
        larger.slots = memory_array(larger.size, sizeof(*larger.slots));
        for (size_t i = 0; i < self->size; i++) {
            if (self->slots[i] != 0)
                seen_put(&larger, self->slots[i]);
        }
        free(self->slots);
        *self = larger;
    }
    return seen_put(self, hash > 0 ? hash : 1);
}

static uint64_t read_number(const uint8_t bytes[static 8])
{
    uint64_t number = 0;

    for (int i = 0; i < 8; i++)
        number = number << 8 | bytes[i];
    return number;
}

static const char *email_of(const struct batch *batch, int64_t line)
{
    size_t at = (size_t)(line - batch->first_line);
    json_auto_t *object = json_loadb(batch->text + batch->starts[at],
                                     batch->starts[at + 1] - batch->starts[at], 0, NULL);
    const char *email = json_string_value(json_object_get(object, "email"));

    return email ? fields_email(batch->arena, email) : NULL;
}

static int compare_lines(const void *a, const void *b)
{
    const struct import_refusal *left = a, *right = b;

    return (left->line > right->line) - (left->line < right->line);
}

/* Reports an address of an earlier line as existing: in an import authd would find that account. */
static void add_repeated(struct import *self, struct batch *batch)
{
    struct operator_import_out *out = &batch->out;
    size_t count = out->addresses.size / IMPORT_ADDRESS_SIZE;
    struct import_refusal *items =
        arena_calloc(batch->arena, out->lines.count + count, sizeof(*items));

    if (out->lines.count > 0)
        memcpy(items, out->lines.items, out->lines.count * sizeof(*items));
    for (size_t i = 0; i < count; i++) {
        const uint8_t *at = out->addresses.bytes + i * IMPORT_ADDRESS_SIZE;
        int64_t line = (int64_t)read_number(at);

        if (!seen_add(&self->seen, read_number(at + 8)) || line < batch->first_line ||
            line >= batch->first_line + (int64_t)batch->lines)
            continue;
        items[out->lines.count++] = (struct import_refusal){
            .line = line, .email = email_of(batch, line), .existing = true, .why = IMPORT_EXISTING};
        out->imported--;
    }
    qsort(items, out->lines.count, sizeof(*items), compare_lines);
    out->lines.items = items;
}

/* ---- batches ---- */

/* Sends a batch. This can be repeated, because authd answers a committed batch again. */
static int call_import(struct import *self, struct batch *batch)
{
    const struct operator_import_in in = {.projectId = self->project,
                                          .import = {self->id, sizeof(self->id)},
                                          .firstLine = batch->first_line,
                                          .lines = {(const uint8_t *)batch->text, batch->bytes},
                                          .verified = self->verified,
                                          .dryRun = self->dry_run};

    return ctl_bus_call(self->ctl->bus, batch->arena, &authd_operator_import_method, &in,
                        &batch->out, &batch->err);
}

static void run_batch(void *arg)
{
    struct batch *batch = arg;

    batch->result = call_import(batch->import, batch);
    batch->done = true;
    if (batch->waiter)
        fiber_wake(batch->waiter);
}

/* Reads and sends a batch, unless the file has ended. */
static int begin_batch(struct import *self, struct batch *batch, struct error *err)
{
    if (read_batch(self, batch, err) < 0)
        return -1;
    if (batch->lines == 0)
        return 0;
    error_init(&batch->err, batch->arena);
    batch->done = false;
    batch->waiter = NULL;
    if (fiber_start(self->ctl->bus->loop, run_batch, batch, err) < 0)
        return -1;
    batch->begun = true;
    return 0;
}

static void report_line(struct import *self, const struct batch *batch,
                        const struct import_refusal *line)
{
    json_auto_t *json = output_json(batch->arena, &import_refusal_table, line);

    if (self->array)
        fputs(self->existing + self->refused > 0 ? ",\n" : "\n", self->report);
    printable_json(json, JSON_COMPACT, self->report);
    if (!self->array)
        putc('\n', self->report);
    self->existing += line->existing;
    self->refused += !line->existing;
}

static int end_batch(struct import *self, struct batch *batch, struct error *err)
{
    const struct import_refusal *lines;

    batch_wait(batch);
    if (batch->result < 0) {
        error_copy(err, &batch->err);
        return -1;
    }
    if (self->dry_run)
        add_repeated(self, batch);
    lines = batch->out.lines.items;
    for (size_t i = 0; i < batch->out.lines.count; i++)
        report_line(self, batch, &lines[i]);
    self->imported += batch->out.imported;
    progress_part(&self->progress, self->imported + self->refused + self->existing,
                  ftello(self->file), self->size);
    return 0;
}

static int call_end(struct import *self, struct error *err)
{
    const struct operator_import_end_in in = {.import = {self->id, sizeof(self->id)}};
    struct nothing out;

    return ctl_bus_call(self->ctl->bus, self->ctl->arena, &authd_operator_import_end_method, &in,
                        &out, err);
}

/* Sends batches in file order. */
static int send_all(struct import *self, struct error *err)
{
    for (size_t i = 0; i < BATCHES; i++) {
        if (begin_batch(self, &self->batches[i], err) < 0)
            return -1;
    }
    for (size_t i = 0; self->batches[i].begun; i = (i + 1) % BATCHES) {
        if (end_batch(self, &self->batches[i], err) < 0 ||
            begin_batch(self, &self->batches[i], err) < 0)
            return -1;
    }
    return self->dry_run ? 0 : call_end(self, err);
}

static int end_report(struct import *self, struct error *err)
{
    bool failed = ferror(self->report) || fflush(self->report) != 0;

    if (failed)
        return error_set(err, ERR_INTERNAL, "the report cannot be written: %s", strerror(errno));
    if (self->ctl->json)
        printf("%s\"imported\":%lld,\"refused\":%lld,\"existing\":%lld}\n",
               self->array ? "\n],\n" : "{", (long long)self->imported, (long long)self->refused,
               (long long)self->existing);
    else
        printf("%lld %simported, %lld refused, %lld already there\n", (long long)self->imported,
               self->dry_run ? "would be " : "", (long long)self->refused,
               (long long)self->existing);
    return 0;
}

int user_import_command(struct ctl *ctl, struct error *err)
{
    CLEANUP(import_close)
    struct import self = {.ctl = ctl,
                          .path = arguments_get(&ctl->args, "FILE.ndjson"),
                          .verified = arguments_has(&ctl->args, "--verified"),
                          .dry_run = arguments_has(&ctl->args, "--dry-run"),
                          .next_line = 1};

    batches_new(&self);
    if (project_from_args(ctl, &self.project, err) < 0 || open_file(&self, err) < 0 ||
        open_report(&self, err) < 0)
        return -1;
    self.array = ctl->json && self.report == stdout;
    if (self.array)
        printf("{\"lines\":[");
    progress_start(&self.progress, "import", "accounts", ctl->json);
    if (send_all(&self, err) < 0)
        return -1;
    progress_end(&self.progress);
    if (end_report(&self, err) < 0)
        return -1;
    return self.refused == 0
               ? 0
               : error_set(err, ERR_CONFLICT, "%lld lines were refused.", (long long)self.refused);
}
