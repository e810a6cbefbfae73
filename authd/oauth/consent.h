/*
 * consent.h - consent for third-party clients. Such a client needs consent for each scope that is
 * new at a resource, and again when its terms change.
 */
#ifndef ATRIUM_AUTHD_OAUTH_CONSENT_H
#define ATRIUM_AUTHD_OAUTH_CONSENT_H

#include "authd/oauth/auth_request.h"

struct visit;

enum { CONSENTS_MAX = 200 }; /* consents in a list */

/* Reports if the request needs no new consent. Parks. */
int consent_is_given(struct authd *d, const struct request *req, const struct auth_request *request,
                     const struct caller *caller, bool *ret, struct error *err) MUST_USE;

/* Narrows the scope to the account's consent, under any terms; first-party clients keep theirs.
 * ERR_BAD_REQUEST: no consent. Parks. */
int consent_narrow(struct authd *d, const struct request *req, const struct caller *caller,
                   struct auth_request *request, struct error *err) MUST_USE;

/* Stores the signed-in person's consent. Parks. */
int consent_keep(struct visit *visit, const struct auth_request *request,
                 struct error *err) MUST_USE;

#endif
