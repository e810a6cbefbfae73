/*
 * list_write.h - writes a row of a list with a limit per project (list_limit.h).
 *
 *     static const struct list_rule bots = {
 *         LIST_LIMIT("bots"), &sql_bot_lock_statement, &sql_bot_size_statement};
 *
 * Call list_write_begin(), the insert with write.tx, list_write_commit(); CLEANUP(list_write_end).
 */
#ifndef ATRIUM_COMMON_SERVICE_LIST_WRITE_H
#define ATRIUM_COMMON_SERVICE_LIST_WRITE_H

#include "common/domain/list_limit.h"
#include "common/pg/statement.h"

/* Statements of class tx with the parameter `project uuid`: `lock` locks out other writers, `size`
 * returns list_size. */
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

int list_write_begin(struct list_write *self, struct db *db, const struct request *req,
                     struct error *err) MUST_USE;

/* Fails with CONFLICT, writing nothing, if the list grew beyond the limit. Parks. */
int list_write_commit(struct list_write *self, const struct request *req,
                      struct error *err) MUST_USE;

void list_write_end(struct list_write *self);

#endif
