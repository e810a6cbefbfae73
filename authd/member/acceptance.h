/*
 * acceptance.h - accepting an invitation.
 *
 * Anyone who runs the tenant's pages can read the link. So the link alone can only make an account,
 * or set the password of one that the project owns and that is verified for no one else. Other
 * owners sign in to accept, with an address verified for all, because someone else may have made
 * the account.
 */
#ifndef ATRIUM_AUTHD_MEMBER_ACCEPTANCE_H
#define ATRIUM_AUTHD_MEMBER_ACCEPTANCE_H

#include "authd/authd.h"

struct credential_owner; /* account/credential.h */

/* ERR_ACCEPT_SIGNED_IN: this link (id and hash of its secret) can't be accepted with a password.
 * ERR_BAD_REQUEST: invalid. Parks. */
int acceptance_check_password(struct authd *d, const struct request *req, struct uuid id,
                              const uint8_t secret[static SECRET_HASH_SIZE],
                              struct error *err) MUST_USE;

/* Makes the account and membership for find_link()'s owner, or takes over an existing account and
 * ends everything its maker could know, as email_claim() does. BAD_REQUEST: another request was
 * first. ERR_ACCEPT_SIGNED_IN: the account's owners changed meanwhile. Parks. */
int acceptance_by_password(struct authd *d, const struct request *req, struct uuid id,
                           const uint8_t secret[static SECRET_HASH_SIZE],
                           struct credential_owner *owner, const char *password_hash,
                           struct error *err) MUST_USE;

/* Accept or decline an invitation without its link, on the installation's own page. The caller's
 * address must be verified for all. NOT_FOUND: accepted, withdrawn or expired. Park. */
int acceptance_by_owner(struct authd *d, const struct request *req, struct uuid project,
                        struct uuid id, struct error *err) MUST_USE;
int acceptance_decline(struct authd *d, const struct request *req, struct uuid project,
                       struct uuid id, struct error *err) MUST_USE;

#endif
