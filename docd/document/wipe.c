/*
 * wipe.c - deletes what an account, or a project, leaves behind.
 */
#include "docd/docd.h"

enum { WIPE_BATCH = 200 };

/* Removes the documents of one author, some at a time: each batch is locked, and audited, as a
 * whole. */
static int membership_wipe(struct docd *d, const struct request *req,
                           const struct membership_ref *place, struct error *err)
{
    struct sql_audit audit =
        audit_row(req, &(struct audit){.action = "document.delete", .project = place->project});
    size_t count;

    do {
        CLEANUP(db_result_destroy) struct db_result *gone = NULL;

        if (db_query(d->svc.db, req, SQL_DOCUMENTS_WIPE, &gone, err, DB_UUID(place->project),
                     DB_UUID(place->profile), DB_INT(WIPE_BATCH), DB_INT(req->now_ms),
                     DB_AUDIT(audit)) < 0)
            return -1;
        count = db_rows(gone);
    } while (count == WIPE_BATCH);
    return 0;
}

/* The bytes are removed before it is answered; what that takes too long for, the sweep goes on
 * with. */
int account_wipe(struct docd *d, const struct request *req, const struct account_wipe_in *in,
                 struct nothing *out UNUSED, struct error *err)
{
    const struct membership_ref *places = in->places.items;

    for (size_t i = 0; i < in->places.count; i++)
        if (membership_wipe(d, req, &places[i], err) < 0)
            return -1;
    if (d->arrivals && arrivals_sweep(d->arrivals, req, err) < 0)
        return -1;
    return sweep_objects(d, req, err);
}

/* ---- a project ---- */

static int purge_documents(void *daemon, const struct request *req, struct uuid project,
                           int64_t rows, int64_t *ret_removed, struct error *err)
{
    struct docd *d = daemon;
    CLEANUP(db_result_destroy) struct db_result *gone = NULL;
    struct sql_audit audit = audit_row(
        req, &(struct audit){.action = "document.delete", .project = project, .detail = "project"});

    if (db_query(d->svc.db, req, SQL_PURGE_DOCUMENTS, &gone, err, DB_UUID(project), DB_INT(rows),
                 DB_AUDIT(audit)) < 0)
        return -1;
    *ret_removed = purge_removed(gone, req->arena);
    return 0;
}

/* Bytes of uploads under way too: a row stays until its bytes are removed. */
static int purge_objects(void *daemon, const struct request *req, struct uuid project, int64_t rows,
                         int64_t *ret_removed, struct error *err)
{
    struct docd *d = daemon;
    CLEANUP(db_result_destroy) struct db_result *due = NULL;
    struct sql_audit audit = purge_audit(req, project, "object");
    const struct purge_row *objects;

    if (db_query(d->svc.db, req, SQL_PURGE_OBJECTS, &due, err, DB_UUID(project), DB_INT(rows),
                 DB_AUDIT(audit)) < 0)
        return -1;
    objects = db_list(due, &purge_row_table, req->arena).items;
    for (size_t i = 0; i < db_rows(due); i++)
        if (object_sweep(d, req, project, objects[i].id, err) < 0)
            return -1;
    *ret_removed = (int64_t)db_rows(due);
    return 0;
}

const struct purge_step docd_purge[] = {
    {.table = "document", .rows = 200, .page = purge_documents},
    {.table = "object", .rows = 20, .page = purge_objects},
    {"content_translation", 500, SQL_PURGE_TRANSLATIONS, NULL},
    {"content", 500, SQL_PURGE_CONTENT, NULL},
    {"content_word", 1000, SQL_PURGE_WORDS, NULL},
    {"document_usage", 500, SQL_PURGE_USAGE, NULL},
    {.table = NULL},
};

/* Deletes what is kept of a project, for a second at most; settingsd calls until nothing is
 * left. */
int project_purge(struct docd *d, const struct request *req, const struct project_purge_in *in,
                  struct project_purge_out *out, struct error *err)
{
    return purge_call(&d->svc, req, in->projectId, out, err);
}
