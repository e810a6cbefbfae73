/*
 * tenant_table.c - see tenant_table.h.
 */
#include "common/service/tenant_table.h"

#include <inttypes.h>
#include <string.h>

#include "common/pg/db.h"

static const struct field tenant_json_rows[] = {
    FIELD_TEXT(struct tenant_json, value, 2, INT32_MAX, FIELD_REQUIRED, "A row", "{}"),
};
FIELD_TABLE(tenant_json);

const struct tenant_table tenant_common_tables[] = {
    TENANT_STAYS("audit", "a trail proves what was done on its own installation"),
    TENANT_STAYS("audit_gap", "of that trail"),
    TENANT_STAYS("audit_head", "of that trail"),
    TENANT_STAYS("audit_other", "of that trail"),
    TENANT_STAYS("project_purge", "what is being deleted does not travel"),
    TENANT_STAYS("schema_migration", "of the schema, not of a project"),
    TENANT_STAYS("seal_key", "sealed values are sealed anew by the receiver's key"),
    {.name = NULL},
};

int tenant_table_read(const struct tenant_table *table, struct db *db, const struct request *req,
                      struct uuid project, const char *after, struct tenant_page *ret,
                      struct error *err)
{
    const struct sql_tenant_page in = {
        .project = project, .after = after ? after : table->first, .most = table->rows};

    return table->page(db, req, &in, ret, err);
}

/* "[{...},{...}]" */
static const char *join(struct arena *arena, const struct tenant_page *page)
{
    size_t size = 2 + page->count;
    char *text, *at;

    for (size_t i = 0; i < page->count; i++)
        size += strlen(page->items[i].value);
    text = at = arena_alloc_raw(arena, size + 1);
    *at++ = '[';
    for (size_t i = 0; i < page->count; i++) {
        size_t length = strlen(page->items[i].value);

        if (i > 0)
            *at++ = ',';
        memcpy(at, page->items[i].value, length);
        at += length;
    }
    memcpy(at, "]", 2);
    return text;
}

int tenant_table_add(const struct tenant_table *table, struct db *db, const struct request *req,
                     struct uuid project, const struct tenant_page *page, int64_t *ret_added,
                     struct error *err)
{
    const struct sql_audit audit = audit_row(req, &(struct audit){.action = "project.import",
                                                                  .project = project,
                                                                  .type = "Project",
                                                                  .id = project,
                                                                  .detail = table->name});
    const struct sql_tenant_insert in = {.project = project, .rows = join(req->arena, page)};
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    int64_t added, same;

    if (db_begin(db, req->deadline_mono_ms, &tx, err) < 0 ||
        table->insert(tx, req, &in, &audit, &added, &same, err) < 0)
        return -1;
    if (added + same != (int64_t)page->count)
        return error_set(err, ERR_CONFLICT,
                         "%" PRId64 " of %zu rows of %s are not of this project, are there "
                         "otherwise, or are of another build.",
                         (int64_t)page->count - added - same, page->count, table->name);
    if (db_commit(&tx, err) < 0)
        return -1;
    *ret_added = added;
    return 0;
}
