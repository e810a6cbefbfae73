/*
 * db_query.h - one statement to the server and its rows back: what the calls of .sql files are made
 * of (statement.c). Nothing else of a program uses it, but the tests of this layer do, which have
 * statements that no file may hold.
 */
#ifndef ATRIUM_COMMON_PG_DB_QUERY_H
#define ATRIUM_COMMON_PG_DB_QUERY_H

#include "common/pg/db.h"

struct db_result;

/* ---- parameters ---- */

struct db_param {
    const char *text;     /* text format, NUL-terminated; NULL is SQL null */
    const uint8_t *bytes; /* binary format when size >= 0 */
    int size;             /* -1: text */
};
#define DB_TEXT(value_) ((struct db_param){.text = (value_), .size = -1})
#define DB_NULL DB_TEXT(NULL)

/* In binary format; borrowed. NULL is SQL null. */
struct db_param db_param_bytes(const void *bytes, size_t size);

/* ---- statements ---- */

/* Runs a READ, WRITE or VITAL statement, or one of a transaction, with as many parameters as it
 * has, and parks until its rows are there; no longer than until the deadline, of a transaction its
 * own. *ret is untouched on failure. */
int db_query(struct db *self, int64_t deadline_mono_ms, const struct db_statement *statement,
             const struct db_param *params, struct db_result **ret, struct error *err) MUST_USE;
int db_tx_query(struct db_tx *self, const struct db_statement *statement,
                const struct db_param *params, struct db_result **ret, struct error *err) MUST_USE;

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
