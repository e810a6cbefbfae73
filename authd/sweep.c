/*
 * sweep.c - see sweep.h.
 */
#include "authd/sweep.h"

#include <malloc.h>

#include "authd/member/invitation.h"
#include "authd/oauth/logout_delivery.h"
#include "authd/session/issuer_key.h"
#include "authd/sql/sweep.h"
#include "common/base/clock.h"

enum { SWEEP_ROWS = 1000 };

#define API_KEY_KEPT DAYS(30)      /* lets admins see why a machine's key fails */
#define SIGN_IN_HOURS_KEPT DAYS(2) /* the console shows 25 hours */
#define GRANT_KEPT DAYS(365)       /* longer than an outbox retries after an outage */

/* Keeps ended sessions for a day, longer than their tokens live. */
static int sweep_page(struct authd *d, const struct request *req, int64_t *ret_count,
                      struct error *err)
{
    const struct sql_sweep_in in = {.now = req->now_ms,
                                    .ended_before = req->now_ms - DAYS(1),
                                    .invited_before = req->now_ms - INVITATION_KEPT,
                                    .expired_before = req->now_ms - API_KEY_KEPT,
                                    .issuer_keys_before = req->now_ms - ISSUER_KEY_KEPT,
                                    .logouts_before = clock_real_ms() - LOGOUT_KEPT,
                                    .hours_before = req->now_ms - SIGN_IN_HOURS_KEPT,
                                    .granted_before = req->now_ms - GRANT_KEPT,
                                    .most = SWEEP_ROWS};
    struct sql_sweep_row row;

    if (sql_sweep(d->svc.db, req, &in, &row, err) < 0)
        return -1;
    *ret_count = row.deleted;
    return 0;
}

int sweep_run(void *daemon, const struct request *req, struct error *err)
{
    struct authd *d = daemon;
    int64_t count;

    /* returns memory that sign-ins have freed to the system */
    malloc_trim(0);
    do {
        if (sweep_page(d, req, &count, err) < 0)
            return -1;
    } while (count == SWEEP_ROWS && !d->svc.stopping);
    return 0;
}
