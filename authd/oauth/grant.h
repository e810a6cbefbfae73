/*
 * grant.h - grants: sessions of clients on behalf of a person, with a row of oauth_grant. A grant
 * ends with the browser's session, unless it has offline_access.
 */
#ifndef ATRIUM_AUTHD_OAUTH_GRANT_H
#define ATRIUM_AUTHD_OAUTH_GRANT_H

#include "authd/oauth/token.h"
#include "authd/session/session.h"
#include "common/domain/role.h"

/* The data of a grant's tokens. */
struct grant {
    struct token_subject subject;
    const char *scope, *resource; /* NULL: none */
    const char *nonce;            /* nonce of the request; NULL: none, or a refresh */
    const char *auth_method, *jkt;
    const char *id_claims; /* for the ID token; NULL: none */
    const char *id_acr;    /* for the ID token; NULL: any */
    struct uuid patient;   /* unset: none */
    bool second_factor;
    int64_t signed_in_at;
};

/* Returns a refresh token's client. ERR_BAD_REQUEST ("invalid_grant"): the token is another
 * issuer's, or its grant has ended. Parks. */
int grant_client(struct authd *d, const struct request *req, const struct issuer *issuer,
                 const char *refresh, const char **ret_client, struct error *err) MUST_USE;

extern const struct batch_kind grant_person_batch;

/* Reads a grant's person, for several requests in one statement, and compares the issuer's view, if
 * any. Returns 1 if grant and membership are valid, otherwise 0. Parks. */
struct sql_userinfo_get_row;
int grant_person(struct authd *d, const struct request *req, const struct issuer *issuer,
                 struct uuid session, struct sql_userinfo_get_row *ret, struct error *err) MUST_USE;

/* Returns a new grant's values and refresh token for the part grant_insert. */
struct grant_held;
struct sql_grant_insert grant_values(struct authd *d, const struct token_call *call,
                                     const struct grant_held *held, struct refresh_token *refresh);

/* how: "oauth", "device". */
struct sql_audit grant_audit(const struct token_call *call, const struct sql_grant_insert *made,
                             struct uuid account, enum role role, const char *how);

/* Signs the tokens of a new grant of the session `parent`: the access token (RFC 9068) and, with
 * openid, an ID token (OpenID Connect Core 1.0, section 2). Runs before the grant is created, which
 * then can't fail. Completes *grant. *ret: conditions for creating it (part grant_signed). Returns
 * 0 if the session has ended, otherwise 1. Parks. */
int grant_sign(struct authd *d, const struct token_call *call, struct uuid parent,
               const struct sql_grant_insert *made, const struct refresh_token *refresh,
               struct grant *grant, struct sql_grant_signed *ret, struct token_answer *out,
               struct error *err) MUST_USE;

#endif
