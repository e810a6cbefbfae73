/*
 * smart_grant.h - what a person's application gets at a registered FHIR server (SMART App Launch
 * 2.2, scopes and launch context): the scopes that client and server list for the role of the
 * person, and the patient that it is about.
 *
 * A patient's grants are about the patient. A practitioner's are about one when they came from a
 * launch (launch.c); there is no page to choose one on, so `launch/patient` and patient scopes are
 * not granted without.
 *
 * The person's access policy knows one type of FHIR, DocumentReference: scopes of that type are
 * narrowed to what it allows with documents. A practitioner who may read own documents alone gets
 * none, since no scope says that. Scopes for all types (`*`) are what client and server list.
 */
#ifndef ATRIUM_AUTHD_OAUTH_SMART_GRANT_H
#define ATRIUM_AUTHD_OAUTH_SMART_GRANT_H

#include "authd/oauth/auth_request.h"
#include "common/domain/role.h"

/* Narrows the request's scope to what this person may give at its FHIR server, and finds out about
 * whom it is. Nothing where it is for no registered server. ERR_BAD_REQUEST with a word of OAuth:
 * the launch is not of this person, client and server, was used or is over; nothing is left. The
 * launch is spent by the code, not here. Parks. */
int smart_narrow(struct authd *d, const struct request *req, struct uuid project,
                 const struct caller *caller, struct auth_request *request,
                 struct error *err) MUST_USE;

/* The same for the scope of a grant that there is, which is about `patient` (unset: about none), as
 * what client and server list is now. The patient stays when what is left is about one. Parks. */
int smart_narrow_grant(struct authd *d, const struct request *req, const struct caller *caller,
                       struct uuid patient, struct auth_request *request,
                       struct error *err) MUST_USE;

/* The same by what client and server list alone, whatever the person may do with documents. Does
 * not park. */
int smart_narrow_registered(const struct request *req, enum role role, struct uuid patient,
                            struct auth_request *request, struct error *err) MUST_USE;

/* Of the scopes between blanks those of `system`, narrowed to the client's; in the arena. Another
 * word is kept when the client lists it. NULL: one of them may not be given at all. */
const char *smart_system_scope(struct arena *arena, const struct oauth_client *client,
                               const char *scope);

#endif
