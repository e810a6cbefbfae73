/*
 * ownership.h - which project an account belongs to.
 *
 * A project owns an account when the account has memberships and each of them lies in the project
 * or below it, in whatever state: live or locked, of a suspended or a read-only project. A
 * patient's account is its project's. An account without memberships is the installation's. A
 * pending invitation is no membership.
 *
 * Who runs a tenant's pages or applications can read what people type there and use their
 * sessions. So a session of a project changes how its person signs in everywhere (REACH_ACCOUNT)
 * only where the project owns the account; what belongs to several organizations is changed on the
 * installation's own pages (account_session.h), and mail about it goes by the installation.
 *
 * A project's parent never changes. So what ownership_find() has found before a transaction holds
 * in it, as long as no membership was added elsewhere: ownership_hold() looks, with the account's
 * row locked. Statements that add a membership lock that row, too.
 */
#ifndef ATRIUM_AUTHD_ACCOUNT_OWNERSHIP_H
#define ATRIUM_AUTHD_ACCOUNT_OWNERSHIP_H

#include "authd/authd.h"

struct operation;

struct ownership {
    bool owned;
    bool installation;        /* the installation acts, which is asked for no owner */
    struct db_array projects; /* of the account's memberships; all are the owner's or below it */
};

/* Whether the project owns the account. Parks; asks settingsd only for an account that has
 * memberships in other projects. */
int ownership_find(struct authd *d, const struct request *req, struct uuid account,
                   struct uuid project, struct ownership *ret, struct error *err) MUST_USE;

/* What a link that was mailed may still do: the project that it was mailed for must own the
 * account, unless the installation mailed it. Fails: BAD_REQUEST (the link is dead). Parks. */
int ownership_find_link(struct authd *d, const struct request *req, struct uuid account,
                        struct uuid project, bool installation, struct ownership *ret,
                        struct error *err) MUST_USE;

/* ownership_hold() in the transaction that has redeemed the link. Fails: BAD_REQUEST. Parks. */
int ownership_hold_link(const struct authd *d, struct db_tx *tx, const struct request *req,
                        struct uuid account, const struct ownership *found,
                        struct error *err) MUST_USE;

/* The lowest project that owns the account; absent: none does. Parks. */
int ownership_lowest(struct authd *d, const struct request *req, struct uuid account,
                     struct uuid *ret, struct error *err) MUST_USE;

/* Locks the account for update until the end of the transaction. Fails: NOT_FOUND (it was deleted),
 * ACCOUNT_SHARED (it has a membership elsewhere by now). Parks. */
int ownership_hold(const struct authd *d, struct db_tx *tx, const struct request *req,
                   struct uuid account, const struct ownership *found, struct error *err) MUST_USE;

/* Before a membership of the project (`above`: tenant_ancestors()) is added: deletes the links and
 * ceremonies of tenants that will own the account no longer, and locks the account, so that an act
 * of its former owner is over or sees the membership. NOT_FOUND: the account was deleted. Parks. */
int ownership_join(struct db_tx *tx, const struct request *req, struct uuid account,
                   struct db_array above, struct error *err) MUST_USE;

/* Counts the practitioners of the project (absent: of all) who have no session that owns their
 * account: none of their own projects has all their memberships in it or below it. Of the 100
 * combinations of projects with the most people. 0 where the installation has pages for them.
 * Parks. */
int ownership_count_shared(struct authd *d, const struct request *req, struct uuid project,
                           int64_t *ret, struct error *err) MUST_USE;

/* Whether the caller's session may set a second factor up though it does not own the account: an
 * operator has admitted it, in an installation without pages. Parks. */
int ownership_admits_factor(struct authd *d, const struct request *req, bool *ret,
                            struct error *err) MUST_USE;

/* Refuses what only an owner may do: ERR_ACCOUNT_SHARED, with the installation's page for it in
 * details.url, where there is one. Returns -1. */
int ownership_refuse(const struct authd *d, const struct request *req, struct error *err);

/* Finds the ownership of the caller's account for an operation of REACH_ACCOUNT (req->ownership).
 * The handler holds it by ownership_hold_caller(). Fails: ACCOUNT_SHARED. Parks. */
int ownership_admit(void *daemon, struct request *req, const struct operation *row,
                    struct error *err) MUST_USE;

/* Whether the caller's session may act on the account everywhere. Parks. */
int ownership_of_caller(struct authd *d, const struct request *req, bool *ret,
                        struct error *err) MUST_USE;

/* Holds the caller's account as ownership_hold() does, for an act that was admitted. Fails:
 * UNAUTHORIZED (it was deleted), ACCOUNT_SHARED. Parks. */
int ownership_hold_caller(const struct authd *d, struct db_tx *tx, const struct request *req,
                          struct error *err) MUST_USE;

#endif
