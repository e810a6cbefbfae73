/*
 * identity.c - holders of tokens that a gateway has not cached (handler identity_get), and ends of
 * sessions (session_end_get), for docd's form uploads.
 */
#include "authd/authd.h"
#include "authd/operation_api.h"
#include "authd/session/address_key.h"
#include "authd/sql/session.h"

int identity_get(struct authd *d, const struct request *req, const struct identity_get_in *in,
                 struct caller *out, struct error *err)
{
    const struct sql_identity_get_in get = {.project = in->project,
                                            .membership = in->membership,
                                            .session = in->session,
                                            .now = req->now_ms};

    if (sql_require(sql_identity_get(d->svc.db, req, &get, out, err), err, ERR_UNAUTHORIZED,
                    "Unauthorized") < 0)
        return -1;
    address_key_complete(d, req, out);
    return 0;
}

int session_end_get(struct authd *d, const struct request *req, const struct session_end_get_in *in,
                    struct session_end_get_out *out, struct error *err)
{
    const struct sql_session_end_get_in get = {.project = in->project, .session = in->session};
    struct sql_session_end_get_row row = {.ended_at = NULL};
    int found = sql_session_end_get(d->svc.db, req, &get, &row, err);

    out->known = found > 0;
    out->endedAt = row.ended_at ? *row.ended_at : 0;
    return MIN(found, 0);
}
