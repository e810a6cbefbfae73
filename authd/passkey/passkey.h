/*
 * passkey.h - an operator's access to passkeys.
 */
#ifndef ATRIUM_AUTHD_PASSKEY_PASSKEY_H
#define ATRIUM_AUTHD_PASSKEY_PASSKEY_H

#include "authd/account/credential.h"

struct passkey_list; /* passkey_api.h */

int passkey_list_of(struct authd *d, const struct request *req, struct uuid account,
                    struct passkey_list *out, struct error *err) MUST_USE;

/* Deletes a passkey of owner->account, ends its sessions, emails the owner and commits. The
 * transaction holds the account's lock. Fails: NOT_FOUND. Parks. */
int passkey_remove(struct authd *d, const struct request *req, struct db_tx **tx_p,
                   const struct credential_owner *owner, struct uuid passkey, const char *reason,
                   struct error *err) MUST_USE;

#endif
