/*
 * sweep.c - executions are remembered for thirty days, and the latest thousand of each bot;
 * translations for as long after their last use.
 */
#include "botd/sandbox/cgroup.h"
#include "botd/translation/budget.h"
#include "botd/translation/memory.h"

#define EXECUTION_LIFE ((int64_t)30 * 24 * 3600 * 1000)

static int sweep_executions(struct botd *d, const struct request *req, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *forgotten = NULL, *trimmed = NULL;
    const struct uuid first = {"00000000-0000-0000-0000-000000000000"};

    if (!uuid_is_set(&d->trimmed_bot))
        d->trimmed_project = d->trimmed_bot = first;
    if (db_query(d->svc.db, req, SQL_EXECUTION_FORGET, &forgotten, err,
                 DB_INT(req->now_ms - EXECUTION_LIFE)) < 0 ||
        db_query(d->svc.db, req, SQL_EXECUTION_TRIM, &trimmed, err, DB_UUID(d->trimmed_bot),
                 DB_UUID(d->trimmed_project)) < 0)
        return -1;
    /* a page a minute; behind the last one it begins anew */
    d->trimmed_project = db_rows(trimmed) > 0 ? db_uuid(trimmed, 0, 0) : first;
    d->trimmed_bot = db_rows(trimmed) > 0 ? db_uuid(trimmed, 0, 1) : first;
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
