/*
 * deletion.c - see deletion.h. Handlers: deletion_schedule; account_delete and account_remind,
 * which maild calls when a job is due.
 */
#include "authd/account/deletion.h"

#include "authd/account/account_api.h"
#include "authd/account/admin.h"
#include "authd/account/credential.h"
#include "authd/account/erasure.h"
#include "authd/account/membership_end.h"
#include "authd/account/ownership.h"
#include "authd/credential/throttle.h"
#include "authd/mail.h"
#include "authd/operation_api.h"
#include "authd/session/account_session.h"
#include "authd/session/deletion_abort.h"
#include "authd/session/session.h"
#include "authd/session/step_up_check.h"
#include "authd/sql/account.h"
#include "authd/sql/credential.h"
#include "authd/sql/outbox.h"
#include "authd/tenant.h"
#include "common/service/erasure.h"
#include "docd/docd_api.h"
#include "docd/export_api.h"
#include "maild/job_api.h"
#include "maild/maild_api.h"
#include "settingsd/tenant_api.h"

enum {
    REMIND_DAYS = 3,  /* days before the date; a nearer date gets no reminder */
    DATE_LENGTH = 10, /* "2026-01-31" */
};

/* ---- scheduling ---- */

struct plan {
    struct uuid account, schedule, replaces; /* replaces: absent for a first schedule */
    int64_t at, days;
    const char *email, *name, *surname;
    struct tenant tenant; /* the tenant in whose name the email is sent */
    bool shared;          /* the installation sends the email instead */
    bool mailed;
    struct uuid audited, audited_account; /* for the audit row; absent: those of the caller */
    enum role role;
    const char *reason; /* given by an admin or operator, for the audit row, or NULL */
};

static const char *date_text(const struct request *req, int64_t at)
{
    char text[25];

    clock_format_iso(at, text);
    return arena_strndup(req->arena, text, DATE_LENGTH);
}

/* Makes a new id if `id` is absent. */
static struct sql_outbox mail_to_owner(struct authd *d, const struct request *req,
                                       const struct plan *plan, const char *template,
                                       struct uuid id)
{
    const struct mail mail = {.id = id,
                              .template = template,
                              .tenant = plan->shared ? NULL : &plan->tenant,
                              .to = plan->email,
                              .display =
                                  arena_printf(req->arena, "%s %s", plan->name, plan->surname),
                              .variables = {{"date", date_text(req, plan->at)}}};

    return mail_row(d, req, &mail);
}

static struct sql_outbox scheduled_mail(struct authd *d, const struct request *req,
                                        const struct plan *plan)
{
    if (!plan->mailed)
        return (struct sql_outbox){.method = NULL};
    return mail_to_owner(d, req, plan, "ACCOUNT_DELETION_SCHEDULED", (struct uuid){""});
}

static struct sql_outbox job(struct authd *d, const struct request *req, const struct plan *plan,
                             const char *kind, int64_t due)
{
    const struct job_put_in in = {.id = uuid_ordered(req->now_ms),
                                  .kind = kind,
                                  .dueAt = due,
                                  .account = plan->account,
                                  .schedule = plan->schedule,
                                  .projectId = plan->tenant.projectId,
                                  .replaces = plan->replaces};

    return outbox_row(d->svc.outbox, req->arena, &maild_job_put_method, in.id, &in);
}

static struct sql_outbox reminder_job(struct authd *d, const struct request *req,
                                      const struct plan *plan)
{
    if (plan->days <= REMIND_DAYS)
        return (struct sql_outbox){.method = NULL};
    return job(d, req, plan, "account-reminder", plan->at - DAYS(REMIND_DAYS));
}

static int begin(struct db_tx *tx, const struct request *req, struct plan *plan, struct error *err)
{
    const struct sql_deletion_begin_in in = {.account = plan->account, .now = req->now_ms};
    struct sql_deletion_begin_row row;

    if (admin_leave_all(tx, req, plan->account, err) < 0 ||
        sql_require(sql_deletion_begin(tx, req, &in, &row, err), err, ERR_UNAUTHORIZED,
                    "Unauthorized") < 0)
        return -1;
    plan->email = row.email;
    plan->name = row.name;
    plan->surname = row.surname;
    plan->replaces = row.delete_schedule;
    return 0;
}

static int commit(struct authd *d, const struct request *req, struct db_tx **tx_p,
                  const struct plan *plan, bool wipe, int64_t *ret_sequence, struct error *err)
{
    const struct sql_deletion_schedule_in schedule = {
        .account = plan->account,
        .delete_at = plan->at,
        .schedule = plan->schedule,
        .wipe = wipe,
        .audit = audit_row(req, &(struct audit){.action = "deletion.schedule",
                                                .project = plan->audited,
                                                .account = plan->audited_account,
                                                .role = plan->role,
                                                .type = "Account",
                                                .id = plan->account,
                                                .detail = wipe ? "wipe" : NULL,
                                                .reason = plan->reason})};
    const struct sql_deletion_queue_in queue = {
        .account = plan->account,
        .mail = scheduled_mail(d, req, plan),
        .deletion = job(d, req, plan, "account-delete", plan->at),
        .reminder = reminder_job(d, req, plan),
        .change = {.until = req->now_ms + CHANGE_EVENT_LIFE}};
    struct sql_deletion_queue_row queued;

    if (sql_deletion_schedule(*tx_p, req, &schedule, err) < 0 ||
        sql_deletion_queue(*tx_p, req, &queue, &queued, err) < 0 || db_commit(tx_p, err) < 0)
        return -1;
    outbox_wake(d->svc.outbox);
    *ret_sequence = queued.sequence;
    return 0;
}

static const struct deletion_user *user(const struct request *req, const struct plan *plan)
{
    struct deletion_user *self = arena_alloc(req->arena, sizeof(*self));

    *self = (struct deletion_user){"User", plan->account, plan->name, plan->surname, plan->email};
    return self;
}

int deletion_by_admin(struct authd *d, const struct request *req, struct db_tx **tx_p,
                      const struct deletion_order *order, struct error *err)
{
    struct plan plan = {.account = order->account,
                        .schedule = uuid_random(),
                        .at = req->now_ms + DAYS(order->days),
                        .days = order->days,
                        .shared = !order->tenant,
                        .mailed = order->mailed,
                        .audited_account = order->account,
                        .role = order->role,
                        .reason = order->reason};
    int64_t sequence;

    if (order->tenant)
        plan.tenant = *order->tenant;
    else
        plan.tenant.projectId = (struct uuid){UUID_NIL};
    if (begin(*tx_p, req, &plan, err) < 0)
        return err->code == ERR_UNAUTHORIZED ? error_set(err, ERR_NOT_FOUND, "Account not found.")
                                             : -1;
    if (commit(d, req, tx_p, &plan, order->wipe, &sequence, err) < 0)
        return -1;
    return deletion_settle(d, req, sequence, plan.account, err);
}

/* Finds the sender of the owner's email: the session's project, which owns the account, or, for the
 * installation's own pages, as credential_owner_mailed() decides. */
static int find_sender(struct authd *d, const struct request *req, struct plan *plan,
                       struct error *err)
{
    struct credential_owner owner = {.account = plan->account};

    if (!account_session_is(req))
        return tenant_open_id(d, req, req->caller->project, &plan->tenant, err);
    if (credential_owner_mailed(d, req, &owner, err) < 0)
        return -1;
    plan->shared = owner.shared;
    plan->tenant = owner.tenant;
    if (owner.shared)
        plan->tenant.projectId = (struct uuid){UUID_NIL};
    return 0;
}

/* In a session of a project that does not own the account, schedules only the end of its
 * memberships there. Immediate deletion needs a fresh proof, because no sign-in can cancel it. */
int deletion_schedule(struct authd *d, const struct request *req,
                      const struct deletion_schedule_in *in, struct deletion_scheduled *out,
                      struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    struct plan plan = {.account = req->caller->account,
                        .schedule = uuid_random(),
                        .at = req->now_ms + DAYS(in->days),
                        .days = in->days};
    int64_t sequence;
    bool own;

    if (ownership_of_caller(d, req, &own, err) < 0)
        return -1;
    if (!own)
        return membership_end_schedule(d, req, in, out, err);
    if (find_sender(d, req, &plan, err) < 0 ||
        mail_admit_deletion(d, req, plan.account, &plan.mailed, err) < 0 ||
        db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        begin(tx, req, &plan, err) < 0 || (in->days == 0 && step_up_check(d, tx, req, err) < 0) ||
        commit(d, req, &tx, &plan, in->wipe, &sequence, err) < 0 ||
        deletion_settle(d, req, sequence, plan.account, err) < 0)
        return -1;
    out->scheduled = plan.at;
    out->user = user(req, &plan);
    return 0;
}

/* ---- execution ---- */

struct deleting_account {
    struct uuid account, schedule;
    struct uuid project; /* a patient's project; unset for a practitioner */
    enum role role;
    struct sql_deletion_lock_memberships_rows memberships;
    int64_t resets; /* deleted links to set a password */
    bool wipe;
};

/* Returns 1 with the account locked, or 0 if the schedule is void. CONFLICT if the caller's clock
 * is ahead; a retry can succeed. */
static int lock_due(struct db_tx *tx, const struct request *req, struct deleting_account *self,
                    struct error *err)
{
    const struct sql_deletion_lock_memberships_in memberships = {
        .account = self->account, .schedule = self->schedule, .now = req->now_ms};
    const struct sql_deletion_delete_reset_in reset = {
        .account = self->account, .schedule = self->schedule, .now = req->now_ms};
    const struct sql_deletion_lock_in lock = {
        .account = self->account, .schedule = self->schedule, .now = req->now_ms};
    struct sql_deletion_lock_row row;
    int locked;

    if (sql_deletion_lock_memberships(tx, req, &memberships, &self->memberships, err) < 0)
        return -1;
    self->resets = sql_deletion_delete_reset(tx, req, &reset, err);
    if (self->resets < 0)
        return -1;
    locked = sql_deletion_lock(tx, req, &lock, &row, err);
    if (locked <= 0)
        return locked;
    if (!row.due)
        return error_set(err, ERR_CONFLICT, "It is too early: the date is in the future.");
    self->project = row.project;
    self->wipe = row.wipe;
    self->role = row.role;
    return 1;
}

/* Deletes the rows that other transactions lock before the change counter. Must run before this
 * transaction locks the counter. The rest is deleted with the account's row. */
static int delete_dependents(struct db_tx *tx, const struct request *req, struct uuid account,
                             struct error *err)
{
    const struct sql_factor_pending_delete_in pending = {.account = account};
    const struct sql_factor_delete_in factor = {.account = account};
    const struct sql_credential_delete_in credential = {.account = account};
    const struct sql_login_delete_all_in logins = {.account = account};

    return sql_factor_pending_delete(tx, req, &pending, err) < 0 ||
                   sql_factor_delete(tx, req, &factor, err) < 0 ||
                   sql_credential_delete(tx, req, &credential, err) < 0 ||
                   sql_login_delete_all(tx, req, &logins, err) < 0
               ? -1
               : 0;
}

/* Counts the account's rows for the receipt, so it must run before any of them is deleted. */
static int queue_wipe(struct authd *d, const struct request *req, struct db_tx *tx,
                      const struct deleting_account *self, struct error *err)
{
    const struct sql_deletion_lock_memberships_rows *all = &self->memberships;
    struct erasure_order order = {.account = self->account, .exports = 1, .resets = self->resets};
    struct membership_ref *refs;

    if (!self->wipe)
        return 0;
    refs = arena_calloc(req->arena, all->count, sizeof(*refs));
    order.places = (struct field_list){refs, all->count};
    for (size_t i = 0; i < all->count; i++)
        refs[i] = (struct membership_ref){all->items[i].project, all->items[i].profile};
    return erasure_begin(d, req, tx, &order, err);
}

int deletion_queue_exports(struct authd *d, const struct request *req, struct db_tx *tx,
                           struct uuid account, bool wiped, struct error *err)
{
    const struct exports_delete_in in = {
        .key = uuid_ordered(req->now_ms), .account = account, .counted = wiped};
    struct sql_outbox_insert_in insert;

    insert.outbox = outbox_row(d->svc.outbox, req->arena, &docd_exports_delete_method, in.key, &in);
    return sql_outbox_insert_tx(tx, req, &insert, err) < 0 ? -1 : 0;
}

static int finish(struct authd *d, const struct request *req, struct db_tx **tx_p,
                  const struct deleting_account *self, struct session_ended *ret_ended,
                  struct error *err)
{
    const struct sql_audit audit =
        audit_row(req, &(struct audit){.action = "account.delete",
                                       .project = self->project,
                                       .account = self->account,
                                       .role = self->role,
                                       .type = "Account",
                                       .id = self->account,
                                       .detail = self->wipe ? "wipe" : NULL});
    const struct sql_account_delete_in delete = {
        .account = self->account, .audit = audit, .place = audit};

    if (queue_wipe(d, req, *tx_p, self, err) < 0 ||
        delete_dependents(*tx_p, req, self->account, err) < 0 ||
        deletion_queue_exports(d, req, *tx_p, self->account, self->wipe, err) < 0 ||
        session_end_account(*tx_p, req, self->account, (struct uuid){""}, "removed", ret_ended,
                            err) < 0 ||
        sql_account_delete(*tx_p, req, &delete, err) < 0)
        return -1;
    return db_commit(tx_p, err);
}

int deletion_execute(struct authd *d, const struct request *req, struct uuid account,
                     struct uuid schedule, struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    struct deleting_account self = {.account = account, .schedule = schedule};
    struct session_ended ended;
    int locked;

    if (db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0)
        return -1;
    locked = lock_due(tx, req, &self, err);
    if (locked <= 0)
        return locked;
    if (finish(d, req, &tx, &self, &ended, err) < 0)
        return -1;
    ++*d->count.accounts_deleted;
    outbox_wake(d->svc.outbox);
    return session_revocation_wait(d, req, &ended, err);
}

int account_find_patient(struct authd *d, const struct request *req, struct uuid project,
                         const char *email, struct uuid *ret, struct error *err)
{
    const struct sql_account_find_patient_in in = {
        .project = project, .email = email, .now = req->now_ms};
    struct sql_account_find_patient_row row;
    int found = sql_account_find_patient(d->svc.db, req, &in, &row, err);

    *ret = found > 0 && row.active ? row.id : (struct uuid){""};
    if (found <= 0 || row.active)
        return found < 0 ? -1 : 0;
    return deletion_execute(d, req, row.id, row.delete_schedule, err);
}

int account_find_practitioner(struct authd *d, const struct request *req, const char *email,
                              struct uuid *ret, struct error *err)
{
    const struct sql_account_find_practitioner_in in = {.email = email, .now = req->now_ms};
    struct sql_account_find_practitioner_row row;
    int found = sql_account_find_practitioner(d->svc.db, req, &in, &row, err);

    *ret = found > 0 && row.active ? row.id : (struct uuid){""};
    if (found <= 0 || row.active)
        return found < 0 ? -1 : 0;
    return deletion_execute(d, req, row.id, row.delete_schedule, err);
}

int deletion_by_operator(struct authd *d, const struct request *req, struct uuid account,
                         struct uuid project, struct error *err)
{
    static const struct uuid none = {UUID_NIL};
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    struct plan plan = {.account = account,
                        .schedule = uuid_random(),
                        .at = req->now_ms,
                        .tenant.projectId = uuid_is_set(&project) ? project : none,
                        .audited = project,
                        .audited_account = account};
    int64_t sequence;

    if (db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0)
        return -1;
    if (begin(tx, req, &plan, err) < 0)
        return err->code == ERR_UNAUTHORIZED ? error_set(err, ERR_NOT_FOUND, "Account not found.")
                                             : -1;
    if (commit(d, req, &tx, &plan, true, &sequence, err) < 0 ||
        deletion_settle(d, req, sequence, account, err) < 0)
        return -1;
    return deletion_execute(d, req, account, plan.schedule, err);
}

/* Executes a schedule, of an account or of memberships. Idempotent. */
int account_delete(struct authd *d, const struct request *req, const struct account_delete_in *in,
                   struct nothing *out UNUSED, struct error *err)
{
    if (membership_end_execute(d, req, in->account, in->schedule, err) < 0)
        return -1;
    return deletion_execute(d, req, in->account, in->schedule, err);
}

/* ---- reminders ---- */

/* Reads a valid schedule with its account's owner; returns 0 if there is no recipient. */
static int find_pending(struct authd *d, const struct request *req,
                        const struct account_remind_in *in, struct plan *ret, struct error *err)
{
    const struct sql_deletion_get_in get = {.account = in->account,
                                            .schedule = in->schedule,
                                            .now = req->now_ms,
                                            .project = in->projectId};
    struct sql_deletion_get_row row;
    int result = sql_deletion_get(d->svc.db, req, &get, &row, err);

    if (result <= 0)
        return result;
    *ret = (struct plan){
        .email = row.email, .name = row.name, .surname = row.surname, .at = row.delete_at};
    result = tenant_open_id(d, req, row.project, &ret->tenant, err);
    if (result == 0 || err->code != ERR_NOT_FOUND) /* suspended projects send nothing */
        return result == 0 ? 1 : -1;
    error_clear(err);
    return 0;
}

/* Reminds the owner before the date. Idempotent by the email's key. */
int account_remind(struct authd *d, const struct request *req, const struct account_remind_in *in,
                   struct nothing *out UNUSED, struct error *err)
{
    struct sql_outbox row;
    struct plan plan;
    int pending = find_pending(d, req, in, &plan, err);

    if (pending <= 0)
        return pending;
    row = mail_to_owner(d, req, &plan, "ACCOUNT_DELETION_REMINDER", in->key);
    if (sql_deletion_remind(d->svc.db, req,
                            &(struct sql_deletion_remind_in){.account = in->account,
                                                             .schedule = in->schedule,
                                                             .now = req->now_ms,
                                                             .id = row.id,
                                                             .method = row.method,
                                                             .body = row.body,
                                                             .at = row.at},
                            err) < 0)
        return -1;
    outbox_wake(d->svc.outbox);
    return 0;
}
