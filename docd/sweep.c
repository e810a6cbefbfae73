/*
 * sweep.c - adopts arrived files, then removes leftovers: bytes of deleted or replaced documents
 * and of failed uploads, expired forms, documents without an upload.
 */
#include "common/base/clock.h"
#include "common/domain/content.h"
#include "docd/docd.h"
#include "docd/sql/document.h"
#include "docd/sql/object.h"
#include "docd/sql/upload.h"

enum {
    SWEEP_BATCH = 100,
    VARIANT_PAGES = 16,
    POSTPONE_MS = MINUTES(10), /* contract time */
};

static void keep_first(struct error *first, struct error *err)
{
    if (first->code == ERR_NONE)
        *first = *err;
    error_clear(err);
}

static int postpone(struct docd *d, const struct request *req, struct uuid project,
                    struct uuid object, struct error *err)
{
    const struct sql_object_postpone_in in = {.project = project,
                                              .id = object,
                                              .sweep_at = req->now_ms + POSTPONE_MS,
                                              .now = req->now_ms};

    return sql_object_postpone(d->svc.db, req, &in, err) < 0 ? -1 : 0;
}

/* Postpones failures, so that they do not fill each batch. */
int sweep_objects(struct docd *d, const struct request *req, struct error *err)
{
    const struct sql_object_list_due_in in = {.now = req->now_ms, .most = SWEEP_BATCH};
    struct sql_object_list_due_rows due;
    struct error first;

    error_init(&first, req->arena);
    do {
        if (sql_object_list_due(d->svc.db, req, &in, &due, err) < 0)
            return -1;
        for (size_t i = 0; i < due.count; i++) {
            const struct sql_object_list_due_row *row = &due.items[i];

            if (object_sweep(d, req, row->project, row->id, err) == 0)
                continue;
            keep_first(&first, err);
            if (postpone(d, req, row->project, row->id, err) < 0)
                return -1;
        }
    } while (due.count == SWEEP_BATCH);
    *err = first;
    return first.code == ERR_NONE ? 0 : -1;
}

static int sweep_documents(struct docd *d, const struct request *req, struct error *err)
{
    const struct sql_document_expire_in in = {
        .before = req->now_ms - SWEEP_AFTER_MS,
        .most = SWEEP_BATCH,
        .audit =
            audit_row(req, &(struct audit){.action = "document.delete", .detail = "not uploaded"})};
    int count;

    do
        count = sql_document_expire(d->svc.db, req, &in, err);
    while (count == SWEEP_BATCH);
    return count < 0 ? -1 : 0;
}

/* Keeps an expired form for a day, for uploads in progress. */
static int sweep_uploads(struct docd *d, const struct request *req, struct error *err)
{
    const struct sql_upload_expire_in in = {.before = req->now_ms - SWEEP_AFTER_MS,
                                            .failed_before =
                                                req->now_ms - 2 * (int64_t)GIVE_UP_AFTER_MS,
                                            .most = SWEEP_BATCH};
    int count;

    do
        count = sql_upload_expire(d->svc.db, req, &in, err);
    while (count == SWEEP_BATCH);
    return count < 0 ? -1 : 0;
}

int sweep_variants(void *daemon, const struct request *req, struct error *err)
{
    struct docd *d = daemon;
    struct uuid *objects = arena_calloc(req->arena, SWEEP_BATCH, sizeof(*objects));

    for (int page = 0; page < VARIANT_PAGES; page++) {
        struct sql_object_list_unknown_in in = {
            .ids = db_array_new(req->arena, SWEEP_BATCH, sizeof(objects->text))};
        struct sql_object_list_unknown_rows gone = {.count = 0};
        size_t count = 0;

        if (variants_objects(d->variants, req, objects, SWEEP_BATCH, &count, err) < 0)
            return -1;
        for (size_t i = 0; i < count; i++)
            db_array_add(&in.ids, objects[i].text);
        if (count > 0 && sql_object_list_unknown(d->svc.db, req, &in, &gone, err) < 0)
            return -1;
        for (size_t i = 0; i < gone.count; i++)
            if (variants_remove(d->variants, req, gone.items[i].id, err) < 0)
                return -1;
    }
    return 0;
}

int sweep(void *daemon, const struct request *req, struct error *err)
{
    struct docd *d = daemon;
    struct request half = *req; /* half the time: large copies must leave some for the rest */
    struct error first;

    content_give_memory_back();
    half.deadline_mono_ms -= (req->deadline_mono_ms - clock_mono_ms()) / 2;
    error_init(&first, req->arena);
    if (!d->direct_uploads || direct_uploads_sweep(d->direct_uploads, &half, &first) == 0) {
        if (sweep_documents(d, req, err) < 0 || sweep_uploads(d, req, err) < 0)
            keep_first(&first, err);
    }
    if (sweep_objects(d, req, err) < 0)
        keep_first(&first, err);
    if (variants_sweep(d->variants, req, err) < 0)
        keep_first(&first, err);
    *err = first;
    return first.code == ERR_NONE ? 0 : -1;
}
