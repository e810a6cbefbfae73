/*
 * email_change.c - see email_change.h.
 */
#include "authd/account/email_change.h"

#include <string.h>

#include "authd/account/email_verified.h"
#include "authd/authd_api.h"
#include "authd/credential/throttle.h"
#include "authd/session/session.h"
#include "authd/signin/step_up.h"
#include "authd/tenant.h"

enum {
    CHANGE_ANSWER_MS = 250, /* email_change answers no earlier */
    CHANGE_ACCOUNT_MAX = 5, /* changes that one account may ask for in a window */
};
#define CHANGE_WINDOW HOURS(1)
#define UNDO_LIFE DAYS(7)

static const char what[] = "E-mail address";

static struct sql_audit change_audit(const struct request *req, const char *action,
                                     struct uuid project, struct uuid account)
{
    return audit_row(req, &(struct audit){.action = action,
                                          .project = project,
                                          .account = account,
                                          .type = "Account",
                                          .id = account});
}

/* ---- asking ---- */

/* Whether the caller could have the address: no account of its kind has it, or had it until
 * lately. */
static int is_free(struct authd *d, const struct request *req, const char *email, bool *ret,
                   struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;

    if (db_query(d->svc.db, req, SQL_EMAIL_FREE, &res, err, DB_UUID(req->caller->account),
                 DB_TEXT(email), DB_INT(req->now_ms)) < 0)
        return -1;
    *ret = db_rows(res) > 0 && db_bool(res, 0, 0);
    return 0;
}

/* Mails the link to the new address, unless that is taken or has had enough mails. */
static int send_link(struct authd *d, const struct request *req, const struct tenant *tenant,
                     const struct mail_route *route, const char *email, struct error *err)
{
    const struct email_owner owner = {req->caller->account, req->caller->role, email,
                                      req->caller->display};
    const struct sql_audit audit =
        change_audit(req, "email.link", tenant->projectId, owner.account);
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    struct email_link link;
    bool admitted, available;

    if (mail_admit(d, req, email, &admitted, err) < 0 ||
        is_free(d, req, email, &available, err) < 0)
        return -1;
    if (!admitted || !available)
        return 0;
    email_link_new(d, req, tenant, route, &owner, EMAIL_LINK_CHANGE, &link);
    if (db_query(d->svc.db, req, SQL_EMAIL_LINK_CREATE, &res, err, DB_UUID(owner.account),
                 DB_TEXT("change"), DB_TEXT(email), DB_UUID(tenant->projectId), DB_EMAIL_LINK(link),
                 DB_NULL, DB_AUDIT(audit)) < 0)
        return -1;
    outbox_wake(d->svc.outbox);
    return 0;
}

static int ask(struct authd *d, const struct request *req, const char *email, struct error *err)
{
    const struct caller *caller = req->caller;
    struct mail_route route;
    struct tenant tenant;

    if (tenant_open_id(d, req, caller->project, &tenant, err) < 0 ||
        mail_route_find(d, req, &tenant, caller->role, caller->account, &route, err) < 0)
        return -1;
    if (route.tenant && !route.app)
        return error_set(err, ERR_BAD_REQUEST, "The %s is not configured.",
                         strcmp(caller->role, "Patient") == 0 ? "PATIENT_APP_URL"
                                                              : "PRACTITIONER_APP_URL");
    if (step_up_check(d, NULL, req, err) < 0 ||
        throttle_limit(d, req, "email change", caller->account.text, CHANGE_WINDOW,
                       CHANGE_ACCOUNT_MAX, err) < 0)
        return -1;
    return send_link(d, req, &tenant, &route, email, err);
}

/* Mails a link to the address that the caller's account is to have. The answer is the same, at the
 * same time, when another account has it. Fails: BAD_REQUEST (no pages that a link could lead to),
 * STEP_UP_REQUIRED, THROTTLED. */
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

/* The link that takes it back, and the mail to the old address. */
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

    if (mail_route_find(d, req, &link->tenant, link->role, link->account, &route, err) < 0)
        return -1;
    *ret = (struct undo){.id = uuid_random(), .installation = !route.tenant};
    link_new(req->arena, route.app, "undo-email", ret->id, &ret->link);
    mail.tenant = route.tenant;
    mail.variables[0] = (struct mail_variable){"undoUrl", ret->link.url};
    ret->mail = mail_row(d, req, &mail);
    return 0;
}

/* Spends the link and whatever else was mailed to the old address. *ret: of two requests this one
 * has it. */
static int spend(struct db_tx *tx, const struct request *req, const struct email_held *link,
                 bool by_password, bool *ret, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *spent = NULL;
    CLEANUP(db_result_destroy) struct db_result *links = NULL;
    CLEANUP(db_result_destroy) struct db_result *resets = NULL;

    if (db_tx_query(tx, SQL_EMAIL_CHANGE_SPEND, &spent, err, DB_UUID(link->id),
                    DB_BYTES(link->secret, SECRET_HASH_SIZE), DB_INT(req->now_ms),
                    by_password ? DB_INT(link->changes) : DB_NULL) < 0)
        return -1;
    *ret = db_rows(spent) > 0;
    if (!*ret)
        return 0;
    return db_tx_query(tx, SQL_EMAIL_LINKS_DROP, &links, err, DB_UUID(link->account)) < 0 ||
                   db_tx_query(tx, SQL_RESET_DROP, &resets, err, DB_UUID(link->account)) < 0
               ? -1
               : 0;
}

/* Writes the new address and its proof. *ret: the account still had the old one. */
static int rename_account(struct db_tx *tx, const struct request *req,
                          const struct email_held *link, const struct undo *undo, bool *ret,
                          struct error *err)
{
    const struct sql_audit audit =
        change_audit(req, "email.change", link->tenant.projectId, link->account);
    CLEANUP(db_result_destroy) struct db_result *renamed = NULL;
    CLEANUP(db_result_destroy) struct db_result *proofs = NULL;
    CLEANUP(db_result_destroy) struct db_result *voided = NULL;

    if (db_tx_query(tx, SQL_EMAIL_CHANGE, &renamed, err, DB_UUID(link->account),
                    DB_TEXT(link->email), DB_TEXT(link->to), DB_INT(req->now_ms), DB_UUID(undo->id),
                    DB_BYTES(undo->link.hash, SECRET_HASH_SIZE), DB_UUID(link->tenant.projectId),
                    DB_BOOL(undo->installation), DB_INT(req->now_ms + UNDO_LIFE),
                    DB_OUTBOX(undo->mail), DB_AUDIT(audit)) < 0)
        return -1;
    *ret = db_rows(renamed) > 0;
    if (!*ret)
        return 0;
    return db_tx_query(tx, SQL_EMAIL_PROOFS, &proofs, err, DB_UUID(link->account), DB_TEXT("{}"),
                       DB_UUID(link->organization), DB_INT(req->now_ms)) < 0 ||
                   db_tx_query(tx, SQL_CREDENTIAL_VOID, &voided, err, DB_UUID(link->account)) < 0
               ? -1
               : 0;
}

int email_change_apply(struct authd *d, const struct request *req, const struct email_held *link,
                       bool by_password, struct error *err)
{
    const struct credential_owner owner = {.account = link->account,
                                           .email = link->to,
                                           .display = link->display,
                                           .tenant = link->tenant};
    struct uuid own = by_password ? (struct uuid){""} : req->caller->session;
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    struct undo undo;
    bool mine = false;

    if (make_undo(d, req, link, &undo, err) < 0 ||
        db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        spend(tx, req, link, by_password, &mine, err) < 0)
        return -1;
    if (mine && rename_account(tx, req, link, &undo, &mine, err) < 0) {
        if (err->code != ERR_CONFLICT)
            return -1;
        error_clear(err); /* another account has the address by now: accounts are never merged */
        return link_invalid(err);
    }
    if (!mine)
        return link_invalid(err);
    return credential_change_commit(d, req, &tx, &owner, what, own, err);
}

/* ---- taking it back ---- */

/* A change that can be taken back still. */
struct former {
    struct credential_owner owner; /* email: the old one */
    const char *organizations;     /* text of an array */
    int64_t changed_at;
};

static int find_former(struct authd *d, const struct request *req, struct uuid id,
                       const uint8_t secret[static SECRET_HASH_SIZE], struct former *ret,
                       struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;

    if (db_query(d->svc.db, req, SQL_EMAIL_UNDO_GET, &res, err, DB_UUID(id),
                 DB_BYTES(secret, SECRET_HASH_SIZE), DB_INT(req->now_ms)) < 0)
        return -1;
    if (db_rows(res) == 0)
        return link_invalid(err);
    *ret =
        (struct former){.owner = {.account = db_uuid(res, 0, 0),
                                  .email = arena_strdup(req->arena, db_text(res, 0, 3)),
                                  .display = arena_printf(req->arena, "%s %s", db_text(res, 0, 4),
                                                          db_text(res, 0, 5))},
                        .organizations = arena_strdup(req->arena, db_text(res, 0, 6)),
                        .changed_at = db_int(res, 0, 7)};
    if (tenant_open_id(d, req, db_uuid(res, 0, 1), &ret->owner.tenant, err) < 0)
        return err->code == ERR_NOT_FOUND ? link_invalid(err) : -1;
    if (!db_bool(res, 0, 2))
        ret->owner.organization = email_organization(&ret->owner.tenant);
    return 0;
}

/* Spends the link, with all that was mailed and changed since. */
static int spend_undo(struct db_tx *tx, const struct request *req, struct uuid id,
                      const uint8_t secret[static SECRET_HASH_SIZE], const struct former *former,
                      bool *ret, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *spent = NULL;
    CLEANUP(db_result_destroy) struct db_result *later = NULL;
    CLEANUP(db_result_destroy) struct db_result *links = NULL;
    CLEANUP(db_result_destroy) struct db_result *resets = NULL;
    struct uuid account = former->owner.account;

    if (db_tx_query(tx, SQL_EMAIL_UNDO_SPEND, &spent, err, DB_UUID(id),
                    DB_BYTES(secret, SECRET_HASH_SIZE), DB_INT(req->now_ms)) < 0)
        return -1;
    *ret = db_rows(spent) > 0;
    if (!*ret)
        return 0;
    return db_tx_query(tx, SQL_EMAIL_UNDO_LATER, &later, err, DB_UUID(account),
                       DB_INT(former->changed_at)) < 0 ||
                   db_tx_query(tx, SQL_EMAIL_LINKS_DROP, &links, err, DB_UUID(account)) < 0 ||
                   db_tx_query(tx, SQL_RESET_DROP, &resets, err, DB_UUID(account)) < 0
               ? -1
               : 0;
}

/* The old address with its proofs again, and nothing that the one who changed it may have left:
 * password, a newer second factor, a scheduled deletion. */
static int restore(struct authd *d, struct db_tx *tx, const struct request *req,
                   struct former *former, struct error *err)
{
    struct credential_owner *owner = &former->owner;
    struct uuid account = owner->account, project = owner->tenant.projectId;
    const struct sql_audit undone = change_audit(req, "email.undo", project, account);
    const struct sql_audit kept = change_audit(req, "deletion.abort", project, account);
    const struct sql_audit reset = change_audit(req, "mfa.reset", project, account);
    CLEANUP(db_result_destroy) struct db_result *renamed = NULL;
    CLEANUP(db_result_destroy) struct db_result *revived = NULL;
    CLEANUP(db_result_destroy) struct db_result *proofs = NULL;
    CLEANUP(db_result_destroy) struct db_result *factor = NULL;
    CLEANUP(db_result_destroy) struct db_result *set = NULL;

    if (db_tx_query(tx, SQL_EMAIL_UNDO, &renamed, err, DB_UUID(account), DB_TEXT(owner->email),
                    DB_AUDIT(undone)) < 0 ||
        db_tx_query(tx, SQL_CLAIM_DELETION, &revived, err, DB_UUID(account), DB_AUDIT(kept)) < 0 ||
        db_tx_query(tx, SQL_EMAIL_PROOFS, &proofs, err, DB_UUID(account),
                    DB_TEXT(former->organizations), DB_UUID(owner->organization),
                    DB_INT(req->now_ms)) < 0 ||
        db_tx_query(tx, SQL_CLAIM_FACTOR, &factor, err, DB_UUID(account),
                    DB_INT(former->changed_at), DB_AUDIT(reset)) < 0)
        return -1;
    owner->revived = db_rows(revived) > 0;
    return db_tx_query(tx, SQL_CREDENTIAL_SET, &set, err, DB_UUID(account), DB_TEXT(d->dummy_hash),
                       DB_INT(req->now_ms));
}

/* Takes a change back by the link to the old address. The one who changed it knew the password:
 * that is good no more, the owner asks for a link to set another one. Fails: BAD_REQUEST. */
int email_undo(struct authd *d, const struct request *req, const struct email_undo_in *in,
               struct nothing *out UNUSED, struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    uint8_t secret[SECRET_HASH_SIZE];
    struct former former;
    bool mine = false;

    secret_hash(in->secret, secret);
    if (find_former(d, req, in->id, secret, &former, err) < 0 ||
        db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        spend_undo(tx, req, in->id, secret, &former, &mine, err) < 0)
        return -1;
    if (!mine) /* another request was first */
        return link_invalid(err);
    if (restore(d, tx, req, &former, err) < 0)
        return -1;
    return credential_change_commit(d, req, &tx, &former.owner, what, (struct uuid){""}, err);
}
