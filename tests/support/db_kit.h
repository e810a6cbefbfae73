/*
 * db_kit.h - what the tests of the database layer share: a table, and a handle for each case.
 */
#ifndef ATRIUM_TESTS_SUPPORT_DB_KIT_H
#define ATRIUM_TESTS_SUPPORT_DB_KIT_H

#include "common/pg/db.h"
#include "tests/support/pg.h"

#define DB_KIT_SQL                                                 \
    "create table thing (id int primary key, size int not null,\n" \
    "    constraint thing_size check (size >= 0)); -- a comment at the end"

/* The table, then a column `note`; ended by NULL, which is an older build's. */
extern const struct db_migration db_kit_migrations[3];

/* What each case has: a schema of its own on the server that all share, a handle on the case's
 * loop. */
struct db_fixture {
    struct loop *loop;
    struct metrics *metrics;
    struct db_options options;
    struct db *db;
    struct error err;
};

/* Those of a daemon with these statements, its schema and program of one name. All borrowed. */
struct db_options db_kit_options(const struct pg *server, const char *schema,
                                 const struct db_statement *statements, size_t count);

/* Makes the schema and a handle that is prepared; false, and the case failed, when that is not
 * possible. */
bool db_kit_setup(struct db_fixture *self, struct pg *server, struct loop *loop,
                  const struct db_options *options);
void db_kit_teardown(struct db_fixture *self);

#endif
