/*
 * admission.h - whether a member can enter: the project is enabled, and the access policy allows
 * the network address. Checked for each sign-in, registration and refresh, last before any write.
 *
 * settingsd decides, except for what admission_cache.h knows, so changed rules apply from the next
 * request.
 */
#ifndef ATRIUM_AUTHD_SESSION_ADMISSION_H
#define ATRIUM_AUTHD_SESSION_ADMISSION_H

#include "authd/authd.h"

struct admission {
    struct uuid project;
    struct uuid account, session; /* absent: not created yet */
    enum role role;
    struct uuid policy; /* absent: no rules */
    bool admin;         /* see admission_is_admin() */
    int64_t change;     /* read with the policy, see admission_cache.h; 0: not read */
    const char *action; /* "session.create" */
};

/* True for members without rules. Like request_is_admin(), false for patients. */
bool admission_is_admin(enum role role, bool admin);

/* Fails: ERR_PROJECT_READ_ONLY; ERR_FORBIDDEN, audited if the address is the reason; ERR_NOT_FOUND
 * (project deleted). Parks. */
int admission_check(struct authd *d, const struct request *req, const struct admission *who,
                    struct error *err) MUST_USE;

/* Like admission_check(); also returns the project's name, from the request's arena. ERR_NOT_FOUND
 * "Tenant not found." if it is suspended or deleted. Parks. */
int admission_open(struct authd *d, const struct request *req, const struct admission *who,
                   const char **ret_name, struct error *err) MUST_USE;

/* Like admission_check(), after finding the account's membership. ERR_ACCOUNT_LOCKED if it is
 * locked. Admits accounts without membership, which the session's statement rejects. Parks. */
int admission_check_sign_in(struct authd *d, const struct request *req, enum role role,
                            struct uuid account, struct uuid project, struct error *err) MUST_USE;

#endif
