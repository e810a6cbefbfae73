/* tenant.h - a project's data in maild, for a move to another installation. */
#ifndef ATRIUM_MAILD_TENANT_H
#define ATRIUM_MAILD_TENANT_H

#include "common/service/tenant_table.h"

/* Ends with a NULL name. Does not include tenant_common_tables. */
extern const struct tenant_table maild_tenant_tables[];

#endif
