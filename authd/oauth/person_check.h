/*
 * person_check.h - repeats the sign-in's checks before a session approves a client.
 */
#ifndef ATRIUM_AUTHD_OAUTH_PERSON_CHECK_H
#define ATRIUM_AUTHD_OAUTH_PERSON_CHECK_H

#include "authd/page/visit.h"

/* Checks the tenant's switches and the access policy. ERR_BAD_REQUEST with access_denied. Parks. */
int person_check(const struct visit *visit, struct error *err) MUST_USE;

#endif
