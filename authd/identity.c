/*
 * identity.c - who holds a token (handler identity_get): asked by a gateway that sees a membership
 * and session for the first time, or again after a change of it was announced.
 */
#include "authd/authd.h"

int identity_get(struct authd *d, const struct request *req, const struct identity_get_in *in,
                 struct caller *out, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;

    if (db_query(d->svc.db, req, SQL_IDENTITY, &res, err, DB_UUID(in->project),
                 DB_UUID(in->membership), DB_UUID(in->session), DB_INT(req->now_ms)) < 0)
        return -1;
    if (db_rows(res) == 0)
        return error_set(err, ERR_UNAUTHORIZED, "Unauthorized");
    db_row(res, 0, &caller_table, req->arena, out);
    return 0;
}
