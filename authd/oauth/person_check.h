/*
 * person_check.h - whether the person whose session a browser holds may let a client in: what holds
 * at a sign-in holds there, too.
 */
#ifndef ATRIUM_AUTHD_OAUTH_PERSON_CHECK_H
#define ATRIUM_AUTHD_OAUTH_PERSON_CHECK_H

#include "authd/page/visit.h"

/* The switches of the tenant and the rules of the person's policy. ERR_BAD_REQUEST with
 * access_denied: they refuse. Parks. */
int person_check(const struct visit *visit, struct error *err) MUST_USE;

#endif
