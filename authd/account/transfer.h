/*
 * transfer.h - what authd keeps of a project, as it travels to another installation: its accounts
 * with their memberships, passwords, second factors and passkeys.
 *
 * Links, codes and sessions stay, and whatever proves an address beyond the project: everyone who
 * knows the receiver's public key can make a file, so nothing in it may count for another tenant.
 * For the same reason an account is added only together with its membership, and what belongs to
 * an account only while that is a member of this project and of no other.
 */
#ifndef ATRIUM_AUTHD_ACCOUNT_TRANSFER_H
#define ATRIUM_AUTHD_ACCOUNT_TRANSFER_H

#include "common/service/tenant_table.h"

/* Ended by name NULL; tenant_common_tables are not repeated. A practitioner who is a member of
 * further projects travels, too. ERR_CONFLICT, which names the account: the receiver has the
 * account in another project, or its address is another account's there. */
extern const struct tenant_table authd_tenant_tables[];

#endif
