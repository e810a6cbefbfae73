/*
 * statement.h - runs the calls that sqlgen.pl generates from .sql files.
 *
 * <daemon>/sql/<subject>/<name>.sql becomes sql_<name>() in "<daemon>/sql/<subject>.h", with
 * structs for its parameters and row (docs/database.md):
 *
 *     found = sql_client_delete(d->svc.db, req, &(struct sql_client_delete_in){.id = client}, err);
 */
#ifndef ATRIUM_COMMON_PG_STATEMENT_H
#define ATRIUM_COMMON_PG_STATEMENT_H

#include "common/domain/request.h"
#include "common/domain/role.h"
#include "common/pg/db.h"

/* Types of parameters and columns. Where null is allowed, it is an unset uuid, NULL (text, integer
 * pointer, bytes), ROLE_NONE, TRISTATE_UNSET, or an array with text NULL. */
enum sql_type {
    SQL_TYPE_UUID,
    SQL_TYPE_TEXT,       /* const char * */
    SQL_TYPE_ROLE,       /* enum role; text on the server */
    SQL_TYPE_INT8,       /* int64_t; null: const int64_t *; columns can be int2 or int4 */
    SQL_TYPE_BOOL,       /* bool; null: enum tristate */
    SQL_TYPE_BYTEA,      /* struct field_bytes */
    SQL_TYPE_UUID_ARRAY, /* struct db_array; parameters only */
    SQL_TYPE_TEXT_ARRAY,
    SQL_TYPE_INT8_ARRAY,
    SQL_TYPE_BYTEA_ARRAY,
    SQL_TYPE_STRUCT, /* struct x *: the columns that x's field table names */
};

struct sql_value {
    const char *name; /* a part's has a dot: "audit.at" */
    enum sql_type type;
    bool null;
    size_t offset;
    const struct field_table *table;
};

enum sql_rows {
    SQL_ROWS_NONE, /* returns the number of changed rows */
    SQL_ROWS_ONE,  /* returns 1, or 0 and leaves *row; more are ERR_INTERNAL */
    SQL_ROWS_MANY, /* returns the number; items are in the request's arena */
};

struct sql_shape {
    const char *file;
    int line; /* line of the statement's start in the expanded text */
    const struct sql_value *params;
    enum sql_rows rows;
    const struct sql_value *columns; /* in the server's order, then structs */
    size_t column_count;
    size_t row_size;
    const struct field_table *table; /* the row's struct; NULL: the row has a member per column */
};

/* Runs a statement (`in` and `out` by its shape; out NULL without columns). Parks until the
 * request's deadline. Returns as enum sql_rows says, texts in the request's arena, or -1; a null
 * that is not allowed is ERR_INTERNAL. */
int sql_run(struct db *db, const struct request *req, const struct db_statement *statement,
            const void *in, void *out, struct error *err) MUST_USE;
int sql_run_tx(struct db_tx *tx, const struct request *req, const struct db_statement *statement,
               const void *in, void *out, struct error *err) MUST_USE;

/* Returns -1 with this error if `rows` is 0. */
int sql_require(int rows, struct error *err, enum error_code code, const char *message) MUST_USE;

#endif
