/*
 * sweep.c - removes what is over: bytes of deleted and replaced documents and of uploads that were given up, forms
 * that are too old, documents that nothing was uploaded to within a day. Before that, what has come to the store.
 */
#include "docd/docd.h"

enum { SWEEP_BATCH = 100 };

int object_sweep(struct docd *d, const struct request *req, struct uuid project, struct uuid object,
                 struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *gone = NULL;
    struct store_key key = {project, object};

    if (d->store->functions->remove(d->store, req, key, err) < 0 ||
        variants_remove(d->variants, req, object, err) < 0)
        return -1;
    return db_query(d->svc.db, req, SQL_OBJECT_DELETE, &gone, err, DB_UUID(project),
                    DB_UUID(object));
}

int sweep_objects(struct docd *d, const struct request *req, struct error *err)
{
    size_t count;

    do {
        CLEANUP(db_result_destroy) struct db_result *due = NULL;

        if (db_query(d->svc.db, req, SQL_OBJECTS_DUE, &due, err, DB_INT(req->now_ms),
                     DB_INT(SWEEP_BATCH)) < 0)
            return -1;
        count = db_rows(due);
        for (size_t i = 0; i < count; i++)
            if (object_sweep(d, req, db_uuid(due, i, 0), db_uuid(due, i, 1), err) < 0)
                return -1;
    } while (count == SWEEP_BATCH);
    return 0;
}

static int sweep_documents(struct docd *d, const struct request *req, struct error *err)
{
    struct audit_row audit =
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

/* A form is remembered for a day after its end: an upload that began with it may still be under way. */
static int sweep_uploads(struct docd *d, const struct request *req, struct error *err)
{
    size_t count;

    do {
        CLEANUP(db_result_destroy) struct db_result *gone = NULL;

        if (db_query(d->svc.db, req, SQL_UPLOADS_FORGET, &gone, err,
                     DB_INT(req->now_ms - SWEEP_AFTER_MS), DB_INT(SWEEP_BATCH)) < 0)
            return -1;
        count = db_rows(gone);
    } while (count == SWEEP_BATCH);
    return 0;
}

int sweep(void *daemon, const struct request *req, struct error *err)
{
    struct docd *d = daemon;
    bool looked = !d->arrivals || arrivals_sweep(d->arrivals, req, err) == 0;
    struct error first = *err;

    /* As long as it is not known what has come, nothing counts as given up. */
    if ((looked && (sweep_documents(d, req, err) < 0 || sweep_uploads(d, req, err) < 0)) ||
        sweep_objects(d, req, err) < 0 || variants_sweep(d->variants, req, err) < 0)
        return -1;
    if (looked)
        return 0;
    *err = first;
    return -1;
}
