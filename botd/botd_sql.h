/*
 * botd_sql.h - the statements of botd by name; their texts are in botd_sql.def.
 *
 * Columns bear the names of the struct members that they fill (db_row).
 */
#ifndef ATRIUM_BOTD_SQL_H
#define ATRIUM_BOTD_SQL_H

#include "common/audit.h"
#include "common/db.h"

enum botd_statement {
#define SQL(name, class, params, text) name,
#include "botd/botd_sql.def"
#undef SQL
    BOTD_STATEMENT_COUNT
};

extern const struct db_statement botd_statements[BOTD_STATEMENT_COUNT];

/* struct bot */
#define BOT_COLUMNS                                                                           \
    "'Bot' as \"resourceType\", b.id, b.identifier::text, b.name, b.kind, b.url, b.program, " \
    "b.timeout_ms as \"timeoutMs\", b.warm, b.secret_names::text as \"secretNames\", "        \
    "b.updated_at as \"lastUpdated\""

/* What is needed to execute one: struct bot's own columns and those that it does not show. */
#define BOT_FOUND                                                                                  \
    "select b.id, b.kind, b.url, b.program, b.timeout_ms, b.warm, b.secrets_sealed, b.updated_at " \
    "from bot b where b.project_id = $1 and b.id in "

/* What a written bot (`from`) can be found by. */
#define BOT_NAMED(from)                                                         \
    "named as (insert into bot_identifier (project_id, bot_id, system, value) " \
    "select w.project_id, w.id, coalesce(i.system, ''), i.value "               \
    "from " from " w, json_to_recordset(w.identifier) i (system text, value text)) "

#endif
