/*
 * tenant.h - a project's rows in docd, for a move. For the bytes, see document/tenant_bytes.c.
 */
#ifndef ATRIUM_DOCD_TENANT_H
#define ATRIUM_DOCD_TENANT_H

#include "common/service/tenant_table.h"

/* Tables of docd, without tenant_common_tables. Documents count for quotas before their bytes
 * arrive. */
extern const struct tenant_table docd_tenant_tables[];

#endif
