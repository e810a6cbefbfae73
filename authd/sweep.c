/*
 * sweep.c - see sweep.h.
 */
#include "authd/sweep.h"

#include <malloc.h>

#include "authd/member/invitation.h"

enum { SWEEP_ROWS = 1000 };

/* Ended and expired sessions stay for a day: longer than any token of theirs. */
static int sweep_page(struct authd *d, const struct request *req, int64_t *ret_count,
                      struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;

    if (db_query(d->svc.db, req, SQL_SWEEP, &res, err, DB_INT(req->now_ms),
                 DB_INT(req->now_ms - DAYS(1)), DB_INT(SWEEP_ROWS),
                 DB_INT(req->now_ms - INVITATION_KEPT)) < 0)
        return -1;
    *ret_count = db_int(res, 0, 0);
    return 0;
}

int sweep_run(void *daemon, const struct request *req, struct error *err)
{
    struct authd *d = daemon;
    int64_t count;

    /* what a burst of sign-ins left free between pieces in use goes back to the system, too */
    malloc_trim(0);
    do {
        if (sweep_page(d, req, &count, err) < 0)
            return -1;
    } while (count == SWEEP_ROWS && !d->svc.stopping);
    return 0;
}
