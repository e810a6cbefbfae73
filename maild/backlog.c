/*
 * backlog.c - what waits, and for how long: for /metrics, which asks no database.
 */
#include "maild/maild.h"

enum { COUNTED_MAX = 10000 }; /* messages; more are as bad */

struct backlog {
    int64_t *mails, *mail_waiting_s, *job_late_s;
};

static int64_t seconds_since(const struct db_result *res, size_t column, int64_t now_ms)
{
    if (db_is_null(res, 0, column))
        return 0;
    return MAX(now_ms - db_int(res, 0, column), (int64_t)0) / 1000;
}

static int look(void *daemon, const struct request *req, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    struct maild *d = daemon;

    if (db_query(d->svc.db, req, SQL_BACKLOG, &res, err, DB_TEXT("queued"), DB_TEXT("waiting"),
                 DB_INT(COUNTED_MAX)) < 0)
        return -1;
    *d->backlog->mails = db_int(res, 0, 0);
    *d->backlog->mail_waiting_s = seconds_since(res, 1, clock_now_ms(d->real));
    *d->backlog->job_late_s = seconds_since(res, 2, req->now_ms);
    return 0;
}

void backlog_start(struct maild *d)
{
    struct metrics *metrics = d->svc.metrics;

    d->backlog = arena_alloc(d->svc.arena, sizeof(*d->backlog));
    *d->backlog = (struct backlog){
        .mails = metrics_level(metrics, "atrium_mail_waiting",
                               "Messages that are not sent yet; at most 10000 are counted."),
        .mail_waiting_s = metrics_level(metrics, "atrium_mail_waiting_seconds",
                                        "For how long the oldest of them has waited."),
        .job_late_s = metrics_level(metrics, "atrium_job_late_seconds",
                                    "How late the job is that should have been done first."),
    };
    service_every(&d->svc, "backlog", BACKLOG_PERIOD_MS, look);
}
