/*
 * project_account.h - accounts of the caller's project, for its admins.
 *
 * A practitioner's account can be in other projects too. Only this project's data is shown.
 */
#ifndef ATRIUM_AUTHD_MEMBER_PROJECT_ACCOUNT_H
#define ATRIUM_AUTHD_MEMBER_PROJECT_ACCOUNT_H

#include "authd/authd.h"

struct project_account;
struct tenant;

/* Finds an account of the caller's project. ERR_NOT_FOUND: not a member. Parks. */
int project_account_open(struct authd *d, const struct request *req, struct uuid account,
                         struct tenant *ret_tenant, struct project_account *ret,
                         struct error *err) MUST_USE;

/* Also audits that the caller reads `what` of it (NULL: itself). Parks. */
int project_account_read(struct authd *d, const struct request *req, struct uuid account,
                         const char *what, struct tenant *ret_tenant, struct project_account *ret,
                         struct error *err) MUST_USE;

/* A member of the caller's project to lock. */
struct member_lock {
    struct uuid account, membership;
    enum role role;
    const char *reason; /* for the audit row, or NULL */
    bool by_directory;  /* SCIM, which needs no fresh proof and can unlock only what it locked */
};

/* Locks a member, and ends what the account has and has started in the project. Fails: CONFLICT
 * (last admin), STEP_UP_REQUIRED. Returns when every gateway rejects the member's tokens. Parks. */
int member_lock(struct authd *d, const struct request *req, const struct member_lock *how,
                struct error *err) MUST_USE;

#endif
