/*
 * erasure.h - what a daemon erases of an account that is deleted with all that it owned (`wipe`),
 * and its part of the receipt of that.
 *
 * authd asks each daemon that keeps something of accounts by its operation account_wipe, through
 * the outbox, until it was carried out. The daemon counts what it erases in the statements that
 * erase (sql/part/erasure_count.sql), and then notes the request: so no death loses or doubles a
 * count. What a request of the person that is still under way would add meanwhile is kept out by
 * erasure_mark(). Its operation account_erased says how far it is. The tables are those of
 * schema/erasure.sql.
 */
#ifndef ATRIUM_COMMON_SERVICE_ERASURE_H
#define ATRIUM_COMMON_SERVICE_ERASURE_H

#include "common/domain/request.h"
#include "common/wire/fields.h"

struct service;

/* A profile of an account that is gone. */
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

/* What was erased of an account. */
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

/* Call it before rows of a table are looked for to erase them: statements that ask erasure_begun()
 * (schema/erasure.sql) add no row of the account from now on, those that were under way are over.
 * Nothing for a caller that names no account. Parks. These need service_definition.erasure. */
int erasure_mark(struct service *self, const struct request *req, struct uuid account,
                 const char *table, struct error *err) MUST_USE;

/* What a daemon erases of a profile: at most `most` rows of a table at a time, so that no other
 * write waits for long. */
struct erasure_work {
    const char *table; /* for erasure_mark() */
    int most;
    /* How many rows it were, or -1. Parks. */
    int (*erase)(void *daemon, const struct request *req, const struct membership_ref *place,
                 struct uuid account, struct error *err);
};

/* Carries a request out: the mark, each profile until nothing is left of it, and the note that it
 * was done. Repeating it is fine. Parks. */
int erasure_carry_out(struct service *self, const struct request *req,
                      const struct account_wipe_in *in, const struct erasure_work *work,
                      struct error *err) MUST_USE;

/* Notes that a request was carried out, by its key; nothing for a caller that names no account.
 * Parks. */
int erasure_step_done(struct service *self, const struct request *req, struct uuid account,
                      struct uuid key, struct error *err) MUST_USE;

/* What was erased so far; nothing of an account that is not known. `waiting` is the caller's.
 * Parks. */
int erasure_read(struct service *self, const struct request *req,
                 const struct account_erased_in *in, struct account_erased_out *out,
                 struct error *err) MUST_USE;

#endif
