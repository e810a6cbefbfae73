/*
 * admission.h - whether a member can enter a project from a network address: the project is
 * enabled, and the member's access policy allows the address.
 *
 * Checked for each sign-in, registration and refresh, after everything else and before any write.
 * settingsd decides, except for what admission_cache.h knows, so a changed rule applies from the
 * next request on every instance.
 */
#ifndef ATRIUM_AUTHD_SESSION_ADMISSION_H
#define ATRIUM_AUTHD_SESSION_ADMISSION_H

#include "authd/authd.h"

/* The member, and the action for the audit log. */
struct admission {
    struct uuid project;
    struct uuid account, session; /* absent: not created yet */
    enum role role;
    struct uuid policy; /* absent: no rules */
    bool admin;         /* see admission_is_admin() */
    int64_t change;     /* read with the policy, see admission_cache.h; 0: not read */
    const char *action; /* "session.create" */
};

/* True for a member to whom no rule applies. Like request_is_admin(), false for patients. */
bool admission_is_admin(enum role role, bool admin);

/* Returns 0 if the member can enter. ERR_PROJECT_READ_ONLY; ERR_FORBIDDEN, which is audited if the
 * address was the reason; ERR_NOT_FOUND if the project was deleted. Parks. */
int admission_check(struct authd *d, const struct request *req, const struct admission *who,
                    struct error *err) MUST_USE;

/* Like admission_check(), and returns the project's name from the request's arena. ERR_NOT_FOUND
 * "Tenant not found." if the project is suspended or deleted. Parks. */
int admission_open(struct authd *d, const struct request *req, const struct admission *who,
                   const char **ret_name, struct error *err) MUST_USE;

/* Like admission_check(), for an account whose membership must be found first. ERR_ACCOUNT_LOCKED
 * if it is locked there. Admits accounts without membership: the statement that creates the session
 * rejects them. Parks. */
int admission_check_sign_in(struct authd *d, const struct request *req, enum role role,
                            struct uuid account, struct uuid project, struct error *err) MUST_USE;

#endif
