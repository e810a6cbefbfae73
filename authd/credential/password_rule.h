/*
 * password_rule.h - the rules for new passwords.
 *
 * They come from the account policies of all the account's projects; the strictest rule of each
 * kind counts. If there are no rules, any password is allowed.
 */
#ifndef ATRIUM_AUTHD_CREDENTIAL_PASSWORD_RULE_H
#define ATRIUM_AUTHD_CREDENTIAL_PASSWORD_RULE_H

#include "authd/authd.h"

/* The owner of a new password. Memberships of an existing account or a link's account are looked
 * up. */
struct password_owner {
    struct uuid account, link;   /* not set: a new account without a link */
    const struct tenant *tenant; /* where the password is set */
    enum role role;              /* role of a new account, otherwise ROLE_NONE */
    bool admin;                  /* admin flag of a new account */
    const char *email, *display; /* must not be the password */
};

/* Fails with ERR_PASSWORD_REFUSED and a problem for `password` if it is too short or, depending on
 * the policies, common, the tenant code, or a word of the person's name, email address or the
 * tenant's name. Parks. */
int password_rule_check(struct authd *d, const struct request *req,
                        const struct password_owner *owner, const char *password,
                        struct error *err) MUST_USE;

#endif
