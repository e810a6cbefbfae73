/*
 * project_account_act.c - an admin's actions on an account, with a fresh proof and an audited
 * reason.
 *
 * Lock, unlock and the ends of sessions act on the membership. Other actions change the account
 * itself, which the caller's project must own (ownership.h).
 */
#include <string.h>

#include "authd/account/admin.h"
#include "authd/account/credential.h"
#include "authd/account/deletion.h"
#include "authd/account/mail_route.h"
#include "authd/account/ownership.h"
#include "authd/mail.h"
#include "authd/member/member_api.h"
#include "authd/member/project_account.h"
#include "authd/session/session.h"
#include "authd/session/step_up_check.h"
#include "authd/signin/mfa.h"
#include "authd/sql/account.h"
#include "authd/sql/member.h"
#include "authd/sql/project_account.h"
#include "common/service/audit.h"
#include "maild/maild_api.h"
#include "maild/template_api.h"
#include "settingsd/tenant_api.h"

struct act {
    struct tenant tenant;
    struct project_account account;
    const char *reason;
    struct ownership ownership; /* for actions on the account */
};

static int open_act(struct authd *d, const struct request *req, struct uuid account,
                    const char *reason, struct act *ret, struct error *err)
{
    ret->reason = reason;
    if (project_account_open(d, req, account, &ret->tenant, &ret->account, err) < 0)
        return -1;
    if (uuid_equal(&account, &req->caller->account))
        return error_set(err, ERR_CONFLICT, "You can't do this to your own account.");
    return 0;
}

static struct sql_audit act_audit(const struct request *req, const struct act *act,
                                  const char *action, bool of_membership)
{
    return audit_row(req, &(struct audit){.action = action,
                                          .account = act->account.id,
                                          .role = act->account.role,
                                          .type = of_membership ? "ProjectMembership" : "Account",
                                          .id = of_membership ? act->account.membership
                                                              : act->account.id,
                                          .reason = act->reason});
}

/* ---- the membership ---- */

int member_lock(struct authd *d, const struct request *req, const struct member_lock *how,
                struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    struct uuid project = req->caller->project;
    const struct sql_login_delete_project_in logins = {.account = how->account, .project = project};
    const struct sql_member_lock_in lock = {
        .project = project,
        .id = how->membership,
        .now = req->now_ms,
        .by_directory = how->by_directory,
        .audit = audit_row(req, &(struct audit){.action = "membership.lock",
                                                .account = how->account,
                                                .role = how->role,
                                                .type = "ProjectMembership",
                                                .id = how->membership,
                                                .reason = how->reason})};
    struct session_ended ended;
    enum admin_last last = ADMIN_NOT_LAST;

    if (db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        admin_is_last(tx, req, project, how->membership, &last, err) < 0)
        return -1;
    if (last)
        return admin_refuse_last(last, err);
    if ((!how->by_directory && step_up_check(d, tx, req, err) < 0) ||
        sql_member_lock(tx, req, &lock, err) < 0 ||
        sql_login_delete_project(tx, req, &logins, err) < 0 ||
        session_end_project(tx, req, project, how->account, "revoked", &ended, err) < 0 ||
        session_ended_membership(tx, req, how->membership, &ended, err) < 0 ||
        db_commit(&tx, err) < 0)
        return -1;
    return session_revocation_wait(d, req, &ended, err);
}

int project_account_lock(struct authd *d, const struct request *req,
                         const struct project_account_act_in *in, struct nothing *out UNUSED,
                         struct error *err)
{
    struct act act;

    if (open_act(d, req, in->id, in->reason, &act, err) < 0)
        return -1;
    return member_lock(d, req,
                       &(struct member_lock){.account = in->id,
                                             .membership = act.account.membership,
                                             .role = act.account.role,
                                             .reason = in->reason},
                       err);
}

int project_account_unlock(struct authd *d, const struct request *req,
                           const struct project_account_act_in *in, struct nothing *out UNUSED,
                           struct error *err)
{
    struct sql_member_unlock_in unlock = {.project = req->caller->project};
    struct act act;

    if (open_act(d, req, in->id, in->reason, &act, err) < 0)
        return -1;
    if (act.account.lockedBy && strcmp(act.account.lockedBy, "operator") == 0)
        return error_set(err, ERR_CONFLICT,
                         "An operator has locked this account. Ask the operator to unlock it.");
    unlock.id = act.account.membership;
    unlock.audit = act_audit(req, &act, "membership.unlock", true);
    if (step_up_check(d, NULL, req, err) < 0)
        return -1;
    return MIN(sql_member_unlock(d->svc.db, req, &unlock, err), 0);
}

int project_account_end_sessions(struct authd *d, const struct request *req,
                                 const struct project_account_act_in *in,
                                 struct nothing *out UNUSED, struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    struct sql_project_account_record_in record;
    struct session_ended ended;
    struct act act;

    if (open_act(d, req, in->id, in->reason, &act, err) < 0 ||
        db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        step_up_check(d, tx, req, err) < 0)
        return -1;
    record.audit = act_audit(req, &act, "account.end-sessions", false);
    if (sql_project_account_record_tx(tx, req, &record, err) < 0 ||
        session_end_project(tx, req, req->caller->project, in->id, "revoked", &ended, err) < 0 ||
        db_commit(&tx, err) < 0)
        return -1;
    return session_revocation_wait(d, req, &ended, err);
}

int project_account_session_end(struct authd *d, const struct request *req,
                                const struct project_account_session_end_in *in,
                                struct nothing *out UNUSED, struct error *err)
{
    struct session_end which = {.project = req->caller->project,
                                .account = in->id,
                                .only = in->session,
                                .reason = "revoked",
                                .why = in->reason};
    struct act act;
    size_t count;

    if (open_act(d, req, in->id, in->reason, &act, err) < 0 ||
        step_up_check(d, NULL, req, err) < 0 || session_end(d, req, &which, &count, err) < 0)
        return -1;
    return count > 0 ? 0 : error_set(err, ERR_NOT_FOUND, "Session not found.");
}

/* ---- the account ---- */

/* Opens an action on an account that the project must own. Check this first, so that no answer
 * reveals other projects. */
static int open_own(struct authd *d, const struct request *req, struct uuid account,
                    const char *reason, struct act *ret, struct error *err)
{
    if (open_act(d, req, account, reason, ret, err) < 0 ||
        ownership_find(d, req, account, ret->tenant.projectId, &ret->ownership, err) < 0)
        return -1;
    return ret->ownership.owned ? 0 : ownership_refuse(d, req, err);
}

/* Locks that account, if the caller has a fresh proof. */
static int hold_own(struct authd *d, struct db_tx *tx, const struct request *req,
                    const struct act *act, struct error *err)
{
    if (ownership_hold(d, tx, req, act->account.id, &act->ownership, err) < 0)
        return -1;
    return step_up_check(d, tx, req, err);
}

int project_account_reset_mfa(struct authd *d, const struct request *req,
                              const struct project_account_act_in *in, struct nothing *out UNUSED,
                              struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    struct credential_owner owner;
    struct act act;

    if (open_own(d, req, in->id, in->reason, &act, err) < 0 ||
        db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        admin_keep_local(tx, req, in->id, err) < 0 || hold_own(d, tx, req, &act, err) < 0)
        return -1;
    owner = (struct credential_owner){
        .account = in->id,
        .email = act.account.email,
        .display = arena_printf(req->arena, "%s %s", act.account.firstName, act.account.lastName),
        .tenant = act.tenant};
    return mfa_reset(d, req, &tx, &owner, act.account.role, in->reason, err);
}

/* Checks that the project can send the link by email. */
static int check_mailed(struct authd *d, const struct request *req, const struct act *act,
                        struct error *err)
{
    const struct template_mapped_in which = {act->tenant.projectId, "PASSWORD_RESET"};
    struct template_mapped_out answer = {0};
    struct mail_route route;

    mail_route_own(d, req, &act->tenant, act->account.role, &route);
    if (maild_template_mapped(d->svc.bus, req, &which, &answer, err) < 0)
        return -1;
    if (!answer.mapped || !route.app)
        return error_set(err, ERR_BAD_REQUEST, "The password reset email is not configured.");
    return 0;
}

int project_account_send_reset(struct authd *d, const struct request *req,
                               const struct project_account_act_in *in, struct nothing *out UNUSED,
                               struct error *err)
{
    struct credential_link_owner owner;
    struct act act;
    bool admitted;

    if (open_own(d, req, in->id, in->reason, &act, err) < 0)
        return -1;
    if (strcmp(act.account.state, "locked") == 0)
        return error_set(err, ERR_CONFLICT, "The account is locked.");
    if (check_mailed(d, req, &act, err) < 0 || step_up_check(d, NULL, req, err) < 0 ||
        mail_admit(d, req, act.account.email, &admitted, err) < 0)
        return -1;
    if (!admitted)
        return error_set(err, ERR_THROTTLED,
                         "Too many emails were sent to this address. Please try again later.");
    owner = (struct credential_link_owner){in->id, act.account.role, act.account.email,
                                           act.account.firstName, act.account.lastName};
    return credential_send_link(d, req, &act.tenant, &owner, in->reason, err);
}

int project_account_schedule_deletion(struct authd *d, const struct request *req,
                                      const struct project_account_delete_in *in,
                                      struct nothing *out UNUSED, struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    struct deletion_order order;
    struct act act;

    if (open_own(d, req, in->id, in->reason, &act, err) < 0)
        return -1;
    order = (struct deletion_order){.tenant = &act.tenant,
                                    .account = in->id,
                                    .role = act.account.role,
                                    .reason = in->reason,
                                    .days = in->days,
                                    .wipe = in->wipe};
    if (mail_admit_deletion(d, req, in->id, &order.mailed, err) < 0 ||
        db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        admin_leave_all(tx, req, in->id, err) < 0 || hold_own(d, tx, req, &act, err) < 0)
        return -1;
    return deletion_by_admin(d, req, &tx, &order, err);
}

/* An account whose deletion is due is already gone. */
int project_account_cancel_deletion(struct authd *d, const struct request *req,
                                    const struct project_account_act_in *in,
                                    struct nothing *out UNUSED, struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    const struct sql_deletion_begin_in begin = {.account = in->id, .now = req->now_ms};
    struct sql_deletion_abort_in abort = {.account = in->id};
    struct session_ended changed = {.count = 0};
    struct sql_deletion_begin_row row;
    struct act act;

    if (open_own(d, req, in->id, in->reason, &act, err) < 0 ||
        db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        hold_own(d, tx, req, &act, err) < 0 ||
        sql_require(sql_deletion_begin(tx, req, &begin, &row, err), err, ERR_NOT_FOUND,
                    "Account not found.") < 0)
        return -1;
    abort.audit = act_audit(req, &act, "deletion.abort", false);
    if (sql_require(sql_deletion_abort(tx, req, &abort, err), err, ERR_CONFLICT,
                    "No deletion is scheduled.") < 0 ||
        session_ended_account(tx, req, in->id, &changed, err) < 0 || db_commit(&tx, err) < 0)
        return -1;
    return session_revocation_wait(d, req, &changed, err);
}
