/*
 * settingsd_sql.c - the table of settingsd's statements, from settingsd_sql.def.
 */
#include "settingsd/settingsd_sql.h"

const struct db_statement settingsd_statements[SETTINGSD_STATEMENT_COUNT] = {
#define SQL(name, class, params, text) DB_STATEMENT(#name, class, params, text),
#include "settingsd/settingsd_sql.def"
#undef SQL
};
