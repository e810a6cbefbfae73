/*
 * email_verified.h - verified email addresses. An address is verified when someone uses a link or
 * code that was sent to it.
 *
 * A verification counts for all projects or for one organization (the projects below one root). The
 * people who run a tenant's pages can read a link to those pages. Only the mailbox's owner can read
 * a link to the installation's own pages.
 *
 * In SQL, use the parts email_is_verified and email_verified_insert (for an account that an
 * operator creates with a verified address). In a transaction, use email_claim().
 */
#ifndef ATRIUM_AUTHD_ACCOUNT_EMAIL_VERIFIED_H
#define ATRIUM_AUTHD_ACCOUNT_EMAIL_VERIFIED_H

#include "authd/authd.h"

struct credential_owner;
struct sign_in;
struct tenant;
struct throttle_keys;

/* The age from which a second factor survives a claim by mailbox alone, since another person may
 * own the mailbox. */
#define EMAIL_CLAIM_FACTOR_AGE DAYS(30)

/* A link that sets a password also deletes passkeys younger than this, even if the address was
 * verified before: such a passkey may be why the owner requests the link. */
#define EMAIL_CLAIM_PASSKEY_AGE DAYS(7)

/* An undo deletes what was added up to this long before the change of address, since the same
 * person may have added it. */
#define EMAIL_UNDO_AGE DAYS(30)

/* The means by which an address was verified. */
enum email_claim_by { EMAIL_BY_LINK, EMAIL_BY_INVITATION, EMAIL_BY_CODE };

/* Verifies the address of owner->account for owner->organization (absent: all) and writes the
 * password hash, in a transaction that has redeemed a link or emailed code. If the address was not
 * verified there before, another person may have made the account. So this deletes the scheduled
 * deletion (owner->revived, for credential_change_commit()), a second factor younger than
 * EMAIL_CLAIM_FACTOR_AGE, passkeys, consents and other links. A code sets no password: its hash
 * matches no password, and is written only for a newly verified account.
 *
 * Order of locks: link, account, second factor, credential, sessions. The caller ends the sessions
 * afterwards. Parks. */
int email_claim(struct db_tx *tx, const struct request *req, struct credential_owner *owner,
                enum email_claim_by by, const char *password_hash, struct error *err) MUST_USE;

/* Removes what another person may have left in an account that the transaction has locked: the
 * scheduled deletion (owner->revived), a second factor enrolled since `factor_since`, passkeys and
 * consents since `since`. detail: for the audit rows. Parks. */
int email_drop_leftovers(struct db_tx *tx, const struct request *req,
                         struct credential_owner *owner, int64_t factor_since, int64_t since,
                         const char *detail, struct error *err) MUST_USE;

/* Returns true if the tenant rejects sign-ins with unverified addresses. */
bool email_is_required(const struct tenant *tenant);

/* Rejects and audits the sign-in of an account with the right password whose required verification
 * is missing: ERR_EMAIL_NOT_VERIFIED. keys: limits to check first, so that a caller who guessed too
 * often does not learn that a guess was right; NULL: already checked. Parks. */
int email_check_sign_in(struct authd *d, const struct request *req, const struct tenant *tenant,
                        const struct sign_in *who, const struct throttle_keys *keys,
                        struct error *err) MUST_USE;

/* Sets ERR_EMAIL_NOT_VERIFIED for an action that needs verification for all projects, with the
 * installation's page for it in details.url. Returns -1. */
int email_refuse_unverified(const struct authd *d, const struct request *req, struct error *err);

/* The number of projects in the cache d->organizations, which email_verified_for_caller() uses. */
enum { EMAIL_ORGANIZATIONS_MAX = 8192 };

/* Reports if the caller's address is verified for all projects or for the caller's organization.
 * organizations: a PostgreSQL array as text. Parks only for a practitioner who is verified for some
 * organization while the caller's organization is not cached. */
int email_verified_for_caller(struct authd *d, const struct request *req, const char *organizations,
                              bool *ret, struct error *err) MUST_USE;

#endif
