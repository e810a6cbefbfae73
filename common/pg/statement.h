/*
 * statement.h - statements that are .sql files: how the calls that sqlgen.pl writes run them.
 *
 * <daemon>/sql/<subject>/<name>.sql becomes sql_<name>() in "<daemon>/sql/<subject>.h", with
 * structs of its parameters and row; docs/database.md:
 *
 *     found = sql_client_delete(d->svc.db, req, &(struct sql_client_delete_in){.id = client}, err);
 */
#ifndef ATRIUM_COMMON_PG_STATEMENT_H
#define ATRIUM_COMMON_PG_STATEMENT_H

#include "common/domain/request.h"
#include "common/domain/role.h"
#include "common/pg/db.h"

/* Where null is allowed it is an unset uuid, a NULL text, pointer to an integer or bytes,
 * ROLE_NONE, TRISTATE_UNSET, or an array whose text is NULL. */
enum sql_type {
    SQL_TYPE_UUID,       /* struct uuid */
    SQL_TYPE_TEXT,       /* const char * */
    SQL_TYPE_ROLE,       /* enum role; a text of the server */
    SQL_TYPE_INT8,       /* int64_t; null: const int64_t *; a column may be int2 or int4 */
    SQL_TYPE_BOOL,       /* bool; null: enum tristate */
    SQL_TYPE_BYTEA,      /* struct field_bytes */
    SQL_TYPE_UUID_ARRAY, /* struct db_array; arrays are parameters only */
    SQL_TYPE_TEXT_ARRAY,
    SQL_TYPE_INT8_ARRAY,
    SQL_TYPE_BYTEA_ARRAY,
    SQL_TYPE_STRUCT, /* struct x *, a column: from all columns that x's field table names */
};

struct sql_value {
    const char *name; /* of a part's parameter: "audit.at" */
    enum sql_type type;
    bool null;                       /* allowed */
    size_t offset;                   /* of the member */
    const struct field_table *table; /* SQL_TYPE_STRUCT, else NULL */
};

enum sql_rows {
    SQL_ROWS_NONE, /* the call returns how many rows were changed */
    SQL_ROWS_ONE,  /* 1, or 0 and *row is untouched; more are ERR_INTERNAL */
    SQL_ROWS_MANY, /* how many; the items are in the arena of the request */
};

/* What db_statement knows of a statement that is a .sql file. */
struct sql_shape {
    const char *file;
    int line;                       /* of the expanded text, where the statement begins */
    const struct sql_value *params; /* $1 and so on */
    enum sql_rows rows;
    const struct sql_value *columns; /* in the order of the server's, structs behind them */
    size_t column_count;
    size_t row_size;                 /* of the struct of the columns */
    const struct field_table *table; /* the row is this struct; NULL: it is the columns' */
};

/* Runs a statement (`in`, `out` as its shape says; out NULL without columns); parks until the
 * request's deadline. Texts are in its arena. Returns as enum sql_rows says, or -1; a null not
 * allowed is ERR_INTERNAL. */
int sql_run(struct db *db, const struct request *req, const struct db_statement *statement,
            const void *in, void *out, struct error *err) MUST_USE;
int sql_run_tx(struct db_tx *tx, const struct request *req, const struct db_statement *statement,
               const void *in, void *out, struct error *err) MUST_USE;

/* For a statement that must find a row: 0 when `rows` is positive; -1, with this error when it is
 * 0. */
int sql_require(int rows, struct error *err, enum error_code code, const char *message) MUST_USE;

#endif
