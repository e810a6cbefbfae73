/* budget.c - see budget.h. */
#include "botd/translation/budget.h"

#include <inttypes.h>

#include "botd/sql/translation.h"
#include "common/base/clock.h"

enum { DAYS_KEPT = 30 };

int64_t budget_day(const struct request *req)
{
    return req->now_ms / DAYS(1);
}

static int64_t until_midnight(const struct request *req)
{
    return ((budget_day(req) + 1) * DAYS(1) - req->now_ms + 999) / 1000;
}

static int refuse(struct botd *d, const struct request *req, struct error *err)
{
    struct sql_budget_get_in in = {.project = req->caller->project, .day = budget_day(req)};
    struct sql_budget_get_row taken = {.characters = 0};
    int64_t limit = d->config->translation_daily_characters, left;

    if (sql_budget_get(d->svc.db, req, &in, &taken, err) < 0)
        return -1;
    left = MAX(limit - taken.characters, (int64_t)0);
    ++*d->translations_refused;
    error_retry(err, ERR_THROTTLED, until_midnight(req),
                arena_printf(req->arena,
                             "The project may have %" PRId64 " characters translated a day, of "
                             "which %" PRId64 " are left until midnight (UTC).",
                             limit, left));
    err->limit = limit;
    err->remaining = left;
    err->reset_s = err->retry_after_s;
    return -1;
}

int budget_reserve(struct botd *d, const struct request *req, int64_t characters, struct error *err)
{
    struct sql_budget_reserve_in in = {.project = req->caller->project,
                                       .day = budget_day(req),
                                       .characters = characters,
                                       .characters_max = d->config->translation_daily_characters};
    struct sql_budget_reserve_row taken;
    int reserved = sql_budget_reserve(d->svc.db, req, &in, &taken, err);

    if (reserved == 0)
        return refuse(d, req, err);
    if (reserved < 0)
        return -1;
    error_limit(err, in.characters_max, in.characters_max - taken.characters, until_midnight(req));
    return 0;
}

int budget_sweep(struct botd *d, const struct request *req, struct error *err)
{
    struct sql_budget_expire_in in = {.before = budget_day(req) - DAYS_KEPT};

    return sql_budget_expire(d->svc.db, req, &in, err) < 0 ? -1 : 0;
}
