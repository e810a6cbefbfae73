/*
 * erasure.h - erasure of an account with everything it owns, and the receipt for it. erasure.c has
 * the handler too.
 *
 * Each daemon counts erased rows in the statement that erases them, so a crash can't lose or double
 * a count. When all daemons are done, authd signs the counts once.
 */
#ifndef ATRIUM_AUTHD_ACCOUNT_ERASURE_H
#define ATRIUM_AUTHD_ACCOUNT_ERASURE_H

#include "authd/authd.h"

struct erasure_order {
    struct uuid account;
    struct field_list places; /* struct membership_ref: all its profiles */
    int64_t exports;          /* further requests to docd, which the caller queues */
    int64_t resets;           /* links to set a password that are already deleted */
};

/* Queues erase requests to the other daemons and counts authd's rows, in the transaction that has
 * locked the account, before it deletes any rows but the links. Parks. */
int erasure_begin(struct authd *d, const struct request *req, struct db_tx *tx,
                  const struct erasure_order *order, struct error *err) MUST_USE;

/* Queues erase requests for what these profiles (struct membership_ref) own, under a key that is no
 * account's, so there is no receipt. Call it in a transaction. Parks. */
int erasure_of_places(struct authd *d, const struct request *req, struct db_tx *tx, struct uuid key,
                      struct field_list places, struct error *err) MUST_USE;

#endif
