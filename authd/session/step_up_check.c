/*
 * step_up_check.c - see step_up_check.h.
 */
#include "authd/session/step_up_check.h"

#include "authd/sql/signin.h"

static int check_session(struct authd *d, struct db_tx *tx, const struct request *req,
                         struct uuid project, struct uuid session, struct error *err)
{
    const struct sql_session_proof_get_in get = {.project = project, .session = session};
    struct sql_session_proof_get_row row;
    int found = tx ? sql_session_proof_get_tx(tx, req, &get, &row, err)
                   : sql_session_proof_get(d->svc.db, req, &get, &row, err);

    if (sql_require(found, err, ERR_UNAUTHORIZED, "Unauthorized") < 0)
        return -1;
    if (req->now_ms - row.proven_at < d->config->fresh_sign_in)
        return 0;
    (void)error_set(err, ERR_STEP_UP_REQUIRED, "Prove again who you are.");
    err->reset_s = d->config->fresh_sign_in / 1000; /* maximum age, for the header */
    return -1;
}

int step_up_check(struct authd *d, struct db_tx *tx, const struct request *req, struct error *err)
{
    return check_session(d, tx, req, req->caller->project, req->caller->session, err);
}

int step_up_check_session(struct authd *d, const struct request *req, struct uuid project,
                          struct uuid session, struct error *err)
{
    return check_session(d, NULL, req, project, session, err);
}
