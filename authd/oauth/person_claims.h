/*
 * person_claims.h - claims about a person (OpenID Connect Core 1.0, section 5.1), at /userinfo and
 * in ID tokens.
 */
#ifndef ATRIUM_AUTHD_OAUTH_PERSON_CLAIMS_H
#define ATRIUM_AUTHD_OAUTH_PERSON_CLAIMS_H

#include <jansson.h>

#include "authd/oauth/issuer.h"

struct sql_person_row;

/* Returns the members that are claims about a person, space-separated, or NULL. */
const char *person_claims_named(struct arena *arena, const json_t *members);

/* Sets the claims of a granted scope (section 5.4), or only `names`, space-separated. */
void person_claims_set(json_t *claims, const struct issuer *issuer,
                       const struct sql_person_row *person, const char *scope, const char *names);

#endif
