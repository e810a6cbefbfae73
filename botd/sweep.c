/*
 * sweep.c - executions are remembered for thirty days, and the latest thousand of each bot;
 * translations for as long after their last use.
 */
#include "botd/sandbox/cgroup.h"
#include "botd/sql/execution.h"
#include "botd/translation/budget.h"
#include "botd/translation/memory.h"
#include "common/base/clock.h"

#define EXECUTION_LIFE DAYS(30)

static int sweep_executions(struct botd *d, const struct request *req, struct error *err)
{
    struct sql_execution_expire_in expire = {.before = req->now_ms - EXECUTION_LIFE};
    struct sql_execution_trim_row last;
    const struct uuid first = {UUID_NIL};
    int trimmed;

    if (!uuid_is_set(&d->trimmed_bot))
        d->trimmed_project = d->trimmed_bot = first;
    if (sql_execution_expire(d->svc.db, req, &expire, err) < 0)
        return -1;
    trimmed = sql_execution_trim(d->svc.db, req,
                                 &(struct sql_execution_trim_in){.project = d->trimmed_project,
                                                                 .bot = d->trimmed_bot},
                                 &last, err);
    if (trimmed < 0)
        return -1;
    /* a page a minute; behind the last one it begins anew */
    d->trimmed_project = trimmed > 0 ? last.project : first;
    d->trimmed_bot = trimmed > 0 ? last.bot : first;
    return 0;
}

int sweep_run(void *daemon, const struct request *req, struct error *err)
{
    struct botd *d = daemon;

    if (d->groups)
        cgroups_sweep(d->groups);
    return sweep_executions(d, req, err) < 0 || memory_sweep(d, req, err) < 0 ||
                   budget_sweep(d, req, err) < 0
               ? -1
               : 0;
}
