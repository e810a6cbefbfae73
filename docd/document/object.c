/* object.c - removes an object: its bytes, its variants, then its row. */
#include "docd/sql/object.h"
#include "docd/docd.h"

int object_sweep(struct docd *d, const struct request *req, struct uuid project, struct uuid object,
                 struct error *err)
{
    const struct sql_object_delete_in delete = {.project = project, .id = object};
    struct store_key key = {project, object};

    if (d->store->functions->remove(d->store, req, key, err) < 0 ||
        variants_remove(d->variants, req, object, err) < 0)
        return -1;
    return sql_object_delete(d->svc.db, req, &delete, err) < 0 ? -1 : 0;
}
