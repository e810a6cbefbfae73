/*
 * budget.c - see budget.h.
 */
#include "botd/translation/budget.h"

#include <inttypes.h>

#define DAY_MS ((int64_t)24 * 3600 * 1000)

enum { DAYS_KEPT = 30 };

int64_t budget_day(const struct request *req)
{
    return req->now_ms / DAY_MS;
}

static int refuse(struct botd *d, const struct request *req, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    int64_t limit = d->config->translation_daily_characters, left = limit;
    int64_t wait_ms = (budget_day(req) + 1) * DAY_MS - req->now_ms;

    if (db_query(d->svc.db, req, SQL_BUDGET_TAKEN, &res, err, DB_UUID(req->caller->project),
                 DB_INT(budget_day(req))) < 0)
        return -1;
    if (db_rows(res) > 0)
        left = MAX(limit - db_int(res, 0, 0), (int64_t)0);
    ++*d->translations_refused;
    error_retry(err, ERR_THROTTLED, (wait_ms + 999) / 1000,
                arena_printf(req->arena,
                             "The project may have %" PRId64 " characters translated a day, of "
                             "which %" PRId64 " are left until midnight (UTC).",
                             limit, left));
    err->limit = limit;
    err->remaining = left;
    err->reset_s = err->retry_after_s;
    return -1;
}

int budget_take(struct botd *d, const struct request *req, int64_t characters, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;

    if (db_query(d->svc.db, req, SQL_BUDGET_TAKE, &res, err, DB_UUID(req->caller->project),
                 DB_INT(budget_day(req)), DB_INT(characters),
                 DB_INT(d->config->translation_daily_characters)) < 0)
        return -1;
    return db_affected(res) > 0 ? 0 : refuse(d, req, err);
}

int budget_sweep(struct botd *d, const struct request *req, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;

    return db_query(d->svc.db, req, SQL_BUDGET_FORGET, &res, err,
                    DB_INT(budget_day(req) - DAYS_KEPT));
}
