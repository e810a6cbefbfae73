/*
 * transfer.h - authd's rows of a project that moves to another installation: accounts with their
 * memberships, passwords, second factors and passkeys.
 *
 * Anyone who knows the receiver's public key can make a file. So nothing in a file may count for
 * another tenant: links, codes, sessions and verifications beyond the project are not moved. An
 * account is added only together with its membership, and an account's rows only if the file has
 * added the account and it is a member of no other project.
 *
 * A practitioner has one account for many tenants. If the receiver has an account with the file's
 * id or address, or one that can still undo a change from that address, that account stays
 * unchanged. Its owner is invited at the file's address, with the file's membership and profile ids
 * but without admin rights, which only an admin grants.
 *
 * The transaction that decides on an account records the result (transfer_account) by the file's
 * id. So a continued import recognizes its own accounts, even if an invitation was accepted or
 * withdrawn in between.
 */
#ifndef ATRIUM_AUTHD_ACCOUNT_TRANSFER_H
#define ATRIUM_AUTHD_ACCOUNT_TRANSFER_H

#include "common/service/tenant_table.h"

/* A list terminated by a NULL name, without tenant_common_tables. Accounts are first. Practitioners
 * with memberships in other projects are included. ERR_CONFLICT names an account that exists here,
 * or not in the file, as a patient's. */
extern const struct tenant_table authd_tenant_tables[];

#endif
