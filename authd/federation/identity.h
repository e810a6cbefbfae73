/*
 * identity.h - links of accounts with the people of an identity provider.
 *
 * An identity is a provider's row, issuer and subject; an email address never is one. The people
 * who run a provider can make it assert any address, so a claim links only an account that the
 * provider's project owns (authd/account/ownership.h) and that is nowhere an admin. The session of
 * a link opens only the provider's project and those below it.
 */
#ifndef ATRIUM_AUTHD_FEDERATION_IDENTITY_H
#define ATRIUM_AUTHD_FEDERATION_IDENTITY_H

#include "authd/authd.h"
#include "authd/federation/relying_party.h"
#include "common/domain/role.h"

struct db_tx;
struct session_ended; /* session/session.h */
struct tenant;        /* settingsd/tenant_api.h */

struct identity_arrival {
    const struct provider *provider;
    const struct tenant *tenant; /* where the person signs in: the provider's project, or below */
    enum role role;
    const struct id_claims *claims;
};

struct identity_person {
    struct uuid identity, account;
    const char *email; /* the account's */
};

/* Finds the person's account by a link, or makes the link: with an invitation, an account that the
 * provider's project owns, or a new account. BAD_REQUEST: none of these; err->detail has the reason
 * in one word. Parks. */
int identity_find_person(struct authd *d, const struct request *req,
                         const struct identity_arrival *in, struct identity_person *ret,
                         struct error *err) MUST_USE;

/* Ends the sessions, grants and session codes of a provider's identities, and deletes the
 * identities if `links` is set. Adds the changes to `ended`, for session_revocation_wait() after
 * the commit. The provider's row must be locked for update. Parks. */
int identity_links_end(struct authd *d, struct db_tx *tx, const struct request *req,
                       struct uuid provider, bool links, struct session_ended *ended,
                       struct error *err) MUST_USE;

/* Ends the sessions that a logout token names, except grants with offline_access (Back-Channel
 * Logout 1.0, section 2.7). The provider's row must be locked for update. Parks. */
int identity_logout(struct db_tx *tx, const struct request *req, struct uuid provider,
                    const struct logout_claims *claims, struct session_ended *ended,
                    struct error *err) MUST_USE;

#endif
