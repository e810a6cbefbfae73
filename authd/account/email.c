/*
 * email.c - verification of an account's email address (email_verify_send, email_verify). A link is
 * not enough: another person may have registered the address, and its owner may click any link. So
 * the request must also show a session or the password of the account.
 */
#include <string.h>

#include "authd/account/account_api.h"
#include "authd/account/credential.h"
#include "authd/account/email_change.h"
#include "authd/account/email_verified.h"
#include "authd/credential/password.h"
#include "authd/credential/throttle.h"
#include "authd/session/address_key.h"
#include "authd/session/session.h"
#include "authd/sql/account.h"
#include "authd/tenant.h"

enum {
    SEND_ANSWER_MS = 250, /* minimum duration of email_verify_send */
};

static const char link_kind[] = "verify address";

static struct sql_audit email_audit(const struct request *req, const char *action,
                                    struct uuid project, struct uuid account, const char *detail)
{
    return audit_row(req, &(struct audit){.action = action,
                                          .project = project,
                                          .account = account,
                                          .type = "Account",
                                          .id = account,
                                          .detail = detail});
}

/* ---- requesting a link ---- */

/* Does nothing if the address is already verified wherever the link could verify it. */
static int send_link(struct authd *d, const struct request *req, const struct tenant *tenant,
                     const struct email_owner *owner, struct error *err)
{
    struct sql_email_link_create_in create = {.account = owner->account,
                                              .kind = "verify",
                                              .email = owner->email,
                                              .project = tenant->projectId};
    struct email_link link;
    struct mail_route route;

    address_key_load(d, req, owner->account);
    create.audit = email_audit(req, "email.link", tenant->projectId, owner->account, NULL);
    if (mail_route_find(d, req, tenant, owner->role, owner->account, &route, err) < 0)
        return -1;
    email_link_new(d, req, tenant, &route, owner, EMAIL_LINK_VERIFY, &link);
    if (!uuid_is_set(&link.row.id))
        return 0;
    create.link = link.row;
    create.mail = link.mail;
    if (!link.row.installation)
        create.organization = tenant_organization(tenant);
    if (sql_email_link_create(d->svc.db, req, &create, err) < 0)
        return -1;
    outbox_wake(d->svc.outbox);
    return 0;
}

static int send_to_caller(struct authd *d, const struct request *req, const struct tenant *tenant,
                          struct error *err)
{
    const struct sql_account_get_in get = {.account = req->caller->account};
    struct sql_account_get_row account;
    struct email_owner owner;
    bool admitted;
    int found = sql_account_get(d->svc.db, req, &get, &account, err);

    if (found <= 0)
        return found;
    owner = (struct email_owner){account.id, account.role, account.email,
                                 arena_printf(req->arena, "%s %s", account.name, account.surname)};
    if (mail_admit_link(d, req, link_kind, owner.email, &admitted, err) < 0)
        return -1;
    return admitted ? send_link(d, req, tenant, &owner, err) : 0;
}

/* Requests without a tenant (NULL) count for the limits too. */
static int send_to_address(struct authd *d, const struct request *req, const struct tenant *tenant,
                           const struct email_verify_send_in *in, struct error *err)
{
    struct sql_account_find_by_email_in find = {
        .email = in->email, .role = in->type, .now = req->now_ms};
    struct sql_account_find_by_email_rows found = {.count = 0};
    bool admitted;

    if (tenant)
        find.project = tenant->projectId;
    if ((tenant && sql_account_find_by_email(d->svc.db, req, &find, &found, err) < 0) ||
        mail_admit_link(d, req, link_kind, in->email, &admitted, err) < 0)
        return -1;
    for (size_t i = 0; i < found.count; i++) {
        const struct sql_account_find_by_email_row *account = &found.items[i];
        const struct email_owner owner = {account->id, account->role, in->email,
                                          arena_printf(req->arena, "%s %s", account->name,
                                                       account->surname)};

        if (i > 0 && mail_admit(d, req, in->email, &admitted, err) < 0)
            return -1;
        if (admitted && send_link(d, req, tenant, &owner, err) < 0)
            return -1;
    }
    return 0;
}

static int send_links(struct authd *d, const struct request *req,
                      const struct email_verify_send_in *in, struct error *err)
{
    struct tenant tenant;
    int opened = req->caller ? tenant_open_id(d, req, req->caller->project, &tenant, err)
                             : tenant_open(d, req, in->tenantCode, &tenant, err);

    if (opened < 0 && err->code != ERR_NOT_FOUND)
        return -1;
    error_clear(err);
    if (!req->caller)
        return send_to_address(d, req, opened == 0 ? &tenant : NULL, in, err);
    return opened == 0 ? send_to_caller(d, req, &tenant, err) : 0;
}

/* The answer and its time don't reveal whether an account exists. */
int email_verify_send(struct authd *d, const struct request *req,
                      const struct email_verify_send_in *in, struct message_out *out,
                      struct error *err)
{
    int64_t answer_at = clock_mono_ms() + SEND_ANSWER_MS;
    int rc = 0;

    if (!req->caller && !in->email)
        rc = error_problem(err, "email", "is required without a token");
    if (!req->caller && !in->tenantCode)
        rc = error_problem(err, "tenantCode", "is required without a token");
    if (rc < 0)
        return -1;
    if (send_links(d, req, in, err) < 0 || fiber_sleep_until(d->svc.loop, answer_at, err) < 0)
        return -1;
    out->message = "If there is such an account with an unconfirmed address, a link to confirm it "
                   "has been mailed.";
    return 0;
}

/* ---- redeeming ---- */

static int find_link(struct authd *d, const struct request *req, const struct email_verify_in *in,
                     struct email_held *ret, struct error *err)
{
    struct sql_email_link_get_in get = {
        .id = in->id, .secret_hash = {ret->secret, SECRET_HASH_SIZE}, .now = req->now_ms};
    struct sql_email_link_get_row row;

    secret_hash(in->secret, ret->secret);
    if (link_require(sql_email_link_get(d->svc.db, req, &get, &row, err), err) < 0)
        return -1;
    address_key_load(d, req, row.account);
    ret->id = in->id;
    ret->change = strcmp(row.kind, "change") == 0;
    ret->account = row.account;
    ret->home = row.home;
    ret->role = row.role;
    ret->email = row.email;
    ret->to = row.recipient;
    ret->display = arena_printf(req->arena, "%s %s", row.name, row.surname);
    ret->hash = row.password_hash;
    ret->changes = row.changes ? *row.changes : 0;
    ret->organization = (struct uuid){""};
    ret->tenant = (struct tenant){.name = NULL};
    if (!row.installation && tenant_open_id(d, req, row.project, &ret->tenant, err) < 0)
        return err->code == ERR_NOT_FOUND ? link_invalid(err) : -1;
    if (!row.installation)
        ret->organization = tenant_organization(&ret->tenant);
    return ownership_find_link(d, req, row.account, row.project, row.installation, &ret->found,
                               err);
}

static int sign_in_required(struct error *err)
{
    return error_set(err, ERR_SIGN_IN_REQUIRED, "Sign in to confirm this address.");
}

static int prove_by_password(struct authd *d, const struct request *req,
                             const struct email_held *link, const char *password, struct error *err)
{
    CLEANUP(password_slot_leave) struct password_slot slot = {0};
    const struct sign_in who = {link->tenant.projectId, link->account, link->role};
    const struct sql_audit failure = sign_in_failure(req, &who, "password");
    struct throttle_keys keys;
    bool right;

    throttle_keys(d, req, link->role, link->home, link->email, req->address, &keys);
    if (password_slot_acquire(d, req, &slot, err) < 0 ||
        credential_verify(d, req, &keys, link->hash, password, &failure, &right, err) < 0)
        return -1;
    return right ? 0 : sign_in_required(err);
}

static int prove_address(struct authd *d, const struct request *req, const struct email_held *link,
                         bool by_password, struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    const struct sql_email_verify_in verify = {
        .id = link->id,
        .secret_hash = {link->secret, SECRET_HASH_SIZE},
        .now = req->now_ms,
        .organization = link->organization,
        .changes = by_password ? &link->changes : NULL,
        .audit = email_audit(req, "email.verify", link->tenant.projectId, link->account, "link")};

    if (db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        link_require(sql_email_verify(tx, req, &verify, err), err) < 0 ||
        ownership_hold_link(d, tx, req, link->account, &link->found, err) < 0)
        return -1;
    return db_commit(&tx, err);
}

/* Redeems a link of email_verify_send() or email_change(). SIGN_IN_REQUIRED keeps it valid. */
int email_verify(struct authd *d, const struct request *req, const struct email_verify_in *in,
                 struct nothing *out UNUSED, struct error *err)
{
    struct email_held link;
    bool by_password;

    if (find_link(d, req, in, &link, err) < 0)
        return -1;
    by_password = !req->caller || !uuid_equal(&req->caller->account, &link.account);
    if (by_password && !in->password)
        return sign_in_required(err);
    if (by_password && prove_by_password(d, req, &link, in->password, err) < 0)
        return -1;
    return link.change ? email_change_apply(d, req, &link, by_password, err)
                       : prove_address(d, req, &link, by_password, err);
}
