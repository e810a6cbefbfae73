/*
 * credential_change.c - the start and end of a change of credentials, see credential.h. Called by
 * credential.c, mfa.c, acceptance.c and step_up.c.
 */
#include "authd/account/credential.h"

#include "authd/account/ownership.h"
#include "authd/credential/password.h"
#include "authd/mail.h"
#include "authd/session/session.h"
#include "authd/sql/account.h"
#include "authd/sql/outbox.h"
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

int credential_owner_mailed(struct authd *d, const struct request *req,
                            struct credential_owner *owner, struct error *err)
{
    struct uuid project;

    if (ownership_lowest(d, req, owner->account, &project, err) < 0)
        return -1;
    owner->shared = !uuid_is_set(&project);
    if (owner->shared || tenant_open_id(d, req, project, &owner->tenant, err) == 0)
        return 0;
    if (err->code != ERR_NOT_FOUND)
        return -1;
    error_clear(err); /* suspended projects send no emails */
    owner->shared = true;
    return 0;
}

int credential_owner_find(struct authd *d, const struct request *req, struct credential_owner *ret,
                          struct error *err)
{
    struct sql_credential_get_in in = {.account = req->caller->account};
    struct sql_credential_get_row row;

    if (sql_require(sql_credential_get(d->svc.db, req, &in, &row, err), err, ERR_UNAUTHORIZED,
                    "Unauthorized") < 0)
        return -1;
    *ret = (struct credential_owner){.account = req->caller->account,
                                     .email = row.email,
                                     .display = req->caller->display,
                                     .hash = row.password_hash,
                                     .changes = row.changes};
    return uuid_is_set(&req->caller->project) && !(req->ownership && req->ownership->installation)
               ? tenant_open_id(d, req, req->caller->project, &ret->tenant, err)
               : credential_owner_mailed(d, req, ret, err);
}

int credential_verify(struct authd *d, const struct request *req, const struct throttle_keys *keys,
                      const char *hash, const char *password, const struct sql_audit *failure,
                      bool *ret_right, struct error *err)
{
    if (throttle_check(d, req, keys, err) < 0 ||
        password_verify(d, req, hash, password, ret_right, NULL, err) < 0)
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
    struct session_ended ended;
    char when[25];
    struct mail mail = {.template = "CREDENTIAL_CHANGED",
                        .tenant = owner->shared ? NULL : &owner->tenant,
                        .to = owner->email,
                        .display = owner->display,
                        .variables = {{"what", what}, {"when", when}}};
    struct sql_outbox_insert_in notice;

    clock_format_iso(req->now_ms, when);
    notice.outbox = mail_row(d, req, &mail);
    if (session_end_account(*tx_p, req, owner->account, except, "credential", &ended, err) < 0 ||
        sql_outbox_insert_tx(*tx_p, req, &notice, err) < 0 ||
        (uuid_is_set(&owner->joined) &&
         session_ended_membership(*tx_p, req, owner->joined, &ended, err) < 0) ||
        (owner->revived && session_ended_account(*tx_p, req, owner->account, &ended, err) < 0) ||
        db_commit(tx_p, err) < 0)
        return -1;
    outbox_wake(d->svc.outbox);
    return session_revocation_wait(d, req, &ended, err);
}
