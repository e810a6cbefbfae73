/*
 * grant_registered.h - whether a grant holds more than its client, and the FHIR server that it is
 * for, are registered for: grant types, first party, resource and scopes. Such a grant ends.
 *
 * A grant that is made while a registration changes: the statement that makes it compares the
 * number of the settings that the registration was read with (authd/settings_cache.h), of which a
 * change is one. What changes it waits for the statements that began before, and looks for grants
 * then.
 */
#ifndef ATRIUM_AUTHD_OAUTH_GRANT_REGISTERED_H
#define ATRIUM_AUTHD_OAUTH_GRANT_REGISTERED_H

#include "authd/oauth/token.h"
#include "authd/session/session.h"
#include "common/domain/role.h"

/* What a grant holds of registrations; also the row of the statements that list grants. */
struct grant_held {
    struct uuid session; /* of one that there is */
    enum role role;
    const char *clientId, *scope;
    const char *resource;   /* NULL: the issuer itself */
    const char *grantTypes; /* words between blanks; NULL: not known */
    struct uuid patient;    /* unset: none */
    bool firstParty;        /* the person was not asked for consent */
};
FIELD_DECLARE(grant_held);

/* What the grant holds that this request makes, from the arena. */
struct grant_held grant_held_of(const struct token_call *call, enum role role, const char *scope,
                                const char *resource, struct uuid patient);

/* Whether the registrations have all of it now, and the account has consented where it was asked.
 * *ret_change: the number of the settings that this holds for. ERR_BAD_REQUEST ("invalid_grant"):
 * they do not. Parks. */
int grant_check_registered(struct authd *d, const struct token_call *call, struct uuid account,
                           const struct grant_held *held, int64_t *ret_change,
                           struct error *err) MUST_USE;

/* Ends the grants of a client that was replaced or deleted that hold more than it is registered for
 * now, and a deleted one's consents. When it returns 0 every gateway refuses their tokens. May be
 * repeated. Parks. */
int grant_end_of_client(struct authd *d, const struct request *req, struct uuid project,
                        struct uuid client, struct error *err) MUST_USE;

/* Ends within a transaction the grants of a project at a FHIR server that is then as `server` says;
 * NULL: there is none. Its last statements; to be settled by session_revocation_wait(). Parks. */
int grant_end_of_server(struct authd *d, const struct request *req, struct db_tx *tx,
                        struct uuid project, const char *base, const struct fhir_server *server,
                        struct session_ended *ret, struct error *err) MUST_USE;

#endif
