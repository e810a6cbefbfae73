/*
 * acceptance.c - see acceptance.h.
 */
#include "authd/member/acceptance.h"

#include <string.h>

#include "authd/account/deletion.h"
#include "authd/account/email_verified.h"
#include "authd/authd_api.h"
#include "authd/credential/link.h"
#include "authd/session/session.h"
#include "authd/tenant.h"
#include "common/service/audit.h"

/* An invitation as its link shows it, and the account that it is for. */
struct invited {
    struct uuid id;
    const char *role, *email;
    const char *inviter; /* display name; of the project where no member invites */
    bool admin;          /* accepting gives the rights of an admin */
    struct tenant tenant;
    struct uuid organization;
    struct uuid account; /* absent: there is none yet */
    bool proven;         /* the account's address is, for the organisation */
};

static int refuse_password(struct error *err)
{
    return error_set(err, ERR_ACCEPT_SIGNED_IN,
                     "There is an account with this address: sign in to accept the invitation.");
}

/* ---- the link ---- */

static int find_invitation(struct authd *d, const struct request *req, struct uuid id,
                           const uint8_t secret[static SECRET_HASH_SIZE], struct invited *ret,
                           struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    bool by_sign_up;

    if (db_query(d->svc.db, req, SQL_INVITATION_SHOW, &res, err, DB_UUID(id),
                 DB_BYTES(secret, SECRET_HASH_SIZE), DB_INT(req->now_ms)) < 0)
        return -1;
    if (db_rows(res) == 0)
        return link_invalid(err);
    by_sign_up = db_bool(res, 0, 4);
    *ret = (struct invited){.id = id,
                            .role = arena_strdup(req->arena, db_text(res, 0, 1)),
                            .email = arena_strdup(req->arena, db_text(res, 0, 2)),
                            .admin = db_bool(res, 0, 3) && !by_sign_up};
    if (tenant_open_id(d, req, db_uuid(res, 0, 0), &ret->tenant, err) < 0)
        return err->code == ERR_NOT_FOUND ? link_invalid(err) : -1;
    ret->organization = email_organization(&ret->tenant);
    ret->inviter = by_sign_up || db_is_null(res, 0, 5)
                       ? ret->tenant.name
                       : arena_strdup(req->arena, db_text(res, 0, 5));
    return 0;
}

/* A row of SQL_INVITATION_ACCOUNT_FIND or SQL_INVITATION_OWNER, if there is one. */
static void read_account(const struct db_result *res, struct uuid *ret, bool *ret_proven)
{
    *ret = db_rows(res) > 0 ? db_uuid(res, 0, 0) : (struct uuid){""};
    *ret_proven = db_rows(res) > 0 && db_bool(res, 0, 1);
}

/* Finds what the link leads to and leaves it as it is. Fails: BAD_REQUEST (it leads nowhere). */
static int find(struct authd *d, const struct request *req, struct uuid id,
                const uint8_t secret[static SECRET_HASH_SIZE], struct invited *ret,
                struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;

    if (find_invitation(d, req, id, secret, ret, err) < 0 ||
        db_query(d->svc.db, req, SQL_INVITATION_ACCOUNT_FIND, &res, err, DB_TEXT(ret->role),
                 DB_UUID(ret->tenant.projectId), DB_TEXT(ret->email), DB_INT(req->now_ms),
                 DB_UUID(ret->organization)) < 0)
        return -1;
    read_account(res, &ret->account, &ret->proven);
    return 0;
}

/* Shows what an invitation is and how it is accepted; spends nothing. Fails: BAD_REQUEST. */
int invitation_show(struct authd *d, const struct request *req, const struct invitation_link_in *in,
                    struct invitation_show_out *out, struct error *err)
{
    uint8_t secret[SECRET_HASH_SIZE];
    struct invited invited;

    secret_hash(in->secret, secret);
    if (find(d, req, in->id, secret, &invited, err) < 0)
        return -1;
    *out = (struct invitation_show_out){.email = invited.email,
                                        .projectName = invited.tenant.name,
                                        .inviterName = invited.inviter,
                                        .accept = invited.proven ? "sign-in" : "set-password"};
    return 0;
}

/* ---- what both ways have in common ---- */

/* Spends the link (by_sign_up: the one of a sign-up) for the membership of the account. Fails:
 * CONFLICT (the account was deleted meanwhile). */
static int take_membership(struct db_tx *tx, const struct request *req, const struct tenant *tenant,
                           struct uuid id, bool by_sign_up, struct uuid account, struct uuid *ret,
                           struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    struct uuid project = tenant->projectId;
    struct sql_audit audit =
        audit_row(req, &(struct audit){.action = "invitation.accept",
                                       .project = project,
                                       .account = account,
                                       .type = "Invitation",
                                       .id = id,
                                       .detail = by_sign_up ? "sign-up" : NULL});
    int rc;

    if (by_sign_up)
        rc = db_tx_query(tx, SQL_SIGN_UP_SPEND, &res, err, DB_UUID(project), DB_UUID(id),
                         DB_UUID(account), DB_INT(req->now_ms), DB_UUID(uuid_ordered(req->now_ms)),
                         DB_UUID(uuid_random()), DB_UUID(tenant->defaultPractitionerPolicy),
                         DB_AUDIT(audit));
    else
        rc = db_tx_query(tx, SQL_INVITATION_SPEND, &res, err, DB_UUID(project), DB_UUID(id),
                         DB_UUID(account), DB_INT(req->now_ms), DB_AUDIT(audit));
    if (rc < 0)
        return -1;
    *ret = db_uuid(res, 0, 0);
    return 0;
}

/* Holds the invitation of the link until the commit. */
static int hold(struct db_tx *tx, const struct request *req, struct uuid project, struct uuid id,
                const uint8_t secret[static SECRET_HASH_SIZE], struct db_result **ret,
                struct error *err)
{
    if (db_tx_query(tx, SQL_INVITATION_LOCK, ret, err, DB_UUID(project), DB_UUID(id),
                    DB_BYTES(secret, SECRET_HASH_SIZE), DB_INT(req->now_ms)) < 0)
        return -1;
    return db_rows(*ret) > 0 ? 0 : link_invalid(err); /* another request was first */
}

/* ---- signed in ---- */

/* A project that asks its people for a second factor takes in none without; one whose session has
 * none while its own project asks for it does nothing but set one up. */
static int check_factor(struct authd *d, const struct request *req, const struct invited *invited,
                        struct error *err)
{
    struct tenant own;

    if (req->caller->secondFactor)
        return 0;
    if (tenant_open_id(d, req, req->caller->project, &own, err) < 0)
        return -1;
    if (!account_policy_requires_mfa(invited->tenant.accountPolicy, invited->role,
                                     invited->admin) &&
        !account_policy_requires_mfa(own.accountPolicy, req->caller->role, req->caller->admin))
        return 0;
    return error_set(err, ERR_MFA_ENROLLMENT_REQUIRED,
                     "The project asks for a second factor: set one up first.");
}

/* Makes the caller a member, or gives the member that the caller is what the invitation gives. */
static int join(struct authd *d, const struct request *req, const struct invited *invited,
                const uint8_t secret[static SECRET_HASH_SIZE], struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *held = NULL;
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    struct session_ended changed = {.count = 0};
    struct uuid membership;

    if (db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        hold(tx, req, invited->tenant.projectId, invited->id, secret, &held, err) < 0)
        return -1;
    if (take_membership(tx, req, &invited->tenant, invited->id, db_bool(held, 0, 2),
                        req->caller->account, &membership, err) < 0) {
        if (err->code != ERR_CONFLICT)
            return -1;
        error_clear(err); /* the account was deleted at this moment */
        return link_invalid(err);
    }
    if (session_ended_membership(tx, req, membership, &changed, err) < 0 || db_commit(&tx, err) < 0)
        return -1;
    return session_revocation_wait(d, req, &changed, err);
}

/* Accepts an invitation for the account that the caller is signed in with. Fails: BAD_REQUEST (the
 * link is over or for another account), ACCEPT_BY_PASSWORD (this account's address is not proven),
 * MFA_ENROLLMENT_REQUIRED. */
int invitation_accept(struct authd *d, const struct request *req,
                      const struct invitation_link_in *in, struct nothing *out UNUSED,
                      struct error *err)
{
    uint8_t secret[SECRET_HASH_SIZE];
    struct invited invited;

    secret_hash(in->secret, secret);
    if (find(d, req, in->id, secret, &invited, err) < 0)
        return -1;
    if (!uuid_equal(&invited.account, &req->caller->account))
        return link_invalid(err);
    if (!invited.proven)
        return error_set(err, ERR_ACCEPT_BY_PASSWORD,
                         "The account's address is not proven: set a password by the link.");
    if (check_factor(d, req, &invited, err) < 0)
        return -1;
    return join(d, req, &invited, secret, err);
}

/* ---- by a password ---- */

int acceptance_check_password(struct authd *d, const struct request *req, struct uuid id,
                              const uint8_t secret[static SECRET_HASH_SIZE], struct error *err)
{
    struct invited invited;

    if (find(d, req, id, secret, &invited, err) < 0)
        return -1;
    return invited.proven ? refuse_password(err) : 0;
}

static int account_gone(struct error *err)
{
    return error_retry(err, ERR_UNAVAILABLE, 1,
                       "The account was deleted meanwhile. Please try again.");
}

/* The account that accepts what is `held`: a new one, or the one that has this role and e-mail by
 * now. *ret_found: it was there. */
static int take_account(struct db_tx *tx, const struct request *req, struct uuid id,
                        const struct db_result *held, struct credential_owner *owner,
                        bool *ret_found, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *made = NULL;
    CLEANUP(db_result_destroy) struct db_result *found = NULL;
    struct uuid fresh = uuid_ordered(req->now_ms), project = owner->tenant.projectId;
    bool proven;

    if (db_tx_query(tx, SQL_INVITATION_ACCOUNT, &made, err, DB_UUID(project), DB_UUID(id),
                    DB_UUID(fresh), DB_INT(req->now_ms)) < 0 ||
        db_tx_query(tx, SQL_INVITATION_OWNER, &found, err, DB_TEXT(db_text(held, 0, 0)),
                    DB_UUID(project), DB_TEXT(db_text(held, 0, 1)), DB_INT(req->now_ms),
                    DB_UUID(owner->organization)) < 0)
        return -1;
    read_account(found, &owner->account, &proven);
    if (!uuid_is_set(&owner->account))
        return account_gone(err);
    *ret_found = !uuid_equal(&owner->account, &fresh);
    return proven ? refuse_password(err) : 0;
}

/* An account whose date has come does not accept anything any more. */
static int remove_over(struct authd *d, const struct request *req, struct uuid project,
                       struct uuid id, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *over = NULL;

    if (db_query(d->svc.db, req, SQL_INVITATION_OVER, &over, err, DB_UUID(project), DB_UUID(id),
                 DB_INT(req->now_ms)) < 0)
        return -1;
    if (db_rows(over) == 0)
        return 0;
    return deletion_execute(d, req, db_uuid(over, 0, 0), db_uuid(over, 0, 1), err);
}

int acceptance_by_password(struct authd *d, const struct request *req, struct uuid id,
                           const uint8_t secret[static SECRET_HASH_SIZE],
                           struct credential_owner *owner, const char *password_hash,
                           struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *held = NULL;
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    struct uuid project = owner->tenant.projectId, membership;
    bool found = false;

    if (remove_over(d, req, project, id, err) < 0 ||
        db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        hold(tx, req, project, id, secret, &held, err) < 0)
        return -1;
    if (take_account(tx, req, id, held, owner, &found, err) < 0)
        return -1;
    if (take_membership(tx, req, &owner->tenant, id, db_bool(held, 0, 2), owner->account,
                        &membership, err) < 0) {
        if (err->code != ERR_CONFLICT)
            return -1;
        error_clear(err);
        return account_gone(err);
    }
    if (email_claim(tx, req, owner, EMAIL_BY_INVITATION, password_hash, err) < 0)
        return -1;
    if (!found)
        return db_commit(&tx, err);
    owner->joined = membership;
    return credential_change_commit(d, req, &tx, owner, "Password", (struct uuid){""}, err);
}
