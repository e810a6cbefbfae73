/* db_query.h - one statement and its rows, for statement.c and tests. */
#ifndef ATRIUM_COMMON_PG_DB_QUERY_H
#define ATRIUM_COMMON_PG_DB_QUERY_H

#include "common/pg/db.h"

struct db_result;

/* ---- parameters ---- */

struct db_param {
    const char *text;     /* NUL-terminated; NULL is SQL null */
    const uint8_t *bytes; /* binary if size >= 0 */
    int size;             /* -1: text */
};
#define DB_TEXT(value_) ((struct db_param){.text = (value_), .size = -1})
#define DB_NULL DB_TEXT(NULL)

/* Borrows the bytes. NULL is SQL null. */
struct db_param db_param_bytes(const void *bytes, size_t size);

/* ---- statements ---- */

/* Runs a READ, WRITE, VITAL or transaction's statement. Parks. Leaves *ret on failure. */
int db_query(struct db *self, int64_t deadline_mono_ms, const struct db_statement *statement,
             const struct db_param *params, struct db_result **ret, struct error *err) MUST_USE;
int db_tx_query(struct db_tx *self, const struct db_statement *statement,
                const struct db_param *params, struct db_result **ret, struct error *err) MUST_USE;

/* ---- rows ---- */

void db_result_destroy(struct db_result **self_p);
size_t db_rows(const struct db_result *self);
size_t db_affected(const struct db_result *self);

/* Positions count from 0; texts point into the result. A null is "", 0, false or empty. Types:
 * text, varchar, int2/4/8, bool, uuid, bytea; cast others in SQL (jsonb::text). A wrong type ends
 * the process. */
bool db_is_null(const struct db_result *self, size_t row, int column);
const char *db_text(const struct db_result *self, size_t row, int column);
int64_t db_int(const struct db_result *self, size_t row, int column);
bool db_bool(const struct db_result *self, size_t row, int column);
struct uuid db_uuid(const struct db_result *self, size_t row, int column);
struct field_bytes db_bytes(const struct db_result *self, size_t row, int column);

/* Fills a struct from columns named as its fields, texts copied: BOOL and TRISTATE from bool, TIME
 * and INT from integers, others from text. Fields without a column stay. */
void db_row(const struct db_result *self, size_t row, const struct field_table *table,
            struct arena *arena, void *out);

struct field_list db_list(const struct db_result *self, const struct field_table *table,
                          struct arena *arena);

#endif
