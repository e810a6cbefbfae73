/*
 * email_link.h - links that verify an email address, for an account's owner (email.c) and at
 * registration (register.c).
 *
 * An account has at most one; a new link replaces it. Opening a link changes nothing. POST
 * /auth/verify-email redeems it with a sign-in, so that a click can't verify another person's
 * account.
 */
#ifndef ATRIUM_AUTHD_ACCOUNT_EMAIL_LINK_H
#define ATRIUM_AUTHD_ACCOUNT_EMAIL_LINK_H

#include "authd/account/mail_route.h"
#include "authd/credential/link.h"
#include "authd/sql_part.h"
#include "common/domain/role.h"
#include "common/service/outbox.h"

#define EMAIL_LINK_LIFE HOURS(24)

/* The owner of the address. */
struct email_owner {
    struct uuid account;
    enum role role;
    const char *email, *display;
};

/* The purpose: to verify the account's address, or to change it. */
enum email_link_kind { EMAIL_LINK_VERIFY, EMAIL_LINK_CHANGE };

/* The values that a statement writes for a link. */
struct email_link {
    struct sql_email_link_values row; /* id absent: neither link nor email */
    struct sql_outbox mail;
};

/* Creates a link on a route of mail_route_find() or mail_route_own(). For a change, or if the
 * tenant requires verified addresses, the email is sent even if no template is mapped. Without
 * pages there is no link, unless the installation is the sender: then the email has no link and
 * says whom to ask. */
void email_link_new(struct authd *d, const struct request *req, const struct tenant *tenant,
                    const struct mail_route *route, const struct email_owner *owner,
                    enum email_link_kind kind, struct email_link *ret);

#endif
