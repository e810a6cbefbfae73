/*
 * attempt.h - sign-in whose role isn't known: as practitioner, then as patient of one tenant.
 *
 * Used by one_step.c and authd/page/sign_in_page.c. Always verifies both passwords, so that time
 * doesn't reveal accounts. A role's setting is checked only after its password was right.
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
    bool enabled; /* the tenant's setting for the role */
    bool locked;  /* throttled: not compared, but takes the same time */
    bool right, common;
};

/* Finds and verifies both, and wipes the password. Success doesn't mean that one is right; call
 * attempts_refuse(). FORBIDDEN: both roles are disabled. THROTTLED: both are at a limit. Parks. */
int attempts_make(struct authd *d, const struct request *req, const struct tenant *tenant,
                  const char *email, const char *password, struct attempt ret[static ATTEMPTS],
                  struct error *err) MUST_USE;

/* True if the password was right, the role is enabled and the account isn't locked. */
bool attempt_is_open(const struct attempt *self);

/* Checks that an open attempt can continue, and sets who.mfa if it needs a second factor. Parks. */
int attempt_admit(struct authd *d, const struct request *req, const struct tenant *tenant,
                  struct attempt *self, struct error *err) MUST_USE;

/* Refuses if no attempt is open, and counts the failure. Parks. */
int attempts_refuse(struct authd *d, const struct request *req,
                    const struct attempt tried[static ATTEMPTS], struct error *err) MUST_USE;

/* Refuses a right password for a disabled role with ERR_FORBIDDEN, and audits it. Parks. */
int attempt_refuse_disabled(struct authd *d, const struct request *req, const struct candidate *who,
                            struct error *err) MUST_USE;

#endif
