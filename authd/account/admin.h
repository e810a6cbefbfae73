/*
 * admin.h - keeps at least one admin in each project. Call this before you remove an admin or an
 * admin's rights.
 */
#ifndef ATRIUM_AUTHD_ACCOUNT_ADMIN_H
#define ATRIUM_AUTHD_ACCOUNT_ADMIN_H

#include "authd/authd.h"

/* Reports if `membership` is the project's last admin. Admins whose account is locked or scheduled
 * for deletion don't count. Locks `membership` and the memberships of all admins, in the order of
 * their ids, until the transaction ends, so that two requests can't remove the last two admins.
 * Only an invitation can be locked before. Parks. */
int admin_is_last(struct db_tx *tx, const struct request *req, struct uuid project,
                  struct uuid membership, bool *ret, struct error *err) MUST_USE;

/* Sets ERR_CONFLICT. Returns -1. */
int admin_refuse_last(struct error *err);

/* Fails with ERR_CONFLICT if the account is the last admin of any project. Parks. */
int admin_leave_all(struct db_tx *tx, const struct request *req, struct uuid account,
                    struct error *err) MUST_USE;

#endif
