/*
 * sweep.c - see sweep.h.
 */
#include "authd/sweep.h"

#include <malloc.h>

#include "authd/authd.h"

enum { SWEEP_ROWS = 1000 };

/* Ended and expired sessions stay for a day: longer than any token of theirs. */
int sweep_run(void *daemon, const struct request *req, struct error *err)
{
    struct authd *d = daemon;
    CLEANUP(db_result_destroy) struct db_result *res = NULL;

    /* what a burst of sign-ins left free between pieces in use goes back to the system, too */
    malloc_trim(0);
    return db_query(d->svc.db, req, SQL_SWEEP, &res, err, DB_INT(req->now_ms),
                    DB_INT(req->now_ms - DAYS(1)), DB_INT(SWEEP_ROWS));
}
