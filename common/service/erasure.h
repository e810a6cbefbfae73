/*
 * erasure.h - what a daemon erases of a deleted account (`wipe`), and its part of the receipt.
 *
 * authd calls account_wipe of each daemon through the outbox until it is done. The statements that
 * erase count (sql/part/erasure_count.sql) before the request is noted: no death loses or doubles a
 * count. erasure_mark() keeps out what requests under way would add. The tables:
 * schema/erasure.sql.
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

/* Erases what the account, or these profiles of it, left behind. Repeating it is fine. */
struct account_wipe_in {
    struct uuid key;          /* of the caller's outbox row */
    struct field_list places; /* struct membership_ref */
    struct uuid account;      /* for which it is counted; absent: it is not */
};
FIELD_DECLARE(account_wipe_in);

struct erased_table {
    const char *table;
    int64_t rows, bytes; /* bytes: of complete files */
};
FIELD_DECLARE(erased_table);

struct account_erased_in {
    struct uuid account;
};
FIELD_DECLARE(account_erased_in);

struct account_erased_out {
    int64_t steps;            /* requests that were carried out, by their keys */
    int64_t doneAt;           /* of the last one; 0: there was none */
    bool waiting;             /* bytes wait for a sweep */
    struct field_list erased; /* struct erased_table */
};
FIELD_DECLARE(account_erased_out);

/* Call before looking for rows to erase: statements that ask erasure_begun() (schema/erasure.sql)
 * add none from now on, those under way have ended. No effect without an account. Parks. Needs
 * service_definition.erasure. */
int erasure_mark(struct service *self, const struct request *req, struct uuid account,
                 const char *table, struct error *err) MUST_USE;

/* An erasure of a profile's data, at most `most` rows of a table at a time, so that no write waits
 * long. */
struct erasure_work {
    const char *table; /* for erasure_mark() */
    int most;
    /* Returns how many rows, or -1. Parks. */
    int (*erase)(void *daemon, const struct request *req, const struct membership_ref *place,
                 struct uuid account, struct error *err);
};

/* The mark, each profile until nothing is left, and the note. Repeating it is fine. Parks. */
int erasure_carry_out(struct service *self, const struct request *req,
                      const struct account_wipe_in *in, const struct erasure_work *work,
                      struct error *err) MUST_USE;

/* Notes a request as carried out, by its key; no effect without an account. Parks. */
int erasure_step_done(struct service *self, const struct request *req, struct uuid account,
                      struct uuid key, struct error *err) MUST_USE;

/* What was erased so far; nothing of an unknown account. `waiting` is the caller's. Parks. */
int erasure_read(struct service *self, const struct request *req,
                 const struct account_erased_in *in, struct account_erased_out *out,
                 struct error *err) MUST_USE;

#endif
