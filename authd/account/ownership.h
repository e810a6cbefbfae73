/*
 * ownership.h - the project that owns an account: the account has memberships, and all of them are
 * in the project or below it. Locked memberships and suspended projects count, pending invitations
 * don't. The installation owns accounts without memberships.
 *
 * The people who run a tenant's pages or applications can read what people type there and use their
 * sessions. So a project's session can change how its person signs in (REACH_ACCOUNT) only if the
 * project owns the account. An account of several organizations is changed on the installation's
 * own pages (account_session.h), and the installation emails its owner.
 *
 * A project's parent never changes, so a result of ownership_find() changes only with a new
 * membership. ownership_hold() checks that with the account's row locked, as statements that add a
 * membership do.
 */
#ifndef ATRIUM_AUTHD_ACCOUNT_OWNERSHIP_H
#define ATRIUM_AUTHD_ACCOUNT_OWNERSHIP_H

#include "authd/authd.h"

struct operation;

struct ownership {
    bool owned;
    bool installation;        /* the installation acts and needs no ownership */
    struct db_array projects; /* the memberships' projects, all within the owner */
};

/* Reports if the project owns the account. Parks; calls settingsd only for memberships
 * elsewhere. */
int ownership_find(struct authd *d, const struct request *req, struct uuid account,
                   struct uuid project, struct ownership *ret, struct error *err) MUST_USE;

/* Checks that the sender of an emailed link is the installation, or still owns the account. Fails:
 * BAD_REQUEST. Parks. */
int ownership_find_link(struct authd *d, const struct request *req, struct uuid account,
                        struct uuid project, bool installation, struct ownership *ret,
                        struct error *err) MUST_USE;

/* Like ownership_hold(), after a link was redeemed. Fails: BAD_REQUEST. Parks. */
int ownership_hold_link(const struct authd *d, struct db_tx *tx, const struct request *req,
                        struct uuid account, const struct ownership *found,
                        struct error *err) MUST_USE;

/* Finds the lowest project that owns the account, or absent. Parks. */
int ownership_lowest(struct authd *d, const struct request *req, struct uuid account,
                     struct uuid *ret, struct error *err) MUST_USE;

/* Locks the account for update. Fails: NOT_FOUND (deleted), ACCOUNT_SHARED (new membership
 * elsewhere). Parks. */
int ownership_hold(const struct authd *d, struct db_tx *tx, const struct request *req,
                   struct uuid account, const struct ownership *found, struct error *err) MUST_USE;

/* Call it before adding a membership of the project (`above`: tenant_ancestors()). Locks the
 * account, so that its former owner's action has finished or sees the membership. Deletes links and
 * ceremonies of tenants that lose ownership. Fails: NOT_FOUND (deleted). Parks. */
int ownership_join(struct db_tx *tx, const struct request *req, struct uuid account,
                   struct db_array above, struct error *err) MUST_USE;

/* Counts the project's practitioners (absent: all) whose account none of their own projects owns.
 * Considers the 100 combinations of projects with the most people. 0 if the installation has
 * account pages. Parks. */
int ownership_count_shared(struct authd *d, const struct request *req, struct uuid project,
                           int64_t *ret, struct error *err) MUST_USE;

/* Reports if the caller can set up a second factor without owning the account: an operator has
 * allowed it, and the installation has no pages. Parks. */
int ownership_admits_factor(struct authd *d, const struct request *req, bool *ret,
                            struct error *err) MUST_USE;

/* Sets ERR_ACCOUNT_SHARED, with the installation's page, if any, in details.url. Returns -1. */
int ownership_refuse(const struct authd *d, const struct request *req, struct error *err);

/* Finds the caller's ownership (req->ownership) for an operation of REACH_ACCOUNT, whose handler
 * then calls ownership_hold_caller(). Fails: ACCOUNT_SHARED. Parks. */
int ownership_admit(void *daemon, struct request *req, const struct operation *row,
                    struct error *err) MUST_USE;

/* Reports if the caller's session can change the account. Parks. */
int ownership_of_caller(struct authd *d, const struct request *req, bool *ret,
                        struct error *err) MUST_USE;

/* Calls ownership_hold() after ownership_admit(). Fails: UNAUTHORIZED (account deleted),
 * ACCOUNT_SHARED. Parks. */
int ownership_hold_caller(const struct authd *d, struct db_tx *tx, const struct request *req,
                          struct error *err) MUST_USE;

#endif
