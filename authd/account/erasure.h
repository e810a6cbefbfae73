/*
 * erasure.h - erasure of an account with everything it owns, and its receipt. erasure.c has the
 * handler too.
 *
 * Each daemon counts rows in the statement that erases them, so a crash can't lose or double a
 * count. When all are done, authd signs the counts once.
 */
#ifndef ATRIUM_AUTHD_ACCOUNT_ERASURE_H
#define ATRIUM_AUTHD_ACCOUNT_ERASURE_H

#include "authd/authd.h"

struct erasure_order {
    struct uuid account;
    struct field_list places; /* struct membership_ref: its profiles in all projects */
    int64_t exports;          /* requests to delete exports, which the caller queues for docd */
    int64_t resets;           /* already deleted links to set a password */
};

/* Queues erase requests and counts authd's rows, in the transaction that has locked the account.
 * Call it before the transaction deletes any rows except links. Parks. */
int erasure_begin(struct authd *d, const struct request *req, struct db_tx *tx,
                  const struct erasure_order *order, struct error *err) MUST_USE;

/* Queues erase requests for these profiles' data (struct membership_ref) in a transaction, recorded
 * under `key`. No receipt is made for them. Parks. */
int erasure_of_places(struct authd *d, const struct request *req, struct db_tx *tx, struct uuid key,
                      struct field_list places, struct error *err) MUST_USE;

#endif
