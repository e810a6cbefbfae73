/*
 * attempt.h - a sign-in whose role is not known before the password was right: as practitioner,
 * then as patient, of one tenant. For the one-step route of client applications (one_step.c) and
 * for the page (authd/page/sign_in_page.c).
 *
 * Both passwords are always verified, so that time does not tell which accounts there are. The
 * switch of a role is looked at once its password was right.
 */
#ifndef ATRIUM_AUTHD_SIGNIN_ATTEMPT_H
#define ATRIUM_AUTHD_SIGNIN_ATTEMPT_H

#include "authd/signin/candidate.h"
#include "common/domain/role.h"

struct tenant; /* settingsd/tenant_api.h */

enum { ATTEMPTS = 2 };

struct attempt {
    enum role role;
    struct throttle_keys keys;
    struct candidate who;
    bool enabled; /* the tenant's switch */
    bool locked;  /* at a limit: not looked at, costs the same */
    bool right, common;
};

/* Finds and verifies both; wipes the password. What was wrong says attempts_refuse(). Fails:
 * FORBIDDEN (neither role may sign in), THROTTLED (both are at a limit). Parks. */
int attempts_make(struct authd *d, const struct request *req, const struct tenant *tenant,
                  const char *email, const char *password, struct attempt ret[static ATTEMPTS],
                  struct error *err) MUST_USE;

/* Its password was right, the role may sign in, and the account is not locked. */
bool attempt_is_open(const struct attempt *self);

/* Whether an open attempt may go on, and whether it waits for a second factor (who.mfa). Fails:
 * THROTTLED, PASSWORD_CHANGE_REQUIRED, EMAIL_NOT_VERIFIED. Parks. */
int attempt_admit(struct authd *d, const struct request *req, const struct tenant *tenant,
                  struct attempt *self, struct error *err) MUST_USE;

/* Refuses when no attempt is open, and counts the failure. Fails: BAD_REQUEST, THROTTLED,
 * FORBIDDEN, ACCOUNT_LOCKED. Parks. */
int attempts_refuse(struct authd *d, const struct request *req,
                    const struct attempt tried[static ATTEMPTS], struct error *err) MUST_USE;

/* Refuses a candidate whose password was right where the role may not sign in: ERR_FORBIDDEN, with
 * a row in the audit trail. Parks. */
int attempt_refuse_disabled(struct authd *d, const struct request *req, const struct candidate *who,
                            struct error *err) MUST_USE;

#endif
