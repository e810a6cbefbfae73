/*
 * credential.c - changing a password: by its owner (change_password), or with a mailed link
 * (reset_password, set_password), which may be the one of an invitation.
 *
 * A change, the end of the sessions that the old password opened, and the mail that tells the
 * owner are one transaction: whatever dies, all of it happened or nothing.
 */
#include "authd/account/credential.h"

#include <string.h>

#include "authd/account/email_verified.h"
#include "authd/account/mail_route.h"
#include "authd/authd_api.h"
#include "authd/credential/link.h"
#include "authd/credential/password.h"
#include "authd/credential/password_rule.h"
#include "authd/member/acceptance.h"
#include "authd/session/change.h"
#include "authd/session/session.h"
#include "authd/tenant.h"

enum {
    RESET_ANSWER_MS = 250,   /* reset_password answers no earlier, see there */
    RESET_ADDRESS_MAX = 100, /* links that one client address may ask for in a window */
    RESET_MAILBOX_MAX = 5,   /* links that one mailbox may be sent in a window */
};
#define RESET_WINDOW MINUTES(15)
#define RESET_LIFE HOURS(1)

static const char wrong_old[] = "The old password is incorrect.";

/* ---- by the owner ---- */

/* What a new password of the owner must be; link: that it is set by, or absent. */
static int check_rules(struct authd *d, const struct request *req,
                       const struct credential_owner *owner, struct uuid link, const char *password,
                       struct error *err)
{
    const struct password_owner whose = {.account = owner->account,
                                         .link = link,
                                         .tenant = &owner->tenant,
                                         .email = owner->email,
                                         .display = owner->display};

    return password_rule_check(d, req, &whose, password, err);
}

/* Changes the caller's password and ends its other sessions. Fails: THROTTLED, BAD_REQUEST,
 * PASSWORD_REFUSED. */
int change_password(struct authd *d, const struct request *req, const struct change_password_in *in,
                    struct nothing *out UNUSED, struct error *err)
{
    CLEANUP(password_slot_leave) struct password_slot slot = {0};
    CLEANUP(db_result_destroy) struct db_result *dropped = NULL;
    CLEANUP(db_result_destroy) struct db_result *changed = NULL;
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    struct credential_owner owner;
    struct sql_audit audit;
    const char *hash;

    if (password_slot_acquire(d, req, &slot, err) < 0 ||
        credential_owner_find(d, req, &owner, err) < 0 ||
        credential_prove(d, req, &owner, in->oldPassword, "password.change", wrong_old, err) < 0 ||
        check_rules(d, req, &owner, (struct uuid){""}, in->newPassword, err) < 0 ||
        password_hash(d, req, in->newPassword, &hash, err) < 0)
        return -1;
    secret_wipe_text(in->newPassword);
    audit = credential_audit(req, "password.change", req->caller->project, owner.account, NULL);
    /* the link first, as set_password() does: the order of locks */
    if (db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        db_tx_query(tx, SQL_RESET_DROP, &dropped, err, DB_UUID(owner.account)) < 0 ||
        db_tx_query(tx, SQL_CREDENTIAL_CHANGE, &changed, err, DB_UUID(owner.account),
                    DB_INT(owner.changes), DB_TEXT(hash), DB_INT(req->now_ms), DB_AUDIT(audit)) < 0)
        return -1;
    if (db_affected(changed) == 0) /* another change was first: that password is the old one */
        return error_set(err, ERR_BAD_REQUEST, "%s", wrong_old);
    return credential_change_commit(d, req, &tx, &owner, "Password", req->caller->session, err);
}

/* ---- by a link ---- */

/* Makes a link for one account and queues its mail; nothing for a project without the address of
 * an application that the link could lead to, or when the account is deleted at this moment. Where
 * the installation mails but has no such pages, the mail says whom to ask. */
static int send_link(struct authd *d, const struct request *req, const struct tenant *tenant,
                     const char *email, const struct db_result *found, size_t at, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    struct uuid id = uuid_random(), account = db_uuid(found, at, 0);
    struct mail mail = {.template = "PASSWORD_RESET",
                        .to = email,
                        .display = arena_printf(req->arena, "%s %s", db_text(found, at, 2),
                                                db_text(found, at, 3))};
    const struct sql_audit audit =
        credential_audit(req, "password.link", tenant->projectId, account, NULL);
    struct mail_route route;
    struct sql_outbox row;
    struct link link;

    if (mail_route_find(d, req, tenant, db_text(found, at, 1), account, &route, err) < 0)
        return -1;
    if (!route.app && route.tenant)
        return 0;
    link_new(req->arena, route.app, "set-password", id, &link);
    mail.tenant = route.tenant;
    mail.expires_at = req->now_ms + RESET_LIFE;
    mail.variables[0] = (struct mail_variable){"resetUrl", link.url};
    row = mail_row(d, req, &mail);
    if (db_query(d->svc.db, req, SQL_RESET_CREATE, &res, err, DB_UUID(account),
                 DB_UUID(tenant->projectId), DB_UUID(id), DB_BYTES(link.hash, SECRET_HASH_SIZE),
                 DB_INT(req->now_ms + RESET_LIFE), DB_BOOL(!route.tenant), DB_OUTBOX(row),
                 DB_AUDIT(audit)) == 0) {
        outbox_wake(d->svc.outbox);
        return 0;
    }
    if (err->code != ERR_CONFLICT)
        return -1;
    error_clear(err);
    return 0;
}

/* Whether this address may ask for, and this mailbox be sent, one more link. Both are counted for
 * unknown accounts too. */
static int admit_reset(struct authd *d, const struct request *req, const char *email,
                       bool *ret_admitted, struct error *err)
{
    bool address, mailbox = false, mail = false;

    if (throttle_admit_client(d, req, "reset address", RESET_WINDOW, RESET_ADDRESS_MAX, &address,
                              err) < 0 ||
        (address && throttle_admit(d, req, "reset mailbox", email, RESET_WINDOW, RESET_MAILBOX_MAX,
                                   &mailbox, err) < 0) ||
        (mailbox && mail_admit(d, req, email, &mail, err) < 0))
        return -1;
    *ret_admitted = mail;
    return 0;
}

static int send_links(struct authd *d, const struct request *req,
                      const struct reset_password_in *in, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *found = NULL;
    struct tenant tenant;
    bool admitted;

    if (admit_reset(d, req, in->email, &admitted, err) < 0)
        return -1;
    if (!admitted)
        return 0;
    if (tenant_open(d, req, in->tenantCode, &tenant, err) < 0) {
        if (err->code != ERR_NOT_FOUND)
            return -1;
        error_clear(err);
        return 0;
    }
    if (db_query(d->svc.db, req, SQL_RESET_FIND, &found, err, DB_UUID(tenant.projectId),
                 DB_TEXT(in->email), DB_TEXT(in->type), DB_INT(req->now_ms), DB_BOOL(false)) < 0)
        return -1;
    for (size_t row = 0; row < db_rows(found); row++) {
        if (send_link(d, req, &tenant, in->email, found, row, err) < 0)
            return -1;
    }
    return 0;
}

/* Mails a link to each account of the tenant with this e-mail. The answer is the same for all,
 * and comes at the same time: work for an account that exists is done long before. */
int reset_password(struct authd *d, const struct request *req, const struct reset_password_in *in,
                   struct message_out *out, struct error *err)
{
    int64_t answer_at = clock_mono_ms() + RESET_ANSWER_MS;

    if (send_links(d, req, in, err) < 0 || fiber_sleep_until(d->svc.loop, answer_at, err) < 0)
        return -1;
    out->message = "If there is such an account, a link to set a new password has been mailed.";
    return 0;
}

/* Whom a link that is still good is for, of a reset or, *ret_invited, of an invitation; the link
 * stays as it is. */
static int find_link(struct authd *d, const struct request *req, struct uuid id,
                     const uint8_t hash[static SECRET_HASH_SIZE], struct credential_owner *ret,
                     bool *ret_invited, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;

    if (db_query(d->svc.db, req, SQL_LINK_GET, &res, err, DB_UUID(id),
                 DB_BYTES(hash, SECRET_HASH_SIZE), DB_INT(req->now_ms)) < 0)
        return -1;
    if (db_rows(res) == 0)
        return link_invalid(err);
    *ret_invited = db_is_null(res, 0, 0);
    *ret = (struct credential_owner){
        .account = db_uuid(res, 0, 0),
        .email = arena_strdup(req->arena, db_text(res, 0, 2)),
        .display = arena_printf(req->arena, "%s %s", db_text(res, 0, 3), db_text(res, 0, 4))};
    if (tenant_open_id(d, req, db_uuid(res, 0, 1), &ret->tenant, err) < 0)
        return err->code == ERR_NOT_FOUND ? link_invalid(err) : -1;
    if (!db_bool(res, 0, 5))
        ret->organization = email_organization(&ret->tenant);
    return 0;
}

/* Spends the link of a reset, which proves the address. */
static int reset_accept(struct authd *d, const struct request *req, struct uuid id,
                        const uint8_t secret[static SECRET_HASH_SIZE],
                        struct credential_owner *owner, const char *hash, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *spent = NULL;
    CLEANUP(db_result_destroy) struct db_result *dropped = NULL;
    CLEANUP(db_result_destroy) struct db_result *set = NULL;
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    const struct sql_audit audit =
        credential_audit(req, "password.set", owner->tenant.projectId, owner->account, NULL);

    if (db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        db_tx_query(tx, SQL_RESET_SPEND, &spent, err, DB_UUID(id),
                    DB_BYTES(secret, SECRET_HASH_SIZE), DB_INT(req->now_ms), DB_AUDIT(audit)) < 0)
        return -1;
    if (db_rows(spent) == 0) /* another request was first */
        return link_invalid(err);
    if (db_tx_query(tx, SQL_RESET_DROP, &dropped, err, DB_UUID(owner->account)) < 0 ||
        email_claim(tx, req, owner, EMAIL_BY_LINK, err) < 0 ||
        db_tx_query(tx, SQL_CREDENTIAL_SET, &set, err, DB_UUID(owner->account), DB_TEXT(hash),
                    DB_INT(req->now_ms)) < 0)
        return -1;
    return credential_change_commit(d, req, &tx, owner, "Password", (struct uuid){""}, err);
}

/* Sets the password by a link, which is spent: of an account, whose sessions all end, or of the one
 * that an invitation makes. Fails: BAD_REQUEST, ACCEPT_SIGNED_IN. */
int set_password(struct authd *d, const struct request *req, const struct set_password_in *in,
                 struct nothing *out UNUSED, struct error *err)
{
    CLEANUP(password_slot_leave) struct password_slot slot = {0};
    uint8_t secret[SECRET_HASH_SIZE];
    struct credential_owner owner;
    const char *hash;
    bool invited = false;

    secret_hash(in->secret, secret);
    if (password_slot_acquire(d, req, &slot, err) < 0 ||
        find_link(d, req, in->id, secret, &owner, &invited, err) < 0 ||
        (invited && acceptance_check_password(d, req, in->id, secret, err) < 0) ||
        check_rules(d, req, &owner, in->id, in->password, err) < 0 ||
        password_hash(d, req, in->password, &hash, err) < 0)
        return -1;
    secret_wipe_text(in->password);
    if (invited)
        return acceptance_by_password(d, req, in->id, secret, &owner, hash, err);
    return reset_accept(d, req, in->id, secret, &owner, hash, err);
}
