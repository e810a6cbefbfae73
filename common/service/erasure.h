/*
 * erasure.h - erases a daemon's data of a deleted account (`wipe`), and counts it for the receipt.
 *
 * authd calls each daemon's account_wipe through the outbox until it succeeds. The erasing
 * statements count (sql/part/erasure_count.sql) before the request is noted, so that no crash loses
 * or doubles a count. Tables: schema/erasure.sql.
 */
#ifndef ATRIUM_COMMON_SERVICE_ERASURE_H
#define ATRIUM_COMMON_SERVICE_ERASURE_H

#include "common/domain/request.h"
#include "common/wire/fields.h"

struct service;

struct membership_ref {
    struct uuid project, profile;
};
FIELD_DECLARE(membership_ref);

/* An erasure of data of the account, or of these profiles. Repeatable. */
struct account_wipe_in {
    struct uuid key;          /* caller's outbox row */
    struct field_list places; /* struct membership_ref */
    struct uuid account;      /* account whose receipt counts the rows; absent: none */
};
FIELD_DECLARE(account_wipe_in);

struct erased_table {
    const char *table;
    int64_t rows, bytes; /* bytes: sum of the files that were complete */
};
FIELD_DECLARE(erased_table);

struct account_erased_in {
    struct uuid account;
};
FIELD_DECLARE(account_erased_in);

struct account_erased_out {
    int64_t steps;            /* completed requests, by key */
    int64_t doneAt;           /* when the last request was completed, or 0 */
    bool waiting;             /* bytes wait for a sweep */
    struct field_list erased; /* struct erased_table */
};
FIELD_DECLARE(account_erased_out);

/* Marks an account before its rows are erased. Afterwards, statements that check erasure_begun()
 * (schema/erasure.sql) add no rows of the account, and those that ran before have ended. Does
 * nothing without an account. Parks. Needs service_definition.erasure. */
int erasure_mark(struct service *self, const struct request *req, struct uuid account,
                 const char *table, struct error *err) MUST_USE;

/* An erasure of a profile's data, at most `most` rows of a table at a time, so that writes do not
 * wait long. */
struct erasure_work {
    const char *table; /* for erasure_mark() */
    int most;
    /* Returns the number of rows or -1. Parks. */
    int (*erase)(void *daemon, const struct request *req, const struct membership_ref *place,
                 struct uuid account, struct error *err);
};

/* Marks the account, erases each profile until nothing is left, and notes that. Repeatable.
 * Parks. */
int erasure_carry_out(struct service *self, const struct request *req,
                      const struct account_wipe_in *in, const struct erasure_work *work,
                      struct error *err) MUST_USE;

/* Notes the key of a completed request. Parks. */
int erasure_step_done(struct service *self, const struct request *req, struct uuid account,
                      struct uuid key, struct error *err) MUST_USE;

/* Reads the counts, which are 0 for an unknown account. The caller sets `waiting`. Parks. */
int erasure_read(struct service *self, const struct request *req,
                 const struct account_erased_in *in, struct account_erased_out *out,
                 struct error *err) MUST_USE;

#endif
