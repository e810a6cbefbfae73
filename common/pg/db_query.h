/*
 * db_query.h - statements by number, with their parameters and columns by place. The calls of .sql
 * files are made of this (statement.c); nothing else of a program uses it, but the tests of this
 * layer do, which have statements that no file may hold.
 */
#ifndef ATRIUM_COMMON_PG_DB_QUERY_H
#define ATRIUM_COMMON_PG_DB_QUERY_H

#include "common/pg/db.h"

struct db_result;

/* One of a table of rows. */
#define DB_STATEMENT(name_, class_, params_, text_)                                 \
    {                                                                               \
        .name = (name_), .class = DB_##class_, .params = (params_), .text = (text_) \
    }

/* ---- parameters ---- */

struct db_param {
    const char *text;     /* text format, NUL-terminated; NULL is SQL null */
    const uint8_t *bytes; /* binary format when size >= 0 */
    int size;             /* -1: text */
    char buffer[24];      /* numbers */
};
struct db_param db_param_int(int64_t value);
struct db_param db_param_bool(enum tristate value);
struct db_param db_param_bytes(const void *bytes, size_t size);

#define DB_TEXT(value_) ((struct db_param){.text = (value_), .size = -1})
#define DB_UUID(value_) \
    ((struct db_param){.text = (value_).text[0] ? (value_).text : NULL, .size = -1})
#define DB_INT(value_) db_param_int(value_)
#define DB_BOOL(value_) db_param_bool((enum tristate)(value_)) /* TRISTATE_UNSET is null */
#define DB_BYTES(bytes_, size_) db_param_bytes((bytes_), (size_))
#define DB_SEALED(sealed_) db_param_bytes((sealed_).bytes, (sealed_).size)
#define DB_NULL ((struct db_param){.text = NULL, .size = -1})

/* The last two arguments of a call below: DB_PARAMS(DB_UUID(id), DB_INT(2)), DB_PARAMS(). */
#define DB_PARAMS(...)                           \
    (struct db_param[]){DB_NULL, ##__VA_ARGS__}, \
        sizeof((struct db_param[]){DB_NULL, ##__VA_ARGS__}) / sizeof(struct db_param) - 1

/* ---- statements ---- */

/* Runs a READ or WRITE statement of db_options.statements, or one of a transaction, and parks until
 * its rows are there; no longer than until the deadline. *ret is untouched on failure. params[0] is
 * unused, so that a list of none compiles; `count` does not include it. */
int db_query_params(struct db *self, int64_t deadline_mono_ms, int statement,
                    struct db_result **ret, struct error *err, const struct db_param *params,
                    size_t count) MUST_USE;
int db_tx_query_params(struct db_tx *self, int statement, struct db_result **ret, struct error *err,
                       const struct db_param *params, size_t count) MUST_USE;

/* ---- rows ---- */

void db_result_destroy(struct db_result **self_p);
size_t db_rows(const struct db_result *self);

/* How many rows a statement without `returning` has changed. */
size_t db_affected(const struct db_result *self);

/* Values by position (0-based). Texts point into the result: copy what must outlive it. A null is
 * "" / 0 / false / empty. Types: text and varchar; int2/4/8; bool; uuid; bytea. Anything else must
 * be cast in the SQL (jsonb::text). A wrong type is our own bug and ends the process. */
bool db_is_null(const struct db_result *self, size_t row, int column);
const char *db_text(const struct db_result *self, size_t row, int column);
int64_t db_int(const struct db_result *self, size_t row, int column);
bool db_bool(const struct db_result *self, size_t row, int column);
struct uuid db_uuid(const struct db_result *self, size_t row, int column);
struct field_bytes db_bytes(const struct db_result *self, size_t row, int column);

/* Fills a struct from the columns named like its fields (select file_name as "fileName"), texts
 * copied into the arena; TEXT, EMAIL, JSON from text, TIME and INT from integers, TRISTATE and BOOL
 * from bool, UUID, BYTES. Fields without a column stay as they are. */
void db_row(const struct db_result *self, size_t row, const struct field_table *table,
            struct arena *arena, void *out);

/* All rows as a field_list of the table's struct. */
struct field_list db_list(const struct db_result *self, const struct field_table *table,
                          struct arena *arena);

#endif
