/*
 * mail_route.h - the sender of a link, and the pages to which it leads.
 *
 * The people who run the pages or write the email can read the link. So a tenant sends links only
 * to accounts that it owns (ownership.h), and the installation sends all others.
 */
#ifndef ATRIUM_AUTHD_ACCOUNT_MAIL_ROUTE_H
#define ATRIUM_AUTHD_ACCOUNT_MAIL_ROUTE_H

#include "authd/mail.h"
#include "common/domain/role.h"

struct mail_route {
    const struct tenant *tenant; /* borrowed; NULL: the installation */
    const char *app;             /* the pages' URL; NULL: none */
    struct uuid organization;    /* for which the link verifies the address; absent: all */
};

void mail_route_installation(const struct authd *d, const struct request *req,
                             struct mail_route *ret);

/* Returns the route for an account that belongs only to the tenant. */
void mail_route_own(const struct authd *d, const struct request *req, const struct tenant *tenant,
                    enum role role, struct mail_route *ret);

/* Finds the route of a link that was requested in the tenant. A patient's account always belongs to
 * the tenant; a practitioner's may not (ownership.h). Parks. */
int mail_route_find(struct authd *d, const struct request *req, const struct tenant *tenant,
                    enum role role, struct uuid account, struct mail_route *ret,
                    struct error *err) MUST_USE;

#endif
