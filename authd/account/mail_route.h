/*
 * mail_route.h - by whose template a link is mailed, and to whose pages it leads.
 *
 * Who runs the pages that a link leads to, or writes the mail, can read the link. So a tenant
 * mails links only to the accounts that it owns (ownership.h). To all others the installation does,
 * with its own template and pages (account_app_url, or the hosted ones).
 */
#ifndef ATRIUM_AUTHD_ACCOUNT_MAIL_ROUTE_H
#define ATRIUM_AUTHD_ACCOUNT_MAIL_ROUTE_H

#include "authd/mail.h"
#include "common/domain/role.h"

struct mail_route {
    const struct tenant *tenant; /* borrowed; NULL: the installation */
    const char *app;             /* that links lead to; NULL: there is none */
    struct uuid organization;    /* that a proof by the link counts for; absent: for all */
};

/* The installation's route. */
void mail_route_installation(const struct authd *d, const struct request *req,
                             struct mail_route *ret);

/* The route of a link to one who belongs to the tenant alone. */
void mail_route_own(const struct authd *d, const struct request *req, const struct tenant *tenant,
                    enum role role, struct mail_route *ret);

/* The route of a link that was asked for in the tenant. A patient's account belongs to the tenant.
 * Parks. */
int mail_route_find(struct authd *d, const struct request *req, const struct tenant *tenant,
                    enum role role, struct uuid account, struct mail_route *ret,
                    struct error *err) MUST_USE;

#endif
