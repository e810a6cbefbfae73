/*
 * maild_sql.c - the table of maild's statements, from maild_sql.def.
 */
#include "maild/maild_sql.h"

const struct db_statement maild_statements[MAILD_STATEMENT_COUNT] = {
#define SQL(name, class, params, text) DB_STATEMENT(#name, class, params, text),
#include "maild/maild_sql.def"
#undef SQL
};
