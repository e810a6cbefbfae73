/*
 * erasure.c - what botd keeps of an account that is deleted with all that it owned: that it asked
 * for executions. Handlers: account_wipe, account_erased, which authd calls.
 */
#include "botd/botd.h"
#include "botd/botd_api.h"
#include "botd/sql/execution.h"
#include "common/service/audit.h"

enum { BLANK_PAGE = 1000 };

static int blank_executions(struct botd *d, const struct request *req,
                            const struct membership_ref *place, struct uuid account,
                            struct error *err)
{
    const struct sql_execution_blank_in in = {
        .project = place->project,
        .profile = place->profile,
        .most = BLANK_PAGE,
        .erasure = {.account = account},
        .audit = audit_row(req, &(struct audit){.action = "execution.erase",
                                                .project = place->project,
                                                .account = account})};
    int count;

    do
        count = sql_execution_blank(d->svc.db, req, &in, err);
    while (count == BLANK_PAGE);
    return count < 0 ? -1 : 0;
}

/* The executions stay, until they are as old as all others that are forgotten. Repeating it is
 * fine. */
int account_wipe(struct botd *d, const struct request *req, const struct account_wipe_in *in,
                 struct nothing *out UNUSED, struct error *err)
{
    const struct membership_ref *places = in->places.items;

    if (erasure_mark(&d->svc, req, in->account, "execution", err) < 0)
        return -1;
    for (size_t i = 0; i < in->places.count; i++)
        if (blank_executions(d, req, &places[i], in->account, err) < 0)
            return -1;
    return erasure_step_done(&d->svc, req, in->account, in->key, err);
}

int account_erased(struct botd *d, const struct request *req, const struct account_erased_in *in,
                   struct account_erased_out *out, struct error *err)
{
    return erasure_read(&d->svc, req, in, out, err);
}
