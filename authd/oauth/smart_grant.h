/*
 * smart_grant.h - a grant's scopes and patient at a registered FHIR server (SMART App Launch 2.2,
 * scopes and launch context). Client and server list scopes for each role.
 *
 * A patient's grant is about that patient. A practitioner's is about a launch's patient (launch.c);
 * without a launch it has no patient scopes.
 *
 * Access policies know one FHIR type, DocumentReference, whose scopes are narrowed to the person's
 * rights. Someone who can read only their own documents gets none, because no scope expresses that.
 * Scopes for all types (`*`) are not narrowed.
 */
#ifndef ATRIUM_AUTHD_OAUTH_SMART_GRANT_H
#define ATRIUM_AUTHD_OAUTH_SMART_GRANT_H

#include "authd/oauth/auth_request.h"
#include "common/domain/role.h"

/* Narrows the request's scope to what this person can grant at the FHIR server, if it is one, and
 * finds the patient. ERR_BAD_REQUEST with an OAuth error code: no scope is left, or the launch has
 * expired, was used, or belongs to another person. Does not spend the launch. Parks. */
int smart_narrow(struct authd *d, const struct request *req, struct uuid project,
                 const struct caller *caller, struct auth_request *request,
                 struct error *err) MUST_USE;

/* Narrows an existing grant about `patient` (unset: none) to the current lists. Parks. */
int smart_narrow_grant(struct authd *d, const struct request *req, const struct caller *caller,
                       struct uuid patient, struct auth_request *request,
                       struct error *err) MUST_USE;

/* Narrows the request's scope to what both the client's and the server's lists contain, and checks
 * nothing else. Does not park. */
int smart_narrow_registered(const struct request *req, enum role role, struct uuid patient,
                            struct auth_request *request, struct error *err) MUST_USE;

/* Narrows `system` scopes to those that the client's list allows; other words must be in the list.
 * Returns NULL if a word is not allowed, or no scope is left. In the arena. */
const char *smart_system_scope(struct arena *arena, const struct oauth_client *client,
                               const char *scope);

#endif
