/*
 * membership_end.c - see membership_end.h.
 */
#include "authd/account/membership_end.h"

#include <string.h>

#include "authd/account/account_api.h"
#include "authd/account/admin.h"
#include "authd/account/erasure.h"
#include "authd/mail.h"
#include "authd/session/deletion_abort.h"
#include "authd/session/session.h"
#include "authd/session/step_up_check.h"
#include "authd/sql/account.h"
#include "authd/sql/member.h"
#include "authd/tenant.h"
#include "common/service/audit.h"
#include "common/service/erasure.h"
#include "maild/job_api.h"
#include "maild/maild_api.h"

/* Finds the account's projects at or below the session's project. */
static int find_within(struct authd *d, const struct request *req, struct db_array *ret,
                       struct error *err)
{
    struct uuid top = req->caller->project;
    struct field_texts held;

    if (account_projects(d, req, req->caller->account, (struct uuid){""}, true, &held, err) < 0)
        return -1;
    *ret = db_array_new(req->arena, held.count, sizeof(top.text));
    for (size_t i = 0; i < held.count; i++) {
        struct db_array above;
        struct uuid project;

        if (uuid_parse(held.items[i], &project) < 0 ||
            tenant_ancestors(d, req, project, &above, err) < 0)
            return -1;
        if (strstr(above.text, top.text))
            db_array_add(ret, project.text);
    }
    return 0;
}

static struct sql_outbox scheduled_mail(struct authd *d, const struct request *req,
                                        const struct sql_deletion_begin_row *owner, int64_t at,
                                        bool mailed)
{
    char date[25];
    struct mail mail = {.template = "MEMBERSHIP_ENDS",
                        .to = owner->email,
                        .display = arena_printf(req->arena, "%s %s", owner->name, owner->surname),
                        .variables = {{"organization", req->caller->projectName}}};

    if (!mailed)
        return (struct sql_outbox){.method = NULL};
    clock_format_iso(at, date);
    mail.variables[1] = (struct mail_variable){"date", arena_strndup(req->arena, date, 10)};
    return mail_row(d, req, &mail);
}

static struct sql_outbox job(struct authd *d, const struct request *req, struct uuid schedule,
                             struct uuid replaces, int64_t at)
{
    const struct job_put_in in = {.id = uuid_ordered(req->now_ms),
                                  .kind = "account-delete",
                                  .dueAt = at,
                                  .account = req->caller->account,
                                  .schedule = schedule,
                                  .projectId = req->caller->project,
                                  .replaces = replaces};

    return outbox_row(d->svc.outbox, req->arena, &maild_job_put_method, in.id, &in);
}

static int check_admins(struct db_tx *tx, const struct request *req,
                        const struct db_array *projects, struct error *err)
{
    const struct sql_admin_list_projects_in list = {.account = req->caller->account};
    struct sql_admin_list_projects_rows rows;
    enum admin_last last = ADMIN_NOT_LAST;

    if (sql_admin_list_projects(tx, req, &list, &rows, err) < 0)
        return -1;
    for (size_t i = 0; i < rows.count && !last; i++)
        if (strstr(projects->text, rows.items[i].project.text) &&
            admin_is_last(tx, req, rows.items[i].project, rows.items[i].membership, &last, err) < 0)
            return -1;
    return last ? admin_refuse_last(last, err) : 0;
}

int membership_end_schedule(struct authd *d, const struct request *req,
                            const struct deletion_schedule_in *in, struct deletion_scheduled *out,
                            struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    struct uuid account = req->caller->account, schedule = uuid_random();
    const struct sql_deletion_begin_in begin = {.account = account, .now = req->now_ms};
    int64_t at = req->now_ms + DAYS(in->days);
    struct sql_membership_end_set_in set = {
        .account = account,
        .at = at,
        .schedule = schedule,
        .wipe = in->wipe,
        .audit = audit_row(req, &(struct audit){.action = "membership.end-schedule",
                                                .type = "Account",
                                                .id = account,
                                                .detail = in->wipe ? "wipe" : NULL})};
    struct sql_deletion_queue_in queue = {.account = account,
                                          .change = {.until = req->now_ms + CHANGE_EVENT_LIFE}};
    struct sql_membership_end_set_row former;
    struct sql_deletion_queue_row queued;
    struct sql_deletion_begin_row owner;
    struct deletion_user *user = arena_alloc(req->arena, sizeof(*user));
    bool mailed;

    if (find_within(d, req, &set.projects, err) < 0 ||
        mail_admit_deletion(d, req, account, &mailed, err) < 0 ||
        db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        check_admins(tx, req, &set.projects, err) < 0 ||
        sql_require(sql_deletion_begin(tx, req, &begin, &owner, err), err, ERR_UNAUTHORIZED,
                    "Unauthorized") < 0 ||
        (in->days == 0 && step_up_check(d, tx, req, err) < 0) ||
        sql_require(sql_membership_end_set(tx, req, &set, &former, err), err, ERR_UNAUTHORIZED,
                    "Unauthorized") < 0)
        return -1;
    queue.mail = scheduled_mail(d, req, &owner, at, mailed);
    queue.deletion = job(d, req, schedule, former.replaces, at);
    queue.reminder = (struct sql_outbox){.method = NULL};
    if (sql_deletion_queue(tx, req, &queue, &queued, err) < 0 || db_commit(&tx, err) < 0)
        return -1;
    outbox_wake(d->svc.outbox);
    *user = (struct deletion_user){"User", account, owner.name, owner.surname, owner.email};
    out->scheduled = at;
    out->user = user;
    return deletion_settle(d, req, queued.sequence, account, err);
}

static int end_one(struct db_tx *tx, const struct request *req, struct uuid account,
                   const struct sql_membership_end_due_row *row, struct session_ended *ended,
                   struct error *err)
{
    const struct sql_login_delete_project_in logins = {.account = account, .project = row->project};
    const struct sql_last_sign_in_delete_in forget = {.account = account, .project = row->project};
    const struct sql_member_delete_in delete = {
        .project = row->project,
        .id = row->id,
        .audit = audit_row(req, &(struct audit){.action = "membership.delete",
                                                .project = row->project,
                                                .account = account,
                                                .role = ROLE_PRACTITIONER,
                                                .type = "ProjectMembership",
                                                .id = row->id,
                                                .detail = row->wipe ? "wipe" : NULL})};

    return sql_member_delete(tx, req, &delete, err) < 0 ||
                   sql_login_delete_project(tx, req, &logins, err) < 0 ||
                   session_end_project(tx, req, row->project, account, "removed", ended, err) < 0 ||
                   sql_last_sign_in_delete(tx, req, &forget, err) < 0 ||
                   session_ended_membership(tx, req, row->id, ended, err) < 0
               ? -1
               : 0;
}

/* Queues the erasure of the memberships' data under the schedule's key, because the account
 * remains. */
static int queue_wipe(struct authd *d, const struct request *req, struct db_tx *tx,
                      const struct sql_membership_end_due_rows *rows, struct uuid schedule,
                      struct error *err)
{
    struct membership_ref *refs = arena_calloc(req->arena, rows->count, sizeof(*refs));

    for (size_t i = 0; i < rows->count; i++)
        refs[i] = (struct membership_ref){rows->items[i].project, rows->items[i].profile};
    return erasure_of_places(d, req, tx, schedule, (struct field_list){refs, rows->count}, err);
}

int membership_end_execute(struct authd *d, const struct request *req, struct uuid account,
                           struct uuid schedule, struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    const struct sql_membership_end_due_in due = {.account = account, .schedule = schedule};
    struct session_ended all = {.count = 0}, one;
    struct sql_membership_end_due_rows rows;

    if (db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        sql_membership_end_due(tx, req, &due, &rows, err) < 0)
        return -1;
    if (rows.count == 0)
        return 0;
    if (rows.items[0].at > req->now_ms)
        return error_set(err, ERR_CONFLICT, "It is too early: the date is in the future.");
    if (rows.items[0].wipe && queue_wipe(d, req, tx, &rows, schedule, err) < 0)
        return -1;
    for (size_t i = 0; i < rows.count; i++) {
        if (end_one(tx, req, account, &rows.items[i], &one, err) < 0)
            return -1;
        session_ended_add(req, &(struct field_list){one.changes, one.count}, &all);
    }
    if (db_commit(&tx, err) < 0)
        return -1;
    outbox_wake(d->svc.outbox);
    return session_revocation_wait(d, req, &all, err);
}
