/*
 * deletion.c - see deletion.h.  Handlers: deletion_schedule; account_delete and account_remind,
 * which maild calls when a job is due.
 */
#include "authd/account/deletion.h"

#include "authd/authd_api.h"
#include "authd/credential/throttle.h"
#include "authd/mail.h"
#include "authd/member/admin.h"
#include "authd/session/session.h"
#include "authd/signin/step_up.h"
#include "authd/tenant.h"
#include "docd/docd_api.h"
#include "maild/maild_api.h"
#include "settingsd/settingsd_api.h"

enum {
    REMIND_DAYS = 3,  /* before the date; no reminder of a date that is nearer */
    MAILS_MAX = 5,    /* of one account in a window: who asks again and again is told no more */
    WIPE_PAGE = 1000, /* places in one request to docd, its limit */
    DATE_LENGTH = 10, /* "2026-01-31" */
};
#define MAILS_WINDOW MINUTES(15)

static int unauthorized(struct error *err)
{
    return error_set(err, ERR_UNAUTHORIZED, "Unauthorized");
}

/* ---- scheduling ---- */

/* A deletion that is being asked for. */
struct plan {
    struct uuid account, schedule, replaces; /* absent: it is the first */
    int64_t at, days;
    const char *email, *name, *surname;
    struct tenant tenant; /* where the owner is signed in */
    bool mailed;
    struct uuid audited, audited_account; /* what the audit row names; absent: the caller's */
};

/* "date", which both mails have. */
static const char *date_text(const struct request *req, int64_t at)
{
    char text[25];

    clock_format_iso(at, text);
    return arena_strndup(req->arena, text, DATE_LENGTH);
}

/* id: of the mail; absent: a new one. */
static struct sql_outbox mail_to_owner(struct authd *d, const struct request *req,
                                       const struct plan *plan, const char *template,
                                       struct uuid id)
{
    const struct mail mail = {.id = id,
                              .template = template,
                              .tenant = &plan->tenant,
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

/* Holds the account, unless a project would be left without an admin. */
static int begin(struct db_tx *tx, const struct request *req, struct plan *plan, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;

    if (admin_leave_all(tx, plan->account, err) < 0 ||
        db_tx_query(tx, SQL_DELETION_BEGIN, &res, err, DB_UUID(plan->account),
                    DB_INT(req->now_ms)) < 0)
        return -1;
    if (db_rows(res) == 0)
        return unauthorized(err);
    plan->email = arena_strdup(req->arena, db_text(res, 0, 0));
    plan->name = arena_strdup(req->arena, db_text(res, 0, 1));
    plan->surname = arena_strdup(req->arena, db_text(res, 0, 2));
    plan->replaces = db_uuid(res, 0, 3);
    return 0;
}

/* Date, jobs, mail and the news for gateways: all of it, or nothing. */
static int commit(struct authd *d, const struct request *req, struct db_tx **tx_p,
                  const struct plan *plan, bool wipe, int64_t *ret_sequence, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *scheduled = NULL;
    CLEANUP(db_result_destroy) struct db_result *queued = NULL;
    struct sql_audit audit = audit_row(req, &(struct audit){.action = "deletion.schedule",
                                                            .project = plan->audited,
                                                            .account = plan->audited_account,
                                                            .type = "Account",
                                                            .id = plan->account,
                                                            .detail = wipe ? "wipe" : NULL});
    struct sql_outbox mail = scheduled_mail(d, req, plan);
    struct sql_outbox reminder = reminder_job(d, req, plan);
    struct sql_outbox deletion = job(d, req, plan, "account-delete", plan->at);

    if (db_tx_query(*tx_p, SQL_DELETION_SCHEDULE, &scheduled, err, DB_UUID(plan->account),
                    DB_INT(plan->at), DB_UUID(plan->schedule), DB_BOOL(wipe),
                    DB_AUDIT(audit)) < 0 ||
        db_tx_query(*tx_p, SQL_DELETION_QUEUE, &queued, err, DB_OUTBOX(mail), DB_OUTBOX(deletion),
                    DB_OUTBOX(reminder), DB_UUID(plan->account),
                    DB_INT(req->now_ms + CHANGE_EVENT_LIFE)) < 0 ||
        db_commit(tx_p, err) < 0)
        return -1;
    outbox_wake(d->svc.outbox);
    *ret_sequence = db_int(queued, 0, 0);
    return 0;
}

static const struct deletion_user *user(const struct request *req, const struct plan *plan)
{
    struct deletion_user *self = arena_alloc(req->arena, sizeof(*self));

    *self = (struct deletion_user){"User", plan->account, plan->name, plan->surname, plan->email};
    return self;
}

/* Schedules the deletion of the caller's account, in place of an earlier schedule if there is one.
 * At once, which no sign-in can take back, only by a fresh proof. Fails: CONFLICT,
 * STEP_UP_REQUIRED. */
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

    if (tenant_open_id(d, req, req->caller->project, &plan.tenant, err) < 0 ||
        throttle_admit(d, req, "deletion mail", plan.account.text, MAILS_WINDOW, MAILS_MAX,
                       &plan.mailed, err) < 0 ||
        db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        begin(tx, req, &plan, err) < 0 || (in->days == 0 && step_up_check(d, tx, req, err) < 0) ||
        commit(d, req, &tx, &plan, in->wipe, &sequence, err) < 0 ||
        deletion_settle(d, req, sequence, plan.account, err) < 0)
        return -1;
    out->scheduled = plan.at;
    out->user = user(req, &plan);
    return 0;
}

/* ---- carrying it out ---- */

/* An account that goes. */
struct going {
    struct uuid account, schedule;
    struct uuid project; /* a patient's */
    const char *role;
    struct membership_ref *places; /* its profiles */
    size_t membership_count;
    bool wipe;
};

static void read_places(const struct request *req, const struct db_result *res, struct going *self)
{
    self->membership_count = db_rows(res);
    self->places = arena_calloc(req->arena, self->membership_count, sizeof(*self->places));
    for (size_t row = 0; row < self->membership_count; row++)
        self->places[row] = (struct membership_ref){db_uuid(res, row, 0), db_uuid(res, row, 1)};
}

/* 1 when the account is held and nothing can keep it any more, 0 when the schedule is void.
 * CONFLICT when the caller's clock is ahead of this one: void is for ever, this is not. */
static int hold(struct db_tx *tx, const struct request *req, struct going *self, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *memberships = NULL;
    CLEANUP(db_result_destroy) struct db_result *links = NULL;
    CLEANUP(db_result_destroy) struct db_result *held = NULL;

    if (db_tx_query(tx, SQL_DELETION_MEMBERSHIPS, &memberships, err, DB_UUID(self->account),
                    DB_UUID(self->schedule), DB_INT(req->now_ms)) < 0 ||
        db_tx_query(tx, SQL_DELETION_LINKS, &links, err, DB_UUID(self->account),
                    DB_UUID(self->schedule), DB_INT(req->now_ms)) < 0 ||
        db_tx_query(tx, SQL_DELETION_LOCK, &held, err, DB_UUID(self->account),
                    DB_UUID(self->schedule), DB_INT(req->now_ms)) < 0)
        return -1;
    if (db_rows(held) == 0)
        return 0;
    if (!db_bool(held, 0, 3))
        return error_set(err, ERR_CONFLICT, "The date has not come yet.");
    read_places(req, memberships, self);
    self->project = db_uuid(held, 0, 0);
    self->wipe = db_bool(held, 0, 1);
    self->role = arena_strdup(req->arena, db_text(held, 0, 2));
    return 1;
}

/* What others lock before they want the counter of changes goes before it is ours; the rest goes
 * with the account's row. */
static int strip(struct db_tx *tx, struct uuid account, struct error *err)
{
    static const int statements[] = {SQL_FACTOR_PENDING_DROP, SQL_FACTOR_DROP,
                                     SQL_DELETION_CREDENTIAL, SQL_DELETION_LOGINS};

    for (size_t i = 0; i < ARRAY_SIZE(statements); i++) {
        CLEANUP(db_result_destroy) struct db_result *res = NULL;

        if (db_tx_query(tx, statements[i], &res, err, DB_UUID(account)) < 0)
            return -1;
    }
    return 0;
}

/* Tells docd what to erase, whenever it is there to hear of it. */
static int queue_wipe(struct authd *d, const struct request *req, struct db_tx *tx,
                      const struct going *self, struct error *err)
{
    for (size_t i = 0; self->wipe && i < self->membership_count; i += WIPE_PAGE) {
        CLEANUP(db_result_destroy) struct db_result *res = NULL;
        const struct account_wipe_in in = {
            .key = uuid_ordered(req->now_ms),
            .places = {self->places + i, MIN(self->membership_count - i, (size_t)WIPE_PAGE)}};
        struct sql_outbox row =
            outbox_row(d->svc.outbox, req->arena, &docd_account_wipe_method, in.key, &in);

        if (db_tx_query(tx, SQL_OUTBOX_PUT, &res, err, DB_OUTBOX(row)) < 0)
            return -1;
    }
    return 0;
}

/* The rest of the transaction that holds it. */
static int finish(struct authd *d, const struct request *req, struct db_tx **tx_p,
                  const struct going *self, struct session_ended *ret_ended, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    struct sql_audit audit = audit_row(req, &(struct audit){.action = "account.delete",
                                                            .project = self->project,
                                                            .account = self->account,
                                                            .role = self->role,
                                                            .type = "Account",
                                                            .id = self->account,
                                                            .detail = self->wipe ? "wipe" : NULL});

    if (strip(*tx_p, self->account, err) < 0 || queue_wipe(d, req, *tx_p, self, err) < 0 ||
        session_end_account(*tx_p, req, self->account, (struct uuid){""}, "removed", ret_ended,
                            err) < 0 ||
        db_tx_query(*tx_p, SQL_DELETION_FINISH, &res, err, DB_UUID(self->account),
                    DB_AUDIT(audit)) < 0)
        return -1;
    return db_commit(tx_p, err);
}

int deletion_execute(struct authd *d, const struct request *req, struct uuid account,
                     struct uuid schedule, struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    struct going going = {.account = account, .schedule = schedule};
    struct session_ended ended;
    int held;

    if (db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0)
        return -1;
    held = hold(tx, req, &going, err);
    if (held <= 0)
        return held;
    if (finish(d, req, &tx, &going, &ended, err) < 0)
        return -1;
    ++*d->count.accounts_deleted;
    outbox_wake(d->svc.outbox);
    return session_revocation_wait(d, req, &ended, err);
}

int email_release(struct authd *d, const struct request *req, const struct db_result *res,
                  bool *ret_taken, struct error *err)
{
    *ret_taken = db_rows(res) > 0 && db_bool(res, 0, 2);
    if (db_rows(res) == 0 || *ret_taken)
        return 0;
    return deletion_execute(d, req, db_uuid(res, 0, 0), db_uuid(res, 0, 1), err);
}

/* The job names a project for its mails, of which there are none here: the nil UUID stands for no
 * project. */
int deletion_by_operator(struct authd *d, const struct request *req, struct uuid account,
                         struct uuid project, struct error *err)
{
    static const struct uuid none = {"00000000-0000-0000-0000-000000000000"};
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

/* Carries a schedule out; one that is void is over. Repeating it is harmless. */
int account_delete(struct authd *d, const struct request *req, const struct account_delete_in *in,
                   struct nothing *out UNUSED, struct error *err)
{
    return deletion_execute(d, req, in->account, in->schedule, err);
}

/* ---- reminding ---- */

/* Whose mail it is, with the project that it comes from. 0 when there is no one to remind. */
static int find_pending(struct authd *d, const struct request *req,
                        const struct account_remind_in *in, struct plan *ret, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    int result;

    if (db_query(d->svc.db, req, SQL_DELETION_PENDING, &res, err, DB_UUID(in->account),
                 DB_UUID(in->schedule), DB_INT(req->now_ms), DB_UUID(in->projectId)) < 0)
        return -1;
    if (db_rows(res) == 0)
        return 0;
    *ret = (struct plan){.email = arena_strdup(req->arena, db_text(res, 0, 0)),
                         .name = arena_strdup(req->arena, db_text(res, 0, 1)),
                         .surname = arena_strdup(req->arena, db_text(res, 0, 2)),
                         .at = db_int(res, 0, 3)};
    result = tenant_open_id(d, req, db_uuid(res, 0, 4), &ret->tenant, err);
    if (result == 0 || err->code != ERR_NOT_FOUND) /* a suspended project sends nothing */
        return result == 0 ? 1 : -1;
    error_clear(err);
    return 0;
}

/* Mails the owner of an account that its date is near; nothing when the schedule is void. The key
 * is the mail's own: repeating it sends no second one. */
int account_remind(struct authd *d, const struct request *req, const struct account_remind_in *in,
                   struct nothing *out UNUSED, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    struct sql_outbox row;
    struct plan plan;
    int pending = find_pending(d, req, in, &plan, err);

    if (pending <= 0)
        return pending;
    row = mail_to_owner(d, req, &plan, "ACCOUNT_DELETION_REMINDER", in->key);
    if (db_query(d->svc.db, req, SQL_DELETION_REMIND, &res, err, DB_OUTBOX(row),
                 DB_UUID(in->account), DB_UUID(in->schedule), DB_INT(req->now_ms)) < 0)
        return -1;
    outbox_wake(d->svc.outbox);
    return 0;
}
