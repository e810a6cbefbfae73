/*
 * admin.h - a project keeps an admin: code that removes one, or takes the right from one, calls
 * this first.
 */
#ifndef ATRIUM_AUTHD_ACCOUNT_ADMIN_H
#define ATRIUM_AUTHD_ACCOUNT_ADMIN_H

#include "authd/authd.h"

/* Whether `membership` is the only admin that the project has left: one whose account is neither
 * about to be deleted nor locked. Holds the memberships of all its admins, and
 * the one named, in the order of their ids until the end of the transaction: of two requests that
 * each take another of the last two, one is told so. Before any other lock but that of an
 * invitation. Parks. */
int admin_is_last(struct db_tx *tx, const struct request *req, struct uuid project,
                  struct uuid membership, bool *ret, struct error *err) MUST_USE;

/* ERR_CONFLICT, in the words for it. Returns -1. */
int admin_refuse_last(struct error *err);

/* Asks for every project that the account administers: ERR_CONFLICT when it is the last admin of
 * one. Parks. */
int admin_leave_all(struct db_tx *tx, const struct request *req, struct uuid account,
                    struct error *err) MUST_USE;

#endif
