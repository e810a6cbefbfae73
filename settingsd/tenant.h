/* tenant.h - what settingsd keeps of a project, as it travels to another installation. */
#ifndef ATRIUM_SETTINGSD_TENANT_H
#define ATRIUM_SETTINGSD_TENANT_H

#include "common/service/tenant_table.h"

/* Ended by name NULL; tenant_common_tables are not repeated. */
extern const struct tenant_table settingsd_tenant_tables[];

#endif
