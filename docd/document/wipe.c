/*
 * wipe.c - what remains of an account that is gone: nothing.
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
