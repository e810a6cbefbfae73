/*
 * email_change.h - changes of an account's email address: requested in a session with a fresh
 * proof, confirmed by a link to the new address, undone by a link to the old one. email_change.c
 * has the handlers too.
 */
#ifndef ATRIUM_AUTHD_ACCOUNT_EMAIL_CHANGE_H
#define ATRIUM_AUTHD_ACCOUNT_EMAIL_CHANGE_H

#include "authd/account/email_link.h"
#include "authd/account/ownership.h"
#include "common/domain/role.h"
#include "settingsd/tenant_api.h"

/* A valid link. Texts belong to the request. */
struct email_held {
    struct uuid id;
    uint8_t secret[SECRET_HASH_SIZE];
    bool change;               /* changes the address to `to`; false: verifies the current one */
    struct uuid account, home; /* home: a patient's project */
    enum role role;
    const char *email, *to, *display, *hash;
    int64_t changes;
    struct tenant tenant;     /* the sender of the link; empty: the installation */
    struct uuid organization; /* for which the link verifies the address; absent: all */
    struct ownership found;   /* checked again when the link is redeemed */
};

/* Emails the link of a change to owner->email, if no other account has that address. The address
 * changes when the owner redeems the link. Parks. */
int email_change_send(struct authd *d, const struct request *req, const struct tenant *tenant,
                      const struct mail_route *route, const struct email_owner *owner,
                      struct error *err) MUST_USE;

/* Changes the address, which the link has verified, spends the link, deletes the old address's
 * links and emails an undo link to the old address. The new address counts as verified only where
 * the old one did, because a tenant's application could have requested the change. Ends all other
 * sessions. by_password: the owner has no session, and gave the password of link->hash instead.
 * Fails: BAD_REQUEST (link spent, or address taken). Parks. */
int email_change_apply(struct authd *d, const struct request *req, const struct email_held *link,
                       bool by_password, struct error *err) MUST_USE;

/* Implements email_undo. *ret_tenant: code of the tenant whose page sets the new password; NULL:
 * the installation's page. Fails: BAD_REQUEST. Parks. */
int email_change_undo(struct authd *d, const struct request *req, const struct email_undo_in *in,
                      const char **ret_tenant, struct error *err) MUST_USE;

#endif
