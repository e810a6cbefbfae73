/*
 * email_change.h - another e-mail address for an account: asked for in a session with a fresh
 * proof, confirmed by a link to the new address, taken back by a link to the old one.
 * email_change.c holds the handlers email_change and email_undo.
 */
#ifndef ATRIUM_AUTHD_ACCOUNT_EMAIL_CHANGE_H
#define ATRIUM_AUTHD_ACCOUNT_EMAIL_CHANGE_H

#include "authd/account/email_link.h"
#include "authd/account/ownership.h"
#include "common/domain/role.h"
#include "settingsd/tenant_api.h"

/* A link that is still good, and whose it is. Texts are the request's. */
struct email_held {
    struct uuid id; /* of the link */
    uint8_t secret[SECRET_HASH_SIZE];
    bool change;               /* to `to`; else it proves the address that the account has */
    struct uuid account, home; /* home: a patient's project */
    enum role role;
    const char *email, *to, *display, *hash;
    int64_t changes;
    struct tenant tenant;     /* that mailed it; empty: the installation did */
    struct uuid organization; /* that it proves the address for; absent: for all */
    struct ownership found;   /* why the link may still do this */
};

/* Gives the account the new address, which the link has proven: in one transaction the link is
 * spent, links of the old address end, and a link to take the change back is mailed to that. The
 * new address counts as verified for those for whom the old one did, and for no one else: the
 * change was asked for in a session, which a tenant's application can use. All sessions but the
 * caller's own end. by_password: the owner has shown the password link->hash, not a session. Fails:
 * BAD_REQUEST (the link is spent, or the address is taken by now). Parks. */
int email_change_apply(struct authd *d, const struct request *req, const struct email_held *link,
                       bool by_password, struct error *err) MUST_USE;

/* What email_undo does. *ret_tenant: the code of the tenant that the account belongs to, whose page
 * sets another password; NULL: the installation's does. Fails: BAD_REQUEST. Parks. */
int email_change_undo(struct authd *d, const struct request *req, const struct email_undo_in *in,
                      const char **ret_tenant, struct error *err) MUST_USE;

#endif
