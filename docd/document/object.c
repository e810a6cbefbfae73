/*
 * object.c - the end of an object: its bytes, its variants, then its row.
 */
#include "docd/docd.h"

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
