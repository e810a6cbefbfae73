/*
 * seal_table.h - which columns of a daemon's database hold sealed values: a row for each, so that
 * they can be sealed anew when the key is exchanged (common/service/service_seal.c).
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

/* What a page has of a row. */
struct seal_row {
    const char *key;
    const char *subject;      /* NULL: none */
    bool other;               /* sealed by another key than the one that writes */
    struct field_bytes value; /* where `other`; bytes NULL: there is none */
};

extern const struct field_table seal_row_table;

struct seal_table {
    const char *name; /* for operators: that of the table */
    /* what a value is sealed for: this, and a space and the row's subject if it has one */
    const char *purpose;
    const struct db_statement *const *page;    /* of the call "seal_page" */
    const struct db_statement *const *replace; /* of the call "seal_write" */
    /* For a value that is absent: what it would be. NULL: absent values stay absent. */
    const char *(*missing)(const struct seal_keys *keys, struct arena *arena, const char *key);
};

#define SEAL_TABLE(table_) \
    &sql_seal_##table_##_page_statement, &sql_seal_##table_##_replace_statement

#endif
