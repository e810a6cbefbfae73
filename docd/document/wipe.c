/*
 * wipe.c - deletes the data of an account or a project.
 */
#include "common/service/erasure.h"
#include "docd/docd.h"
#include "docd/sql/document.h"
#include "docd/sql/erasure.h"
#include "docd/sql/purge.h"

enum { WIPE_BATCH = 200 };

/* Locks and audits each batch as a whole. */
static int wipe_documents(void *daemon, const struct request *req,
                          const struct membership_ref *place, struct uuid account,
                          struct error *err)
{
    struct docd *d = daemon;
    const struct sql_document_wipe_in in = {
        .project = place->project,
        .author = place->profile,
        .most = WIPE_BATCH,
        .now = req->now_ms,
        .erasure = {.account = account},
        .audit = audit_row(req, &(struct audit){.action = "document.delete",
                                                .project = place->project})};

    return sql_document_wipe(d->svc.db, req, &in, err);
}

static const struct erasure_work documents = {"document", WIPE_BATCH, wipe_documents};

/* Erases an account's data. The sweep removes the bytes that are left at the deadline. */
int account_wipe(struct docd *d, const struct request *req, const struct account_wipe_in *in,
                 struct nothing *out UNUSED, struct error *err)
{
    if (erasure_carry_out(&d->svc, req, in, &documents, err) < 0)
        return -1;
    if (d->direct_uploads && direct_uploads_sweep(d->direct_uploads, req, err) < 0)
        return -1;
    return sweep_objects(d, req, err);
}

int account_erased(struct docd *d, const struct request *req, const struct account_erased_in *in,
                   struct account_erased_out *out, struct error *err)
{
    const struct sql_erasure_waits_in waits = {.account = in->account};
    struct sql_erasure_waits_row row;

    if (erasure_read(&d->svc, req, in, out, err) < 0 ||
        sql_require(sql_erasure_waits(d->svc.db, req, &waits, &row, err), err, ERR_INTERNAL,
                    "No answer.") < 0)
        return -1;
    out->waiting = row.waits;
    return 0;
}

static int purge_document_page(void *daemon, const struct request *req, struct uuid project,
                               int64_t rows, int64_t *ret_removed, struct error *err)
{
    struct docd *d = daemon;
    const struct sql_purge_document_in in = {
        .project = project,
        .most = rows,
        .audit = audit_row(req, &(struct audit){.action = "document.delete",
                                                .project = project,
                                                .detail = "project"})};
    struct sql_purge_document_row row;

    if (sql_purge_document(d->svc.db, req, &in, &row, err) < 0)
        return -1;
    *ret_removed = row.removed;
    return 0;
}

/* Purges a page of objects, and so the bytes of running uploads: an object's row exists before its
 * first byte. */
static int purge_object_page(void *daemon, const struct request *req, struct uuid project,
                             int64_t rows, int64_t *ret_removed, struct error *err)
{
    struct docd *d = daemon;
    const struct sql_purge_object_in in = {.project = project,
                                           .most = rows,
                                           .now = req->now_ms,
                                           .audit = purge_audit(req, project, "object")};
    struct sql_purge_object_rows objects;

    if (sql_purge_object(d->svc.db, req, &in, &objects, err) < 0)
        return -1;
    for (size_t i = 0; i < objects.count; i++)
        if (object_sweep(d, req, project, objects.items[i].id, err) < 0)
            return -1;
    *ret_removed = (int64_t)objects.count;
    return 0;
}

const struct purge_step docd_purge[] = {
    {"document", 200, .page = purge_document_page},
    {"object", 20, .page = purge_object_page},
    PURGE_STEP(content_translation, 500),
    PURGE_STEP(content, 500),
    PURGE_STEP(content_word, 1000),
    PURGE_STEP(content_draft, 500),
    PURGE_STEP(content_usage, 500),
    PURGE_STEP(document_usage, 500),
    PURGE_STEP(export, 500),
    {.table = NULL},
};

/* settingsd repeats the call until nothing is left. */
int project_purge(struct docd *d, const struct request *req, const struct project_purge_in *in,
                  struct project_purge_out *out, struct error *err)
{
    return purge_call(&d->svc, req, in->projectId, out, err);
}
