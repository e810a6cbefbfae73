/*
 * ownership.h - the project to which an account belongs.
 *
 * A project owns an account that has memberships, all of them in the project or below it. Locked
 * memberships count, as do suspended and read-only projects; pending invitations don't. A patient's
 * project owns the account. The installation owns accounts without memberships.
 *
 * The people who run a tenant's pages or applications can read what people type there and use their
 * sessions. So a session of a project can change how its person signs in everywhere (REACH_ACCOUNT)
 * only if the project owns the account. An account of several organizations is changed on the
 * installation's own pages (account_session.h), and the installation sends the emails about it.
 *
 * A project's parent never changes. So a result of ownership_find() is valid in a later transaction
 * unless a membership was added elsewhere. ownership_hold() checks that while it holds the
 * account's row, which statements that add a membership lock too.
 */
#ifndef ATRIUM_AUTHD_ACCOUNT_OWNERSHIP_H
#define ATRIUM_AUTHD_ACCOUNT_OWNERSHIP_H

#include "authd/authd.h"

struct operation;

struct ownership {
    bool owned;
    bool installation;        /* the installation acts, which needs no owner */
    struct db_array projects; /* of the memberships; all are the owner or below it */
};

/* Reports if the project owns the account. Parks; calls settingsd only for accounts with
 * memberships in other projects. */
int ownership_find(struct authd *d, const struct request *req, struct uuid account,
                   struct uuid project, struct ownership *ret, struct error *err) MUST_USE;

/* Checks that an emailed link is still valid: the installation sent it, or the project that sent it
 * owns the account. Fails: BAD_REQUEST. Parks. */
int ownership_find_link(struct authd *d, const struct request *req, struct uuid account,
                        struct uuid project, bool installation, struct ownership *ret,
                        struct error *err) MUST_USE;

/* Calls ownership_hold() in the transaction that has redeemed a link. Fails: BAD_REQUEST. Parks. */
int ownership_hold_link(const struct authd *d, struct db_tx *tx, const struct request *req,
                        struct uuid account, const struct ownership *found,
                        struct error *err) MUST_USE;

/* Finds the lowest project that owns the account, or absent. Parks. */
int ownership_lowest(struct authd *d, const struct request *req, struct uuid account,
                     struct uuid *ret, struct error *err) MUST_USE;

/* Locks the account for update until the transaction ends. Fails: NOT_FOUND (it was deleted),
 * ACCOUNT_SHARED (it has a new membership elsewhere). Parks. */
int ownership_hold(const struct authd *d, struct db_tx *tx, const struct request *req,
                   struct uuid account, const struct ownership *found, struct error *err) MUST_USE;

/* Prepares a new membership of the project (`above`: tenant_ancestors()). Locks the account, so
 * that an action of its former owner has finished or sees the membership, and deletes the links and
 * ceremonies of tenants that lose ownership. NOT_FOUND: the account was deleted. Parks. */
int ownership_join(struct db_tx *tx, const struct request *req, struct uuid account,
                   struct db_array above, struct error *err) MUST_USE;

/* Counts practitioners of the project (absent: all) for whom no session can own the account: none
 * of their projects contains all their memberships. Considers the 100 combinations of projects with
 * the most people. 0 if the installation has account pages. Parks. */
int ownership_count_shared(struct authd *d, const struct request *req, struct uuid project,
                           int64_t *ret, struct error *err) MUST_USE;

/* Reports if the caller's session can set up a second factor without owning the account: an
 * operator has allowed it, and the installation has no pages. Parks. */
int ownership_admits_factor(struct authd *d, const struct request *req, bool *ret,
                            struct error *err) MUST_USE;

/* Sets ERR_ACCOUNT_SHARED, with the URL of the installation's page, if there is one, in
 * details.url. Returns -1. */
int ownership_refuse(const struct authd *d, const struct request *req, struct error *err);

/* Finds the ownership of the caller's account (req->ownership) for an operation of REACH_ACCOUNT.
 * The handler holds it with ownership_hold_caller(). Fails: ACCOUNT_SHARED. Parks. */
int ownership_admit(void *daemon, struct request *req, const struct operation *row,
                    struct error *err) MUST_USE;

/* Reports if the caller's session can change the account everywhere. Parks. */
int ownership_of_caller(struct authd *d, const struct request *req, bool *ret,
                        struct error *err) MUST_USE;

/* Calls ownership_hold() for the caller's account, after ownership_admit(). Fails: UNAUTHORIZED
 * (the account was deleted), ACCOUNT_SHARED. Parks. */
int ownership_hold_caller(const struct authd *d, struct db_tx *tx, const struct request *req,
                          struct error *err) MUST_USE;

#endif
