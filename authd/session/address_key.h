/*
 * address_key.h - accounts' key pairs for network addresses in audit logs
 * (common/service/audit_address.h). seal_key seals the secret keys.
 *
 * A new account's statement creates its pair; older accounts get it on first use. A foreign key
 * deletes it with the account. A process that still caches the public key can go on sealing, but no
 * one can open the result.
 *
 * A gateway passes the key on with the caller, once per session. Code that finds its account later
 * calls address_key_load().
 */
#ifndef ATRIUM_AUTHD_SESSION_ADDRESS_KEY_H
#define ATRIUM_AUTHD_SESSION_ADDRESS_KEY_H

#include "authd/authd.h"
#include "authd/sql_part.h"
#include "common/service/audit_address.h"

#define ADDRESS_KEY_PURPOSE "account address key"

/* Makes audit_row() seal the client's address for this account, if the request has no caller.
 * Creates missing keys; on failure, rows have no address. Not in a transaction: it uses another
 * connection. Parks. */
void address_key_load(struct authd *d, const struct request *req, struct uuid account);

/* Like address_key_load(), for an account read with its key (NULL: none yet), so that timing
 * reveals no accounts. Parks only if the key is missing. */
void address_key_adopt(struct authd *d, const struct request *req, struct uuid account,
                       const char *key);

/* Sets a caller's missing key. Parks. */
void address_key_complete(struct authd *d, const struct request *req, struct caller *caller);

/* Returns a new account's keys for the part address_key_insert. audit_row() then uses them. */
struct sql_address_key_insert address_key_draft(struct authd *d, const struct request *req,
                                                struct uuid account);

/* Returns the events with their network addresses, as far as there are keys, see
 * audit_address_show(). Parks. */
struct audit_record;
int addresses_show(struct authd *d, const struct request *req, struct audit_record *const *records,
                   size_t count, struct error *err) MUST_USE;

#endif
