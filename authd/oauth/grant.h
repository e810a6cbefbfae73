/*
 * grant.h - grants: what a client holds on behalf of a person. A grant is a session with a row of
 * oauth_grant: listed, refreshed, ended and audited like any other. It ends with the browser's
 * session, unless it has offline_access.
 */
#ifndef ATRIUM_AUTHD_OAUTH_GRANT_H
#define ATRIUM_AUTHD_OAUTH_GRANT_H

#include "authd/oauth/token.h"
#include "authd/session/session.h"
#include "common/domain/role.h"

/* The contents of a grant's tokens. */
struct grant {
    struct token_subject subject;
    const char *scope, *resource; /* NULL: none */
    const char *nonce;            /* of the code's request; NULL: none, or a refresh */
    const char *auth_method, *jkt;
    const char *id_claims; /* requested for the ID token; NULL: none */
    const char *id_acr;    /* requested, and satisfied; NULL: any */
    struct uuid patient;   /* SMART App Launch; unset: none */
    bool second_factor;
    int64_t signed_in_at;
};

/* Returns the client of a refresh token. ERR_BAD_REQUEST ("invalid_grant"): not the issuer's, or
 * the grant has ended. Parks. */
int grant_client(struct authd *d, const struct request *req, const struct issuer *issuer,
                 const char *refresh, const char **ret_client, struct error *err) MUST_USE;

extern const struct batch_kind grant_person_batch;

/* Reads a grant's person, several requests in one statement, and compares the issuer's view, if
 * any. Returns 1 if grant and membership are valid, otherwise 0. Parks. */
struct sql_userinfo_get_row;
int grant_person(struct authd *d, const struct request *req, const struct issuer *issuer,
                 struct uuid session, struct sql_userinfo_get_row *ret, struct error *err) MUST_USE;

/* Returns a new grant's session and refresh token, for the part grant_insert. */
struct grant_held;
struct sql_grant_insert grant_values(struct authd *d, const struct token_call *call,
                                     const struct grant_held *held, struct refresh_token *refresh);

/* Returns the audit row of that session; how: "oauth", "device". */
struct sql_audit grant_audit(const struct token_call *call, const struct sql_grant_insert *made,
                             struct uuid account, enum role role, const char *how);

/* Signs a new grant's tokens for the person of the session `parent`: the access token (RFC 9068)
 * and, with openid, an ID token (OpenID Connect Core 1.0, section 2). Runs before the grant is
 * created, so that nothing can fail afterwards. Completes *grant. *ret: conditions that must still
 * hold then (part grant_signed). Returns 1, or 0 if the session has ended. Parks. */
int grant_sign(struct authd *d, const struct token_call *call, struct uuid parent,
               const struct sql_grant_insert *made, const struct refresh_token *refresh,
               struct grant *grant, struct sql_grant_signed *ret, struct token_answer *out,
               struct error *err) MUST_USE;

#endif
