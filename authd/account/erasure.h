/*
 * erasure.h - what was erased of an account that was deleted with all that it owned, and the
 * receipt of it. erasure.c has the handler too.
 *
 * Each daemon counts what it erases in the statement that does, so no death loses or doubles a
 * count. When all have done their part, authd signs the counts, once: the receipt stays the same.
 */
#ifndef ATRIUM_AUTHD_ACCOUNT_ERASURE_H
#define ATRIUM_AUTHD_ACCOUNT_ERASURE_H

#include "authd/authd.h"

struct erasure_order {
    struct uuid account;
    struct field_list places; /* struct membership_ref: every profile that it has */
    int64_t exports;          /* further requests to docd, which the caller queues */
    int64_t resets;           /* links to set a password that were deleted by now */
};

/* Asks every daemon that keeps something of the account to erase it, and counts the rows that go
 * with it here, in the transaction that has locked it and before it deletes any but the links.
 * Parks. */
int erasure_begin(struct authd *d, const struct request *req, struct db_tx *tx,
                  const struct erasure_order *order, struct error *err) MUST_USE;

/* Has the other daemons erase what these profiles (struct membership_ref) own, recorded under a key
 * that is no account's: there is no receipt. Within a transaction. Parks. */
int erasure_of_places(struct authd *d, const struct request *req, struct db_tx *tx, struct uuid key,
                      struct field_list places, struct error *err) MUST_USE;

#endif
