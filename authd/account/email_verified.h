/*
 * email_verified.h - proven e-mail addresses: of an account whose mailbox got a link or a code that
 * was then used.
 *
 * A proof counts for all projects or for one organisation (the projects below one root): a link to
 * the pages of a tenant may have been read by those who run them, one to the installation's own
 * pages by the mailbox only.
 *
 * In SQL: the part email_is_verified asks, email_verified_insert records as a part of another
 * statement (an account that an operator makes with a proven address). In a transaction:
 * email_claim().
 */
#ifndef ATRIUM_AUTHD_ACCOUNT_EMAIL_VERIFIED_H
#define ATRIUM_AUTHD_ACCOUNT_EMAIL_VERIFIED_H

#include "authd/authd.h"

struct credential_owner; /* account/credential.h */
struct sign_in;          /* session/session.h */
struct tenant;           /* settingsd/tenant_api.h */
struct throttle_keys;

/* A second factor that is on for longer stays when a mailbox alone proves the account: the
 * mailbox may be in other hands than the device. */
#define EMAIL_CLAIM_FACTOR_AGE DAYS(30)

/* A passkey that was added within this time goes with each password that is set by a link, also of
 * an account that was proven before: it may be why its owner asks for the link. */
#define EMAIL_CLAIM_PASSKEY_AGE DAYS(7)

/* What was added this long before a change of the address may be of the one who made it, and goes
 * when the change is taken back. */
#define EMAIL_UNDO_AGE DAYS(30)

/* What proves an account's address. */
enum email_claim_by { EMAIL_BY_LINK, EMAIL_BY_INVITATION, EMAIL_BY_CODE };

/* Writes a password, given as its hash, within a transaction that has redeemed a link, and records
 * that this link, or a mailed code, has proven the address of owner->account for
 * owner->organization (absent: for all). When it was not proven for that before, another person may
 * have made the account: its scheduled deletion (owner->revived, for credential_change_commit()),
 * its second factor (unless it is on for longer than EMAIL_CLAIM_FACTOR_AGE), its passkeys, its
 * consents and its other links end here. By a code no password is set: the hash is one that no
 * password has, and is written only when the account was not proven before. The caller ends the
 * sessions afterwards: the order of locks is the link, the account, the second factor, the
 * credential, the sessions. Parks. */
int email_claim(struct db_tx *tx, const struct request *req, struct credential_owner *owner,
                enum email_claim_by by, const char *password_hash, struct error *err) MUST_USE;

/* Ends what another person may have left in the account, within a transaction that has locked it:
 * its scheduled deletion (owner->revived), its second factor if that was enrolled at `factor_since`
 * or later, the passkeys and consents of `since` or later. detail: of the rows in the audit trail.
 * Parks. */
int email_drop_leftovers(struct db_tx *tx, const struct request *req,
                         struct credential_owner *owner, int64_t factor_since, int64_t since,
                         const char *detail, struct error *err) MUST_USE;

/* Whether the tenant refuses sign-ins to accounts whose address is not proven. */
bool email_is_required(const struct tenant *tenant);

/* Refuses the sign-in of an account whose password was right, where its address must be proven and
 * is not: ERR_EMAIL_NOT_VERIFIED, with a row in the audit trail. keys: of the limits that the
 * sign-in must still be below, so that who has guessed too often is not told that the guess was
 * right; NULL: that was looked at. Parks. */
int email_check_sign_in(struct authd *d, const struct request *req, const struct tenant *tenant,
                        const struct sign_in *who, const struct throttle_keys *keys,
                        struct error *err) MUST_USE;

/* Refuses what an account must be verified for all for: ERR_EMAIL_NOT_VERIFIED, with the
 * installation's page to do so in details.url. Returns -1. */
int email_refuse_unverified(const struct authd *d, const struct request *req, struct error *err);

/* Projects whose organisation is kept (d->organizations, by project), for the next function. */
enum { EMAIL_ORGANIZATIONS_MAX = 8192 };

/* Whether the caller's address is proven, for all or for the organisation of the caller's
 * project. organizations: the text of an array of organizations. Parks for a
 * practitioner who is proven for some organisation only, when that of the project is not kept. */
int email_verified_for_caller(struct authd *d, const struct request *req, const char *organizations,
                              bool *ret, struct error *err) MUST_USE;

#endif
