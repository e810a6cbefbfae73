/*
 * erasure.c - removes an erased account from the executions it requested; authd calls it.
 */
#include "botd/botd.h"
#include "botd/botd_api.h"
#include "botd/sql/execution.h"
#include "common/service/audit.h"

enum { BLANK_PAGE = 1000 };

static int blank_executions(void *daemon, const struct request *req,
                            const struct membership_ref *place, struct uuid account,
                            struct error *err)
{
    struct botd *d = daemon;
    const struct sql_execution_blank_in in = {
        .project = place->project,
        .profile = place->profile,
        .most = BLANK_PAGE,
        .erasure = {.account = account},
        .audit = audit_row(req, &(struct audit){.action = "execution.erase",
                                                .project = place->project,
                                                .account = account})};

    return sql_execution_blank(d->svc.db, req, &in, err);
}

static const struct erasure_work executions = {"execution", BLANK_PAGE, blank_executions};

/* Removes the account from its executions, which stay until they expire. */
int account_wipe(struct botd *d, const struct request *req, const struct account_wipe_in *in,
                 struct nothing *out UNUSED, struct error *err)
{
    return erasure_carry_out(&d->svc, req, in, &executions, err);
}

int account_erased(struct botd *d, const struct request *req, const struct account_erased_in *in,
                   struct account_erased_out *out, struct error *err)
{
    return erasure_read(&d->svc, req, in, out, err);
}
