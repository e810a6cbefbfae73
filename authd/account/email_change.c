/*
 * email_change.c - see email_change.h.
 */
#include "authd/account/email_change.h"

#include "authd/account/account_api.h"
#include "authd/account/app_url.h"
#include "authd/account/credential.h"
#include "authd/account/email_verified.h"
#include "authd/account/enforced.h"
#include "authd/credential/throttle.h"
#include "authd/session/address_key.h"
#include "authd/session/session.h"
#include "authd/session/step_up_check.h"
#include "authd/sql/account.h"
#include "authd/sql/credential.h"
#include "authd/tenant.h"

enum {
    CHANGE_ANSWER_MS = 250, /* minimum duration of email_change */
    CHANGE_ACCOUNT_MAX = 5, /* requests per account and window */
};
#define CHANGE_WINDOW HOURS(1)
#define UNDO_LIFE DAYS(7)

static const char what[] = "Email address";

static struct sql_audit change_audit(const struct request *req, const char *action,
                                     struct uuid project, struct uuid account)
{
    return audit_row(req, &(struct audit){.action = action,
                                          .project = project,
                                          .account = account,
                                          .type = "Account",
                                          .id = account});
}

/* The nil UUID in a link's row means the installation. */
static struct uuid project_or_nil(const struct tenant *tenant)
{
    return uuid_is_set(&tenant->projectId) ? tenant->projectId : (struct uuid){UUID_NIL};
}

/* ---- requesting ---- */

/* Reports if no account of the owner's kind has the address or had it recently. */
static int check_available(struct authd *d, const struct request *req,
                           const struct email_owner *owner, bool *ret, struct error *err)
{
    const struct sql_email_is_available_in in = {
        .account = owner->account, .email = owner->email, .now = req->now_ms};
    struct sql_email_is_available_row row = {.available = false};

    if (sql_email_is_available(d->svc.db, req, &in, &row, err) < 0)
        return -1;
    *ret = row.available;
    return 0;
}

int email_change_send(struct authd *d, const struct request *req, const struct tenant *tenant,
                      const struct mail_route *route, const struct email_owner *owner,
                      struct error *err)
{
    struct sql_email_link_create_in create = {
        .account = owner->account,
        .kind = "change",
        .email = owner->email,
        .project = project_or_nil(tenant),
        .audit = change_audit(req, "email.link", tenant->projectId, owner->account)};
    struct email_link link;
    bool admitted, available;

    if (mail_admit(d, req, owner->email, &admitted, err) < 0 ||
        check_available(d, req, owner, &available, err) < 0)
        return -1;
    if (!admitted || !available)
        return 0;
    email_link_new(d, req, tenant, route, owner, EMAIL_LINK_CHANGE, &link);
    create.link = link.row;
    create.mail = link.mail;
    if (sql_email_link_create(d->svc.db, req, &create, err) < 0)
        return -1;
    outbox_wake(d->svc.outbox);
    return 0;
}

static int ask(struct authd *d, const struct request *req, const char *email, struct error *err)
{
    const struct caller *caller = req->caller;
    const struct email_owner owner = {caller->account, caller->role, email, caller->display};
    struct tenant tenant = {.name = NULL};
    struct mail_route route;
    bool enforced;

    if (enforced_check_all(d, req, caller->account, &enforced, err) < 0)
        return -1;
    if (enforced)
        return enforced_refuse(err);
    mail_route_installation(d, req, &route);
    if (uuid_is_set(&caller->project) &&
        (tenant_open_id(d, req, caller->project, &tenant, err) < 0 ||
         mail_route_find(d, req, &tenant, caller->role, caller->account, &route, err) < 0))
        return -1;
    if (route.tenant && !route.app)
        return error_set(err, ERR_BAD_REQUEST, "The %s is not configured.",
                         caller->role == ROLE_PATIENT ? "PATIENT_APP_URL" : "PRACTITIONER_APP_URL");
    if (step_up_check(d, NULL, req, err) < 0 ||
        throttle_limit_own(d, req, "email change", caller->account.text, CHANGE_WINDOW,
                           CHANGE_ACCOUNT_MAX, err) < 0)
        return -1;
    return email_change_send(d, req, &tenant, &route, &owner, err);
}

/* The answer and its time don't reveal whether another account has the address. */
int email_change(struct authd *d, const struct request *req, const struct email_change_in *in,
                 struct message_out *out, struct error *err)
{
    int64_t answer_at = clock_mono_ms() + CHANGE_ANSWER_MS;

    if (ask(d, req, in->email, err) < 0 || fiber_sleep_until(d->svc.loop, answer_at, err) < 0)
        return -1;
    out->message = "If the address can be yours, a link to confirm it has been mailed to it.";
    return 0;
}

/* ---- the change ---- */

struct undo {
    struct uuid id;
    struct link link;
    bool installation;
    struct sql_outbox mail;
};

static int make_undo(struct authd *d, const struct request *req, const struct email_held *link,
                     struct undo *ret, struct error *err)
{
    struct mail mail = {
        .template = "EMAIL_CHANGED", .builtin = true, .to = link->email, .display = link->display};
    struct mail_route route;

    const char *app = app_url_installation(d, req->arena);

    if (mail_route_find(d, req, &link->tenant, link->role, link->account, &route, err) < 0)
        return -1;
    /* If the installation has pages, no tenant's pages can read the undo link. */
    *ret = (struct undo){.id = uuid_random(), .installation = app || !route.tenant};
    link_new(req->arena, app ? app : route.app, "undo-email", ret->id, &ret->link);
    mail.tenant = route.tenant;
    mail.variables[0] = (struct mail_variable){"undoUrl", ret->link.url};
    ret->mail = mail_row(d, req, &mail);
    return 0;
}

static int delete_links(struct db_tx *tx, const struct request *req, struct uuid account,
                        struct error *err)
{
    const struct sql_email_link_delete_in links = {.account = account};
    const struct sql_reset_delete_in reset = {.account = account};

    return sql_email_link_delete(tx, req, &links, err) < 0 ||
                   sql_reset_delete(tx, req, &reset, err) < 0
               ? -1
               : 0;
}

static int redeem(struct db_tx *tx, const struct request *req, const struct email_held *link,
                  bool by_password, struct error *err)
{
    const struct sql_email_change_redeem_in redeem = {
        .id = link->id,
        .secret_hash = {link->secret, SECRET_HASH_SIZE},
        .now = req->now_ms,
        .changes = by_password ? &link->changes : NULL};

    if (link_require(sql_email_change_redeem(tx, req, &redeem, err), err) < 0)
        return -1;
    return delete_links(tx, req, link->account, err);
}

/* BAD_REQUEST: the old address has changed. CONFLICT: another account has the new one. */
static int change_address(struct db_tx *tx, const struct request *req,
                          const struct email_held *link, const struct undo *undo, struct error *err)
{
    const struct sql_email_change_in change = {
        .account = link->account,
        .old_email = link->email,
        .email = link->to,
        .now = req->now_ms,
        .undo = undo->id,
        .undo_hash = {undo->link.hash, SECRET_HASH_SIZE},
        .undo_until = req->now_ms + UNDO_LIFE,
        .project = project_or_nil(&link->tenant),
        .installation = undo->installation,
        .mail = undo->mail,
        .audit = change_audit(req, "email.change", link->tenant.projectId, link->account)};
    const struct sql_credential_invalidate_in invalidate = {.account = link->account};

    if (link_require(sql_email_change(tx, req, &change, err), err) < 0)
        return -1;
    return sql_credential_invalidate(tx, req, &invalidate, err);
}

int email_change_apply(struct authd *d, const struct request *req, const struct email_held *link,
                       bool by_password, struct error *err)
{
    struct credential_owner owner = {.account = link->account,
                                     .email = link->to,
                                     .display = link->display,
                                     .tenant = link->tenant};
    struct uuid own = by_password ? (struct uuid){""} : req->caller->session;
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    struct undo undo;

    if ((link->found.installation && credential_owner_mailed(d, req, &owner, err) < 0) ||
        make_undo(d, req, link, &undo, err) < 0 ||
        db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        redeem(tx, req, link, by_password, err) < 0 ||
        ownership_hold_link(d, tx, req, link->account, &link->found, err) < 0)
        return -1;
    if (change_address(tx, req, link, &undo, err) < 0) {
        if (err->code != ERR_CONFLICT)
            return -1;
        error_clear(err); /* accounts are never merged */
        return link_invalid(err);
    }
    return credential_change_commit(d, req, &tx, &owner, what, own, err);
}

/* ---- undoing ---- */

struct former {
    struct credential_owner owner; /* email: the old address */
    struct db_array organizations; /* for which the old address was verified */
    int64_t changed_at;
    struct ownership found; /* checked again when the link is redeemed */
};

static int find_former(struct authd *d, const struct request *req, struct uuid id,
                       const uint8_t secret[static SECRET_HASH_SIZE], struct former *ret,
                       struct error *err)
{
    const struct sql_email_undo_get_in get = {
        .id = id, .secret_hash = {secret, SECRET_HASH_SIZE}, .now = req->now_ms};
    struct sql_email_undo_get_row row;

    if (link_require(sql_email_undo_get(d->svc.db, req, &get, &row, err), err) < 0)
        return -1;
    address_key_load(d, req, row.account);
    *ret = (struct former){.owner = {.account = row.account,
                                     .email = row.email,
                                     .display =
                                         arena_printf(req->arena, "%s %s", row.name, row.surname)},
                           .organizations = {.text = arena_strdup(req->arena, row.organizations)},
                           .changed_at = row.changed_at};
    if (row.installation && credential_owner_mailed(d, req, &ret->owner, err) < 0)
        return -1;
    if (!row.installation && tenant_open_id(d, req, row.project, &ret->owner.tenant, err) < 0)
        return err->code == ERR_NOT_FOUND ? link_invalid(err) : -1;
    return ownership_find_link(d, req, row.account, row.project, row.installation, &ret->found,
                               err);
}

/* Also deletes all links sent since then, including undo links of later changes. */
static int redeem_undo(struct db_tx *tx, const struct request *req, struct uuid id,
                       const uint8_t secret[static SECRET_HASH_SIZE], const struct former *former,
                       struct error *err)
{
    const struct sql_email_undo_redeem_in redeem = {
        .id = id, .secret_hash = {secret, SECRET_HASH_SIZE}, .now = req->now_ms};
    const struct sql_email_undo_delete_in later = {.account = former->owner.account,
                                                   .since = former->changed_at};

    if (link_require(sql_email_undo_redeem(tx, req, &redeem, err), err) < 0 ||
        sql_email_undo_delete(tx, req, &later, err) < 0)
        return -1;
    return delete_links(tx, req, former->owner.account, err);
}

/* Restores address and verification, and removes the password and recently added credentials, which
 * may be of the person who changed the address. */
static int restore(struct authd *d, struct db_tx *tx, const struct request *req,
                   struct former *former, struct error *err)
{
    struct credential_owner *owner = &former->owner;
    struct uuid account = owner->account;
    int64_t since = former->changed_at - EMAIL_UNDO_AGE;
    const struct sql_email_restore_in address = {
        .account = account,
        .email = owner->email,
        .audit = change_audit(req, "email.undo", owner->tenant.projectId, account)};
    const struct sql_email_verified_replace_in proofs = {
        .account = account, .organizations = former->organizations, .now = req->now_ms};
    const struct sql_credential_set_in set = {
        .account = account, .password_hash = d->dummy_hash, .now = req->now_ms};

    return sql_email_restore(tx, req, &address, err) < 0 ||
                   email_drop_leftovers(tx, req, owner, since, since, NULL, err) < 0 ||
                   sql_email_verified_replace(tx, req, &proofs, err) < 0 ||
                   sql_credential_set(tx, req, &set, err) < 0
               ? -1
               : 0;
}

int email_change_undo(struct authd *d, const struct request *req, const struct email_undo_in *in,
                      const char **ret_tenant, struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    uint8_t secret[SECRET_HASH_SIZE];
    struct former former;

    secret_hash(in->secret, secret);
    if (find_former(d, req, in->id, secret, &former, err) < 0 ||
        db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        redeem_undo(tx, req, in->id, secret, &former, err) < 0 ||
        ownership_hold_link(d, tx, req, former.owner.account, &former.found, err) < 0 ||
        restore(d, tx, req, &former, err) < 0)
        return -1;
    *ret_tenant = former.owner.shared ? NULL : former.owner.tenant.tenantCode;
    return credential_change_commit(d, req, &tx, &former.owner, what, (struct uuid){""}, err);
}

/* Undoes a change with the link to the old address. The person who changed it knew the password, so
 * the owner must set a new one. */
int email_undo(struct authd *d, const struct request *req, const struct email_undo_in *in,
               struct nothing *out UNUSED, struct error *err)
{
    const char *tenant;

    return email_change_undo(d, req, in, &tenant, err);
}
