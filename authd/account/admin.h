/*
 * admin.h - keeps an admin in each project, and one who can sign in without an enforced identity
 * provider. Call this before removing an admin or their rights.
 */
#ifndef ATRIUM_AUTHD_ACCOUNT_ADMIN_H
#define ATRIUM_AUTHD_ACCOUNT_ADMIN_H

#include "authd/authd.h"

enum admin_last {
    ADMIN_NOT_LAST,
    ADMIN_LAST,
    ADMIN_LAST_LOCAL, /* only this one can sign in without the enforced identity provider */
};

/* Reports if `membership` is the last admin, without counting accounts that are locked or scheduled
 * for deletion. Locks it and all admins' memberships, in the order of ids, so that two requests
 * can't remove the last two. Before this call, the transaction can lock an invitation but nothing
 * else. Parks. */
int admin_is_last(struct db_tx *tx, const struct request *req, struct uuid project,
                  struct uuid membership, enum admin_last *ret, struct error *err) MUST_USE;

/* Sets ERR_CONFLICT and returns -1. */
int admin_refuse_last(enum admin_last last, struct error *err);

/* Fails: ERR_CONFLICT if the account is any project's last admin. Parks. */
int admin_leave_all(struct db_tx *tx, const struct request *req, struct uuid account,
                    struct error *err) MUST_USE;

/* Call it before removing an account's second factor. Fails: ERR_CONFLICT (any project's
 * ADMIN_LAST_LOCAL). Parks. */
int admin_keep_local(struct db_tx *tx, const struct request *req, struct uuid account,
                     struct error *err) MUST_USE;

#endif
