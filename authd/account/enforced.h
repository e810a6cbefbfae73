/*
 * enforced.h - people who sign in to a project only with its identity provider (its `enforced`).
 *
 * The function enforced_for of PostgreSQL (schema/0148_enforced.sql) says who they are. The
 * statement that makes a session asks it, so none of the other ways in makes one; the checks here
 * refuse earlier, or what makes no session.
 */
#ifndef ATRIUM_AUTHD_ACCOUNT_ENFORCED_H
#define ATRIUM_AUTHD_ACCOUNT_ENFORCED_H

#include "authd/authd.h"
#include "common/domain/role.h"

struct enforced_person {
    struct uuid account; /* not set: a person without one */
    enum role role;      /* ROLE_NONE: the account's */
    const char *email;   /* NULL: the account's */
};

/* Reports if the person can't sign in to the project without an identity provider. Parks. */
int enforced_check(struct authd *d, const struct request *req, struct uuid project,
                   const struct enforced_person *who, bool *ret, struct error *err) MUST_USE;

/* Reports if that is so in all projects of the account, because it is so in the one that owns it:
 * then no password or email link serves it. Parks. */
int enforced_check_all(struct authd *d, const struct request *req, struct uuid account, bool *ret,
                       struct error *err) MUST_USE;

/* Refuses a new proof of the caller, without a provider, in a session that the provider did not
 * make; by_password: in any. Fails: ERR_ACCOUNT_MANAGED. Parks. */
int enforced_check_proof(struct authd *d, const struct request *req, bool by_password,
                         struct error *err) MUST_USE;

/* Sets ERR_ACCOUNT_MANAGED and returns -1. */
int enforced_refuse(struct error *err);

#endif
