/*
 * set_password.c - sets a password by an emailed link of a reset or invitation.
 *
 * One transaction changes the password, ends the account's sessions and emails its owner.
 */
#include "authd/account/account_api.h"
#include "authd/account/credential.h"
#include "authd/account/email_verified.h"
#include "authd/account/enforced.h"
#include "authd/account/ownership.h"
#include "authd/credential/link.h"
#include "authd/credential/password.h"
#include "authd/member/acceptance.h"
#include "authd/session/address_key.h"
#include "authd/sql/account.h"
#include "authd/tenant.h"

/* Finds a valid link without using it. *ret_invited: the link is from an invitation. */
static int find_link(struct authd *d, const struct request *req, struct uuid id,
                     const uint8_t hash[static SECRET_HASH_SIZE], struct credential_owner *ret,
                     bool *ret_invited, struct error *err)
{
    struct sql_password_link_get_in in = {
        .id = id, .secret_hash = {hash, SECRET_HASH_SIZE}, .now = req->now_ms};
    struct sql_password_link_get_row row;

    if (link_require(sql_password_link_get(d->svc.db, req, &in, &row, err), err) < 0)
        return -1;
    address_key_load(d, req, row.account);
    *ret_invited = !uuid_is_set(&row.account);
    *ret = (struct credential_owner){.account = row.account,
                                     .email = row.email,
                                     .display =
                                         arena_printf(req->arena, "%s %s", row.name, row.surname)};
    ret->installation = row.installation;
    if (row.installation)
        return *ret_invited ? 0 : credential_owner_mailed(d, req, ret, err);
    if (tenant_open_id(d, req, row.project, &ret->tenant, err) < 0)
        return err->code == ERR_NOT_FOUND ? link_invalid(err) : -1;
    ret->organization = tenant_organization(&ret->tenant);
    return 0;
}

/* People who must sign in with an identity provider get no password. */
static int check_enforced(struct authd *d, const struct request *req,
                          const struct credential_owner *owner, struct error *err)
{
    bool enforced;

    if (enforced_check_all(d, req, owner->account, &enforced, err) < 0)
        return -1;
    return enforced ? link_invalid(err) : 0;
}

/* Uses a reset link, which verifies the address. BAD_REQUEST: another request was first, or the
 * tenant no longer owns the account. */
static int reset_accept(struct authd *d, const struct request *req, struct uuid id,
                        const uint8_t secret[static SECRET_HASH_SIZE],
                        struct credential_owner *owner, const char *hash, struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    const struct sql_reset_redeem_in redeem = {.id = id,
                                               .secret_hash = {secret, SECRET_HASH_SIZE},
                                               .now = req->now_ms,
                                               .audit = credential_audit(req, "password.set",
                                                                         owner->tenant.projectId,
                                                                         owner->account, NULL)};
    struct ownership found;

    if (ownership_find_link(d, req, owner->account, owner->tenant.projectId, owner->installation,
                            &found, err) < 0 ||
        db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        link_require(sql_reset_redeem(tx, req, &redeem, err), err) < 0 ||
        ownership_hold_link(d, tx, req, owner->account, &found, err) < 0 ||
        email_claim(tx, req, owner, EMAIL_BY_LINK, hash, err) < 0)
        return -1;
    return credential_change_commit(d, req, &tx, owner, "Password", (struct uuid){""}, err);
}

/* Uses the link, and ends all sessions of an existing account. */
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
        (invited ? acceptance_check_password(d, req, in->id, secret, err)
                 : check_enforced(d, req, &owner, err)) < 0 ||
        credential_check_password(d, req, &owner, in->id, in->password, err) < 0 ||
        password_hash(d, req, in->password, &hash, err) < 0)
        return -1;
    secret_wipe_text(in->password);
    if (invited)
        return acceptance_by_password(d, req, in->id, secret, &owner, hash, err);
    return reset_accept(d, req, in->id, secret, &owner, hash, err);
}
