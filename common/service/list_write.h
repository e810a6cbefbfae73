/*
 * list_write.h - a transaction that adds or replaces a row of a list that has a limit for each
 * project (common/domain/list_limit.h).
 *
 *     static const struct list_rule bots = {LIST_LIMIT("bots"), &sql_bot_lock_statement,
 *                                           &sql_bot_size_statement};
 *     CLEANUP(list_write_end) struct list_write write = {.rule = &bots, .project = project};
 *
 *     if (list_write_begin(&write, db, req, err) < 0 ||
 *         sql_bot_insert(write.tx, req, &insert, out, err) < 0)
 *         return -1;
 *     return list_write_commit(&write, req, err);
 */
#ifndef ATRIUM_COMMON_SERVICE_LIST_WRITE_H
#define ATRIUM_COMMON_SERVICE_LIST_WRITE_H

#include "common/domain/list_limit.h"
#include "common/pg/statement.h"

/* Two statements of class tx that take `project uuid` alone: `lock` keeps others out until the
 * transaction ends, `size` returns the row struct list_size. */
struct list_rule {
    struct list_limit limit;
    const struct db_statement *const *lock, *const *size;
};

struct list_write {
    const struct list_rule *rule;
    struct uuid project;
    struct db_tx *tx;
    struct list_size before;
};

/* Begins the transaction, behind every other one of that list. Parks. */
int list_write_begin(struct list_write *self, struct db *db, const struct request *req,
                     struct error *err) MUST_USE;

/* Commits it. Fails: CONFLICT, and nothing was written: there would be more than the limit, and
 * more than before. Parks. */
int list_write_commit(struct list_write *self, const struct request *req,
                      struct error *err) MUST_USE;

/* Rolls back what was not committed. */
void list_write_end(struct list_write *self);

#endif
