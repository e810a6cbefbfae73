/*
 * admin.h - keeps an admin in each project. Call this before removing an admin or their rights.
 */
#ifndef ATRIUM_AUTHD_ACCOUNT_ADMIN_H
#define ATRIUM_AUTHD_ACCOUNT_ADMIN_H

#include "authd/authd.h"

/* Reports if `membership` is the last admin, without counting accounts that are locked or scheduled
 * for deletion. Locks it and all admins' memberships, in the order of ids, so that two requests
 * can't remove the last two. Before this call, the transaction can lock an invitation but nothing
 * else. Parks. */
int admin_is_last(struct db_tx *tx, const struct request *req, struct uuid project,
                  struct uuid membership, bool *ret, struct error *err) MUST_USE;

/* Sets ERR_CONFLICT and returns -1. */
int admin_refuse_last(struct error *err);

/* Fails: ERR_CONFLICT if the account is any project's last admin. Parks. */
int admin_leave_all(struct db_tx *tx, const struct request *req, struct uuid account,
                    struct error *err) MUST_USE;

#endif
