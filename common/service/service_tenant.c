/*
 * service_tenant.c - see service_tenant.h. Sealed values are open here: they go to atriumctl, over
 * a local socket or encrypted, into a file for one receiver.
 */
#include "common/service/service_tenant.h"

#include "common/service/service_private.h"
#include "common/service/sql/audit.h"
#include "common/service/sql/purge.h"

enum { TABLE_NAME_MAX = 63, TABLES_MAX = 64 };

static const struct field tenant_table_name_rows[] = {
    FIELD_TEXT(struct tenant_table_name, name, 1, TABLE_NAME_MAX, FIELD_REQUIRED, "Table",
               "client"),
};
FIELD_TABLE(tenant_table_name);

static const struct field tenant_tables_in_rows[] = {
    FIELD_UUID(struct tenant_tables_in, projectId, FIELD_NULLABLE, "Project that is added"),
};
FIELD_TABLE(tenant_tables_in);

static const struct field tenant_tables_out_rows[] = {
    FIELD_OBJECTS(struct tenant_tables_out, tables, tenant_table_name, TABLES_MAX, 0,
                  "Tables, in the order in which they are added"),
};
FIELD_TABLE(tenant_tables_out);

static const struct field tenant_read_in_rows[] = {
    FIELD_UUID(struct tenant_read_in, projectId, FIELD_REQUIRED, "Project that is moved"),
    FIELD_TEXT(struct tenant_read_in, table, 1, TABLE_NAME_MAX, FIELD_REQUIRED, "Table", "client"),
    FIELD_TEXT(struct tenant_read_in, after, 2, TENANT_ROW_MAX, FIELD_NULLABLE,
               "The last row of the previous page", "{}"),
};
FIELD_TABLE(tenant_read_in);

static const struct field tenant_read_out_rows[] = {
    FIELD_OBJECTS(struct tenant_read_out, rows, tenant_json, TENANT_PAGE_ROWS_MAX, 0, "Rows"),
    FIELD_BOOL(struct tenant_read_out, more, false, 0, "Whether there can be more"),
};
FIELD_TABLE(tenant_read_out);

static const struct field tenant_add_in_rows[] = {
    FIELD_UUID(struct tenant_add_in, projectId, FIELD_REQUIRED, "Project that is moved"),
    FIELD_TEXT(struct tenant_add_in, table, 1, TABLE_NAME_MAX, FIELD_REQUIRED, "Table", "client"),
    FIELD_OBJECTS(struct tenant_add_in, rows, tenant_json, TENANT_PAGE_ROWS_MAX, 0, "Rows"),
    FIELD_INT(struct tenant_add_in, before, 0, INT64_MAX, 0, 0, "Rows before these", "0"),
};
FIELD_TABLE(tenant_add_in);

static const struct field tenant_add_out_rows[] = {
    FIELD_INT(struct tenant_add_out, added, 0, INT64_MAX, 0, 0, "Rows that were added", "100"),
};
FIELD_TABLE(tenant_add_out);

static const struct tenant_table *tables_of(const struct service *self)
{
    static const struct tenant_table none = {.name = NULL};

    return self->definition->tenant ? self->definition->tenant : &none;
}

static const struct tenant_table *find(const struct service *self, const char *name,
                                       struct error *err)
{
    for (const struct tenant_table *table = tables_of(self); table->name; table++)
        if (strcmp(table->name, name) == 0 && !table->stays)
            return table;
    error_set(err, ERR_NOT_FOUND, "This release moves no table %s of %s.", name,
              self->definition->name);
    return NULL;
}

static struct tenant_store store_of(const struct service *self)
{
    return (struct tenant_store){self->db, &self->seal};
}

/* Rejects a deleted project's id for a day, because project_purge.c would delete the new rows
 * too. */
static int refuse_deleted(struct service *self, const struct request *req, struct uuid project,
                          struct error *err)
{
    const struct sql_purge_find_in in = {.project = project};
    struct sql_purge_find_row row;

    if (!self->definition->purge || !uuid_is_set(&project))
        return 0;
    if (sql_purge_find(self->db, req, &in, &row, err) < 0)
        return -1;
    return row.found
               ? error_set(err, ERR_CONFLICT,
                           "The project was deleted here less than a day ago: %s would delete "
                           "it again.",
                           self->definition->name)
               : 0;
}

/* Lists the tables that move. Fails: CONFLICT (the project was deleted here recently). */
int tenant_tables(struct service *self, const struct request *req,
                  const struct tenant_tables_in *in, struct tenant_tables_out *out,
                  struct error *err)
{
    struct tenant_table_name *names = arena_calloc(req->arena, TABLES_MAX, sizeof(*names));
    size_t count = 0;

    if (refuse_deleted(self, req, in->projectId, err) < 0)
        return -1;
    for (const struct tenant_table *table = tables_of(self); table->name; table++)
        if (!table->stays && count < TABLES_MAX)
            names[count++].name = table->name;
    out->tables = (struct field_list){names, count};
    return 0;
}

static int note_read(struct service *self, const struct request *req,
                     const struct tenant_read_in *in, struct error *err)
{
    const struct audit audit = {.action = "project.export",
                                .project = in->projectId,
                                .type = "Project",
                                .id = in->projectId,
                                .detail = in->table};
    const struct sql_audit_note_in note = {.audit = audit_row(req, &audit)};

    return MIN(sql_audit_note(self->db, req, &note, err), 0);
}

/* Reads a page of a table. Fails: NOT_FOUND (no such table); INTERNAL (sealed with an unknown
 * key). */
int tenant_read(struct service *self, const struct request *req, const struct tenant_read_in *in,
                struct tenant_read_out *out, struct error *err)
{
    const struct tenant_table *table = find(self, in->table, err);
    const struct tenant_store from = store_of(self);
    struct tenant_page page;
    size_t bytes = 0, count = 0;

    if (!table || (!in->after && note_read(self, req, in, err) < 0) ||
        tenant_table_read(table, &from, req, in->projectId, in->after, &page, err) < 0)
        return -1;
    while (count < page.count && (count == 0 || bytes < TENANT_PAGE_MAX))
        bytes += strlen(page.items[count++].value);
    if (bytes > TENANT_PAGE_MAX && count > 1)
        count--;
    out->rows = (struct field_list){page.items, count};
    out->more = count < page.count || (int64_t)page.count == table->rows;
    return 0;
}

/* Adds rows. Fails: NOT_FOUND (no such table); CONFLICT, see tenant_table_add(): nothing was
 * added. */
int tenant_add(struct service *self, const struct request *req, const struct tenant_add_in *in,
               struct tenant_add_out *out, struct error *err)
{
    const struct tenant_table *table = find(self, in->table, err);
    const struct tenant_store to = store_of(self);
    const struct tenant_page page = {in->rows.items, in->rows.count};

    if (!table)
        return -1;
    return tenant_table_add(table, &to, req, in->projectId, &page, in->before, &out->added, err);
}
