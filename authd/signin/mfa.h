/*
 * mfa.h - a second factor that is taken away by another person than its owner, who has lost it.
 */
#ifndef ATRIUM_AUTHD_SIGNIN_MFA_H
#define ATRIUM_AUTHD_SIGNIN_MFA_H

#include "authd/authd.h"

struct credential_owner; /* account/credential.h */
struct db_tx;

/* Whether one of the account's projects demands a second factor of it. Parks. */
int mfa_is_required(struct authd *d, const struct request *req, struct uuid account, bool *ret,
                    struct error *err) MUST_USE;

/* Takes TOTP, recovery codes and all passkeys of owner->account away and commits: all sessions of
 * the account end, and its owner is told. role: the account's; reason: of an admin, NULL: none.
 * Where an operator does it for an account that no project owns, and there are no pages, the owner
 * may set up a new one within a day in a session of any project: else one that demands a factor
 * would stay closed to them. The transaction holds nothing behind the account in the order of
 * locks. ERR_BAD_REQUEST when there is nothing to take. Parks. */
int mfa_reset(struct authd *d, const struct request *req, struct db_tx **tx_p,
              const struct credential_owner *owner, enum role role, const char *reason,
              struct error *err) MUST_USE;

#endif
