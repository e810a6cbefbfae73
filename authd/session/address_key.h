/*
 * address_key.h - the key pairs that seal network addresses in audit logs
 * (common/service/audit_address.h), one for each account. seal_key seals the secret key.
 *
 * Registration and invitations create the pair in the statement that creates the account. All other
 * accounts get it on first use. A foreign key deletes the pair with the account; a public key that
 * is cached longer seals addresses that nothing can open.
 *
 * A gateway passes the key on with the caller, once per session. Code that finds its account later,
 * without a caller, calls address_key_load().
 */
#ifndef ATRIUM_AUTHD_SESSION_ADDRESS_KEY_H
#define ATRIUM_AUTHD_SESSION_ADDRESS_KEY_H

#include "authd/authd.h"
#include "authd/sql_part.h"
#include "common/service/audit_address.h"

#define ADDRESS_KEY_PURPOSE "account address key"

/* Makes audit_row() seal the client's address for this account, if the request has no caller.
 * Creates missing keys; on failure, rows have no address. Not in a transaction, because it takes
 * another connection. Parks. */
void address_key_load(struct authd *d, const struct request *req, struct uuid account);

/* Like address_key_load(), for an account that was read with its key (NULL: none yet), so that
 * timing does not reveal whether an account exists. Parks only without a key. */
void address_key_adopt(struct authd *d, const struct request *req, struct uuid account,
                       const char *key);

/* Sets a missing address key of a caller. Parks. */
void address_key_complete(struct authd *d, const struct request *req, struct caller *caller);

/* Returns keys for an account that this request creates, for the part address_key_insert.
 * audit_row() then uses them. */
struct sql_address_key_insert address_key_draft(struct authd *d, const struct request *req,
                                                struct uuid account);

/* Returns records as events with all addresses that can be opened, see audit_address_show().
 * Parks. */
struct audit_record;
int addresses_show(struct authd *d, const struct request *req, struct audit_record *const *records,
                   size_t count, struct error *err) MUST_USE;

#endif
