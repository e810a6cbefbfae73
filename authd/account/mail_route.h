/*
 * mail_route.h - the sender of a link's email, and the pages to which the link leads.
 *
 * The people who run these pages or write the email can read the link. So a tenant sends links only
 * to accounts that it owns (ownership.h). The installation sends all others, with its own template
 * and pages (account_app_url, or the hosted pages).
 */
#ifndef ATRIUM_AUTHD_ACCOUNT_MAIL_ROUTE_H
#define ATRIUM_AUTHD_ACCOUNT_MAIL_ROUTE_H

#include "authd/mail.h"
#include "common/domain/role.h"

struct mail_route {
    const struct tenant *tenant; /* borrowed; NULL: the installation */
    const char *app;             /* URL of the pages; NULL: none */
    struct uuid organization;    /* for which the link verifies the address; absent: all */
};

/* Returns the installation's route. */
void mail_route_installation(const struct authd *d, const struct request *req,
                             struct mail_route *ret);

/* Returns the route of a link to an account that belongs only to the tenant. */
void mail_route_own(const struct authd *d, const struct request *req, const struct tenant *tenant,
                    enum role role, struct mail_route *ret);

/* Finds the route of a link that was requested in the tenant, to which a patient's account belongs.
 * Parks. */
int mail_route_find(struct authd *d, const struct request *req, const struct tenant *tenant,
                    enum role role, struct uuid account, struct mail_route *ret,
                    struct error *err) MUST_USE;

#endif
