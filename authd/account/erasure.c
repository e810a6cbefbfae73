/*
 * erasure.c - see erasure.h. Handler: operator_erasure.
 *
 * The receipt is a signed note (common/base/note.h) of two lines: its name, HOST/erasure, and a
 * struct erasure_statement as JSON.
 */
#include "authd/account/erasure.h"

#include <string.h>

#include "authd/sql/erasure.h"
#include "authd/sql/outbox.h"
#include "authd/trail/trail.h"
#include "authd/trail/trail_api.h"
#include "botd/botd_api.h"
#include "common/base/clock.h"
#include "common/service/audit.h"
#include "common/wire/codec.h"
#include "docd/docd_api.h"
#include "maild/maild_api.h"
#include "settingsd/settingsd_api.h"

enum {
    ASK_MS = 2000,      /* timeout per daemon */
    PAGE_PLACES = 1000, /* profiles per request, see account_wipe */
    DAEMON_MAX = 16,    /* characters of a daemon's name */
    MISSING_MAX = 8,    /* daemons that a receipt names */
};

/* The other daemons that erase; docd is first. */
static const struct eraser {
    const char *daemon;
    const struct bus_method *wipe, *erased;
} erasers[] = {
    {"docd", &docd_account_wipe_method, &docd_account_erased_method},
    {"settingsd", &settingsd_account_wipe_method, &settingsd_account_erased_method},
    {"maild", &maild_account_wipe_method, &maild_account_erased_method},
    {"botd", &botd_account_wipe_method, &botd_account_erased_method},
};

/* ---- requests ---- */

static int queue_page(struct authd *d, const struct request *req, struct db_tx *tx,
                      struct uuid account, struct field_list places, struct error *err)
{
    for (size_t i = 0; i < ARRAY_SIZE(erasers); i++) {
        const struct account_wipe_in in = {
            .key = uuid_ordered(req->now_ms), .places = places, .account = account};
        const struct sql_outbox_insert_in insert = {
            .outbox = outbox_row(d->svc.outbox, req->arena, erasers[i].wipe, in.key, &in)};

        if (sql_outbox_insert_tx(tx, req, &insert, err) < 0)
            return -1;
    }
    return 0;
}

int erasure_begin(struct authd *d, const struct request *req, struct db_tx *tx,
                  const struct erasure_order *order, struct error *err)
{
    struct sql_erasure_begin_in in = {.account = order->account,
                                      .daemons = db_array_new(req->arena, ARRAY_SIZE(erasers) - 1,
                                                              DAEMON_MAX),
                                      .resets = order->resets,
                                      .now = req->now_ms};
    const struct membership_ref *all = order->places.items;
    size_t count = order->places.count;

    for (size_t i = 0; i == 0 || i < count; i += PAGE_PLACES, in.others++)
        if (queue_page(d, req, tx, order->account,
                       (struct field_list){all + i, MIN(count - i, (size_t)PAGE_PLACES)}, err) < 0)
            return -1;
    for (size_t i = 1; i < ARRAY_SIZE(erasers); i++)
        db_array_add(&in.daemons, erasers[i].daemon);
    in.requests = in.others + order->exports;
    return sql_erasure_begin(tx, req, &in, err) < 0 ? -1 : 0;
}

int erasure_of_places(struct authd *d, const struct request *req, struct db_tx *tx, struct uuid key,
                      struct field_list places, struct error *err)
{
    return queue_page(d, req, tx, key, places, err);
}

/* ---- parts ---- */

struct erasure {
    struct sql_erasure_get_row row;
    struct erasure_part parts[1 + ARRAY_SIZE(erasers)];
    const char *missing[MISSING_MAX];
    size_t part_count, missing_count;
};

static int add_own(struct authd *d, const struct request *req, struct uuid account,
                   struct erasure *self, struct error *err)
{
    const struct sql_erasure_list_in in = {.account = account};
    struct field_list erased;

    if (sql_erasure_list(d->svc.db, req, &in, &erased, err) < 0)
        return -1;
    self->parts[self->part_count++] = (struct erasure_part){"authd", self->row.deleted_at, erased};
    return 0;
}

static const struct eraser *find_eraser(const char *daemon)
{
    for (size_t i = 0; i < ARRAY_SIZE(erasers); i++) {
        if (strcmp(erasers[i].daemon, daemon) == 0)
            return &erasers[i];
    }
    return NULL;
}

/* A daemon's part is done when it has executed every request and its sweep has no bytes left. A
 * later release may add daemons, whose parts are missing. */
static void add_part(struct authd *d, const struct request *req, struct uuid account,
                     const struct sql_erasure_requests_row *row, struct erasure *self)
{
    const struct eraser *eraser = find_eraser(row->daemon);
    const struct account_erased_in in = {.account = account};
    struct account_erased_out out = {.steps = 0};
    struct request soon = *req;
    struct error ignored;

    error_init(&ignored, req->arena);
    soon.deadline_mono_ms = MIN(req->deadline_mono_ms, clock_mono_ms() + ASK_MS);
    if (eraser && bus_call(d->svc.bus, eraser->erased, &soon, &in, &out, &ignored) == 0 &&
        out.steps >= row->requests && !out.waiting)
        self->parts[self->part_count++] =
            (struct erasure_part){eraser->daemon, out.doneAt, out.erased};
    else if (self->missing_count < MISSING_MAX)
        self->missing[self->missing_count++] = row->daemon;
}

static int add_parts(struct authd *d, const struct request *req, struct uuid account,
                     struct erasure *self, struct error *err)
{
    const struct sql_erasure_requests_in in = {.account = account};
    struct sql_erasure_requests_rows rows;

    if (add_own(d, req, account, self, err) < 0 ||
        sql_erasure_requests(d->svc.db, req, &in, &rows, err) < 0)
        return -1;
    for (size_t i = 0; i < rows.count; i++)
        add_part(d, req, account, &rows.items[i], self);
    return 0;
}

/* ---- receipt ---- */

static int get(struct authd *d, const struct request *req, struct uuid account,
               struct erasure *self, struct error *err)
{
    const struct sql_erasure_get_in in = {.account = account};

    return sql_require(sql_erasure_get(d->svc.db, req, &in, &self->row, err), err, ERR_NOT_FOUND,
                       "There is no record of this account being erased.");
}

static int print_statement(const struct request *req, const struct erasure_statement *statement,
                           const char **ret, struct error *err)
{
    struct codec_buffer buffer;
    msgpack_object map;
    size_t size;

    codec_buffer_init(&buffer, req->arena);
    fields_pack(&erasure_statement_table, statement, &buffer);
    if (codec_unpack(buffer.bytes, buffer.size, req->arena, &map, err) < 0)
        return -1;
    *ret = fields_print(&erasure_statement_table, &map, req->arena, &size);
    return 0;
}

/* Stores the receipt, or reads the one that another instance has stored. */
static int sign(struct authd *d, const struct request *req, struct uuid account,
                struct erasure *self, struct error *err)
{
    const struct erasure_statement statement = {.account = account,
                                                .deletedAt = self->row.deleted_at,
                                                .complete = true,
                                                .parts = {self->parts, self->part_count}};
    const char *name = arena_printf(req->arena, "%s/erasure", trail_host(d, req->arena));
    struct sql_erasure_sign_in in = {.account = account,
                                     .audit =
                                         audit_row(req, &(struct audit){.action = "account.receipt",
                                                                        .account = account,
                                                                        .type = "Account",
                                                                        .id = account})};
    const char *json;

    if (print_statement(req, &statement, &json, err) < 0 ||
        trail_note_sign(d, req, name, arena_printf(req->arena, "%s\n%s\n", name, json), &in.receipt,
                        &in.verifier_key, err) < 0 ||
        sql_erasure_sign(d->svc.db, req, &in, err) < 0)
        return -1;
    return get(d, req, account, self, err);
}

/* Reads the signed parts, without asking docd again. */
static int read_receipt(const struct request *req, const struct sql_erasure_get_row *row,
                        struct erasure_receipt *out, struct error *err)
{
    const char *line = strchr(row->receipt, '\n');
    json_auto_t *json = line ? json_loadb(line + 1, strcspn(line + 1, "\n"), 0, NULL) : NULL;
    const struct field_source source = {.body = json};
    struct erasure_statement statement;

    if (!json || fields_read(&erasure_statement_table, &source, req->arena, &statement, err) < 0)
        return error_set(err, ERR_INTERNAL, "The stored receipt cannot be read.");
    *out = (struct erasure_receipt){.account = statement.account,
                                    .deletedAt = statement.deletedAt,
                                    .complete = statement.complete,
                                    .parts = statement.parts,
                                    .receipt = row->receipt,
                                    .verifierKey = row->verifier_key};
    return 0;
}

/* Always returns the same receipt. Until all daemons are done, it is unsigned and names the missing
 * ones. */
int operator_erasure(struct authd *d, const struct request *req,
                     const struct operator_erasure_in *in, struct erasure_receipt *out,
                     struct error *err)
{
    struct erasure *self = arena_alloc(req->arena, sizeof(*self));

    if (get(d, req, in->account, self, err) < 0)
        return -1;
    if (!self->row.receipt) {
        if (add_parts(d, req, in->account, self, err) < 0)
            return -1;
        if (self->missing_count == 0 && sign(d, req, in->account, self, err) < 0)
            return -1;
    }
    if (self->row.receipt)
        return read_receipt(req, &self->row, out, err);
    *out = (struct erasure_receipt){.account = in->account,
                                    .deletedAt = self->row.deleted_at,
                                    .parts = {self->parts, self->part_count},
                                    .missing = {self->missing, self->missing_count}};
    return 0;
}
