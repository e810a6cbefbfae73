/* tenant.h - what maild keeps of a project, as it travels to another installation. */
#ifndef ATRIUM_MAILD_TENANT_H
#define ATRIUM_MAILD_TENANT_H

#include "common/service/tenant_table.h"

/* Ended by name NULL; tenant_common_tables are not repeated. */
extern const struct tenant_table maild_tenant_tables[];

#endif
