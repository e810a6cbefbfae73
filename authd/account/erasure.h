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

/* Counts the rows that go with an account, in the transaction that has locked it and before it
 * deletes any but `resets` links to set a password. requests: to docd, which the same transaction
 * queues. Parks. */
int erasure_begin(struct db_tx *tx, const struct request *req, struct uuid account,
                  int64_t requests, int64_t resets, struct error *err) MUST_USE;

#endif
