/*
 * tenant.h - what docd keeps of a project, as it travels to another installation. The bytes of its
 * documents come behind the rows, see document/tenant_bytes.c.
 */
#ifndef ATRIUM_DOCD_TENANT_H
#define ATRIUM_DOCD_TENANT_H

#include "common/service/tenant_table.h"

/* Ended by name NULL; tenant_common_tables are not repeated. A document with a file that is added
 * is marked as lacking its bytes until they have come, and counts for quotas at once. */
extern const struct tenant_table docd_tenant_tables[];

#endif
