/*
 * transfer.h - authd's rows of a project that moves to another installation: accounts with
 * memberships, passwords, second factors and passkeys.
 *
 * Anyone who knows the receiver's public key can make a file, so a file must not affect another
 * tenant. It contains no links, codes or sessions, and verifies addresses for the project at most.
 * An account is added only with its membership, and its rows only if the file added it and it has
 * no other membership.
 *
 * A practitioner has one account for many tenants. If one exists at the receiver with the file's id
 * or address, or can still undo a change from that address, it stays unchanged. Its owner is
 * invited with the file's membership and profile ids, but not as an admin.
 *
 * The transaction that decides on an account records the result (transfer_account) by the file's
 * id, so a continued import recognizes its own accounts.
 */
#ifndef ATRIUM_AUTHD_ACCOUNT_TRANSFER_H
#define ATRIUM_AUTHD_ACCOUNT_TRANSFER_H

#include "common/service/tenant_table.h"

/* Ends with a NULL name. Does not include tenant_common_tables. Accounts come first, and include
 * practitioners with other memberships. ERR_CONFLICT names accounts that can be neither added nor
 * invited. */
extern const struct tenant_table authd_tenant_tables[];

#endif
