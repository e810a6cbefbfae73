/*
 * transfer.h - what authd keeps of a project, as it travels to another installation: its accounts
 * with their memberships, passwords, second factors and passkeys.
 *
 * Links, codes and sessions stay, and whatever proves an address beyond the project: everyone who
 * knows the receiver's public key can make a file, so nothing in it may count for another tenant.
 * For the same reason an account is added only together with its membership, and what belongs to
 * an account only where the file has added it, while it is a member of no other project.
 *
 * A practitioner has one account over many tenants. Where there is one at the receiver, with the id
 * or the address of the file's or with the right to take the address back, it stays as it is, and
 * nothing of it is taken from the file. Its owner is invited instead, to the address of the file,
 * as a member with the ids of membership and profile that others refer to, and without rights of an
 * admin, which only an admin gives.
 *
 * What became of each account is noted in the transaction that decides it (transfer_account), by
 * its id in the file. So an import that is gone on with knows its own accounts from others, also
 * when an invitation was accepted or withdrawn meanwhile.
 */
#ifndef ATRIUM_AUTHD_ACCOUNT_TRANSFER_H
#define ATRIUM_AUTHD_ACCOUNT_TRANSFER_H

#include "common/service/tenant_table.h"

/* Ended by name NULL; tenant_common_tables are not repeated. Accounts are the first. A practitioner
 * who is a member of further projects travels, too. ERR_CONFLICT, which names the account: a
 * patient is there already, or is no patient in the file. */
extern const struct tenant_table authd_tenant_tables[];

#endif
