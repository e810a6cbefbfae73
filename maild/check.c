/*
 * check.c - what maild tells `atriumctl doctor` beside what every daemon does: whether mail would
 * leave, and what waits.
 */
#include <string.h>

#include "maild/maild.h"
#include "maild/maild_api.h"
#include "maild/transport.h"

/* Mail and jobs are tried again for hours: what waits longer than this has seen several tries. */
enum { WAIT_WARN_MS = 10 * 60 * 1000, WAIT_FAIL_MS = 60 * 60 * 1000 };

static int check_transport(void *daemon, const struct request *req, struct finding *ret,
                           struct error *err)
{
    const struct maild *d = daemon;

    return d->transport->check(d->transport, req, ret, err);
}

/* What the deliveries of this instance met. */
static int check_server(void *daemon, const struct request *req, struct finding *ret,
                        struct error *err UNUSED)
{
    const struct maild *d = daemon;

    return d->transport->check_state ? d->transport->check_state(d->transport, req, ret) : 0;
}

/* A mail that was given up stays known for a month; its content is gone. */
static int check_dead(void *daemon, const struct request *req, struct finding *ret,
                      struct error *err)
{
    const struct maild *d = daemon;
    CLEANUP(db_result_destroy) struct db_result *res = NULL;

    if (db_query(d->svc.db, req, SQL_MESSAGE_COUNT, &res, err, DB_TEXT("dead")) < 0)
        return -1;
    if (db_int(res, 0, 0) > 0)
        return check_warn(req, ret, NULL, "%lld were given up", (long long)db_int(res, 0, 0));
    return check_ok(req, ret, "none was given up");
}

/* The list has the oldest first. */
static int check_waiting(void *daemon, const struct request *req, struct finding *ret,
                         struct error *err)
{
    const struct maild *d = daemon;
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    struct mail_queue_row first = {.createdAt = 0};
    int64_t age = 0;

    if (db_query(d->svc.db, req, SQL_MESSAGE_LIST, &res, err, DB_TEXT("queued"), DB_INT(1)) < 0)
        return -1;
    if (db_rows(res) > 0) {
        db_row(res, 0, &mail_queue_row_table, req->arena, &first);
        age = clock_now_ms(d->real) - first.createdAt;
    }
    if (age > WAIT_WARN_MS)
        return (age > WAIT_FAIL_MS ? check_fail : check_warn)(
            req, ret, NULL, "the oldest has waited for %s, after %lld tries%s%s",
            check_age(req->arena, age), (long long)first.attempts, first.lastError ? ": " : "",
            first.lastError ? first.lastError : "");
    return check_ok(req, ret, db_rows(res) > 0 ? "some waits for less than ten minutes" : "empty");
}

/* In the order of their dates, which are contract time. */
static int check_jobs(void *daemon, const struct request *req, struct finding *ret,
                      struct error *err)
{
    const struct maild *d = daemon;
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    struct job_row first = {.dueAt = req->now_ms};
    int64_t late;

    if (db_query(d->svc.db, req, SQL_JOB_LIST, &res, err, DB_TEXT("waiting"), DB_INT(1)) < 0)
        return -1;
    if (db_rows(res) > 0)
        db_row(res, 0, &job_row_table, req->arena, &first);
    late = req->now_ms - first.dueAt;
    if (late > WAIT_WARN_MS)
        return (late > WAIT_FAIL_MS ? check_fail : check_warn)(
            req, ret, NULL, "a job is %s late, after %lld tries%s%s", check_age(req->arena, late),
            (long long)first.attempts, first.lastError ? ": " : "",
            first.lastError ? first.lastError : "");
    return check_ok(req, ret, "none is late");
}

const struct check maild_checks[] = {
    {"mail transport", 0,
     "Start the mail server; see that smtp_url names it and that this host reaches it.",
     check_transport},
    {"mail server", 0,
     "See what the mail server's log says of it; mail waits and leaves by itself once it takes "
     "mail again, or at once by atriumctl mail retry --all.",
     check_server},
    {"dead mail", CHECK_DATABASE,
     "atriumctl mail queue --state dead shows why; mend that, then atriumctl mail drop ID.",
     check_dead},
    {"mail queue", CHECK_DATABASE,
     "Mend the mail transport; what waits is then sent by itself, or at once by atriumctl mail "
     "retry ID.",
     check_waiting},
    {"jobs", CHECK_DATABASE,
     "atriumctl job list, and see that authd and docd answer; then atriumctl job run-due.",
     check_jobs},
    {.name = NULL},
};
