/*
 * seal_table.h - which columns of a daemon's database hold sealed values: a row for each, so that
 * they can be sealed anew when the key is exchanged (common/service/service_seal.c).
 *
 *     SEAL_STATEMENTS(mfa_factor) // sql/seal/seal_mfa_factor_page.sql and _replace.sql
 *
 *     static const struct seal_table seal_tables[] = {
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

struct seal_rows {
    const struct seal_row *items;
    size_t count;
};

/* Reads a page: rows behind the key `after` (NULL: from the start), at most `most`, in the order of
 * their key. Parks. */
typedef int seal_page_fn(struct db *db, const struct request *req, const char *after,
                         struct field_bytes key_id, int64_t most, struct seal_rows *ret,
                         struct error *err);

/* Replaces values; *ret_replaced is how many still were the old ones. Parks. */
typedef int seal_replace_fn(struct db *db, const struct request *req,
                            const struct sql_seal_replace *values, const struct sql_audit *audit,
                            int64_t *ret_replaced, struct error *err);

struct seal_table {
    const char *name; /* for operators: that of the table */
    /* what a value is sealed for: this, and a space and the row's subject if it has one */
    const char *purpose;
    seal_page_fn *page;
    seal_replace_fn *replace;
    /* For a value that is absent: what it would be. NULL: absent values stay absent. */
    const char *(*missing)(const struct seal_keys *keys, struct arena *arena, const char *key);
};

/* Defines the two functions, by the statements seal_<table>_page.sql, with the part "seal_other",
 * and seal_<table>_replace.sql, of the parts "seal_replace" and "audit". */
#define SEAL_STATEMENTS(table_)                                                                  \
    static int seal_##table_##_page(struct db *db, const struct request *req, const char *after, \
                                    struct field_bytes key_id, int64_t most,                     \
                                    struct seal_rows *ret, struct error *err)                    \
    {                                                                                            \
        const struct sql_seal_##table_##_page_in in = {                                          \
            .after = after, .most = most, .seal_other = {.key_id = key_id}};                     \
        struct field_list rows;                                                                  \
                                                                                                 \
        if (sql_seal_##table_##_page(db, req, &in, &rows, err) < 0)                              \
            return -1;                                                                           \
        *ret = (struct seal_rows){rows.items, rows.count};                                       \
        return 0;                                                                                \
    }                                                                                            \
                                                                                                 \
    static int seal_##table_##_replace(struct db *db, const struct request *req,                 \
                                       const struct sql_seal_replace *values,                    \
                                       const struct sql_audit *audit, int64_t *ret_replaced,     \
                                       struct error *err)                                        \
    {                                                                                            \
        const struct sql_seal_##table_##_replace_in in = {.seal_replace = *values,               \
                                                          .audit = *audit};                      \
        struct sql_seal_##table_##_replace_row row;                                              \
                                                                                                 \
        if (sql_seal_##table_##_replace(db, req, &in, &row, err) < 0)                            \
            return -1;                                                                           \
        *ret_replaced = row.total;                                                               \
        return 0;                                                                                \
    }

#define SEAL_TABLE(table_) seal_##table_##_page, seal_##table_##_replace

#endif
