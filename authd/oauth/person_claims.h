/*
 * person_claims.h - what the issuers say of a person (OpenID Connect Core 1.0, section 5.1): the
 * claims of each scope, at /userinfo, and in ID tokens those of them that a request has named.
 */
#ifndef ATRIUM_AUTHD_OAUTH_PERSON_CLAIMS_H
#define ATRIUM_AUTHD_OAUTH_PERSON_CLAIMS_H

#include <jansson.h>

#include "authd/oauth/issuer.h"

struct sql_userinfo_get_row;

/* Of the members of a JSON object the ones that are claims of a person, in words between blanks;
 * NULL: none. */
const char *person_claims_named(struct arena *arena, const json_t *members);

/* Sets the claims that a granted scope has (section 5.4). names: of these alone, in words between
 * blanks; NULL: all. */
void person_claims_set(json_t *claims, const struct issuer *issuer,
                       const struct sql_userinfo_get_row *person, const char *scope,
                       const char *names);

#endif
