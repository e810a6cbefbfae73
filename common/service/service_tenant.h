/* service_tenant.h - a tenant's move. */
#ifndef ATRIUM_COMMON_SERVICE_SERVICE_TENANT_H
#define ATRIUM_COMMON_SERVICE_SERVICE_TENANT_H

#include "common/service/service.h"
#include "common/service/tenant_table.h"

enum {
    TENANT_ROW_MAX = 4 * 1024 * 1024,  /* a row's JSON bytes */
    TENANT_PAGE_MAX = 2 * 1024 * 1024, /* bytes of a page, unless it is a single row */
    TENANT_PAGE_ROWS_MAX = 1000,
};

struct tenant_table_name {
    const char *name;
};
FIELD_DECLARE(tenant_table_name);

struct tenant_tables_in {
    struct uuid projectId; /* project to be added here, or absent */
};
FIELD_DECLARE(tenant_tables_in);

struct tenant_tables_out {
    struct field_list tables; /* struct tenant_table_name */
};
FIELD_DECLARE(tenant_tables_out);

struct tenant_read_in {
    struct uuid projectId;
    const char *table, *after; /* after: the previous page's last row, or NULL */
};
FIELD_DECLARE(tenant_read_in);

struct tenant_read_out {
    struct field_list rows; /* struct tenant_json */
    bool more;
};
FIELD_DECLARE(tenant_read_out);

struct tenant_add_in {
    struct uuid projectId;
    const char *table;
    struct field_list rows; /* struct tenant_json */
    int64_t before;         /* the table's rows in earlier pages */
};
FIELD_DECLARE(tenant_add_in);

struct tenant_add_out {
    int64_t added; /* new rows; the others existed already */
};
FIELD_DECLARE(tenant_add_out);

#endif
