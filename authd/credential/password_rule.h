/*
 * password_rule.h - what a password must be where one is set: the account policies of the projects
 * that its account is in, of which the strictest rule of each kind counts. Unless a project sets a
 * rule, any text will do.
 */
#ifndef ATRIUM_AUTHD_CREDENTIAL_PASSWORD_RULE_H
#define ATRIUM_AUTHD_CREDENTIAL_PASSWORD_RULE_H

#include "authd/authd.h"

/* Whose password it is. Of an account that exists, or that a link leads to, the memberships are
 * looked up. */
struct password_owner {
    struct uuid account, link;   /* absent: a new account, not by a link */
    const struct tenant *tenant; /* where the password is set */
    enum role role;              /* of a new account, in that tenant; else ROLE_NONE */
    bool admin;                  /* the same */
    const char *email, *display; /* not to be the password */
};

/* 0 when the password may be set. ERR_PASSWORD_REFUSED, with a problem of `password`, when it has
 * too few code points once it is normalised, or, where a project refuses these, is a common one or
 * a word of its owner's name, of their e-mail address or of the tenant's name, or the tenant's
 * code. Parks. */
int password_rule_check(struct authd *d, const struct request *req,
                        const struct password_owner *owner, const char *password,
                        struct error *err) MUST_USE;

#endif
