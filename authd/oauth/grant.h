/*
 * grant.h - what a client holds in the name of a person. A grant is a session: listed, renewed,
 * ended and audited as any other, with a row of oauth_grant beside it. It ends with the browser's
 * session that it was made of, unless it has offline_access.
 */
#ifndef ATRIUM_AUTHD_OAUTH_GRANT_H
#define ATRIUM_AUTHD_OAUTH_GRANT_H

#include "authd/oauth/token.h"
#include "authd/session/session.h"
#include "common/domain/role.h"

/* What the tokens of a grant say of it. */
struct grant {
    struct token_subject subject;
    const char *scope, *resource; /* NULL: none */
    const char *nonce; /* of the request whose code is exchanged; NULL: none, as at each renewal */
    const char *auth_method, *jkt;
    const char *id_claims; /* of the person, that the request wants in the ID token; NULL: none */
    const char *id_acr;    /* that it demands there, which the sign-in satisfies; NULL: any */
    struct uuid patient;   /* that it is about (SMART App Launch); unset: none */
    bool second_factor;
    int64_t signed_in_at;
};

/* The client that a refresh token was given to. ERR_BAD_REQUEST ("invalid_grant"): it is none of
 * the issuer, or its grant has ended. Parks. */
int grant_client(struct authd *d, const struct request *req, const struct issuer *issuer,
                 const char *refresh, const char **ret_client, struct error *err) MUST_USE;

/* d->grant_persons */
extern const struct batch_kind grant_person_batch;

/* The person that a grant is of, from the database at each call, those of several requests in one
 * statement; compares the issuer's view when there is one. 1: grant and membership are valid; 0:
 * they are not; -1: err is set. Parks. */
struct sql_userinfo_get_row;
int grant_person(struct authd *d, const struct request *req, const struct issuer *issuer,
                 struct uuid session, struct sql_userinfo_get_row *ret, struct error *err) MUST_USE;

/* The session of a new grant that holds this, with its id, and its refresh token, for the part
 * grant_insert. */
struct grant_held; /* grant_registered.h */
struct sql_grant_insert grant_values(struct authd *d, const struct token_call *call,
                                     const struct grant_held *held, struct refresh_token *refresh);

/* What has happened, for the audit row of that session; how: "oauth", "device". */
struct sql_audit grant_audit(const struct token_call *call, const struct sql_grant_insert *made,
                             struct uuid account, enum role role, const char *how);

/* Signs the tokens of a grant that is about to be made in the name of the person whose session
 * `parent` is: the access token (RFC 9068), and with openid an ID token (OpenID Connect Core 1.0,
 * section 2). All that may fail is over then. *grant has what the person was asked for, and gets
 * the rest; *ret: what must still be so when it is made (part grant_signed). 1: signed; 0: the
 * session has ended; -1: err is set. Parks. */
int grant_sign(struct authd *d, const struct token_call *call, struct uuid parent,
               const struct sql_grant_insert *made, const struct refresh_token *refresh,
               struct grant *grant, struct sql_grant_signed *ret, struct token_answer *out,
               struct error *err) MUST_USE;

#endif
