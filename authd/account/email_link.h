/*
 * email_link.h - links that verify an email address, for email.c and registration (register.c).
 *
 * An account has at most one; a new one replaces it. Only POST /auth/verify-email with a sign-in
 * redeems it, so that a click can't verify another person's account.
 */
#ifndef ATRIUM_AUTHD_ACCOUNT_EMAIL_LINK_H
#define ATRIUM_AUTHD_ACCOUNT_EMAIL_LINK_H

#include "authd/account/mail_route.h"
#include "authd/credential/link.h"
#include "authd/sql_part.h"
#include "common/domain/role.h"
#include "common/service/outbox.h"

#define EMAIL_LINK_LIFE HOURS(24)

struct email_owner {
    struct uuid account;
    enum role role;
    const char *email, *display;
};

enum email_link_kind { EMAIL_LINK_VERIFY, EMAIL_LINK_REGISTER, EMAIL_LINK_CHANGE };

/* The values to write for a link. */
struct email_link {
    struct sql_email_link_values row; /* if its id is absent, there is neither link nor email */
    struct sql_outbox mail;
};

/* Creates a link on a route of mail_route_find() or mail_route_own(). If the tenant has mapped no
 * template, the built-in email is sent, except at a registration with a tenant that doesn't require
 * verified addresses. Without pages there is no link; the installation's email then says whom to
 * ask. */
void email_link_new(struct authd *d, const struct request *req, const struct tenant *tenant,
                    const struct mail_route *route, const struct email_owner *owner,
                    enum email_link_kind kind, struct email_link *ret);

#endif
