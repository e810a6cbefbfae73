/*
 * docd_sql.c - the table of docd's statements, from docd_sql.def.
 */
#include "docd/docd_sql.h"

const struct db_statement docd_statements[DOCD_STATEMENT_COUNT] = {
#define SQL(name, class, params, text) DB_STATEMENT(#name, class, params, text),
#include "docd/docd_sql.def"
#undef SQL
};
