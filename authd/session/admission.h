/*
 * admission.h - whether a member may come in from where it is: its project is in use, and the
 * address rules of its access policy let the client's address in.
 *
 * Held against each completed sign-in, each registration and each refresh, when all else was right
 * and before anything is written. settingsd is asked, but for what admission_cache.h still knows of
 * it, so a changed rule decides from the next request on, at every instance.
 */
#ifndef ATRIUM_AUTHD_SESSION_ADMISSION_H
#define ATRIUM_AUTHD_SESSION_ADMISSION_H

#include "authd/authd.h"

/* Who comes in, and for the audit trail what for. */
struct admission {
    struct uuid project;
    struct uuid account, session; /* absent: one that is not made yet */
    enum role role;
    struct uuid policy; /* absent: none, and no rule */
    bool admin;         /* see admission_is_admin() */
    int64_t change;     /* see admission_cache.h; as read with the policy; 0: not read */
    const char *action; /* "session.create" */
};

/* Whether a member of that role is bound by no rule. As request_is_admin(): a patient administers
 * nothing. */
bool admission_is_admin(enum role role, bool admin);

/* 0 when it may. ERR_PROJECT_READ_ONLY when the project is; ERR_FORBIDDEN otherwise: an address
 * that the rules do not let in leaves a row in the audit trail, and nothing else. ERR_NOT_FOUND
 * when the project is gone. Parks. */
int admission_check(struct authd *d, const struct request *req, const struct admission *who,
                    struct error *err) MUST_USE;

/* The same for a sign-in that needs the project's name, too, from settingsd's one answer (from the
 * request's arena). ERR_NOT_FOUND "Tenant not found." when the project is suspended or gone.
 * Parks. */
int admission_open(struct authd *d, const struct request *req, const struct admission *who,
                   const char **ret_name, struct error *err) MUST_USE;

/* The same as admission_check() for the sign-in of an account, whose place in the project is looked
 * up: ERR_ACCOUNT_LOCKED when it is locked there. Who has none is let through: the statement that
 * makes the session finds none either. Parks. */
int admission_check_sign_in(struct authd *d, const struct request *req, enum role role,
                            struct uuid account, struct uuid project, struct error *err) MUST_USE;

#endif
