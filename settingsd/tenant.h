/* tenant.h - settingsd's tables for a tenant's move to another installation. */
#ifndef ATRIUM_SETTINGSD_TENANT_H
#define ATRIUM_SETTINGSD_TENANT_H

#include "common/service/tenant_table.h"

/* Ends with a NULL name. Does not include tenant_common_tables. */
extern const struct tenant_table settingsd_tenant_tables[];

#endif
