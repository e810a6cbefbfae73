/*
 * deletion.h - accounts that go: scheduled by their owner, taken back by a sign-in, carried out
 * when the date has come. deletion.c has the handlers too.
 *
 * The date decides. A schedule has a name, and whatever acts on it does so by account and name, in
 * the database: of a sign-in and a deletion at the same moment one finds the other's work done.
 */
#ifndef ATRIUM_AUTHD_ACCOUNT_DELETION_H
#define ATRIUM_AUTHD_ACCOUNT_DELETION_H

#include "authd/authd.h"

/* Deletes the account and all that is its own, if this schedule is still the one: else nothing.
 * Fails with ERR_CONFLICT before its date. Returns when every gateway refuses the account's tokens.
 * Parks. */
int deletion_execute(struct authd *d, const struct request *req, struct uuid account,
                     struct uuid schedule, struct error *err) MUST_USE;

/* Deletes the account with all that it owns elsewhere, now and without a mail. Should this end in
 * between, maild's job does the rest. project: that the operator named, or absent. Fails: CONFLICT
 * (the last admin of a project), NOT_FOUND. Returns as deletion_execute(). Parks. */
int deletion_by_operator(struct authd *d, const struct request *req, struct uuid account,
                         struct uuid project, struct error *err) MUST_USE;

/* Has docd remove the exports of an account that the transaction deletes; counted for its erasure
 * if that is a wipe. The outbox is woken after the commit. */
int deletion_queue_exports(struct authd *d, const struct request *req, struct db_tx *tx,
                           struct uuid account, bool wiped, struct error *err) MUST_USE;

/* A deletion that an admin of a project schedules for one of its accounts, or an operator. */
struct deletion_order {
    const struct tenant *tenant; /* by whose template the owner is mailed; NULL: the installation */
    struct uuid account;
    enum role role;
    const char *reason;
    int64_t days;
    bool wipe, mailed; /* mailed: as mail_admit_deletion() says */
};

/* Schedules it as its owner would, in place of an earlier schedule, and commits the transaction,
 * which holds no row behind the memberships in the order of locks but the account's for update.
 * Fails: CONFLICT (the last admin of a project), NOT_FOUND. Parks. */
int deletion_by_admin(struct authd *d, const struct request *req, struct db_tx **tx_p,
                      const struct deletion_order *order, struct error *err) MUST_USE;

/* The active account that has an e-mail address, absent: none. One whose date has come is deleted
 * first, if that has not been done yet. Parks. */
int account_find_patient(struct authd *d, const struct request *req, struct uuid project,
                         const char *email, struct uuid *ret, struct error *err) MUST_USE;
int account_find_practitioner(struct authd *d, const struct request *req, const char *email,
                              struct uuid *ret, struct error *err) MUST_USE;

#endif
