/*
 * passkey_factor.h - a passkey as second factor after a password, instead of a code.
 */
#ifndef ATRIUM_AUTHD_SIGNIN_PASSKEY_FACTOR_H
#define ATRIUM_AUTHD_SIGNIN_PASSKEY_FACTOR_H

#include "authd/passkey/passkey_proof.h"
#include "authd/signin/candidate.h"

/* Sets who->mfa if the tenant's policy requires a factor and the person has a passkey that is valid
 * there: of the tenant, an ancestor or the installation. Parks. */
int passkey_factor_demand(struct authd *d, const struct request *req, const struct tenant *tenant,
                          struct candidate *who, struct error *err) MUST_USE;

/* Verifies a waiting login's passkey. *ret_tenant: a tenant to which the login can lead.
 * *ret_wrong: reason in one word, or NULL. ERR_BAD_REQUEST: no challenge. Parks. */
int passkey_factor_check(struct authd *d, const struct request *req, struct uuid login,
                         const struct candidate *who, const struct passkey_credential *credential,
                         struct passkey_proof *ret, struct tenant *ret_tenant,
                         const char **ret_wrong, struct error *err) MUST_USE;

#endif
