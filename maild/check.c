/*
 * check.c - maild's part of `atriumctl doctor`.
 */
#include <string.h>

#include "common/base/clock.h"
#include "maild/job_api.h"
#include "maild/mail_api.h"
#include "maild/maild.h"
#include "maild/sql/job.h"
#include "maild/sql/mail.h"
#include "maild/sql/webhook_delivery.h"
#include "maild/transport.h"

/* Email or a job that waits this long has failed several attempts. */
enum { WAIT_WARN_MS = MINUTES(10), WAIT_FAIL_MS = HOURS(1) };

enum { WEBHOOKS_NAMED = 3 };

static int check_transport(void *daemon, const struct request *req, struct finding *ret,
                           struct error *err)
{
    const struct maild *d = daemon;

    return d->transport->check(d->transport, req, ret, err);
}

static int check_server(void *daemon, const struct request *req, struct finding *ret,
                        struct error *err UNUSED)
{
    const struct maild *d = daemon;

    return d->transport->check_state ? d->transport->check_state(d->transport, req, ret) : 0;
}

/* Reports failed emails, which are listed for a month, without their content. */
static int check_dead(void *daemon, const struct request *req, struct finding *ret,
                      struct error *err)
{
    const struct maild *d = daemon;
    const struct sql_mail_count_in count = {.state = "dead"};
    struct sql_mail_count_row row;

    if (sql_mail_count(d->svc.db, req, &count, &row, err) < 0)
        return -1;
    if (row.total > 0)
        return check_warn(req, ret, NULL, "%lld failed", (long long)row.total);
    return check_ok(req, ret, "none has failed");
}

static int check_waiting(void *daemon, const struct request *req, struct finding *ret,
                         struct error *err)
{
    const struct maild *d = daemon;
    const struct sql_mail_list_in list = {.state = "queued", .most = 1};
    const struct mail_queue_row *first;
    struct field_list rows;
    int64_t age;

    if (sql_mail_list(d->svc.db, req, &list, &rows, err) < 0)
        return -1;
    if (rows.count == 0)
        return check_ok(req, ret, "empty");
    first = rows.items;
    age = clock_now_ms(d->real) - first->createdAt;
    if (age > WAIT_WARN_MS)
        return check_say(req, ret, age > WAIT_FAIL_MS ? "fail" : "warn", NULL,
                         "the oldest has waited for %s, after %lld attempts%s%s",
                         check_age(req->arena, age), (long long)first->attempts,
                         first->lastError ? ": " : "", first->lastError ? first->lastError : "");
    return check_ok(req, ret, "some have waited for less than ten minutes");
}

static int check_jobs(void *daemon, const struct request *req, struct finding *ret,
                      struct error *err)
{
    const struct maild *d = daemon;
    const struct sql_job_list_in list = {.state = "waiting", .most = 1};
    const struct job_row *first;
    struct field_list rows;
    int64_t late;

    if (sql_job_list(d->svc.db, req, &list, &rows, err) < 0)
        return -1;
    if (rows.count == 0)
        return check_ok(req, ret, "none is late");
    first = rows.items;
    late = req->now_ms - first->dueAt;
    if (late > WAIT_WARN_MS)
        return check_say(req, ret, late > WAIT_FAIL_MS ? "fail" : "warn", NULL,
                         "a job is %s late, after %lld attempts%s%s", check_age(req->arena, late),
                         (long long)first->attempts, first->lastError ? ": " : "",
                         first->lastError ? first->lastError : "");
    return check_ok(req, ret, "none is late");
}

static int check_webhooks(void *daemon, const struct request *req, struct finding *ret,
                          struct error *err)
{
    const struct maild *d = daemon;
    const struct sql_webhook_trouble_in in = {.since = clock_now_ms(d->real) - WAIT_FAIL_MS,
                                              .most = WEBHOOKS_NAMED};
    struct sql_webhook_trouble_rows rows;
    const char *named = "";
    bool dead;

    if (sql_webhook_trouble(d->svc.db, req, &in, &rows, err) < 0)
        return -1;
    if (rows.count == 0)
        return check_ok(req, ret, "the receivers accept all events");
    dead = rows.items[0].dead;
    for (size_t i = 0; i < rows.count && rows.items[i].dead == dead; i++)
        named = arena_printf(req->arena, "%s %s of project %s", named, rows.items[i].id.text,
                             rows.items[i].project.text);
    return check_say(req, ret, dead ? "fail" : "warn", NULL, "%s:%s",
                     dead ? "deliveries were rejected, or failed after three days"
                          : "no delivery has been accepted for an hour",
                     named);
}

const struct check maild_checks[] = {
    {"mail transport", 0,
     "Start the mail server; check smtp_url and whether this host can reach it.", check_transport},
    {"mail server", 0,
     "See the mail server's log. Waiting emails are sent once it accepts emails again, or "
     "immediately with atriumctl mail retry --all.",
     check_server},
    {"dead mail", CHECK_DATABASE,
     "See atriumctl mail queue --state dead for the reason; fix it, then run atriumctl mail drop "
     "ID.",
     check_dead},
    {"mail queue", CHECK_DATABASE,
     "Fix the mail transport; waiting emails are then sent, or immediately with atriumctl mail "
     "retry ID.",
     check_waiting},
    {"jobs", CHECK_DATABASE,
     "See atriumctl job list, and check that authd and docd respond; then run atriumctl job "
     "run-due.",
     check_jobs},
    {"webhooks", CHECK_DATABASE,
     "Tell the project's admins that their receiver returns errors or does not respond; then use "
     "POST /v1/project/webhooks/{id}/redeliver, or delete the webhook.",
     check_webhooks},
    {.name = NULL},
};
