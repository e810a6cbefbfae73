/*
 * organization.c - the tenant code of the caller's project.
 */
#include "settingsd/settingsd.h"

/* The code that patients and practitioners type. Fails: BAD_REQUEST (a project may have none). */
int organization_code(struct settingsd *d, const struct request *req,
                      const struct nothing *in UNUSED, struct organization_code_out *out,
                      struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;

    if (db_query(d->svc.db, req, SQL_ORGANIZATION_CODE, &res, err, DB_UUID(req->caller->project)) <
        0)
        return -1;
    if (db_rows(res) == 0)
        return error_set(err, ERR_BAD_REQUEST, "The project has no tenant code.");
    db_row(res, 0, &organization_code_out_table, req->arena, out);
    return 0;
}
