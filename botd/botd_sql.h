/*
 * botd_sql.h - the statements of botd by name; their texts are in botd_sql.def.
 *
 * Columns bear the names of the struct members that they fill (db_row).
 */
#ifndef ATRIUM_BOTD_BOTD_SQL_H
#define ATRIUM_BOTD_BOTD_SQL_H

#include "common/pg/db.h"
#include "common/service/audit.h"
#include "common/service/seal_table.h"

enum botd_statement {
#define SQL(name, class, params, text) name,
#include "botd/botd_sql.def"
#undef SQL
    BOTD_STATEMENT_COUNT
};

extern const struct db_statement botd_statements[BOTD_STATEMENT_COUNT];

/* As SQL_SEAL_PAGE_OTHER() and SQL_RESEAL(); the key of a bot is the texts of its project and
 * id. */
#define BOT_SEAL_PAGE(column, other)                                                              \
    "select p.project_id::text || p.id::text, null::text, p.other, "                              \
    "case when p.other then p.value end from (select project_id, id, " column " as value, " other \
    " as other from bot where (project_id, id) > ("                                               \
    "coalesce(left($1::text, 36), '00000000-0000-0000-0000-000000000000')::uuid, "                \
    "coalesce(substr($1::text, 37), '00000000-0000-0000-0000-000000000000')::uuid) "              \
    "order by project_id, id limit $3::int8) p order by p.project_id, p.id"
#define BOT_RESEAL(column)                                                           \
    "with made as (update bot t set " column " = n.value "                           \
    "from unnest($1::text[], $2::bytea[], $3::bytea[]) as n (key, old, value) "      \
    "where t.project_id = left(n.key, 36)::uuid and t.id = substr(n.key, 37)::uuid " \
    "and t." column " is not distinct from n.old returning 1), " SQL_AUDIT_MADE(     \
        "$4", "$5", "$6", "$7", "(select from made limit 1) one") "select count(*) from made"

#endif
