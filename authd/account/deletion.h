/*
 * deletion.h - deletion of accounts: scheduled by the owner, canceled by a sign-in, executed on the
 * date. deletion.c has the handlers too.
 *
 * Statements match account and schedule id, so of a concurrent sign-in and deletion, one sees the
 * other's result.
 */
#ifndef ATRIUM_AUTHD_ACCOUNT_DELETION_H
#define ATRIUM_AUTHD_ACCOUNT_DELETION_H

#include "authd/authd.h"

/* Deletes the account and all its data, if this is still its schedule. Fails: ERR_CONFLICT before
 * the date. Returns when every gateway rejects its tokens. Parks. */
int deletion_execute(struct authd *d, const struct request *req, struct uuid account,
                     struct uuid schedule, struct error *err) MUST_USE;

/* Erases the account immediately, without an email. If authd stops in between, maild's job finishes
 * the erasure. `project`: the one that the operator named, or absent. Fails: CONFLICT (last admin
 * of a project), NOT_FOUND. Returns like deletion_execute(). Parks. */
int deletion_by_operator(struct authd *d, const struct request *req, struct uuid account,
                         struct uuid project, struct error *err) MUST_USE;

/* Makes docd delete an account's exports, counted for the receipt of an erasure. Call outbox_wake()
 * after the commit. */
int deletion_queue_exports(struct authd *d, const struct request *req, struct db_tx *tx,
                           struct uuid account, bool wiped, struct error *err) MUST_USE;

/* A deletion by a project's admin or an operator. */
struct deletion_order {
    const struct tenant *tenant; /* sends the email; NULL: the installation */
    struct uuid account;
    enum role role;
    const char *reason;
    int64_t days;
    bool wipe, mailed; /* see mail_admit_deletion() */
};

/* Schedules a deletion, replaces an earlier schedule, and commits. Of the locks that come after the
 * memberships in the order of locks, the transaction can hold only the account's row. Fails:
 * CONFLICT (last admin of a project), NOT_FOUND. Parks. */
int deletion_by_admin(struct authd *d, const struct request *req, struct db_tx **tx_p,
                      const struct deletion_order *order, struct error *err) MUST_USE;

/* Finds the active account with an email address; *ret is absent if there is none. First deletes an
 * account whose deletion date has passed. Parks. */
int account_find_patient(struct authd *d, const struct request *req, struct uuid project,
                         const char *email, struct uuid *ret, struct error *err) MUST_USE;
int account_find_practitioner(struct authd *d, const struct request *req, const char *email,
                              struct uuid *ret, struct error *err) MUST_USE;

#endif
