/* backlog.c - counts what waits, and for how long, so that /metrics needs no database. */
#include "maild/maild.h"
#include "maild/sql/mail.h"

enum { COUNTED_MAX = 10000 };

struct backlog {
    int64_t *mails, *mail_waiting_s, *job_late_s;
};

/* since_ms: NULL when nothing waits. */
static int64_t seconds_since(const int64_t *since_ms, int64_t now_ms)
{
    return since_ms ? MAX(now_ms - *since_ms, (int64_t)0) / 1000 : 0;
}

static int look(void *daemon, const struct request *req, struct error *err)
{
    struct maild *d = daemon;
    const struct sql_backlog_measure_in measure = {
        .mail_state = "queued", .job_state = "waiting", .most = COUNTED_MAX};
    struct sql_backlog_measure_row row;

    if (sql_backlog_measure(d->svc.db, req, &measure, &row, err) < 0)
        return -1;
    *d->backlog->mails = row.waiting;
    *d->backlog->mail_waiting_s = seconds_since(row.oldest, clock_now_ms(d->real));
    *d->backlog->job_late_s = seconds_since(row.due, req->now_ms);
    return 0;
}

void backlog_start(struct maild *d)
{
    struct metrics *metrics = d->svc.metrics;

    d->backlog = arena_alloc(d->svc.arena, sizeof(*d->backlog));
    *d->backlog = (struct backlog){
        .mails = metrics_gauge_cell(metrics, "atrium_mail_waiting",
                                    "Messages that are not sent yet; at most 10000 are counted."),
        .mail_waiting_s = metrics_gauge_cell(metrics, "atrium_mail_waiting_seconds",
                                             "For how long the oldest of them has waited."),
        .job_late_s = metrics_gauge_cell(metrics, "atrium_job_late_seconds",
                                         "How late the job is that should have been done first."),
    };
    service_every(&d->svc, "backlog", BACKLOG_PERIOD_MS, look);
}
