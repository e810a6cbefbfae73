/*
 * sweep.c - keeps executions thirty days, a thousand per bot, and unused translations thirty days.
 */
#include "botd/sandbox/cgroup.h"
#include "botd/sql/execution.h"
#include "botd/translation/budget.h"
#include "botd/translation/memory.h"
#include "common/base/clock.h"

#define EXECUTION_LIFE DAYS(30)

enum { SWEEP_ROWS = 1000 }; /* keeps a statement below its timeout */

static int expire_executions(struct botd *d, const struct request *req, struct error *err)
{
    const struct sql_execution_expire_in expire = {.before = req->now_ms - EXECUTION_LIFE,
                                                   .most = SWEEP_ROWS};
    int count;

    do {
        count = sql_execution_expire(d->svc.db, req, &expire, err);
    } while (count == SWEEP_ROWS && !d->svc.stopping);
    return MIN(count, 0);
}

/* Trims one page of bots per minute. A page that ran out of time continues in the next run. */
static int trim_executions(struct botd *d, const struct request *req, struct error *err)
{
    const struct uuid first = {UUID_NIL};
    struct sql_execution_trim_in trim = {.most = SWEEP_ROWS};
    struct sql_execution_trim_row last;
    int trimmed;

    if (!uuid_is_set(&d->trimmed_bot))
        d->trimmed_project = d->trimmed_bot = first;
    trim.project = d->trimmed_project;
    trim.bot = d->trimmed_bot;
    do {
        trimmed = sql_execution_trim(d->svc.db, req, &trim, &last, err);
    } while (trimmed > 0 && last.deleted == SWEEP_ROWS && !d->svc.stopping);
    if (trimmed < 0)
        return -1;
    d->trimmed_project = trimmed > 0 ? last.project : first;
    d->trimmed_bot = trimmed > 0 ? last.bot : first;
    return 0;
}

/* Executions come last, because one run may not delete all. */
int sweep_run(void *daemon, const struct request *req, struct error *err)
{
    struct botd *d = daemon;

    if (d->groups)
        cgroups_sweep(d->groups);
    return memory_sweep(d, req, err) < 0 || budget_sweep(d, req, err) < 0 ||
                   expire_executions(d, req, err) < 0 || trim_executions(d, req, err) < 0
               ? -1
               : 0;
}
