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

/* After these times several attempts have failed. */
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

/* A failed email is listed for a month, without its content. */
static int check_dead(void *daemon, const struct request *req, struct finding *ret,
                      struct error *err)
{
    const struct maild *d = daemon;
    const struct sql_mail_count_in count = {.state = "dead"};
    struct sql_mail_count_row row;

    if (sql_mail_count(d->svc.db, req, &count, &row, err) < 0)
        return -1;
    if (row.total > 0)
        return check_warn(req, ret, NULL, "%lld were given up", (long long)row.total);
    return check_ok(req, ret, "none was given up");
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
                         "the oldest has waited for %s, after %lld tries%s%s",
                         check_age(req->arena, age), (long long)first->attempts,
                         first->lastError ? ": " : "", first->lastError ? first->lastError : "");
    return check_ok(req, ret, "some waits for less than ten minutes");
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
                         "a job is %s late, after %lld tries%s%s", check_age(req->arena, late),
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
        return check_ok(req, ret, "their receivers take what happens");
    dead = rows.items[0].dead;
    for (size_t i = 0; i < rows.count && rows.items[i].dead == dead; i++)
        named = arena_printf(req->arena, "%s %s of project %s", named, rows.items[i].id.text,
                             rows.items[i].project.text);
    return check_say(req, ret, dead ? "fail" : "warn", NULL, "%s:%s",
                     dead ? "deliveries were refused, or given up after three days"
                          : "nothing was taken for an hour",
                     named);
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
    {"webhooks", CHECK_DATABASE,
     "Tell the administrators of the project: their receiver answers with errors, or not at all; "
     "then POST /v1/project/webhooks/{id}/redeliver, or delete the webhook.",
     check_webhooks},
    {.name = NULL},
};
