/*
 * mfa.h - resets a lost second factor for its owner.
 */
#ifndef ATRIUM_AUTHD_SIGNIN_MFA_H
#define ATRIUM_AUTHD_SIGNIN_MFA_H

#include "authd/authd.h"

struct credential_owner; /* account/credential.h */
struct db_tx;

/* True if one of the account's projects requires a second factor. Parks. */
int mfa_is_required(struct authd *d, const struct request *req, struct uuid account, bool *ret,
                    struct error *err) MUST_USE;

/* Deletes TOTP, recovery codes and passkeys of owner->account, ends its sessions, informs its owner
 * and commits. `reason`: an admin's, or NULL. After an operator's reset of an account that no
 * project owns, without installation pages, the owner can set up a new factor in any project within
 * a day. The transaction must hold no lock that comes after the account's in lock order.
 * ERR_BAD_REQUEST: no factor. Parks. */
int mfa_reset(struct authd *d, const struct request *req, struct db_tx **tx_p,
              const struct credential_owner *owner, enum role role, const char *reason,
              struct error *err) MUST_USE;

#endif
