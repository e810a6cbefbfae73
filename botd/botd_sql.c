/*
 * botd_sql.c - the table of botd's statements, from botd_sql.def.
 */
#include "botd/botd_sql.h"

const struct db_statement botd_statements[BOTD_STATEMENT_COUNT] = {
#define SQL(name, class, params, text) DB_STATEMENT(#name, class, params, text),
#include "botd/botd_sql.def"
#undef SQL
};
