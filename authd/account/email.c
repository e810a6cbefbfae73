/*
 * email.c - the owner's e-mail address: asking for a link that proves it (email_verify_send) and
 * using that (email_verify). A link is not enough: another person may have registered the address,
 * and its owner may open any link that is mailed. So the request must show the account's session or
 * password, too.
 */
#include <string.h>

#include "authd/account/email_change.h"
#include "authd/account/email_verified.h"
#include "authd/authd_api.h"
#include "authd/credential/password.h"
#include "authd/credential/throttle.h"
#include "authd/session/session.h"
#include "authd/tenant.h"

enum {
    SEND_ANSWER_MS = 250,   /* email_verify_send answers no earlier */
    SEND_ADDRESS_MAX = 100, /* links that one client address may ask for in a window */
    SEND_MAILBOX_MAX = 5,   /* links that one mailbox may be sent in a window */
};
#define SEND_WINDOW MINUTES(15)

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

/* ---- asking for a link ---- */

/* Both are counted for unknown accounts too. */
static int admit(struct authd *d, const struct request *req, const char *email, bool *ret_admitted,
                 struct error *err)
{
    bool address, mailbox = false, mail = false;

    if (throttle_admit(d, req, "verify address", req->address, SEND_WINDOW, SEND_ADDRESS_MAX,
                       &address, err) < 0 ||
        (address && throttle_admit(d, req, "verify mailbox", email, SEND_WINDOW, SEND_MAILBOX_MAX,
                                   &mailbox, err) < 0) ||
        (mailbox && mail_admit(d, req, email, &mail, err) < 0))
        return -1;
    *ret_admitted = mail;
    return 0;
}

/* Mails a link to the owner of an account, unless its address is proven for all that the link could
 * prove it for. */
static int send_link(struct authd *d, const struct request *req, const struct tenant *tenant,
                     const struct email_owner *owner, struct error *err)
{
    const struct sql_audit audit =
        email_audit(req, "email.link", tenant->projectId, owner->account, NULL);
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    struct email_link link;
    struct mail_route route;

    if (mail_route_find(d, req, tenant, owner->role, owner->account, &route, err) < 0)
        return -1;
    email_link_new(d, req, tenant, &route, owner, EMAIL_LINK_VERIFY, &link);
    if (!uuid_is_set(&link.id))
        return 0;
    if (db_query(d->svc.db, req, SQL_EMAIL_LINK_CREATE, &res, err, DB_UUID(owner->account),
                 DB_TEXT("verify"), DB_TEXT(owner->email), DB_UUID(tenant->projectId),
                 DB_EMAIL_LINK(link),
                 DB_UUID(link.installation ? (struct uuid){""} : email_organization(tenant)),
                 DB_AUDIT(audit)) < 0)
        return -1;
    outbox_wake(d->svc.outbox);
    return 0;
}

/* The accounts that are meant: the caller's, or those of a tenant with an e-mail. */
static int find_accounts(struct authd *d, const struct request *req,
                         const struct email_verify_send_in *in, struct tenant *ret_tenant,
                         const char **ret_email, struct db_result **ret, struct error *err)
{
    if (req->caller)
        return tenant_open_id(d, req, req->caller->project, ret_tenant, err) < 0 ||
                       db_query(d->svc.db, req, SQL_EMAIL_OWNER, ret, err,
                                DB_UUID(req->caller->account)) < 0
                   ? -1
                   : 0;
    *ret_email = in->email;
    if (tenant_open(d, req, in->tenantCode, ret_tenant, err) < 0)
        return -1;
    return db_query(d->svc.db, req, SQL_RESET_FIND, ret, err, DB_UUID(ret_tenant->projectId),
                    DB_TEXT(in->email), DB_TEXT(in->type), DB_INT(req->now_ms), DB_BOOL(false));
}

static int send_links(struct authd *d, const struct request *req,
                      const struct email_verify_send_in *in, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *found = NULL;
    struct tenant tenant;
    const char *email = NULL;
    bool admitted = true;

    if (find_accounts(d, req, in, &tenant, &email, &found, err) < 0) {
        if (err->code != ERR_NOT_FOUND)
            return -1;
        error_clear(err);
    }
    if (!email && found && db_rows(found) > 0)
        email = arena_strdup(req->arena, db_text(found, 0, 4));
    if (email && admit(d, req, email, &admitted, err) < 0)
        return -1;
    for (size_t row = 0; found && admitted && row < db_rows(found); row++) {
        const struct email_owner owner = {.account = db_uuid(found, row, 0),
                                          .role = arena_strdup(req->arena, db_text(found, row, 1)),
                                          .email = email,
                                          .display = arena_printf(req->arena, "%s %s",
                                                                  db_text(found, row, 2),
                                                                  db_text(found, row, 3))};

        if (send_link(d, req, &tenant, &owner, err) < 0)
            return -1;
    }
    return 0;
}

/* Mails a link to prove its address to the caller, or to each account of the tenant with this
 * e-mail. The answer is the same for all, and comes at the same time. Fails: VALIDATION (no token,
 * and no e-mail or tenant). */
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

/* ---- using it ---- */

static int find_link(struct authd *d, const struct request *req, const struct email_verify_in *in,
                     struct email_held *ret, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;

    *ret = (struct email_held){.id = in->id};
    secret_hash(in->secret, ret->secret);
    if (db_query(d->svc.db, req, SQL_EMAIL_LINK_GET, &res, err, DB_UUID(in->id),
                 DB_BYTES(ret->secret, SECRET_HASH_SIZE), DB_INT(req->now_ms)) < 0)
        return -1;
    if (db_rows(res) == 0)
        return link_invalid(err);
    ret->account = db_uuid(res, 0, 0);
    ret->role = arena_strdup(req->arena, db_text(res, 0, 3));
    ret->home = db_uuid(res, 0, 4);
    ret->email = arena_strdup(req->arena, db_text(res, 0, 5));
    if (!db_is_null(res, 0, 6)) {
        ret->hash = arena_strdup(req->arena, db_text(res, 0, 6));
        ret->changes = db_int(res, 0, 7);
    }
    ret->change = strcmp(db_text(res, 0, 8), "change") == 0;
    ret->to = arena_strdup(req->arena, db_text(res, 0, 9));
    ret->display = arena_printf(req->arena, "%s %s", db_text(res, 0, 10), db_text(res, 0, 11));
    if (tenant_open_id(d, req, db_uuid(res, 0, 1), &ret->tenant, err) < 0)
        return err->code == ERR_NOT_FOUND ? link_invalid(err) : -1;
    if (!db_bool(res, 0, 2))
        ret->organization = email_organization(&ret->tenant);
    return 0;
}

static int sign_in_required(struct error *err)
{
    return error_set(err, ERR_SIGN_IN_REQUIRED, "Sign in to confirm this address.");
}

/* The account's password, guarded as a sign-in is. */
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

/* Records what a link of email_verify_send() proves. */
static int prove_address(struct authd *d, const struct request *req, const struct email_held *link,
                         bool by_password, struct error *err)
{
    const struct sql_audit audit =
        email_audit(req, "email.verify", link->tenant.projectId, link->account, "link");
    CLEANUP(db_result_destroy) struct db_result *res = NULL;

    if (db_query(d->svc.db, req, SQL_EMAIL_VERIFY, &res, err, DB_UUID(link->id),
                 DB_BYTES(link->secret, SECRET_HASH_SIZE), DB_INT(req->now_ms),
                 DB_UUID(link->organization), by_password ? DB_INT(link->changes) : DB_NULL,
                 DB_AUDIT(audit)) < 0)
        return -1;
    return db_rows(res) > 0 ? 0 : link_invalid(err); /* another request was first */
}

/* Spends a link of email_verify_send() or email_change(), for the owner of its account only. Fails:
 * BAD_REQUEST, SIGN_IN_REQUIRED (the link stays), THROTTLED. */
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
