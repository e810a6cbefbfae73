/*
 * grant_registered.h - ends grants that exceed the registrations of client and FHIR server: grant
 * types, first-party status, resource and scopes.
 *
 * A grant created during a change is safe: its statement compares the number of the settings
 * (authd/settings_cache.h) with which the registration was read. The change waits for earlier
 * statements, then looks for grants.
 */
#ifndef ATRIUM_AUTHD_OAUTH_GRANT_REGISTERED_H
#define ATRIUM_AUTHD_OAUTH_GRANT_REGISTERED_H

#include "authd/oauth/token.h"
#include "authd/session/session.h"
#include "common/domain/role.h"

/* What a grant holds; also the row of statements that list grants. */
struct grant_held {
    struct uuid session; /* unset: a new grant */
    enum role role;
    const char *clientId, *scope;
    const char *resource;   /* NULL: the issuer's own */
    const char *grantTypes; /* space-separated; NULL: unknown */
    struct uuid patient;
    bool firstParty; /* no consent was requested */
};
FIELD_DECLARE(grant_held);

/* Returns what a new grant holds, from the arena. */
struct grant_held grant_held_of(const struct token_call *call, enum role role, const char *scope,
                                const char *resource, struct uuid patient);

/* Checks the current registrations, and the account's consent where required. *ret_change: the
 * number of these settings. Fails: ERR_BAD_REQUEST ("invalid_grant"). Parks. */
int grant_check_registered(struct authd *d, const struct token_call *call, struct uuid account,
                           const struct grant_held *held, int64_t *ret_change,
                           struct error *err) MUST_USE;

/* Ends a changed client's grants that exceed its registration, and a deleted client's consents.
 * Returns when every gateway rejects their tokens. Repeatable. Parks. */
int grant_end_of_client(struct authd *d, const struct request *req, struct uuid project,
                        struct uuid client, struct error *err) MUST_USE;

/* Ends a project's grants at a FHIR server that exceed its new registration `server` (NULL: it is
 * deleted), as a transaction's last statements. Call session_revocation_wait() after the commit.
 * Parks. */
int grant_end_of_server(struct authd *d, const struct request *req, struct db_tx *tx,
                        struct uuid project, const char *base, const struct fhir_server *server,
                        struct session_ended *ret, struct error *err) MUST_USE;

#endif
