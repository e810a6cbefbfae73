/*
 * mfa.c - managing a second factor.
 *
 * Each session gets its own secret. It is the same for 15 minutes, unless a credential changes, and
 * isn't shown again after a right code.
 */
#include "authd/signin/mfa.h"

#include "authd/account/account_api.h"
#include "authd/account/admin.h"
#include "authd/account/app_url.h"
#include "authd/account/credential.h"
#include "authd/account/ownership.h"
#include "authd/credential/factor.h"
#include "authd/credential/qr.h"
#include "authd/operation_api.h"
#include "authd/session/session.h"
#include "authd/session/step_up_check.h"
#include "authd/sql/account.h"
#include "authd/sql/account_session.h"
#include "authd/sql/credential.h"
#include "authd/sql/passkey.h"
#include "authd/tenant.h"
#include "settingsd/policy_api.h"
#include "settingsd/settingsd_api.h"

static const char what[] = "Two-step verification";

static int none_enrolled(struct error *err)
{
    return error_set(err, ERR_BAD_REQUEST, "You have no second factor.");
}

static struct sql_audit factor_audit(const struct request *req, const char *action, bool failure)
{
    return audit_row(req, &(struct audit){.action = action,
                                          .failure = failure,
                                          .type = "Account",
                                          .id = req->caller->account,
                                          .detail = failure ? "code" : NULL});
}

int mfa_is_required(struct authd *d, const struct request *req, struct uuid account, bool *ret,
                    struct error *err)
{
    const struct sql_account_membership_list_in in = {.account = account};
    struct sql_account_membership_list_rows rows;
    struct tenant tenant;

    *ret = false;
    if (sql_account_membership_list(d->svc.db, req, &in, &rows, err) < 0)
        return -1;
    for (size_t i = 0; i < rows.count && !*ret; i++) {
        const struct tenant_lookup_in which = {.projectId = rows.items[i].project};

        if (settingsd_tenant_lookup(d->svc.bus, req, &which, &tenant, err) == 0)
            *ret = account_policy_requires_mfa(tenant.accountPolicy, ROLE_PRACTITIONER,
                                               rows.items[i].admin);
        else if (err->code != ERR_NOT_FOUND)
            return -1;
        error_clear(err);
    }
    return 0;
}

struct picture {
    struct arena *arena;
    const char *text, *url;
};

static void draw(void *arg)
{
    struct picture *picture = arg;

    picture->url = qr_data_url(picture->arena, picture->text);
}

static int read_factor(struct authd *d, const struct request *req, struct sql_factor_get_row *ret,
                       struct error *err)
{
    const struct sql_factor_get_in get = {
        .account = req->caller->account, .session = req->caller->session, .now = req->now_ms};

    return sql_require(sql_factor_get(d->svc.db, req, &get, ret, err), err, ERR_UNAUTHORIZED,
                       "Unauthorized");
}

/* Prepares the session's pending secret. Only one of several concurrent requests makes it. */
static int prepare_factor(struct authd *d, const struct request *req, struct error *err)
{
    const struct sealed sealed = factor_seal_new(d, req, req->caller->account);
    const struct sql_factor_prepare_in prepare = {.session = req->caller->session,
                                                  .account = req->caller->account,
                                                  .secret_sealed = {sealed.bytes, sealed.size},
                                                  .expires_at = req->now_ms + FACTOR_PENDING_LIFE,
                                                  .now = req->now_ms,
                                                  .audit = factor_audit(req, "mfa.prepare", false)};

    return MIN(sql_factor_prepare(d->svc.db, req, &prepare, err), 0);
}

/* Answers the pending secret as URL and QR code. */
static int show(struct authd *d, const struct request *req, const struct sql_factor_get_row *row,
                struct mfa_status_out *out, struct error *err)
{
    CLEANUP(factor_wipe) struct factor factor = {.account = req->caller->account, .found = true};
    const struct sealed sealed = {row->secret_sealed.bytes, row->secret_sealed.size};
    struct picture picture = {.arena = req->arena};

    if (factor_open(d, req, sealed, &factor, err) < 0)
        return -1;
    picture.text = totp_url(req->arena, factor.secret, req->caller->projectName, row->email);
    if (offload_run(d->svc.offload, draw, &picture, req->deadline_mono_ms, err) < 0)
        return -1;
    out->otpauthUrl = picture.text;
    out->qrCodeDataUrl = picture.url;
    return 0;
}

/* If there is no factor, answers a secret to set one up, unless the account is in several
 * organizations: this session can't enroll it then. */
int mfa_status(struct authd *d, const struct request *req, const struct nothing *in UNUSED,
               struct mfa_status_out *out, struct error *err)
{
    struct sql_factor_get_row row;
    bool own = true;

    if (read_factor(d, req, &row, err) < 0 ||
        (!row.enrolled && ownership_of_caller(d, req, &own, err) < 0) ||
        (!own && ownership_admits_factor(d, req, &own, err) < 0))
        return -1;
    if (own && !row.enrolled && !row.secret_sealed.bytes &&
        (prepare_factor(d, req, err) < 0 || read_factor(d, req, &row, err) < 0))
        return -1;
    out->enrolled = row.enrolled;
    if (out->enrolled || !own)
        return 0;
    if (!row.secret_sealed.bytes) /* account deleted */
        return error_set(err, ERR_UNAUTHORIZED, "Unauthorized");
    return show(d, req, &row, out, err);
}

/* Locks in this order, so that one of two concurrent enrollments sees the other's factor. */
static int hold_pending(struct authd *d, struct db_tx *tx, const struct request *req,
                        struct factor *ret, struct error *err)
{
    CLEANUP(factor_wipe) struct factor enrolled = {.found = false};

    if (factor_lock_pending(d, tx, req, ret, err) < 0 ||
        factor_lock(d, tx, req, req->caller->account, &enrolled, err) < 0)
        return -1;
    if (enrolled.enrolled)
        return error_set(err, ERR_CONFLICT, "You already have a second factor.");
    if (!ret->found) /* not requested, or expired */
        return error_set(err, ERR_BAD_REQUEST, "The code is incorrect.");
    return factor_check_limit(req, ret, err);
}

int mfa_enroll(struct authd *d, const struct request *req, const struct mfa_token_in *in,
               struct mfa_enroll_out *out, struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    CLEANUP(factor_wipe) struct factor factor = {.found = false};
    struct factor_recovery *recovery = arena_alloc(req->arena, sizeof(*recovery));
    struct sql_factor_enroll_in enroll = {.project = req->caller->project,
                                          .session = req->caller->session,
                                          .now = req->now_ms,
                                          .hashes = {recovery->hashes, sizeof(recovery->hashes)}};
    struct credential_owner owner;
    int enrolled;

    if (credential_owner_find(d, req, &owner, err) < 0 ||
        db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        ownership_hold_caller(d, tx, req, err) < 0 || hold_pending(d, tx, req, &factor, err) < 0)
        return -1;
    enroll.step = totp_step(factor.secret, factor.secret_size, in->token, req->now_ms);
    enroll.audit = factor_audit(req, "mfa.enroll", enroll.step < 0);
    if (enroll.step < 0)
        return factor_refuse(&tx, req, &factor, &enroll.audit, err);
    factor_recovery_new(req, &factor, recovery);
    if (step_up_check(d, tx, req, err) < 0)
        return -1;
    enrolled = sql_factor_enroll(tx, req, &enroll, err);
    /* No row: a credential changed meanwhile. */
    if (sql_require(enrolled, err, ERR_BAD_REQUEST, "The code is incorrect.") < 0)
        return -1;
    owner.joined = req->caller->membership; /* tell gateways that its session has a factor */
    if (credential_change_commit(d, req, &tx, &owner, what, req->caller->session, err) < 0)
        return -1;
    *out = (struct mfa_enroll_out){true, {recovery->codes, FACTOR_RECOVERY_CODES}};
    return 0;
}

int mfa_disable(struct authd *d, const struct request *req, const struct mfa_token_in *in,
                struct ok_out *out, struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    CLEANUP(factor_wipe) struct factor factor = {.found = false};
    struct sql_factor_disable_in disable;
    struct credential_owner owner;
    const char *method;

    if (credential_owner_find(d, req, &owner, err) < 0 ||
        db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        admin_keep_local(tx, req, owner.account, err) < 0 ||
        ownership_hold_caller(d, tx, req, err) < 0 ||
        factor_lock(d, tx, req, owner.account, &factor, err) < 0)
        return -1;
    if (!factor.enrolled)
        return none_enrolled(err);
    if (factor_consume(d, tx, req, &factor, in->token, &method, err) < 0)
        return -1;
    disable = (struct sql_factor_disable_in){.account = owner.account,
                                             .audit = factor_audit(req, "mfa.disable", !method)};
    if (!method)
        return factor_refuse(&tx, req, &factor, &disable.audit, err);
    owner.joined = req->caller->membership; /* tell gateways that its session has none */
    /* Check with the lock held, because a reset may have ended the session. */
    if (sql_factor_disable(tx, req, &disable, err) < 0 || step_up_check(d, tx, req, err) < 0 ||
        credential_change_commit(d, req, &tx, &owner, what, req->caller->session, err) < 0)
        return -1;
    out->ok = true;
    return 0;
}

/* Finds the named account. VALIDATION: two accounts fit. */
static int find_named(struct authd *d, const struct request *req,
                      const struct operator_mfa_reset_in *in, struct credential_owner *ret,
                      enum role *ret_role, struct error *err)
{
    const struct tenant_lookup_in which = tenant_lookup_from_text(in->tenantCode);
    struct sql_account_find_by_email_in find = {
        .email = in->email, .role = in->role, .locked = true, .now = req->now_ms};
    struct sql_account_find_by_email_rows found;

    *ret = (struct credential_owner){.email = in->email};
    if (settingsd_tenant_lookup(d->svc.bus, req, &which, &ret->tenant, err) < 0)
        return -1;
    find.project = ret->tenant.projectId;
    if (sql_require(sql_account_find_by_email(d->svc.db, req, &find, &found, err), err,
                    ERR_NOT_FOUND, "Account not found.") < 0)
        return -1;
    if (found.count > 1)
        return error_problem(err, "role",
                             "is needed: a patient and a practitioner have this e-mail");
    ret->account = found.items->id;
    if (credential_owner_mailed(d, req, ret, err) < 0)
        return -1;
    ret->display = arena_printf(req->arena, "%s %s", found.items->name, found.items->surname);
    *ret_role = found.items->role;
    return 0;
}

/* Lets sessions that don't own the account set up a new factor (ownership_admits_factor()). */
static int admit_new(struct db_tx *tx, const struct request *req, struct audit audit,
                     struct error *err)
{
    struct sql_factor_admit_in admit = {.account = audit.account, .until = req->now_ms + DAYS(1)};

    audit.action = "mfa.admit";
    admit.audit = audit_row(req, &audit);
    return MIN(sql_factor_admit(tx, req, &admit, err), 0);
}

int mfa_reset(struct authd *d, const struct request *req, struct db_tx **tx_p,
              const struct credential_owner *owner, enum role role, const char *reason,
              struct error *err)
{
    struct audit audit = {.action = "mfa.reset",
                          .project = owner->tenant.projectId,
                          .account = owner->account,
                          .role = role,
                          .type = "Account",
                          .id = owner->account,
                          .reason = reason};
    struct sql_factor_disable_in disable = {.account = owner->account,
                                            .audit = audit_row(req, &audit)};
    struct sql_passkey_reset_in reset = {.account = owner->account};
    bool admits = owner->shared && !req->caller && !app_url_own_page(d, req->arena, "account");
    int disabled, dropped;

    if (admits && admit_new(*tx_p, req, audit, err) < 0)
        return -1;
    audit.action = "passkey.reset";
    reset.audit = audit_row(req, &audit);
    disabled = sql_factor_disable(*tx_p, req, &disable, err);
    if (disabled < 0)
        return -1;
    dropped = sql_passkey_reset(*tx_p, req, &reset, err);
    if (dropped < 0)
        return -1;
    if (disabled + dropped == 0 && !admits)
        return none_enrolled(err);
    return credential_change_commit(d, req, tx_p, owner, what, (struct uuid){""}, err);
}

int operator_mfa_reset(struct authd *d, const struct request *req,
                       const struct operator_mfa_reset_in *in, struct nothing *out UNUSED,
                       struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    struct credential_owner owner;
    enum role role = ROLE_NONE;

    if (find_named(d, req, in, &owner, &role, err) < 0 ||
        db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0)
        return -1;
    return mfa_reset(d, req, &tx, &owner, role, NULL, err);
}
