/*
 * passkey_factor.h - a passkey as the second factor of a sign-in by password, for login_mfa.c. It
 * may be shown wherever a code is asked for.
 */
#ifndef ATRIUM_AUTHD_SIGNIN_PASSKEY_FACTOR_H
#define ATRIUM_AUTHD_SIGNIN_PASSKEY_FACTOR_H

#include "authd/passkey/passkey_proof.h"
#include "authd/signin/candidate.h"

/* Makes the sign-in of a proven candidate to the tenant wait for a factor (who->mfa) where its
 * account policy demands one of this person, who has a passkey that opens the tenant, made there,
 * in a project above it or for the installation. Elsewhere a password alone is not followed by a
 * passkey. Parks. */
int passkey_factor_demand(struct authd *d, const struct request *req, const struct tenant *tenant,
                          struct candidate *who, struct error *err) MUST_USE;

/* Checks the passkey that was shown for a login that waits: *ret is what was proven, *ret_tenant
 * one of the tenants that the login may lead to, *ret_wrong why it does not hold, one word, NULL:
 * it does. ERR_BAD_REQUEST when there is no challenge for this login. Parks. */
int passkey_factor_check(struct authd *d, const struct request *req, struct uuid login,
                         const struct candidate *who, const struct passkey_credential *credential,
                         struct passkey_proof *ret, struct tenant *ret_tenant,
                         const char **ret_wrong, struct error *err) MUST_USE;

#endif
