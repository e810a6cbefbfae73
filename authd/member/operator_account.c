/*
 * operator_account.c - an operator's actions on a practitioner's account.
 *
 * One tenant can't change an account in several organizations (ownership.h). Its owner uses the
 * installation's pages. Without these, the owner asks the operator, who verifies the person. The
 * audit log has the reason, and the owner gets an email.
 */
#include "authd/account/credential.h"
#include "authd/account/deletion.h"
#include "authd/account/ownership.h"
#include "authd/mail.h"
#include "authd/member/member.h"
#include "authd/operation_api.h"
#include "authd/passkey/passkey.h"
#include "authd/passkey/passkey_api.h"
#include "authd/signin/mfa.h"
#include "authd/sql/account.h"
#include "common/base/clock.h"
#include "settingsd/settingsd_api.h"
#include "settingsd/tenant_api.h"

enum { DATE_LENGTH = 10 /* "2026-01-31" */ };

static const enum role role = ROLE_PRACTITIONER;
static const struct ownership everyones = {.owned = true, .installation = true};

static int find(struct authd *d, const struct request *req, const char *email,
                struct credential_link_owner *ret, bool *ret_locked, struct error *err)
{
    const struct sql_account_find_practitioner_in in = {.email = email, .now = req->now_ms};
    struct sql_account_find_practitioner_row row = {.active = false};

    if (sql_account_find_practitioner(d->svc.db, req, &in, &row, err) < 0)
        return -1;
    if (!row.active)
        return error_set(err, ERR_NOT_FOUND, "Account not found.");
    *ret = (struct credential_link_owner){row.id, role, email, row.name, row.surname};
    *ret_locked = row.locked;
    return 0;
}

/* Finds the owner of the credential to change. */
static int find_owner(struct authd *d, const struct request *req, const char *email,
                      struct credential_owner *ret, struct error *err)
{
    struct credential_link_owner found;
    bool locked;

    if (find(d, req, email, &found, &locked, err) < 0)
        return -1;
    *ret = (struct credential_owner){.account = found.id,
                                     .email = email,
                                     .display = arena_printf(req->arena, "%s %s", found.name,
                                                             found.surname),
                                     .shared = true};
    return 0;
}

/* Finds the owner and begins a transaction that locks the account. */
static int begin_change(struct authd *d, const struct request *req, const char *email,
                        struct credential_owner *ret, struct db_tx **ret_tx, struct error *err)
{
    if (find_owner(d, req, email, ret, err) < 0 ||
        db_begin(d->svc.db, req->deadline_mono_ms, ret_tx, err) < 0)
        return -1;
    return ownership_hold(d, *ret_tx, req, ret->account, &everyones, err);
}

/* Emails the installation's link to set a password, or a code if the installation has no pages. */
int operator_account_reset(struct authd *d, const struct request *req,
                           const struct operator_account_in *in, struct nothing *out UNUSED,
                           struct error *err)
{
    struct credential_link_owner owner;
    bool locked, admitted;

    if (find(d, req, in->email, &owner, &locked, err) < 0)
        return -1;
    if (locked)
        return error_set(err, ERR_CONFLICT, "The account is locked.");
    if (mail_admit(d, req, in->email, &admitted, err) < 0)
        return -1;
    if (!admitted)
        return error_set(err, ERR_THROTTLED,
                         "Too many emails were sent to this address. Please try again later.");
    return credential_send_link(d, req, NULL, &owner, in->reason, err);
}

/* BAD_REQUEST: no second factor, and there are pages to set one up. */
int operator_account_mfa_reset(struct authd *d, const struct request *req,
                               const struct operator_account_in *in, struct nothing *out UNUSED,
                               struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    struct credential_owner owner;

    if (begin_change(d, req, in->email, &owner, &tx, err) < 0)
        return -1;
    return mfa_reset(d, req, &tx, &owner, role, in->reason, err);
}

int operator_account_passkeys(struct authd *d, const struct request *req,
                              const struct operator_account_in *in, struct passkey_list *out,
                              struct error *err)
{
    struct credential_owner owner;

    return find_owner(d, req, in->email, &owner, err) < 0
               ? -1
               : passkey_list_of(d, req, owner.account, out, err);
}

int operator_account_passkey_remove(struct authd *d, const struct request *req,
                                    const struct operator_account_passkey_in *in,
                                    struct nothing *out UNUSED, struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    struct credential_owner owner;

    if (begin_change(d, req, in->email, &owner, &tx, err) < 0)
        return -1;
    return passkey_remove(d, req, &tx, &owner, in->id, in->reason, err);
}

/* Ends a membership, even if it is locked or the project suspended. */
int operator_account_leave(struct authd *d, const struct request *req,
                           const struct operator_account_leave_in *in, struct nothing *out UNUSED,
                           struct error *err)
{
    const struct tenant_lookup_in which = tenant_lookup_from_text(in->tenantCode);
    struct tenant tenant = {.name = NULL};
    struct credential_owner owner;
    struct mail notice;
    char date[25];

    if (find_owner(d, req, in->email, &owner, err) < 0 ||
        settingsd_tenant_lookup(d->svc.bus, req, &which, &tenant, err) < 0)
        return -1;
    clock_format_iso(req->now_ms, date);
    notice = (struct mail){.template = "MEMBERSHIP_ENDED",
                           .to = owner.email,
                           .display = owner.display,
                           .variables = {{"organization", tenant.name},
                                         {"date", arena_strndup(req->arena, date, DATE_LENGTH)}}};
    return member_remove_for(d, req, owner.account, tenant.projectId, in->reason, &notice, err);
}

int operator_account_delete(struct authd *d, const struct request *req,
                            const struct operator_account_delete_in *in, struct nothing *out UNUSED,
                            struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    struct deletion_order order = {
        .role = role, .reason = in->reason, .days = in->days, .wipe = in->wipe, .mailed = true};
    struct credential_owner owner;

    if (find_owner(d, req, in->email, &owner, err) < 0 ||
        db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0)
        return -1;
    order.account = owner.account;
    return deletion_by_admin(d, req, &tx, &order, err);
}
