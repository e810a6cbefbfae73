/*
 * email_verified.h - verified email addresses: someone used a link or code sent to the address.
 *
 * A verification counts for all projects or for one organization (the projects below one root). The
 * people who run a tenant's pages can read links to them; only the mailbox's owner can read links
 * to the installation's own pages.
 *
 * In SQL, use the parts email_is_verified and email_verified_insert; in a transaction,
 * email_claim().
 */
#ifndef ATRIUM_AUTHD_ACCOUNT_EMAIL_VERIFIED_H
#define ATRIUM_AUTHD_ACCOUNT_EMAIL_VERIFIED_H

#include "authd/authd.h"

struct credential_owner;
struct sign_in;
struct tenant;
struct throttle_keys;

/* A second factor at least this old survives a claim, since mailbox and device may have different
 * owners. */
#define EMAIL_CLAIM_FACTOR_AGE DAYS(30)

/* A link that sets a password deletes younger passkeys, even of verified accounts: one may be why
 * the owner requests the link. */
#define EMAIL_CLAIM_PASSKEY_AGE DAYS(7)

/* An undo also deletes credentials and consents that were added up to this long before the change
 * of address. */
#define EMAIL_UNDO_AGE DAYS(30)

enum email_claim_by { EMAIL_BY_LINK, EMAIL_BY_INVITATION, EMAIL_BY_CODE, EMAIL_BY_PROVIDER };

/* Verifies the address of owner->account for owner->organization (absent: all) and writes the
 * password hash, in a transaction that has redeemed a link or emailed code. If the address was not
 * verified there before, another person may have made the account. So its scheduled deletion
 * (owner->revived, for credential_change_commit()), a second factor younger than
 * EMAIL_CLAIM_FACTOR_AGE, passkeys, consents and other links are deleted. For a code or an
 * identity provider, which set no password, pass a hash that no password matches; it is written
 * only if the verification is new.
 *
 * Order of locks: link, account, second factor, credential, sessions. The caller ends the sessions
 * afterwards. Parks. */
int email_claim(struct db_tx *tx, const struct request *req, struct credential_owner *owner,
                enum email_claim_by by, const char *password_hash, struct error *err) MUST_USE;

/* Removes what another person may have left in a locked account: its scheduled deletion
 * (owner->revived), a second factor newer than `factor_since`, passkeys and consents newer than
 * `since`. detail: for the audit rows. Parks. */
int email_drop_leftovers(struct db_tx *tx, const struct request *req,
                         struct credential_owner *owner, int64_t factor_since, int64_t since,
                         const char *detail, struct error *err) MUST_USE;

/* True if the tenant rejects unverified addresses at sign-in. */
bool email_is_required(const struct tenant *tenant);

/* Rejects and audits a sign-in with the right password if the required verification is missing:
 * ERR_EMAIL_NOT_VERIFIED. keys: limits to check first, so that a caller above them does not learn
 * that the password was right; NULL: already checked. Parks. */
int email_check_sign_in(struct authd *d, const struct request *req, const struct tenant *tenant,
                        const struct sign_in *who, const struct throttle_keys *keys,
                        struct error *err) MUST_USE;

/* Sets ERR_EMAIL_NOT_VERIFIED for an action that needs verification for all projects. details.url
 * has the installation's page. Returns -1. */
int email_refuse_unverified(const struct authd *d, const struct request *req, struct error *err);

/* Projects in d->organizations, the cache of email_verified_for_caller(). */
enum { EMAIL_ORGANIZATIONS_MAX = 8192 };

/* Reports if the caller's address is verified for all projects or the caller's organization.
 * organizations: a PostgreSQL array as text. Parks if that organization is needed and not
 * cached. */
int email_verified_for_caller(struct authd *d, const struct request *req, const char *organizations,
                              bool *ret, struct error *err) MUST_USE;

#endif
