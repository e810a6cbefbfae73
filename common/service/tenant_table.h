/*
 * tenant_table.h - the tables of a daemon that move with a tenant to another installation: a row
 * for each table of the schema, with a reason for those that stay.
 *
 *     const struct tenant_table settingsd_tenant_tables[] = {
 *         // sql/tenant/tenant_page_client.sql and tenant_insert_client.sql
 *         {"client", "{\"id\":\"" UUID_NIL "\"}", 500, TENANT_TABLE(client)},
 *         TENANT_STAYS("outbox", "what it holds is sent before the tenant travels"),
 *         {.name = NULL},
 *     };
 *
 * A row moves as JSON with all its columns, so it keeps its id. Pages are in the order of a key
 * that never changes. Sealed values are opened when read, and sealed with the receiver's key when
 * added: a page has them open, and goes only into the tenant's file (ctl/tenant/tenant_file.h).
 */
#ifndef ATRIUM_COMMON_SERVICE_TENANT_TABLE_H
#define ATRIUM_COMMON_SERVICE_TENANT_TABLE_H

#include "common/service/audit.h"
#include "common/service/seal_keys.h"
#include "common/service/sql_part.h"

struct db;
struct db_tx;

/* A row of any table. */
struct tenant_json {
    const char *value;
};
FIELD_DECLARE(tenant_json);

struct tenant_page {
    const struct tenant_json *items;
    size_t count;
};

struct tenant_table;

/* Reads at most in->most rows after in->after in key order. Parks. */
typedef int tenant_page_fn(const struct tenant_table *table, struct db *db,
                           const struct request *req, const struct sql_tenant_page *in,
                           struct tenant_page *ret, struct error *err);

/* Adds rows: ret->added are new, ret->same existed with equal values. Parks. */
typedef int tenant_insert_fn(const struct tenant_table *table, struct db_tx *tx,
                             const struct request *req, const struct sql_tenant_add_in *in,
                             struct sql_tenant_add_row *ret, struct error *err);

struct tenant_sealed {
    const char *column;
    const char *purpose; /* purpose of secret_seal(), followed by a space and the row's subject */
    const char *subject; /* column, or NULL */
    /* Computes a missing value from the row's column `of`. NULL: it stays missing. */
    const char *(*missing)(const struct seal_keys *keys, struct arena *arena, const char *key);
    const char *of;
};

/* Checks a row's values as the daemon's routes do. Returns -1 with problems or a message. Does not
 * park. */
typedef int tenant_check_fn(struct arena *arena, const char *row, struct error *err);

enum { TENANT_SEALED_MAX = 2 };

struct tenant_table {
    const char *name;
    const char *first;                      /* JSON of a key that sorts before all rows */
    int64_t rows;                           /* per page */
    const struct db_statement *const *read; /* call "tenant_read" */
    const struct db_statement *const *add;  /* call "tenant_add" */
    tenant_page_fn *page;                   /* NULL: only the statement */
    tenant_insert_fn *insert;               /* NULL: only the statement */
    const char *stays;                      /* why it does not move, or NULL */
    struct tenant_sealed sealed[TENANT_SEALED_MAX + 1]; /* ended by column NULL */
    tenant_check_fn *check;                             /* for added rows; NULL: readers check */
};

#define TENANT_STAYS(name_, reason_)        \
    {                                       \
        .name = (name_), .stays = (reason_) \
    }

#define TENANT_ERASURE_WHY "what was erased on its own installation is vouched for there"
#define TENANT_ERASURE_STAYS \
    TENANT_STAYS("erasure", TENANT_ERASURE_WHY), TENANT_STAYS("erasure_step", TENANT_ERASURE_WHY)

/* The tables that every daemon has; all stay. Ended by name NULL. */
extern const struct tenant_table tenant_common_tables[];

struct tenant_store {
    struct db *db;
    const struct seal_keys *keys;
};

/* Reads a page with values still sealed. Parks. */
tenant_page_fn tenant_table_page;

/* `after` is the previous page's last row, or NULL. The last page has fewer than table->rows rows.
 * Fails if a value's key is missing. Parks. */
int tenant_table_read(const struct tenant_table *table, const struct tenant_store *from,
                      const struct request *req, struct uuid project, const char *after,
                      struct tenant_page *ret, struct error *err) MUST_USE;

/* Adds a page's rows to a project. Repeatable. ERR_CONFLICT: nothing was added, because a row
 * belongs to another project, exists with other values (sealed ones are not compared), duplicates a
 * unique value, or has columns or values that the table does not allow. The error names the first
 * such row, counted from `before`, the table's rows before this page. Parks. */
int tenant_table_add(const struct tenant_table *table, const struct tenant_store *to,
                     const struct request *req, struct uuid project, const struct tenant_page *page,
                     int64_t before, int64_t *ret_added, struct error *err) MUST_USE;

/* Inspects the tables after `rows`, the page as a JSON array, were added. Parks. */
typedef int tenant_look_fn(struct db_tx *tx, const char *rows, void *arg, struct error *err);

/* Adds as tenant_table_add() does, but rolls back after `look`. `rows` has sealed values open.
 * Parks. */
int tenant_table_try(const struct tenant_table *table, const struct tenant_store *to,
                     const struct request *req, struct uuid project, const struct tenant_page *page,
                     int64_t before, tenant_look_fn *look, void *arg, struct error *err) MUST_USE;

#define TENANT_TABLE(table_) \
    .read = &sql_tenant_page_##table_##_statement, .add = &sql_tenant_insert_##table_##_statement

#endif
