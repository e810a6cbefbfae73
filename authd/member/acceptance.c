/*
 * acceptance.c - see acceptance.h.
 */
#include "authd/member/acceptance.h"

#include "authd/account/credential.h"
#include "authd/account/deletion.h"
#include "authd/account/email_verified.h"
#include "authd/account/enforced.h"
#include "authd/account/ownership.h"
#include "authd/credential/link.h"
#include "authd/member/member_api.h"
#include "authd/session/account_session.h"
#include "authd/session/address_key.h"
#include "authd/session/session.h"
#include "authd/sql/account.h"
#include "authd/sql/account_session.h"
#include "authd/sql/member.h"
#include "authd/tenant.h"
#include "common/service/audit.h"
#include "settingsd/policy_api.h"
#include "settingsd/tenant_api.h"

/* An invitation found by its link, with the invited account. */
struct invited {
    struct uuid id;
    enum role role;
    const char *email;
    const char *inviter; /* display name, or the project's name */
    bool admin;          /* accepting makes an admin */
    struct tenant tenant;
    struct uuid organization;
    struct uuid account; /* not set: no account */
    bool verified;       /* the email address, for this organization */
    bool verified_for_all;
    bool verified_elsewhere; /* for another organization, or for all */
    struct ownership found;  /* does the project own the account? */
};

/* The link alone is enough for a new account, and for one that only the project owns and that is
 * verified for no one else. */
static bool accepts_by_password(const struct invited *invited)
{
    return !uuid_is_set(&invited->account) ||
           (invited->found.owned && !invited->verified_elsewhere);
}

static int refuse_password(struct error *err)
{
    return error_set(
        err, ERR_ACCEPT_SIGNED_IN,
        "There is an account with this email address. Sign in to accept the invitation.");
}

/* ---- the link ---- */

static int find_invitation(struct authd *d, const struct request *req, struct uuid id,
                           const uint8_t secret[static SECRET_HASH_SIZE], struct invited *ret,
                           struct error *err)
{
    const struct sql_invitation_show_in show = {
        .id = id, .secret_hash = {secret, SECRET_HASH_SIZE}, .now = req->now_ms};
    struct sql_invitation_show_row row;

    if (link_require(sql_invitation_show(d->svc.db, req, &show, &row, err), err) < 0)
        return -1;
    *ret = (struct invited){
        .id = id, .role = row.role, .email = row.email, .admin = row.admin && !row.by_sign_up};
    if (tenant_open_id(d, req, row.project, &ret->tenant, err) < 0)
        return err->code == ERR_NOT_FOUND ? link_invalid(err) : -1;
    ret->organization = tenant_organization(&ret->tenant);
    ret->inviter = row.by_sign_up || !row.inviter ? ret->tenant.name : row.inviter;
    return 0;
}

/* Finds the link's invitation and account, and changes nothing. */
static int find(struct authd *d, const struct request *req, struct uuid id,
                const uint8_t secret[static SECRET_HASH_SIZE], struct invited *ret,
                struct error *err)
{
    struct sql_invitation_account_in account = {.now = req->now_ms};
    struct sql_invitation_account_row row = {.verified = false};

    if (find_invitation(d, req, id, secret, ret, err) < 0)
        return -1;
    account.role = ret->role;
    account.project = ret->tenant.projectId;
    account.email = ret->email;
    account.organization = ret->organization;
    if (sql_invitation_account(d->svc.db, req, &account, &row, err) < 0)
        return -1;
    ret->account = row.id;
    ret->verified = row.verified;
    ret->verified_for_all = row.verified_for_all;
    ret->verified_elsewhere = row.verified_elsewhere;
    address_key_load(d, req, row.id);
    return uuid_is_set(&row.id)
               ? ownership_find(d, req, row.id, ret->tenant.projectId, &ret->found, err)
               : 0;
}

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
                                        .accept = accepts_by_password(&invited) ? "set-password"
                                                                                : "sign-in"};
    return 0;
}

/* ---- what both ways have in common ---- */

/* Uses the link for a membership of the account. `by_sign_up`: the link is from a sign-up.
 * CONFLICT: the account was deleted meanwhile. */
static int take_membership(struct db_tx *tx, const struct request *req, const struct tenant *tenant,
                           struct uuid id, bool by_sign_up, struct uuid account, struct uuid *ret,
                           struct error *err)
{
    const struct audit audit = {.action = "invitation.accept",
                                .project = tenant->projectId,
                                .account = account,
                                .type = "Invitation",
                                .id = id,
                                .detail = by_sign_up ? "sign-up" : NULL};
    const struct sql_invitation_spend_in spend = {.project = tenant->projectId,
                                                  .id = id,
                                                  .account = account,
                                                  .now = req->now_ms,
                                                  .audit = audit_row(req, &audit)};
    const struct sql_invitation_spend_sign_up_in sign_up = {.project = tenant->projectId,
                                                            .id = id,
                                                            .account = account,
                                                            .now = req->now_ms,
                                                            .new = uuid_ordered(req->now_ms),
                                                            .profile = uuid_random(),
                                                            .policy =
                                                                tenant->defaultPractitionerPolicy,
                                                            .audit = spend.audit};
    struct sql_invitation_spend_sign_up_row joined;
    struct sql_invitation_spend_row row;
    int spent = by_sign_up ? sql_invitation_spend_sign_up(tx, req, &sign_up, &joined, err)
                           : sql_invitation_spend(tx, req, &spend, &row, err);

    if (link_require(spent, err) < 0)
        return -1;
    *ret = by_sign_up ? joined.membership : row.membership;
    return 0;
}

/* Locks the link's invitation until the commit. BAD_REQUEST: another request was first. */
static int lock(struct db_tx *tx, const struct request *req, struct uuid project, struct uuid id,
                const uint8_t secret[static SECRET_HASH_SIZE], struct sql_invitation_lock_row *ret,
                struct error *err)
{
    const struct sql_invitation_lock_in in = {.project = project,
                                              .id = id,
                                              .secret_hash = {secret, SECRET_HASH_SIZE},
                                              .now = req->now_ms};

    return link_require(sql_invitation_lock(tx, req, &in, ret, err), err);
}

/* ---- signed in ---- */

/* Members need the second factor that the invitation's project requires. A session that lacks the
 * second factor of its own project can only set one up. */
static int check_factor(struct authd *d, const struct request *req, const struct invited *invited,
                        struct error *err)
{
    struct tenant own;

    if (req->caller->secondFactor)
        return 0;
    own = invited->tenant; /* kept if the session has no project (installation's pages) */
    if (!account_session_is(req) && tenant_open_id(d, req, req->caller->project, &own, err) < 0)
        return -1;
    if (!account_policy_requires_mfa(invited->tenant.accountPolicy, invited->role,
                                     invited->admin) &&
        !account_policy_requires_mfa(own.accountPolicy, req->caller->role, req->caller->admin))
        return 0;
    return error_set(err, ERR_MFA_ENROLLMENT_REQUIRED,
                     "The project requires a second factor. Set one up first.");
}

/* Makes the caller a member, or adds what the invitation grants to an existing membership. */
static int join(struct authd *d, const struct request *req, const struct invited *invited,
                const uint8_t secret[static SECRET_HASH_SIZE], struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    struct sql_invitation_lock_row locked;
    struct session_ended changed = {.count = 0};
    struct uuid membership;
    struct db_array above;

    if (tenant_ancestors(d, req, invited->tenant.projectId, &above, err) < 0 ||
        db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        lock(tx, req, invited->tenant.projectId, invited->id, secret, &locked, err) < 0)
        return -1;
    if (ownership_join(tx, req, req->caller->account, above, err) < 0)
        return err->code == ERR_NOT_FOUND ? link_invalid(err) : -1;
    if (take_membership(tx, req, &invited->tenant, invited->id, locked.by_sign_up,
                        req->caller->account, &membership, err) < 0) {
        if (err->code != ERR_CONFLICT)
            return -1;
        error_clear(err); /* account deleted meanwhile */
        return link_invalid(err);
    }
    if (session_ended_membership(tx, req, membership, &changed, err) < 0 || db_commit(&tx, err) < 0)
        return -1;
    return session_revocation_wait(d, req, &changed, err);
}

/* Accepts for the signed-in account. BAD_REQUEST: expired, or for another account.
 * ACCEPT_BY_PASSWORD: the project owns the account, which isn't verified. EMAIL_NOT_VERIFIED: other
 * accounts must be verified for all, because someone else may have made them. */
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
    if (!invited.found.owned && !invited.verified_for_all)
        return email_refuse_unverified(d, req, err);
    if (invited.found.owned && !invited.verified)
        return error_set(
            err, ERR_ACCEPT_BY_PASSWORD,
            "There is no verified account with this address: set a password with the link.");
    if (check_factor(d, req, &invited, err) < 0)
        return -1;
    return join(d, req, &invited, secret, err);
}

/* ---- by a password ---- */

int acceptance_check_password(struct authd *d, const struct request *req, struct uuid id,
                              const uint8_t secret[static SECRET_HASH_SIZE], struct error *err)
{
    struct enforced_person person;
    struct invited invited;
    bool enforced;

    if (find(d, req, id, secret, &invited, err) < 0)
        return -1;
    person = (struct enforced_person){invited.account, invited.role, invited.email};
    if (enforced_check(d, req, invited.tenant.projectId, &person, &enforced, err) < 0)
        return -1;
    if (enforced)
        return link_invalid(err);
    return accepts_by_password(&invited) ? 0 : refuse_password(err);
}

static int account_gone(struct error *err)
{
    return error_retry(err, ERR_UNAVAILABLE, 1,
                       "The account has just been deleted. Please try again.");
}

/* The account to create if the address has none. */
struct new_account {
    struct uuid id;
    struct sql_address_key_insert keys;
};

/* Makes the account, or finds the one that now has this role and email address. *ret_found: it
 * existed. An existing account must be `seen`, the one that was found before. */
static int take_account(struct db_tx *tx, const struct request *req, struct uuid id,
                        const struct new_account *new, const struct sql_invitation_lock_row *locked,
                        const struct invited *seen, struct credential_owner *owner, bool *ret_found,
                        struct error *err)
{
    const struct sql_invitation_create_account_in create = {.project = owner->tenant.projectId,
                                                            .id = id,
                                                            .account = new->id,
                                                            .now = req->now_ms,
                                                            .address_key_insert = new->keys};
    const struct sql_invitation_account_in find = {.role = locked->role,
                                                   .project = owner->tenant.projectId,
                                                   .email = locked->email,
                                                   .now = req->now_ms,
                                                   .organization = owner->organization};
    struct sql_invitation_account_row row = {.verified = false};

    if (sql_invitation_create_account(tx, req, &create, err) < 0 ||
        sql_invitation_account_tx(tx, req, &find, &row, err) < 0)
        return -1;
    owner->account = row.id;
    if (!uuid_is_set(&row.id))
        return account_gone(err);
    *ret_found = !uuid_equal(&row.id, &create.account);
    if (!*ret_found)
        return 0;
    return row.verified_elsewhere || !uuid_equal(&row.id, &seen->account) ? refuse_password(err)
                                                                          : 0;
}

/* Locks the account, which only the project must own. */
static int hold_own(const struct authd *d, struct db_tx *tx, const struct request *req,
                    const struct credential_owner *owner, const struct invited *seen,
                    struct error *err)
{
    if (ownership_hold(d, tx, req, owner->account, &seen->found, err) == 0)
        return 0;
    if (err->code != ERR_ACCOUNT_SHARED)
        return -1;
    error_clear(err);
    return refuse_password(err);
}

/* Deletes an account whose deletion is due, because it can't accept anything. */
static int remove_over(struct authd *d, const struct request *req, struct uuid project,
                       struct uuid id, struct error *err)
{
    const struct sql_invitation_account_over_in in = {
        .project = project, .id = id, .now = req->now_ms};
    struct sql_invitation_account_over_row over;
    int found = sql_invitation_account_over(d->svc.db, req, &in, &over, err);

    if (found <= 0)
        return found;
    return deletion_execute(d, req, over.account, over.schedule, err);
}

int acceptance_by_password(struct authd *d, const struct request *req, struct uuid id,
                           const uint8_t secret[static SECRET_HASH_SIZE],
                           struct credential_owner *owner, const char *password_hash,
                           struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    struct uuid project = owner->tenant.projectId, membership;
    struct sql_invitation_lock_row locked;
    struct new_account new = {.id = uuid_ordered(req->now_ms)};
    struct invited seen;
    bool found = false;

    new.keys = address_key_draft(d, req, new.id);
    if (remove_over(d, req, project, id, err) < 0 || find(d, req, id, secret, &seen, err) < 0 ||
        db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        lock(tx, req, project, id, secret, &locked, err) < 0)
        return -1;
    if (take_account(tx, req, id, &new, &locked, &seen, owner, &found, err) < 0 ||
        (found && hold_own(d, tx, req, owner, &seen, err) < 0))
        return -1;
    if (take_membership(tx, req, &owner->tenant, id, locked.by_sign_up, owner->account, &membership,
                        err) < 0) {
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

/* ---- without the link ---- */

/* Returns the caller's email address, which must be verified for all. */
static int own_email(struct authd *d, const struct request *req, const char **ret,
                     struct error *err)
{
    const struct sql_email_is_verified_in in = {.account = req->caller->account};
    const struct sql_account_get_in get = {.account = req->caller->account};
    struct sql_email_is_verified_row verified;
    struct sql_account_get_row row;

    if (sql_require(sql_account_get(d->svc.db, req, &get, &row, err), err, ERR_UNAUTHORIZED,
                    "Unauthorized") < 0 ||
        sql_email_is_verified(d->svc.db, req, &in, &verified, err) < 0)
        return -1;
    *ret = row.email;
    return verified.verified ? 0 : email_refuse_unverified(d, req, err);
}

static int lock_own(struct db_tx *tx, const struct request *req, struct uuid project,
                    struct uuid id, const char *email, struct error *err)
{
    const struct sql_account_invitation_lock_in in = {
        .project = project, .id = id, .email = email, .now = req->now_ms};

    return sql_require(sql_account_invitation_lock(tx, req, &in, err), err, ERR_NOT_FOUND,
                       "Invitation not found.");
}

int acceptance_by_owner(struct authd *d, const struct request *req, struct uuid project,
                        struct uuid id, struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    struct session_ended changed = {.count = 0};
    struct invited invited = {.role = ROLE_PRACTITIONER};
    struct uuid membership;
    struct db_array above;
    const char *email;

    if (own_email(d, req, &email, err) < 0 ||
        tenant_open_id(d, req, project, &invited.tenant, err) < 0 ||
        check_factor(d, req, &invited, err) < 0 ||
        tenant_ancestors(d, req, project, &above, err) < 0 ||
        db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        lock_own(tx, req, project, id, email, err) < 0 ||
        ownership_join(tx, req, req->caller->account, above, err) < 0 ||
        take_membership(tx, req, &invited.tenant, id, false, req->caller->account, &membership,
                        err) < 0 ||
        session_ended_membership(tx, req, membership, &changed, err) < 0 || db_commit(&tx, err) < 0)
        return -1;
    return session_revocation_wait(d, req, &changed, err);
}

int acceptance_decline(struct authd *d, const struct request *req, struct uuid project,
                       struct uuid id, struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    const struct sql_invitation_withdraw_in withdraw = {
        .project = project,
        .id = id,
        .audit = audit_row(req, &(struct audit){.action = "invitation.withdraw",
                                                .project = project,
                                                .type = "Invitation",
                                                .id = id,
                                                .detail = "declined"})};
    const char *email;

    if (own_email(d, req, &email, err) < 0 ||
        db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        lock_own(tx, req, project, id, email, err) < 0 ||
        sql_invitation_withdraw_tx(tx, req, &withdraw, err) < 0)
        return -1;
    return db_commit(&tx, err);
}
