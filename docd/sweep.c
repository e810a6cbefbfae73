/*
 * sweep.c - removes what is over: bytes of deleted and replaced documents and of uploads that were
 * given up, forms that are too old, documents that nothing was uploaded to within a day. Before
 * that, what has come to the store.
 */
#include "common/base/clock.h"
#include "common/domain/content.h"
#include "docd/docd.h"

enum {
    SWEEP_BATCH = 100,
    VARIANT_PAGES = 64, /* of a run */
    POSTPONE_MS =
        10 * 60 * 1000, /* contract time after which a removal that failed is tried again */
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
    CLEANUP(db_result_destroy) struct db_result *res = NULL;

    return db_query(d->svc.db, req, SQL_OBJECT_POSTPONE, &res, err, DB_UUID(project),
                    DB_UUID(object), DB_INT(req->now_ms), DB_INT(req->now_ms + POSTPONE_MS));
}

/* The first failure is told; nothing may be due for ever, or it would be all that a batch finds. */
int sweep_objects(struct docd *d, const struct request *req, struct error *err)
{
    struct error first;
    size_t count;

    error_init(&first, req->arena);
    do {
        CLEANUP(db_result_destroy) struct db_result *due = NULL;

        if (db_query(d->svc.db, req, SQL_OBJECTS_DUE, &due, err, DB_INT(req->now_ms),
                     DB_INT(SWEEP_BATCH)) < 0)
            return -1;
        count = db_rows(due);
        for (size_t i = 0; i < count; i++) {
            struct uuid project = db_uuid(due, i, 0), object = db_uuid(due, i, 1);

            if (object_sweep(d, req, project, object, err) == 0)
                continue;
            keep_first(&first, err);
            if (postpone(d, req, project, object, err) < 0)
                return -1;
        }
    } while (count == SWEEP_BATCH);
    *err = first;
    return first.code == ERR_NONE ? 0 : -1;
}

static int sweep_documents(struct docd *d, const struct request *req, struct error *err)
{
    struct sql_audit audit =
        audit_row(req, &(struct audit){.action = "document.delete", .detail = "not uploaded"});
    size_t count;

    do {
        CLEANUP(db_result_destroy) struct db_result *gone = NULL;

        if (db_query(d->svc.db, req, SQL_DOCUMENTS_GIVEN_UP, &gone, err,
                     DB_INT(req->now_ms - SWEEP_AFTER_MS), DB_INT(SWEEP_BATCH),
                     DB_AUDIT(audit)) < 0)
            return -1;
        count = db_rows(gone);
    } while (count == SWEEP_BATCH);
    return 0;
}

/* A form is remembered for a day after its end: an upload that began with it may still be under
 * way. One whose file cannot be taken over is remembered until that is given up; or, should the
 * file have gone meanwhile, not for much longer. */
static int sweep_uploads(struct docd *d, const struct request *req, struct error *err)
{
    size_t count;

    do {
        CLEANUP(db_result_destroy) struct db_result *gone = NULL;

        if (db_query(d->svc.db, req, SQL_UPLOADS_FORGET, &gone, err,
                     DB_INT(req->now_ms - SWEEP_AFTER_MS), DB_INT(SWEEP_BATCH),
                     DB_INT(req->now_ms - 2 * (int64_t)GIVE_UP_AFTER_MS)) < 0)
            return -1;
        count = db_rows(gone);
    } while (count == SWEEP_BATCH);
    return 0;
}

/* Variants of objects that are gone: a docd on another host has removed them, with the variants
 * that it has itself. All folders have their turn within minutes. */
static int sweep_variants(struct docd *d, const struct request *req, struct error *err)
{
    struct uuid *objects = arena_calloc(req->arena, SWEEP_BATCH, sizeof(*objects));

    for (int page = 0; page < VARIANT_PAGES; page++) {
        CLEANUP(db_result_destroy) struct db_result *gone = NULL;
        struct db_array ids = db_array_new(req->arena, SWEEP_BATCH, sizeof(objects->text));
        size_t count = 0;

        if (variants_objects(d->variants, req, objects, SWEEP_BATCH, &count, err) < 0)
            return -1;
        for (size_t i = 0; i < count; i++)
            db_array_add(&ids, objects[i].text);
        if (count > 0 &&
            db_query(d->svc.db, req, SQL_OBJECTS_UNKNOWN, &gone, err, DB_TEXT(ids.text)) < 0)
            return -1;
        for (size_t i = 0; gone && i < db_rows(gone); i++)
            if (variants_remove(d->variants, req, db_uuid(gone, i, 0), err) < 0)
                return -1;
    }
    return 0;
}

int sweep(void *daemon, const struct request *req, struct error *err)
{
    struct docd *d = daemon;
    struct request half =
        *req; /* a large file that is still being copied leaves time for the rest */
    struct error first;

    content_give_memory_back();
    half.deadline_mono_ms -= (req->deadline_mono_ms - clock_mono_ms()) / 2;
    error_init(&first, req->arena);
    /* As long as it is not known what has come, nothing counts as given up. */
    if (!d->direct_uploads || direct_uploads_sweep(d->direct_uploads, &half, &first) == 0) {
        if (sweep_documents(d, req, err) < 0 || sweep_uploads(d, req, err) < 0)
            keep_first(&first, err);
    }
    if (sweep_objects(d, req, err) < 0)
        keep_first(&first, err);
    if (variants_sweep(d->variants, req, err) < 0 || sweep_variants(d, req, err) < 0)
        keep_first(&first, err);
    *err = first;
    return first.code == ERR_NONE ? 0 : -1;
}
