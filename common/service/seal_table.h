/*
 * seal_table.h - which columns of a daemon's database hold sealed values: a row for each, so that
 * they can be sealed anew when the key is exchanged (common/service/service_seal.c).
 *
 *     SQL(SQL_FACTOR_SEAL_PAGE, READ, 3,
 *         SQL_SEAL_PAGE("mfa_factor", "account_id", SQL_SEAL_UUID, "account_id::text",
 *         "secret_sealed"))
 *     SQL(SQL_FACTOR_RESEAL, WRITE, 7,
 *         SQL_RESEAL("mfa_factor", "account_id", "uuid", "secret_sealed"))
 *
 *     {"mfa_factor", "mfa factor", SQL_FACTOR_SEAL_PAGE, SQL_FACTOR_RESEAL, NULL},
 */
#ifndef ATRIUM_COMMON_SERVICE_SEAL_TABLE_H
#define ATRIUM_COMMON_SERVICE_SEAL_TABLE_H

#include "common/base/arena.h"
#include "common/service/audit.h"
#include "common/service/seal_keys.h"

struct seal_table {
    const char *name; /* for operators: that of the table */
    /* what a value is sealed for: this, and a space and the row's subject if it has one */
    const char *purpose;
    int page, reseal; /* the two statements below */
    /* For a value that is absent: what it would be. NULL: absent values stay absent. */
    const char *(*missing)(const struct seal_keys *keys, struct arena *arena, const char *key);
};

/* Rows behind $1 (null: from the start), at most $3, in the order of their key: key, subject or
 * null, whether the value was sealed by another key than $2 (8 bytes), and if so the value. The
 * arguments are SQL; `after` is what $1 is as a key, and `other` what tells. */
#define SQL_SEAL_PAGE_OTHER(table, key, after, subject, column, other)                    \
    "select p.key::text, p.subject, p.other, case when p.other then p.value end from ("   \
    "select " key " as key, " subject " as subject, " column " as value, coalesce(" other \
    ", false) as other from " table " where " key " > " after " order by " key            \
    " limit $3::int8) p order by p.key"
#define SQL_SEAL_OTHER(column) "substr(" column ", 17, 8) <> $2::bytea"
#define SQL_SEAL_PAGE(table, key, after, subject, column) \
    SQL_SEAL_PAGE_OTHER(table, key, after, subject, column, SQL_SEAL_OTHER(column))
#define SQL_SEAL_UUID "coalesce($1::uuid, '00000000-0000-0000-0000-000000000000')"

/* Puts the values $3 in place of $2, of the rows with the keys $1: of those that still have that
 * value. How many those were. $4-$7 audit row. */
#define SQL_RESEAL(table, key, type, column)                                        \
    "with made as (update " table " t set " column " = n.value "                    \
    "from unnest($1::" type "[], $2::bytea[], $3::bytea[]) as n (key, old, value) " \
    "where t." key " = n.key and t." key " = any ($1::" type "[]) "                 \
    "and t." column " is not distinct from n.old returning 1), " SQL_AUDIT_MADE(    \
        "$4", "$5", "$6", "$7", "(select from made limit 1) one") "select count(*) from made"

#endif
