/*
 * consent.h - what a person lets a client of another maker do: asked for on a page, kept, shown and
 * withdrawn.
 *
 * A client of the tenant itself (`firstParty`) is not asked for. Any other is for each scope that
 * is new to it at a resource, and when its terms change: who lets it read here and write there has
 * not let it write here.
 */
#ifndef ATRIUM_AUTHD_OAUTH_CONSENT_H
#define ATRIUM_AUTHD_OAUTH_CONSENT_H

#include "authd/oauth/auth_request.h"

struct visit;

enum { CONSENTS_MAX = 200 }; /* that are shown */

/* *ret: the request may be answered without asking the person. Parks. */
int consent_is_given(struct authd *d, const struct request *req, const struct auth_request *request,
                     const struct caller *caller, bool *ret, struct error *err) MUST_USE;

/* Narrows the scope to what the account has let the client do, whatever its terms were then; that
 * of a client of the tenant itself stays. ERR_BAD_REQUEST: it has let it do nothing there. Parks.
 */
int consent_narrow(struct authd *d, const struct request *req, const struct caller *caller,
                   struct auth_request *request, struct error *err) MUST_USE;

/* Notes that the person who is signed in consents to the request. Parks. */
int consent_keep(struct visit *visit, const struct auth_request *request,
                 struct error *err) MUST_USE;

#endif
