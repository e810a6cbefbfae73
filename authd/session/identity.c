/*
 * identity.c - who holds a token (handler identity_get): asked by a gateway that sees a membership
 * and session for the first time, or again after a change of it was announced; and when a session
 * ended (session_end_get), which docd asks for before it takes over a file that came by a form.
 */
#include "authd/authd.h"
#include "authd/authd_api.h"

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

int session_end_get(struct authd *d, const struct request *req, const struct session_end_get_in *in,
                    struct session_end_get_out *out, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;

    if (db_query(d->svc.db, req, SQL_SESSION_ENDED_AT, &res, err, DB_UUID(in->project),
                 DB_UUID(in->session)) < 0)
        return -1;
    out->known = db_rows(res) > 0;
    if (out->known && !db_is_null(res, 0, 0))
        out->endedAt = db_int(res, 0, 0);
    return 0;
}
