/*
 * seal_table.h - the columns with sealed values in a daemon's database, for a key rotation
 * (common/service/service_seal.c).
 *
 *     static const struct seal_table seal_tables[] = {
 *         // sql/seal/seal_mfa_factor_page.sql and _replace.sql
 *         {"mfa_factor", "mfa factor", SEAL_TABLE(mfa_factor), NULL},
 *         {.name = NULL},
 *     };
 */
#ifndef ATRIUM_COMMON_SERVICE_SEAL_TABLE_H
#define ATRIUM_COMMON_SERVICE_SEAL_TABLE_H

#include "common/base/arena.h"
#include "common/service/audit.h"
#include "common/service/seal_keys.h"
#include "common/service/sql_part.h"

struct seal_row {
    const char *key;
    const char *subject;      /* or NULL */
    bool other;               /* a key that no longer writes sealed it */
    struct field_bytes value; /* only if `other`; bytes NULL: no value */
};

extern const struct field_table seal_row_table;

struct seal_table {
    const char *name;
    /* purpose of secret_seal(), followed by a space and the row's subject, if any */
    const char *purpose;
    const struct db_statement *const *page;    /* call "seal_page" */
    const struct db_statement *const *replace; /* call "seal_write" */
    /* Computes an absent value. NULL: absent values stay absent. */
    const char *(*missing)(const struct seal_keys *keys, struct arena *arena, const char *key);
};

#define SEAL_TABLE(table_) \
    &sql_seal_##table_##_page_statement, &sql_seal_##table_##_replace_statement

#endif
