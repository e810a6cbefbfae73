/*
 * credential.c - change_password, and reset_password, which emails a link. set_password is in
 * member/, because invitations set passwords too.
 */
#include "authd/account/credential.h"

#include "authd/account/account_api.h"
#include "authd/account/deletion.h"
#include "authd/account/email_verified.h"
#include "authd/account/enforced.h"
#include "authd/account/mail_route.h"
#include "authd/account/ownership.h"
#include "authd/credential/link.h"
#include "authd/credential/password.h"
#include "authd/credential/password_rule.h"
#include "authd/session/address_key.h"
#include "authd/session/change.h"
#include "authd/session/session.h"
#include "authd/sql/account.h"
#include "authd/tenant.h"

enum {
    RESET_ANSWER_MS = 250, /* minimum duration of reset_password */
};
#define RESET_LIFE HOURS(1)

static const char wrong_old[] = "The old password is incorrect.";

int credential_check_password(struct authd *d, const struct request *req,
                              const struct credential_owner *owner, struct uuid link,
                              const char *password, struct error *err)
{
    const struct password_owner whose = {.account = owner->account,
                                         .link = link,
                                         .tenant = &owner->tenant,
                                         .email = owner->email,
                                         .display = owner->display};

    return password_rule_check(d, req, &whose, password, err);
}

/* Fails if the password has changed since its verification. */
static int write_change(struct authd *d, const struct request *req,
                        const struct credential_owner *owner, const char *hash, struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    const struct sql_reset_delete_in reset = {.account = owner->account};
    const struct sql_credential_change_in change = {
        .account = owner->account,
        .changes = owner->changes,
        .password_hash = hash,
        .now = req->now_ms,
        .audit =
            credential_audit(req, "password.change", req->caller->project, owner->account, NULL)};

    /* order of locks: the link first, as in set_password() */
    if (db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        sql_reset_delete(tx, req, &reset, err) < 0 || ownership_hold_caller(d, tx, req, err) < 0 ||
        sql_require(sql_credential_change(tx, req, &change, err), err, ERR_BAD_REQUEST, wrong_old) <
            0)
        return -1;
    return credential_change_commit(d, req, &tx, owner, "Password", req->caller->session, err);
}

int change_password(struct authd *d, const struct request *req, const struct change_password_in *in,
                    struct nothing *out UNUSED, struct error *err)
{
    CLEANUP(password_slot_leave) struct password_slot slot = {0};
    struct credential_owner owner;
    const char *hash;

    if (password_slot_acquire(d, req, &slot, err) < 0 ||
        credential_owner_find(d, req, &owner, err) < 0 ||
        credential_prove(d, req, &owner, in->oldPassword, "password.change", wrong_old, err) < 0 ||
        credential_check_password(d, req, &owner, (struct uuid){""}, in->newPassword, err) < 0 ||
        password_hash(d, req, in->newPassword, &hash, err) < 0)
        return -1;
    secret_wipe_text(in->newPassword);
    return write_change(d, req, &owner, hash, err);
}

int credential_send_link(struct authd *d, const struct request *req, const struct tenant *tenant,
                         const struct credential_link_owner *account, const char *reason,
                         struct error *err)
{
    struct mail mail = {.template = "PASSWORD_RESET",
                        .to = account->email,
                        .display =
                            arena_printf(req->arena, "%s %s", account->name, account->surname),
                        .expires_at = req->now_ms + RESET_LIFE};
    struct uuid project = tenant ? tenant->projectId : (struct uuid){UUID_NIL};
    struct sql_reset_create_in create = {.account = account->id,
                                         .project = project,
                                         .id = uuid_random(),
                                         .expires_at = mail.expires_at};
    struct mail_route route;
    struct link link;
    bool enforced;

    if (enforced_check_all(d, req, account->id, &enforced, err) < 0)
        return -1;
    if (enforced) /* a person who asked must not learn of the account */
        return reason ? enforced_refuse(err) : 0;
    address_key_load(d, req, account->id);
    create.audit = audit_row(req, &(struct audit){.action = "password.link",
                                                  .project = tenant ? project : (struct uuid){""},
                                                  .account = account->id,
                                                  .type = "Account",
                                                  .id = account->id,
                                                  .reason = reason});
    if (!tenant)
        mail_route_installation(d, req, &route);
    else if (mail_route_find(d, req, tenant, account->role, account->id, &route, err) < 0)
        return -1;
    if (!route.app && route.tenant)
        return 0;
    link_new(req->arena, route.app, "set-password", create.id, &link);
    mail.tenant = route.tenant;
    mail.variables[0] = (struct mail_variable){"resetUrl", link.url};
    if (!link.url) {
        mail.template = "PASSWORD_RESET_CODE";
        mail.variables[0] = (struct mail_variable){"resetId", create.id.text};
        mail.variables[1] = (struct mail_variable){"resetSecret", link.secret};
    }
    create.secret_hash = (struct field_bytes){link.hash, SECRET_HASH_SIZE};
    create.installation = !route.tenant;
    create.mail = mail_row(d, req, &mail);
    if (sql_reset_create(d->svc.db, req, &create, err) >= 0) {
        outbox_wake(d->svc.outbox);
        return 0;
    }
    if (err->code != ERR_CONFLICT)
        return -1;
    error_clear(err);
    return 0;
}

/* Emails the installation's own link. Unlike a tenant's link, it works for an account without
 * memberships. */
static int send_own_link(struct authd *d, const struct request *req, const char *email,
                         struct error *err)
{
    const struct sql_account_find_practitioner_in find = {.email = email, .now = req->now_ms};
    struct sql_account_find_practitioner_row row;
    struct credential_link_owner owner = {.role = ROLE_PRACTITIONER, .email = email};
    int found = sql_account_find_practitioner(d->svc.db, req, &find, &row, err);

    if (found <= 0 || !row.active || row.locked)
        return MIN(found, 0);
    owner.id = row.id;
    owner.name = row.name;
    owner.surname = row.surname;
    return credential_send_link(d, req, NULL, &owner, NULL, err);
}

static int send_tenant_links(struct authd *d, const struct request *req,
                             const struct reset_password_in *in, struct error *err)
{
    struct sql_account_find_by_email_in find = {
        .email = in->email, .role = in->type, .now = req->now_ms};
    struct sql_account_find_by_email_rows found;
    bool admitted = true;
    struct tenant tenant;

    if (tenant_open(d, req, in->tenantCode, &tenant, err) < 0) {
        if (err->code != ERR_NOT_FOUND)
            return -1;
        error_clear(err);
        return 0;
    }
    find.project = tenant.projectId;
    if (sql_account_find_by_email(d->svc.db, req, &find, &found, err) < 0)
        return -1;
    for (size_t i = 0; i < found.count; i++) {
        const struct credential_link_owner owner = {found.items[i].id, found.items[i].role,
                                                    in->email, found.items[i].name,
                                                    found.items[i].surname};

        if (i > 0 && mail_admit(d, req, in->email, &admitted, err) < 0)
            return -1;
        if (admitted && credential_send_link(d, req, &tenant, &owner, NULL, err) < 0)
            return -1;
    }
    return 0;
}

static int send_links(struct authd *d, const struct request *req,
                      const struct reset_password_in *in, struct error *err)
{
    bool admitted;

    if (mail_admit_link(d, req, "reset address", in->email, &admitted, err) < 0)
        return -1;
    if (!admitted)
        return 0;
    return in->tenantCode ? send_tenant_links(d, req, in, err)
                          : send_own_link(d, req, in->email, err);
}

/* Emails a link to each of the tenant's accounts with this address; without a tenant (on the
 * installation's own page), to the practitioner. All answers take RESET_ANSWER_MS and are equal, so
 * they don't reveal accounts. */
int reset_password(struct authd *d, const struct request *req, const struct reset_password_in *in,
                   struct message_out *out, struct error *err)
{
    int64_t answer_at = clock_mono_ms() + RESET_ANSWER_MS;

    if (send_links(d, req, in, err) < 0 || fiber_sleep_until(d->svc.loop, answer_at, err) < 0)
        return -1;
    out->message = "If there is such an account, a link to set a new password has been mailed.";
    return 0;
}
