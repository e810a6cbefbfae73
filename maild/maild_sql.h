/*
 * maild_sql.h - the statements of maild by name; their texts are in maild_sql.def.
 */
#ifndef ATRIUM_MAILD_MAILD_SQL_H
#define ATRIUM_MAILD_MAILD_SQL_H

#include "common/service/audit.h"
#include "common/service/seal_table.h"

enum maild_statement {
#define SQL(name, class, params, text) name,
#include "maild/maild_sql.def"
#undef SQL
    MAILD_STATEMENT_COUNT
};

extern const struct db_statement maild_statements[MAILD_STATEMENT_COUNT];

#endif
