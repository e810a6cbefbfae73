/*
 * job.c - jobs that other daemons schedule (work.h). A job is due by contract time, even if that
 * jumps, and is retried until authd has nothing left to do.
 */
#include <string.h>

#include "authd/authd_api.h"
#include "authd/operation_api.h"
#include "maild/job_api.h"
#include "maild/sql/job.h"
#include "maild/work.h"

enum {
    POLL_MS = 500, /* a job begins within 2 s of a clock jump */
    CALL_MS = 10000,
    ROOM = 8,
    BACKOFF_MIN_MS = 250, /* authd's clock may be a moment behind */
    BACKOFF_MAX_MS = 60000,
    RUN_WAIT_MS = 8000, /* job_run_due waits for the jobs it started */
    RUN_STEP_MS = 50,
    STOP_MS = 10000,
};

struct job {
    struct work_item item; /* must be first */
    struct uuid account, schedule, project;
    bool reminder; /* false: a deletion is due */
    int64_t attempts;
};

struct jobs {
    struct work *work;
    uint64_t *done[2], *retried[2]; /* indexed by `reminder` */
};

/* ---- working ---- */

static int ask_authd(const struct job *self, struct error *err)
{
    struct bus *bus = work_maild(&self->item)->svc.bus;
    const struct request *req = self->item.req;
    const struct account_delete_in deletion = {self->account, self->schedule};
    const struct account_remind_in reminder = {self->item.id, self->account, self->schedule,
                                               self->project};
    struct nothing nothing;

    if (self->reminder)
        return authd_account_remind(bus, req, &reminder, &nothing, err);
    return authd_account_delete(bus, req, &deletion, &nothing, err);
}

/* failure NULL: done. Records nothing in a read-only project: the lease expires, and the job is
 * retried. */
static int job_record(const struct job *self, const char *failure)
{
    struct maild *d = work_maild(&self->item);
    struct request *req = self->item.req;
    struct uuid id = self->item.id, lease = work_lease(&self->item);
    int64_t now = clock_now_ms(d->real), pause;
    const struct sql_job_finish_in finish = {.id = id, .lease = lease, .now = now};
    struct sql_job_postpone_in postpone = {.id = id, .lease = lease, .last_error = failure};
    struct error err;
    int rc;

    error_init(&err, req->arena);
    req->deadline_mono_ms = clock_mono_ms() + WORK_RECORD_MS;
    if (!failure) {
        rc = sql_job_finish(d->svc.db, req, &finish, &err);
        return rc < 0 && err.code == ERR_PROJECT_READ_ONLY ? 0 : rc;
    }
    pause = BACKOFF_MIN_MS << MIN(MAX(self->attempts - 1, (int64_t)0), (int64_t)10);
    postpone.try_at = now + MIN(pause, (int64_t)BACKOFF_MAX_MS);
    rc = sql_job_postpone(d->svc.db, req, &postpone, &err);
    return rc < 0 && err.code == ERR_PROJECT_READ_ONLY ? 0 : rc;
}

static void job_log(const struct job *self, const char *failure)
{
    const struct jobs *jobs = work_maild(&self->item)->jobs;
    const char *kind = self->reminder ? "account-reminder" : "account-delete";

    if (!failure) {
        ++*jobs->done[self->reminder];
        log_event(LOG_INFO, "job", "done", "job", self->item.id.text, "kind", kind, NULL);
    } else {
        ++*jobs->retried[self->reminder];
        log_event(LOG_NOTICE, "job", "failed and will be retried", "job", self->item.id.text,
                  "kind", kind, "reason", failure, NULL);
    }
}

static void job_run(struct work_item *item)
{
    struct job *self = (struct job *)item;
    const char *failure = NULL;
    struct error err;

    error_init(&err, item->req->arena);
    if (ask_authd(self, &err) < 0)
        failure = error_kind(err.code)->wire;
    job_log(self, failure);
    while (job_record(self, failure) < 0 && work_pause(item))
        continue;
    work_end(item);
}

/* ---- claiming ---- */

/* Returns how many jobs to claim. While there is no authd, jobs wait without an attempt. */
static int64_t job_room(struct maild *d, int64_t active)
{
    return bus_has_peer(d->svc.bus, "authd") ? ROOM - active : 0;
}

static void job_begin(struct work *work, const struct sql_job_claim_row *row)
{
    struct job *self = (struct job *)work_item_new(work, row->id);

    if (!self)
        return;
    self->reminder = strcmp(row->kind, "account-reminder") == 0;
    self->account = row->account;
    self->schedule = row->schedule;
    self->project = row->project;
    self->attempts = row->attempts;
    work_item_start(&self->item);
}

static int job_claim(struct work *work, struct maild *d, const struct request *req,
                     const struct work_claim *claim, struct error *err)
{
    const struct sql_job_claim_in in = {.contract_now = req->now_ms,
                                        .now = claim->now,
                                        .until = claim->until,
                                        .lease = claim->lease,
                                        .most = claim->room};
    struct sql_job_claim_rows rows;

    if (sql_job_claim(d->svc.db, req, &in, &rows, err) < 0)
        return -1;
    for (size_t i = 0; i < rows.count; i++)
        job_begin(work, &rows.items[i]);
    return (int)rows.count;
}

static int job_renew(struct maild *d, const struct request *req, const struct work_renewal *renewal,
                     struct error *err)
{
    const struct sql_job_renew_in in = {
        .lease = renewal->lease, .ids = renewal->ids, .until = renewal->until};

    return sql_job_renew(d->svc.db, req, &in, err);
}

static int64_t job_timeout_ms(const struct maild *d UNUSED)
{
    return CALL_MS;
}

int job_start(struct maild *d, struct error *err)
{
    static const struct work_kind kind = {.item_size = sizeof(struct job),
                                          .room = job_room,
                                          .poll_ms = POLL_MS,
                                          .timeout_ms = job_timeout_ms,
                                          .claim = job_claim,
                                          .renew = job_renew,
                                          .run = job_run};
    static const char name[] = "atrium_jobs_total", help[] = "Attempts of due jobs, by outcome.";
    struct metrics *m = d->svc.metrics;
    struct jobs *self = arena_alloc(d->svc.arena, sizeof(*self));

    *self = (struct jobs){
        .done = {metrics_counter(m, name, "kind=\"account-delete\",outcome=\"done\"", help),
                 metrics_counter(m, name, "kind=\"account-reminder\",outcome=\"done\"", help)},
        .retried = {metrics_counter(m, name, "kind=\"account-delete\",outcome=\"retry\"", help),
                    metrics_counter(m, name, "kind=\"account-reminder\",outcome=\"retry\"", help)}};
    d->jobs = self;
    return work_start(d, &kind, &self->work, err);
}

void job_stop(struct maild *d)
{
    (void)work_stop(d->jobs->work, STOP_MS);
}

/* ---- handlers ---- */

int job_put(struct maild *d, const struct request *req, const struct job_put_in *in,
            struct nothing *out UNUSED, struct error *err)
{
    const struct sql_job_put_in put = {.id = in->id,
                                       .kind = in->kind,
                                       .due_at = in->dueAt,
                                       .account = in->account,
                                       .schedule = in->schedule,
                                       .project = in->projectId,
                                       .now = clock_now_ms(d->real),
                                       .replaces = in->replaces};

    if (sql_job_put(d->svc.db, req, &put, err) < 0)
        return -1;
    if (in->dueAt <= req->now_ms)
        work_kick(d->jobs->work);
    return 0;
}

int job_list(struct maild *d, const struct request *req, const struct job_list_in *in,
             struct job_list_out *out, struct error *err)
{
    const char *state = in->state ? in->state : "waiting";
    const struct sql_job_count_in count = {.state = state};
    const struct sql_job_list_in list = {.state = state, .most = in->count};
    struct sql_job_count_row row;

    if (sql_job_count(d->svc.db, req, &count, &row, err) < 0 ||
        sql_job_list(d->svc.db, req, &list, &out->jobs, err) < 0)
        return -1;
    out->total = row.total;
    return 0;
}

static int count_due(struct maild *d, const struct request *req, int64_t *ret, struct error *err)
{
    const struct sql_job_count_due_in count = {.contract_now = clock_now_ms(d->svc.clock)};
    struct sql_job_count_due_row row;

    if (sql_job_count_due(d->svc.db, req, &count, &row, err) < 0)
        return -1;
    *ret = row.total;
    return 0;
}

int job_run_due(struct maild *d, const struct request *req, const struct nothing *in UNUSED,
                struct job_run_due_out *out, struct error *err)
{
    struct sql_job_retry_due_in retry = {.contract_now = req->now_ms};
    int64_t until = clock_mono_ms() + RUN_WAIT_MS;

    if (count_due(d, req, &out->due, err) < 0)
        return -1;
    retry.now = clock_now_ms(d->real);
    if (sql_job_retry_due(d->svc.db, req, &retry, err) < 0)
        return -1;
    work_kick(d->jobs->work);
    for (;;) {
        if (count_due(d, req, &out->left, err) < 0)
            return -1;
        if (out->left == 0 || clock_mono_ms() >= until)
            return 0;
        if (fiber_sleep_until(d->svc.loop, clock_mono_ms() + RUN_STEP_MS, err) < 0)
            return -1;
    }
}
