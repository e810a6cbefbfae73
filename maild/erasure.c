/*
 * erasure.c - removes an erased account's jobs; authd calls it.
 */
#include "common/service/erasure.h"
#include "common/service/audit.h"
#include "maild/maild.h"
#include "maild/sql/job.h"

/* Removes the account's jobs; job_put.sql rejects later ones. Idempotent. */
int account_wipe(struct maild *d, const struct request *req, const struct account_wipe_in *in,
                 struct nothing *out UNUSED, struct error *err)
{
    const struct sql_job_erase_in erase = {
        .account = in->account,
        .erasure = {.account = in->account},
        .audit = audit_row(req, &(struct audit){.action = "job.erase", .account = in->account})};

    if (!uuid_is_set(&in->account))
        return 0;
    if (erasure_mark(&d->svc, req, in->account, "job", err) < 0 ||
        sql_job_erase(d->svc.db, req, &erase, err) < 0)
        return -1;
    return erasure_step_done(&d->svc, req, in->account, in->key, err);
}

int account_erased(struct maild *d, const struct request *req, const struct account_erased_in *in,
                   struct account_erased_out *out, struct error *err)
{
    return erasure_read(&d->svc, req, in, out, err);
}
