/*
 * db_kit.h - a table, and a handle per case, for tests of the database layer.
 */
#ifndef ATRIUM_TESTS_SUPPORT_DB_KIT_H
#define ATRIUM_TESTS_SUPPORT_DB_KIT_H

#include "common/pg/db_query.h"
#include "tests/support/pg.h"

/* Initializes an element of a statement list. An empty element ends the list. */
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

/* The last two arguments of the calls below, as in DB_PARAMS(DB_UUID(id), DB_INT(2)) or
 * DB_PARAMS(). The array starts with an unused element, because an empty array would not
 * compile. */
#define DB_PARAMS(...)                               \
    &(struct db_param[]){DB_NULL, ##__VA_ARGS__}[1], \
        sizeof((struct db_param[]){DB_NULL, ##__VA_ARGS__}) / sizeof(struct db_param) - 1

/* Call db_query() and db_tx_query() with the statement's number of parameters; any other number
 * ends the process. */
int db_kit_query(struct db *db, int64_t deadline_mono_ms, const struct db_statement *statement,
                 struct db_result **ret, struct error *err, const struct db_param *params,
                 size_t count) MUST_USE;
int db_kit_tx_query(struct db_tx *tx, const struct db_statement *statement, struct db_result **ret,
                    struct error *err, const struct db_param *params, size_t count) MUST_USE;

/* Prepares a handle like a service: tries again for a minute while the server is away or too
 * slow. */
int db_kit_prepare(struct db *db, struct error *err) MUST_USE;

#define DB_KIT_SQL                                                 \
    "create table thing (id int primary key, size int not null,\n" \
    "    constraint thing_size check (size >= 0)); -- a comment at the end"

/* The first makes the table, the second adds a column `note`. The list of an older build, which has
 * neither, starts at the NULL. */
extern const struct db_migration db_kit_migrations[3];

/* Each case's schema on the shared server, and a handle on the case's loop. */
struct db_fixture {
    struct loop *loop;
    struct metrics *metrics;
    struct db_options options;
    struct db *db;
    struct error err;
};

/* Returns a daemon's options with these statements; schema and program have the same name. Borrows
 * all. */
struct db_options db_kit_options(const struct pg *server, const char *schema,
                                 const struct db_statement *statements);

/* db_kit_setup() makes the schema and a prepared handle, or fails the case and returns false. */
bool db_kit_setup(struct db_fixture *self, struct pg *server, struct loop *loop,
                  const struct db_options *options);
void db_kit_teardown(struct db_fixture *self);

/* db_kit_soon() is ten seconds from now; DB_KIT_QUERY() runs a statement until then. */
int64_t db_kit_soon(const struct db_fixture *self);
#define DB_KIT_QUERY(self_, statement_, ret_, ...)                                           \
    db_kit_query((self_)->db, db_kit_soon(self_), &(self_)->options.sql[statement_], (ret_), \
                 &(self_)->err, DB_PARAMS(__VA_ARGS__))

/* Parks the fiber. The case fails if the park is cancelled. */
void db_kit_sleep_ms(struct db_fixture *self, int64_t ms);

#endif
