/*
 * job.c - jobs: what other daemons want done when the time has come, and what the operator sees and
 * does. Handlers: job_put, job_list, job_run_due; and the work (work.h) on jobs.
 *
 * A job is due by contract time, whichever way that moves.  authd does what it is about, and knows
 * when there is nothing to do any more; so a job may be tried as often as it takes, and is never
 * given up.
 */
#include <string.h>

#include "authd/authd_api.h"
#include "maild/maild_api.h"
#include "maild/work.h"

enum {
    POLL_MS = 500, /* a due job begins within two seconds, also when the clock jumps */
    CALL_MS = 10000,
    ROOM = 8,
    BACKOFF_MIN_MS = 250, /* authd's clock may be a moment behind */
    BACKOFF_MAX_MS = 60000,
    RUN_WAIT_MS = 8000, /* job_run_due waits so long for what it began */
    RUN_STEP_MS = 50,
    STOP_MS = 10000,
};

/* A claimed job. */
struct job {
    struct work_item item; /* first */
    struct uuid account, schedule, project;
    bool reminder; /* else the deletion */
    int64_t attempts;
};

struct jobs {
    struct work *work;
    uint64_t *done[2], *retried[2]; /* by `reminder` */
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

/* failure: NULL when it is done. */
static int job_record(const struct job *self, const char *failure)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    struct maild *d = work_maild(&self->item);
    struct request *req = self->item.req;
    struct uuid id = self->item.id, lease = work_lease(&self->item);
    int64_t now = clock_now_ms(d->real), pause;
    struct error err;

    error_init(&err, req->arena);
    req->deadline_mono_ms = clock_mono_ms() + WORK_RECORD_MS;
    if (!failure)
        return db_query(d->svc.db, req, SQL_JOB_DONE, &res, &err, DB_UUID(id), DB_UUID(lease),
                        DB_INT(now));
    pause = BACKOFF_MIN_MS << MIN(MAX(self->attempts - 1, (int64_t)0), (int64_t)10);
    pause = MIN(pause, (int64_t)BACKOFF_MAX_MS);
    return db_query(d->svc.db, req, SQL_JOB_RETRY, &res, &err, DB_UUID(id), DB_UUID(lease),
                    DB_INT(now + pause), DB_TEXT(failure));
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
        log_event(LOG_NOTICE, "job", "failed, will be tried again", "job", self->item.id.text,
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

/* Jobs wait unharmed, and without attempts, while there is nobody to ask. */
static int64_t job_room(struct maild *d, int64_t active)
{
    return bus_has_peer(d->svc.bus, "authd") ? ROOM - active : 0;
}

static int job_claim(struct maild *d, const struct request *req, const struct work_claim *claim,
                     struct db_result **ret, struct error *err)
{
    return db_query(d->svc.db, req, SQL_JOB_CLAIM, ret, err, DB_INT(req->now_ms),
                    DB_INT(claim->now), DB_INT(claim->until), DB_UUID(claim->lease),
                    DB_INT(claim->room));
}

static void job_read(struct work_item *item, const struct db_result *res, size_t row)
{
    struct job *self = (struct job *)item;

    self->reminder = strcmp(db_text(res, row, 1), "account-reminder") == 0;
    self->account = db_uuid(res, row, 2);
    self->schedule = db_uuid(res, row, 3);
    self->project = db_uuid(res, row, 4);
    self->attempts = db_int(res, row, 5);
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
                                          .renew = SQL_JOB_RENEW,
                                          .claim = job_claim,
                                          .read = job_read,
                                          .run = job_run};
    static const char name[] = "atrium_jobs_total", help[] = "Attempts at due jobs, by outcome.";
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

/* Takes a job over, durably. The same id again changes nothing. */
int job_put(struct maild *d, const struct request *req, const struct job_put_in *in,
            struct nothing *out UNUSED, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;

    if (db_query(d->svc.db, req, SQL_JOB_PUT, &res, err, DB_UUID(in->id), DB_TEXT(in->kind),
                 DB_INT(in->dueAt), DB_UUID(in->account), DB_UUID(in->schedule),
                 DB_UUID(in->projectId), DB_INT(clock_now_ms(d->real)), DB_UUID(in->replaces)) < 0)
        return -1;
    if (in->dueAt <= req->now_ms)
        work_kick(d->jobs->work);
    return 0;
}

/* The jobs in a state, "waiting" or "done", by the time at which they are due, and how many there
 * are. */
int job_list(struct maild *d, const struct request *req, const struct job_list_in *in,
             struct job_list_out *out, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *rows = NULL, *total = NULL;
    const char *state = in->state ? in->state : "waiting";

    if (db_query(d->svc.db, req, SQL_JOB_COUNT, &total, err, DB_TEXT(state)) < 0 ||
        db_query(d->svc.db, req, SQL_JOB_LIST, &rows, err, DB_TEXT(state), DB_INT(in->count)) < 0)
        return -1;
    out->total = db_int(total, 0, 0);
    out->jobs = db_list(rows, &job_row_table, req->arena);
    return 0;
}

static int count_due(struct maild *d, const struct request *req, int64_t *ret, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;

    if (db_query(d->svc.db, req, SQL_JOB_COUNT_DUE, &res, err, DB_INT(clock_now_ms(d->svc.clock))) <
        0)
        return -1;
    *ret = db_int(res, 0, 0);
    return 0;
}

/* Tries every due job now, whatever its back-off, and waits a while for what becomes of them. */
int job_run_due(struct maild *d, const struct request *req, const struct nothing *in UNUSED,
                struct job_run_due_out *out, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    int64_t until = clock_mono_ms() + RUN_WAIT_MS;

    if (count_due(d, req, &out->due, err) < 0 ||
        db_query(d->svc.db, req, SQL_JOB_DUE_NOW, &res, err, DB_INT(req->now_ms),
                 DB_INT(clock_now_ms(d->real))) < 0)
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
