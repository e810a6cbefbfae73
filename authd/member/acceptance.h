/*
 * acceptance.h - accepting an invitation by its link. Handlers: invitation_show, invitation_accept;
 * set_password (set_password.c) comes here for a link of an invitation.
 *
 * Who runs the tenant's pages can read the link. So it alone makes an account, or sets the
 * password of one that the tenant's project owns and that is verified for no one else. The owner of
 * any other account signs in and accepts; that account must be verified for all, because another
 * person may have made it with this address.
 */
#ifndef ATRIUM_AUTHD_MEMBER_ACCEPTANCE_H
#define ATRIUM_AUTHD_MEMBER_ACCEPTANCE_H

#include "authd/authd.h"

struct credential_owner; /* account/credential.h */

/* Whether a link of an invitation (id and hash of its secret) is to be accepted by a password:
 * fails with ERR_ACCEPT_SIGNED_IN when its account has others to ask,
 * ERR_BAD_REQUEST when it is over. Parks. */
int acceptance_check_password(struct authd *d, const struct request *req, struct uuid id,
                              const uint8_t secret[static SECRET_HASH_SIZE],
                              struct error *err) MUST_USE;

/* Accepts the invitation of this link for its owner as find_link() has found it: makes the account,
 * or takes the one that there is and ends all that its maker could know, as by email_claim(); and
 * the membership. Fails: BAD_REQUEST (another request was first), ERR_ACCEPT_SIGNED_IN (the account
 * changed hands meanwhile). Parks. */
int acceptance_by_password(struct authd *d, const struct request *req, struct uuid id,
                           const uint8_t secret[static SECRET_HASH_SIZE],
                           struct credential_owner *owner, const char *password_hash,
                           struct error *err) MUST_USE;

/* Accepts, or declines, an invitation of the project for the caller without its link: on the
 * installation's own page, where the caller's address must be verified for all. Fail: NOT_FOUND (it
 * was accepted or withdrawn, or has expired), EMAIL_NOT_VERIFIED, MFA_ENROLLMENT_REQUIRED. Park. */
int acceptance_by_owner(struct authd *d, const struct request *req, struct uuid project,
                        struct uuid id, struct error *err) MUST_USE;
int acceptance_decline(struct authd *d, const struct request *req, struct uuid project,
                       struct uuid id, struct error *err) MUST_USE;

#endif
