/*
 * tenant.h - what docd keeps of a project, as it travels to another installation. The bytes of its
 * documents come behind the rows, see document/tenant_bytes.c.
 */
#ifndef ATRIUM_DOCD_TENANT_H
#define ATRIUM_DOCD_TENANT_H

#include "common/service/tenant_table.h"

/* Ended by name NULL, without tenant_common_tables. An added document lacks its bytes until they
 * come, and counts for quotas at once. */
extern const struct tenant_table docd_tenant_tables[];

#endif
