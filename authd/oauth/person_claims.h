/*
 * person_claims.h - what the issuers say of a person (OpenID Connect Core 1.0, section 5.1): the
 * claims of each scope, at /userinfo, and in ID tokens those of them that a request has named.
 */
#ifndef ATRIUM_AUTHD_OAUTH_PERSON_CLAIMS_H
#define ATRIUM_AUTHD_OAUTH_PERSON_CLAIMS_H

#include <jansson.h>

#include "authd/oauth/issuer.h"

struct sql_person_row;

/* Returns the members of a JSON object that name claims of a person, separated by spaces; NULL:
 * none. */
const char *person_claims_named(struct arena *arena, const json_t *members);

/* Sets the claims of a granted scope (section 5.4). names: only these, separated by spaces; NULL:
 * all. */
void person_claims_set(json_t *claims, const struct issuer *issuer,
                       const struct sql_person_row *person, const char *scope, const char *names);

#endif
