/*
 * address_key.h - the keys that seal the network addresses of accounts in the audit trails
 * (common/service/audit_address.h): a pair for each account, the secret one sealed by seal_key.
 *
 * An account that registers, or that an invitation makes, gets its pair in the statement that makes
 * it. All others, also those of older builds, get it when they are used first. A pair lives exactly
 * as long as the account's row: the constraint deletes it in the statement that deletes the
 * account, and makes none for an account that is gone. A public key that is remembered anywhere
 * longer than that seals what nothing opens.
 *
 * Who asks: a gateway, once for each session, passes the key on with the caller. A request without
 * a caller turns out to be about an account on its way: address_key_load() there.
 */
#ifndef ATRIUM_AUTHD_SESSION_ADDRESS_KEY_H
#define ATRIUM_AUTHD_SESSION_ADDRESS_KEY_H

#include "authd/authd.h"
#include "authd/sql_part.h"
#include "common/service/audit_address.h"

#define ADDRESS_KEY_PURPOSE "account address key"

/* From here on audit_row() seals the client's address for the account, where the request has no
 * caller; an absent account is none. Makes the keys where there are none; when that fails, rows
 * have no address. Not within a transaction: it takes a connection of its own. Parks. */
void address_key_load(struct authd *d, const struct request *req, struct uuid account);

/* The same of an account that was read with its public key (NULL: it has none yet), so that time
 * does not tell whether there is one. Parks where there is no key. */
void address_key_adopt(struct authd *d, const struct request *req, struct uuid account,
                       const char *key);

/* The same of a caller. */
void address_key_complete(struct authd *d, const struct request *req, struct caller *caller);

/* New keys of an account that this request creates, for the part address_key_insert; from here on
 * audit_row() seals for it. */
struct sql_address_key_insert address_key_draft(struct authd *d, const struct request *req,
                                                struct uuid account);

/* The events of records with the addresses that can be opened, see audit_address_show(). Parks. */
struct audit_record;
int addresses_show(struct authd *d, const struct request *req, struct audit_record *const *records,
                   size_t count, struct error *err) MUST_USE;

#endif
