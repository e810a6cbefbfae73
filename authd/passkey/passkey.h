/*
 * passkey.h - an account's passkeys, for the operator. passkey.c has the handlers of their owner,
 * too.
 */
#ifndef ATRIUM_AUTHD_PASSKEY_PASSKEY_H
#define ATRIUM_AUTHD_PASSKEY_PASSKEY_H

#include "authd/account/credential.h"

struct passkey_list; /* passkey_api.h */

/* Lists all passkeys of an account. Parks. */
int passkey_list_of(struct authd *d, const struct request *req, struct uuid account,
                    struct passkey_list *out, struct error *err) MUST_USE;

/* Removes a passkey of owner->account and commits: all its sessions end, and the owner is emailed.
 * The transaction has locked the account. Fails: NOT_FOUND. Parks. */
int passkey_remove(struct authd *d, const struct request *req, struct db_tx **tx_p,
                   const struct credential_owner *owner, struct uuid passkey, const char *reason,
                   struct error *err) MUST_USE;

#endif
