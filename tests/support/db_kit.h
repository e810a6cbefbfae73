/*
 * db_kit.h - what the tests of the database layer share: a table, and a handle for each case.
 */
#ifndef ATRIUM_TESTS_SUPPORT_DB_KIT_H
#define ATRIUM_TESTS_SUPPORT_DB_KIT_H

#include "common/pg/db_query.h"
#include "tests/support/pg.h"

/* ---- statements that are no files ---- */

/* A row of a list that ends with an empty one. */
#define DB_STATEMENT(name_, class_, params_, text_)                                 \
    {                                                                               \
        .name = (name_), .class = DB_##class_, .params = (params_), .text = (text_) \
    }

#define DB_UUID(value_) DB_TEXT((value_).text[0] ? (value_).text : NULL)
#define DB_INT(value_) db_kit_int((char[24]){0}, value_)
#define DB_BOOL(value_) DB_TEXT((value_) ? "t" : "f")
#define DB_BYTES(bytes_, size_) db_param_bytes((bytes_), (size_))
#define DB_SEALED(sealed_) db_param_bytes((sealed_).bytes, (sealed_).size)
struct db_param db_kit_int(char buffer[static 24], int64_t value);

/* The last two arguments of a call below: DB_PARAMS(DB_UUID(id), DB_INT(2)), DB_PARAMS(). The first
 * parameter of the list is left out: without it a list of none would not compile. */
#define DB_PARAMS(...)                               \
    &(struct db_param[]){DB_NULL, ##__VA_ARGS__}[1], \
        sizeof((struct db_param[]){DB_NULL, ##__VA_ARGS__}) / sizeof(struct db_param) - 1

/* db_query() and db_tx_query() with so many parameters as the statement has, else the process
 * ends. */
int db_kit_query(struct db *db, int64_t deadline_mono_ms, const struct db_statement *statement,
                 struct db_result **ret, struct error *err, const struct db_param *params,
                 size_t count) MUST_USE;
int db_kit_tx_query(struct db_tx *tx, const struct db_statement *statement, struct db_result **ret,
                    struct error *err, const struct db_param *params, size_t count) MUST_USE;

/* ---- a table, and a handle for each case ---- */

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
                                 const struct db_statement *statements);

/* Makes the schema and a handle that is prepared; false, and the case failed, when that is not
 * possible. */
bool db_kit_setup(struct db_fixture *self, struct pg *server, struct loop *loop,
                  const struct db_options *options);
void db_kit_teardown(struct db_fixture *self);

/* Ten seconds from now; a statement of the fixture's, by its place, until then. */
int64_t db_kit_soon(const struct db_fixture *self);
#define DB_KIT_QUERY(self_, statement_, ret_, ...)                                           \
    db_kit_query((self_)->db, db_kit_soon(self_), &(self_)->options.sql[statement_], (ret_), \
                 &(self_)->err, DB_PARAMS(__VA_ARGS__))

/* Parks the fiber; the case fails when that is cancelled. */
void db_kit_sleep_ms(struct db_fixture *self, int64_t ms);

#endif
