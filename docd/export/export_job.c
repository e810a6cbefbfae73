/*
 * export_job.c - makes an export's file. Memory holds only one page of documents, one piece of a
 * document and one block of the file.
 *
 * Each attempt has its own object. After a failure the next attempt starts over, after a pause.
 * After EXPORT_ATTEMPTS, or if the account was deleted, the export has failed.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "authd/authd_api.h"
#include "authd/operation_api.h"
#include "common/base/clock.h"
#include "common/service/audit.h"
#include "common/wire/codec.h"
#include "docd/bytes_api.h"
#include "docd/export/export.h"
#include "docd/export/export_zip.h"
#include "docd/export/sealed_file.h"
#include "docd/sql/export.h"

enum {
    CALL_MS = 20000,       /* deadline of one call */
    LEASE_MS = MINUTES(1), /* contract time */
    RENEW_MS = 10 * 1000,  /* real time; also how long one file can take */
    EXPORT_ATTEMPTS = 30,  /* about two hours */
    PAUSE_MAX_S = 300,
    DOCUMENT_PAGE = 200,
    MAIL_PAGE = 100,
    KEPT_DAYS = 7,
};
static const int64_t kept_ms = DAYS(KEPT_DAYS);

/* `path` is NULL when the store lacks the bytes. */
struct document_entry {
    struct export_job *job;
    struct uuid object;
    int64_t size, at;
    const char *path; /* name in the archive */
    const char *resource;
    struct document_entry *next;
};

struct bundle {
    char *text; /* from open_memstream() */
    size_t size, at;
    enum { BUNDLE_HEAD, BUNDLE_PAGES, BUNDLE_DOCUMENTS, BUNDLE_END } state;
    const char *after;
    const struct document_entry *document;
    bool begun;
};

struct export_job {
    struct docd *d;
    const struct request *req; /* lives as long as the job; its deadline is unused */
    struct sql_export_claim_row row;
    struct uuid lease, object;
    struct sealed_file *file;
    struct document_entry *documents, **tail;
    struct bundle bundle;
    uint8_t *piece; /* STORE_PIECE bytes of piece_of */
    const struct document_entry *piece_of;
    int64_t piece_at, renew_mono_ms;
    bool hopeless; /* a retry cannot help */
};

#define REQUEST CLEANUP(service_request_destroy) struct request *

static int renew(struct export_job *self, const struct request *req, int64_t until,
                 struct error *err)
{
    const struct sql_export_renew_in in = {
        .project = self->row.project, .id = self->row.id, .lease = self->lease, .until = until};

    return sql_export_renew(self->d->svc.db, req, &in, err);
}

/* Renews the lease. Fails when the service stops or another instance has the job. */
static int go_on(struct export_job *self, struct error *err)
{
    int64_t now = clock_mono_ms();
    int rows;

    if (self->d->svc.stopping)
        return error_set(err, ERR_UNAVAILABLE, "The service is stopping.");
    if (now < self->renew_mono_ms)
        return 0;
    REQUEST req = service_request_new(&self->d->svc, CALL_MS);
    rows = renew(self, req, req->now_ms + LEASE_MS, err);
    if (rows == 0)
        return error_set(err, ERR_CONFLICT,
                         "The export was taken over, or the account was deleted.");
    self->renew_mono_ms = now + RENEW_MS;
    return rows < 0 ? -1 : 0;
}

/* ---- documents ---- */

static ssize_t read_document(void *arg, uint8_t *bytes, size_t size, struct error *err)
{
    struct document_entry *entry = arg;
    struct export_job *self = entry->job;
    const struct store_functions *store = self->d->store->functions;
    int64_t in_piece = entry->at % STORE_PIECE, left;
    size_t count;

    if (entry->at >= entry->size)
        return 0;
    if (self->piece_of != entry || self->piece_at != entry->at - in_piece) {
        size_t wanted = (size_t)MIN(entry->size - (entry->at - in_piece), (int64_t)STORE_PIECE);
        REQUEST req = service_request_new(&self->d->svc, CALL_MS);
        size_t got = 0;

        self->piece_of = NULL;
        if (go_on(self, err) < 0 ||
            store->read(self->d->store, req, (struct store_key){self->row.project, entry->object},
                        entry->at - in_piece, self->piece, wanted, &got, err) < 0)
            return -1;
        if (got < wanted)
            return error_set(err, ERR_UNAVAILABLE, "A stored file is incomplete.");
        self->piece_of = entry;
        self->piece_at = entry->at - in_piece;
    }
    left = MIN(entry->size - entry->at, (int64_t)STORE_PIECE - in_piece);
    count = (size_t)MIN((int64_t)size, left);
    memcpy(bytes, self->piece + in_piece, count);
    entry->at += (int64_t)count;
    return (ssize_t)count;
}

/* Returns a name that stays inside the folder where the archive is unpacked. */
static const char *path_of(struct arena *arena, const struct uuid *id, const char *file_name)
{
    char *path = arena_printf(arena, "documents/%s/%s", id->text, file_name);
    char *name = path + sizeof("documents/") - 1 + strlen(id->text) + 1;

    for (char *at = name; *at; at++)
        if (strchr("/\\:*?\"<>|", *at) || (unsigned char)*at < ' ' || *at == 0x7f)
            *at = '_';
    if (!name[0] || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return arena_printf(arena, "documents/%s/file", id->text);
    return path;
}

/* Finds a document's file. A document without one is still in the Bundle. */
static int find_file(struct export_job *self, const struct sql_export_document_list_row *row,
                     bool *ret, struct error *err)
{
    struct store_key key = {self->row.project, row->object};
    const char *etag;
    int64_t size;

    *ret = uuid_is_set(&row->object) && !row->missing && row->size;
    if (!*ret)
        return 0;
    REQUEST req = service_request_new(&self->d->svc, CALL_MS);
    if (self->d->store->functions->check(self->d->store, req, key, false, &size, &etag, err) == 0) {
        *ret = size == *row->size;
        return 0;
    }
    if (err->code != ERR_NOT_FOUND)
        return -1;
    error_clear(err);
    *ret = false;
    return 0;
}

static int add_document(struct export_job *self, const struct sql_export_document_list_row *row,
                        struct error *err)
{
    struct arena *arena = self->req->arena;
    struct document_entry *entry = arena_alloc(arena, sizeof(*entry));
    bool there;

    if (go_on(self, err) < 0 || find_file(self, row, &there, err) < 0)
        return -1;
    *entry =
        (struct document_entry){.job = self,
                                .object = row->object,
                                .size = there ? *row->size : 0,
                                .path = there ? path_of(arena, &row->id, row->file_name) : NULL,
                                .resource = arena_strdup(arena, row->resource)};
    *self->tail = entry;
    self->tail = &entry->next;
    return 0;
}

static int list_documents(struct export_job *self, struct error *err)
{
    struct sql_export_document_list_in in = {.project = self->row.project,
                                             .author = self->row.profile,
                                             .after = {UUID_NIL},
                                             .most = DOCUMENT_PAGE};
    struct sql_export_document_list_rows rows;

    self->tail = &self->documents;
    do {
        REQUEST req = service_request_new(&self->d->svc, CALL_MS);

        if (sql_export_document_list(self->d->svc.db, req, &in, &rows, err) < 0)
            return -1;
        for (size_t i = 0; i < rows.count; i++)
            if (add_document(self, &rows.items[i], err) < 0)
                return -1;
        if (rows.count > 0)
            in.after = rows.items[rows.count - 1].id;
    } while (rows.count == DOCUMENT_PAGE);
    return 0;
}

/* ---- the Bundle ---- */

static void write_entry(struct export_job *self, FILE *out, const json_t *resource)
{
    const char *base =
        self->d->config->public_url ? self->d->config->public_url : "https://atrium.invalid";
    json_auto_t *url =
        json_sprintf("%s/%s/%s", base, json_string_value(json_object_get(resource, "resourceType")),
                     json_string_value(json_object_get(resource, "id")));

    fputs(self->bundle.begun ? ",\n{\"fullUrl\":" : "\n{\"fullUrl\":", out);
    self->bundle.begun = true;
    (void)json_dumpf(url, out, JSON_ENCODE_ANY | JSON_COMPACT);
    fputs(",\"resource\":", out);
    (void)json_dumpf(resource, out, JSON_COMPACT);
    fputc('}', out);
}

static int write_page(struct export_job *self, FILE *out, struct error *err)
{
    const struct export_page_in in = {
        .projectId = self->row.project, .account = self->row.account, .after = self->bundle.after};
    struct export_page_out page = {.next = NULL};
    REQUEST req = service_request_new(&self->d->svc, CALL_MS);

    if (go_on(self, err) < 0)
        return -1;
    if (authd_export_page(self->d->svc.bus, req, &in, &page, err) < 0) {
        self->hopeless = err->code == ERR_NOT_FOUND;
        return -1;
    }
    for (size_t i = 0; i < page.resources.count; i++) {
        json_auto_t *resource = json_loads(page.resources.items[i], 0, NULL);

        if (!json_is_object(resource))
            return error_set(err, ERR_INTERNAL, "A record is no JSON object.");
        write_entry(self, out, resource);
    }
    self->bundle.after = page.next ? arena_strdup(self->req->arena, page.next) : NULL;
    if (!page.next)
        self->bundle.state = BUNDLE_DOCUMENTS;
    return 0;
}

/* Encodes by RFC 3986, section 2.3; keeps "/". */
static const char *url_of(struct arena *arena, const char *path)
{
    char *url = arena_alloc(arena, 3 * strlen(path) + 1), *to = url;

    for (const char *at = path; *at; at++) {
        if (strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/", *at))
            *to++ = *at;
        else
            to += snprintf(to, 4, "%%%02X", (unsigned)(unsigned char)*at);
    }
    *to = '\0';
    return url;
}

static int write_document(struct export_job *self, FILE *out, struct error *err)
{
    const struct document_entry *entry = self->bundle.document;
    json_auto_t *resource = json_loads(entry->resource, 0, NULL);
    json_t *attachment =
        json_object_get(json_array_get(json_object_get(resource, "content"), 0), "attachment");

    if (!json_is_object(attachment))
        return error_set(err, ERR_INTERNAL, "A document is no JSON object.");
    if (entry->path) {
        REQUEST req = service_request_new(&self->d->svc, CALL_MS);

        json_object_set_new(attachment, "url", json_string(url_of(req->arena, entry->path)));
    }
    write_entry(self, out, resource);
    self->bundle.document = entry->next;
    return 0;
}

static int write_stretch(struct export_job *self, FILE *out, struct error *err)
{
    struct bundle *bundle = &self->bundle;
    char now[25];

    if (bundle->state == BUNDLE_PAGES)
        return write_page(self, out, err);
    if (bundle->state == BUNDLE_DOCUMENTS && bundle->document)
        return write_document(self, out, err);
    if (bundle->state == BUNDLE_DOCUMENTS) {
        fputs("\n]}\n", out);
        bundle->state = BUNDLE_END;
        return 0;
    }
    clock_format_iso(clock_now_ms(self->d->svc.clock), now);
    fprintf(out,
            "{\"resourceType\":\"Bundle\",\"type\":\"collection\",\"timestamp\":\"%s\","
            "\"entry\":[",
            now);
    bundle->state = BUNDLE_PAGES;
    bundle->document = self->documents;
    return 0;
}

static int fill(struct export_job *self, struct error *err)
{
    struct bundle *bundle = &self->bundle;
    FILE *out;
    int result;

    free(bundle->text);
    bundle->text = NULL;
    bundle->at = 0;
    out = open_memstream(&bundle->text, &bundle->size);
    if (!out)
        abort();
    result = write_stretch(self, out, err);
    fclose(out);
    return result;
}

static ssize_t read_bundle(void *arg, uint8_t *bytes, size_t size, struct error *err)
{
    struct export_job *self = arg;
    struct bundle *bundle = &self->bundle;
    size_t count;

    while (bundle->at == bundle->size) {
        if (bundle->state == BUNDLE_END)
            return 0;
        if (fill(self, err) < 0)
            return -1;
    }
    count = MIN(size, bundle->size - bundle->at);
    memcpy(bytes, bundle->text + bundle->at, count);
    bundle->at += count;
    return (ssize_t)count;
}

/* ---- an attempt ---- */

static int write_archive(struct export_job *self, struct error *err)
{
    CLEANUP(export_zip_destroy) struct export_zip *zip = export_zip_new(self->file, err);
    int64_t now = self->req->now_ms;

    if (!zip || list_documents(self, err) < 0 ||
        export_zip_add(zip, "bundle.json", -1, now, read_bundle, self, err) < 0)
        return -1;
    for (struct document_entry *entry = self->documents; entry; entry = entry->next)
        if (entry->path &&
            export_zip_add(zip, entry->path, entry->size, now, read_document, entry, err) < 0)
            return -1;
    return export_zip_write(zip, err);
}

static int store_file(struct export_job *self, struct error *err)
{
    const struct store_functions *store = self->d->store->functions;
    int64_t size = sealed_size(sealed_file_size(self->file)), have = 0;
    struct store_key key = {self->row.project, self->object};
    uint8_t hash[TENANT_BYTES_HASH / 2];
    char digits[TENANT_BYTES_HASH + 1];
    crypto_generichash_state state;
    struct stored stored;

    self->piece_of = NULL;
    crypto_generichash_init(&state, NULL, 0, sizeof(hash));
    for (int64_t at = 0; at < size; at = have) {
        REQUEST req = service_request_new(&self->d->svc, CALL_MS);
        struct field_bytes piece = {self->piece, (size_t)MIN(size - at, (int64_t)STORE_PIECE)};

        if (sealed_file_read_sealed(self->file, at, self->piece, piece.size) != (ssize_t)piece.size)
            return error_set(err, ERR_UNAVAILABLE, "A temporary file cannot be read.");
        crypto_generichash_update(&state, piece.bytes, piece.size);
        if (go_on(self, err) < 0 ||
            store->append(self->d->store, req, key, at, piece, size, &have, err) < 0)
            return -1;
        if (have != at + (int64_t)piece.size)
            return error_set(err, ERR_UNAVAILABLE, "The store rejected a piece.");
    }
    crypto_generichash_final(&state, hash, sizeof(hash));
    sodium_bin2hex(digits, sizeof(digits), hash, sizeof(hash));
    REQUEST req = service_request_new(&self->d->svc, CALL_MS);
    return store->keep(self->d->store, req, key, size, digits, &stored, err);
}

static struct sql_audit job_audit(const struct export_job *self, const struct request *req,
                                  const char *action, bool failure)
{
    return audit_row(req, &(struct audit){.action = action,
                                          .failure = failure,
                                          .project = self->row.project,
                                          .account = self->row.account,
                                          .type = EXPORT_TYPE,
                                          .id = self->row.id});
}

static int finish(struct export_job *self, struct error *err)
{
    REQUEST req = service_request_new(&self->d->svc, CALL_MS);
    struct sealed key = seal_value(req->arena, &self->d->svc.seal, EXPORT_KEY_PURPOSE,
                                   sealed_file_key(self->file), SEALED_KEY);
    const struct sql_export_finish_in in = {.project = self->row.project,
                                            .id = self->row.id,
                                            .lease = self->lease,
                                            .object = self->object,
                                            .key_sealed = {key.bytes, key.size},
                                            .size = sealed_file_size(self->file),
                                            .now = req->now_ms,
                                            .expires_at = req->now_ms + kept_ms,
                                            .audit = job_audit(self, req, "export.execute", false)};
    struct sql_export_finish_row row;
    int rows = sql_export_finish(self->d->svc.db, req, &in, &row, err);

    if (rows == 0)
        return error_set(err, ERR_CONFLICT,
                         "The export was taken over, or the account was deleted.");
    return rows < 0 ? -1 : 0;
}

static int attempt(struct export_job *self, struct error *err)
{
    if (self->row.attempts > EXPORT_ATTEMPTS)
        return error_set(err, ERR_UNAVAILABLE, "Every attempt was interrupted.");
    self->file = sealed_file_new(self->d->config->storage_dir, err);
    if (!self->file || write_archive(self, err) < 0 || store_file(self, err) < 0)
        return -1;
    return finish(self, err);
}

/* ---- outcomes ---- */

static int64_t pause_ms(int64_t attempts)
{
    return 1000 * (attempts < 9 ? MIN(INT64_C(1) << attempts, (int64_t)PAUSE_MAX_S)
                                : (int64_t)PAUSE_MAX_S);
}

/* Ends a failed attempt, or the export. If this fails too, the expiry of the lease and the sweep do
 * the same later. */
static void end_badly(struct export_job *self, const struct error *why)
{
    REQUEST req = service_request_new(&self->d->svc, CALL_MS);
    bool last = self->hopeless || self->row.attempts >= EXPORT_ATTEMPTS;
    const struct sql_export_fail_in fail = {.project = self->row.project,
                                            .id = self->row.id,
                                            .lease = self->lease,
                                            .until = req->now_ms + kept_ms,
                                            .audit = job_audit(self, req, "export.execute", true)};
    struct error err;
    int result;

    error_init(&err, req->arena);
    if (!self->d->svc.stopping)
        log_event(last ? LOG_WARNING : LOG_NOTICE, "export",
                  last ? "an export has failed" : "an export will be retried", "export",
                  self->row.id.text, "reason", why->message, NULL);
    if (last)
        result = sql_export_fail(self->d->svc.db, req, &fail, &err);
    else
        result =
            renew(self, req,
                  req->now_ms + (self->d->svc.stopping ? 0 : pause_ms(self->row.attempts)), &err);
    if (result >= 0)
        result = object_sweep(self->d, req, self->row.project, self->object, &err);
    if (result < 0)
        log_event(LOG_NOTICE, "export", "an attempt leaves files until they are swept", "export",
                  self->row.id.text, "reason", err.message, NULL);
}

/* Returns 1 when an export was due. */
static int run_one(struct docd *d, struct error *err)
{
    REQUEST req = service_request_new(&d->svc, CALL_MS);
    struct export_job self = {.d = d,
                              .req = req,
                              .lease = uuid_random(),
                              .object = uuid_random(),
                              .renew_mono_ms = clock_mono_ms() + RENEW_MS};
    const struct sql_export_claim_in claim = {.lease = self.lease,
                                              .object = self.object,
                                              .now = req->now_ms,
                                              .until = req->now_ms + LEASE_MS,
                                              .sweep_at = req->now_ms + SWEEP_AFTER_MS};
    struct error failed;
    int rows = sql_export_claim(d->svc.db, req, &claim, &self.row, err);

    if (rows <= 0)
        return rows;
    error_init(&failed, req->arena);
    self.piece = malloc(STORE_PIECE);
    if (!self.piece)
        abort();
    if (attempt(&self, &failed) < 0)
        end_badly(&self, &failed);
    sealed_file_destroy(&self.file);
    free(self.bundle.text);
    free(self.piece);
    return 1;
}

/* Parks until authd's outbox has the email, which the export's id makes unique. */
static int mail_made(struct docd *d, const struct request *req, struct error *err)
{
    const struct sql_export_list_unmailed_in list = {.now = req->now_ms, .most = MAIL_PAGE};
    struct sql_export_list_unmailed_rows rows;
    struct nothing out;

    if (sql_export_list_unmailed(d->svc.db, req, &list, &rows, err) < 0)
        return -1;
    for (size_t i = 0; i < rows.count; i++) {
        const struct sql_export_list_unmailed_row *row = &rows.items[i];
        const struct export_made_in made = {.key = row->id,
                                            .projectId = row->project,
                                            .account = row->account,
                                            .until = row->expires_at};
        const struct sql_export_mailed_in mailed = {
            .project = row->project, .id = row->id, .now = req->now_ms};

        if (authd_export_made(d->svc.bus, req, &made, &out, err) < 0 ||
            sql_export_mailed(d->svc.db, req, &mailed, err) < 0)
            return -1;
    }
    return 0;
}

int export_run(void *daemon, const struct request *req, struct error *err)
{
    struct docd *d = daemon;
    const struct sql_export_expire_in expire = {.now = req->now_ms, .most = MAIL_PAGE};
    int rows = 1;

    if (sql_export_expire(d->svc.db, req, &expire, err) < 0)
        return -1;
    while (rows > 0 && !d->svc.stopping)
        rows = run_one(d, err);
    if (rows < 0 || d->svc.stopping)
        return MIN(rows, 0);
    REQUEST mail = service_request_new(&d->svc, CALL_MS);
    return mail_made(d, mail, err);
}
