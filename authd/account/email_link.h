/*
 * email_link.h - links that prove an e-mail address: made for the owner of an account (email.c) and
 * at registration (register.c).
 *
 * An account has one such link; a newer one takes its place. Opening it changes nothing: it is
 * spent by POST /auth/verify-email with a sign-in, so that a click does not confirm another
 * person's account.
 */
#ifndef ATRIUM_AUTHD_ACCOUNT_EMAIL_LINK_H
#define ATRIUM_AUTHD_ACCOUNT_EMAIL_LINK_H

#include "authd/account/mail_route.h"
#include "authd/credential/link.h"
#include "authd/sql_part.h"
#include "common/domain/role.h"
#include "common/service/outbox.h"

#define EMAIL_LINK_LIFE HOURS(24)

/* Whose address it is to prove. */
struct email_owner {
    struct uuid account;
    enum role role;
    const char *email, *display;
};

/* What it is for: to prove the address that the account has, or to give it another one. */
enum email_link_kind { EMAIL_LINK_VERIFY, EMAIL_LINK_CHANGE };

/* What a statement writes for one. */
struct email_link {
    struct sql_email_link_values row; /* id absent: there is no link, and no mail */
    struct sql_outbox mail;
};

/* Makes a link for the owner, by a route that mail_route_find() or mail_route_own() yields. That of
 * a change is mailed also where no template is mapped, as is that of a proof when the tenant asks
 * for proven addresses. No link when there are no pages that it could lead to, unless the
 * installation mails it: then the mail has none and says whom to ask. */
void email_link_new(struct authd *d, const struct request *req, const struct tenant *tenant,
                    const struct mail_route *route, const struct email_owner *owner,
                    enum email_link_kind kind, struct email_link *ret);

#endif
