/*
 * tenant_table.h - which tables of a daemon travel with a tenant to another installation, and how
 * their rows are read and added: a row of a table of rows for each table of the daemon's schema,
 * also for those that stay, with the reason. A test compares them with the schema, so that a new
 * table is not forgotten.
 *
 *     const struct tenant_table settingsd_tenant_tables[] = {
 *         // sql/tenant/tenant_page_client.sql and tenant_insert_client.sql
 *         {"client", "{\"id\":\"" UUID_NIL "\"}", 500, TENANT_TABLE(client)},
 *         TENANT_STAYS("outbox", "what it holds is sent before the tenant travels"),
 *         {.name = NULL},
 *     };
 *
 * A row travels as JSON, all its columns as they are, so that it has the same id there. Pages are
 * by the key, which does not change, so reading goes on behind the last row that came over. What is
 * sealed is opened when it is read and sealed by the receiver's key when it is added: a page has it
 * open, and goes nowhere but into the file of the tenant (ctl/tenant/tenant_file.h).
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

/* Reads the rows of a project after the row in->after, at most in->most, in the order of their key.
 * Parks. */
typedef int tenant_page_fn(const struct tenant_table *table, struct db *db,
                           const struct request *req, const struct sql_tenant_page *in,
                           struct tenant_page *ret, struct error *err);

/* Adds rows: ret->added were not there, ret->same were, as they are given. Parks. */
typedef int tenant_insert_fn(const struct tenant_table *table, struct db_tx *tx,
                             const struct request *req, const struct sql_tenant_add_in *in,
                             struct sql_tenant_add_row *ret, struct error *err);

/* A column that holds a sealed value. */
struct tenant_sealed {
    const char *column;
    const char *purpose; /* what it is sealed for: this, and a space and the row's subject */
    const char *subject; /* column; NULL: the purpose alone */
    /* For a row without a value: what it would be, by the value of the column `of`. NULL: none. */
    const char *(*missing)(const struct seal_keys *keys, struct arena *arena, const char *key);
    const char *of;
};

/* Whether the values of a row are what the routes of the daemon take: -1 with problems or a
 * message. Does not park. */
typedef int tenant_check_fn(struct arena *arena, const char *row, struct error *err);

enum { TENANT_SEALED_MAX = 2 };

struct tenant_table {
    const char *name;
    const char *first;                                  /* JSON of a key before that of every row */
    int64_t rows;                                       /* of a page */
    const struct db_statement *const *read;             /* of the call "tenant_read" */
    const struct db_statement *const *add;              /* of the call "tenant_add" */
    tenant_page_fn *page;                               /* NULL: the statement alone */
    tenant_insert_fn *insert;                           /* likewise */
    const char *stays;                                  /* why it does not travel; NULL: it does */
    struct tenant_sealed sealed[TENANT_SEALED_MAX + 1]; /* ended by column NULL */
    tenant_check_fn *check; /* of rows that are added; NULL: readers check what they read */
};

#define TENANT_STAYS(name_, reason_)        \
    {                                       \
        .name = (name_), .stays = (reason_) \
    }

/* The tables of schema/erasure.sql. */
#define TENANT_ERASURE_WHY "what was erased on its own installation is vouched for there"
#define TENANT_ERASURE_STAYS \
    TENANT_STAYS("erasure", TENANT_ERASURE_WHY), TENANT_STAYS("erasure_step", TENANT_ERASURE_WHY)

/* Those that every daemon has; all stay. Ended by name NULL. */
extern const struct tenant_table tenant_common_tables[];

/* A database and the keys that seal in it. */
struct tenant_store {
    struct db *db;
    const struct seal_keys *keys;
};

/* Reads a page as it is stored, with sealed values. Parks. */
tenant_page_fn tenant_table_page;

/* Reads a page; `after` is the last row of the one before, NULL: from the start. The last page has
 * fewer rows than table->rows. Fails when a value is sealed by a key that is not there. Parks. */
int tenant_table_read(const struct tenant_table *table, const struct tenant_store *from,
                      const struct request *req, struct uuid project, const char *after,
                      struct tenant_page *ret, struct error *err) MUST_USE;

/* Adds the rows of a page to a project; repeating it is harmless. ERR_CONFLICT, and nothing was
 * added, when one of them is not the project's, is there otherwise (sealed values are not
 * compared), has a unique value that another row has, or has other columns or values than the table
 * may have; it names the first such row, counted from `before`, the rows of the table in front of
 * the page. Parks. */
int tenant_table_add(const struct tenant_table *table, const struct tenant_store *to,
                     const struct request *req, struct uuid project, const struct tenant_page *page,
                     int64_t before, int64_t *ret_added, struct error *err) MUST_USE;

/* What adding `rows`, the page as a JSON array, has made of the tables. Parks. */
typedef int tenant_look_fn(struct db_tx *tx, const char *rows, void *arg, struct error *err);

/* The same, but undone when `look` has seen it. `rows` has values open that are sealed. Parks. */
int tenant_table_try(const struct tenant_table *table, const struct tenant_store *to,
                     const struct request *req, struct uuid project, const struct tenant_page *page,
                     int64_t before, tenant_look_fn *look, void *arg, struct error *err) MUST_USE;

#define TENANT_TABLE(table_) \
    .read = &sql_tenant_page_##table_##_statement, .add = &sql_tenant_insert_##table_##_statement

#endif
