/*
 * credential_change.c - the proof of the old credential and the end of a change, see credential.h.
 * Called by credential.c, mfa.c, acceptance.c and step_up.c.
 */
#include "authd/account/credential.h"

#include "authd/credential/password.h"
#include "authd/mail.h"
#include "authd/session/session.h"
#include "authd/tenant.h"
#include "common/base/clock.h"

struct sql_audit credential_audit(const struct request *req, const char *action,
                                  struct uuid project, struct uuid account, const char *why)
{
    return audit_row(req, &(struct audit){.action = action,
                                          .failure = why != NULL,
                                          .project = project,
                                          .account = account,
                                          .type = "Account",
                                          .id = account,
                                          .detail = why});
}

int credential_owner_find(struct authd *d, const struct request *req, struct credential_owner *ret,
                          struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;

    if (db_query(d->svc.db, req, SQL_CREDENTIAL_OWNER, &res, err, DB_UUID(req->caller->account)) <
        0)
        return -1;
    if (db_rows(res) == 0)
        return error_set(err, ERR_UNAUTHORIZED, "Unauthorized");
    *ret = (struct credential_owner){.account = req->caller->account,
                                     .email = arena_strdup(req->arena, db_text(res, 0, 0)),
                                     .display = req->caller->display,
                                     .hash = arena_strdup(req->arena, db_text(res, 0, 1)),
                                     .changes = db_int(res, 0, 2)};
    return tenant_open_id(d, req, req->caller->project, &ret->tenant, err);
}

int credential_verify(struct authd *d, const struct request *req, const struct throttle_keys *keys,
                      const char *hash, const char *password, const struct sql_audit *failure,
                      bool *ret_right, struct error *err)
{
    bool stale;

    if (throttle_check(d, req, keys, err) < 0 ||
        password_verify(d, req, hash, password, ret_right, &stale, err) < 0)
        return -1;
    secret_wipe_text(password);
    return *ret_right ? throttle_check(d, req, keys, err)
                      : throttle_fail(d, req, keys, failure, err);
}

int credential_prove(struct authd *d, const struct request *req,
                     const struct credential_owner *owner, const char *password, const char *action,
                     const char *wrong, struct error *err)
{
    const struct sql_audit failure =
        credential_audit(req, action, req->caller->project, owner->account, "password");
    struct throttle_keys keys;
    bool right;

    throttle_keys(d, req, req->caller->role, req->caller->project, owner->email, req->address,
                  &keys);
    if (credential_verify(d, req, &keys, owner->hash, password, &failure, &right, err) < 0)
        return -1;
    return right ? 0 : error_set(err, ERR_BAD_REQUEST, "%s", wrong);
}

int credential_change_commit(struct authd *d, const struct request *req, struct db_tx **tx_p,
                             const struct credential_owner *owner, const char *what,
                             struct uuid except, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    struct session_ended ended;
    char when[25];
    struct mail mail = {.template = "CREDENTIAL_CHANGED",
                        .tenant = &owner->tenant,
                        .to = owner->email,
                        .display = owner->display,
                        .variables = {{"what", what}, {"when", when}}};
    struct sql_outbox row;

    clock_format_iso(req->now_ms, when);
    row = mail_row(d, req, &mail);
    if (session_end_account(*tx_p, req, owner->account, except, "credential", &ended, err) < 0 ||
        db_tx_query(*tx_p, SQL_OUTBOX_PUT, &res, err, DB_OUTBOX(row)) < 0 ||
        (uuid_is_set(&owner->joined) &&
         session_ended_membership(*tx_p, req, owner->joined, &ended, err) < 0) ||
        (owner->revived && session_ended_account(*tx_p, req, owner->account, &ended, err) < 0) ||
        db_commit(tx_p, err) < 0)
        return -1;
    outbox_wake(d->svc.outbox);
    return session_revocation_wait(d, req, &ended, err);
}
