/* tenant.h - what botd keeps of a project, as it travels to another installation. */
#ifndef ATRIUM_BOTD_TENANT_H
#define ATRIUM_BOTD_TENANT_H

#include "common/service/tenant_table.h"

/* Ended by name NULL; tenant_common_tables are not repeated. */
extern const struct tenant_table botd_tenant_tables[];

#endif
