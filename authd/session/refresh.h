/*
 * refresh.h - renewing a session by its refresh token, for /auth/refresh-token and for the token
 * endpoint of the issuers. A token of the one is worth nothing at the other.
 */
#ifndef ATRIUM_AUTHD_SESSION_REFRESH_H
#define ATRIUM_AUTHD_SESSION_REFRESH_H

#include "authd/session/session.h"

/* What a refresh token is still worth, and to whom. */
struct renewal {
    struct token_subject subject;
    struct uuid account, policy;
    int64_t change;        /* see admission_cache.h */
    bool current;          /* may rotate */
    bool grant;            /* of an OAuth client */
    const char *successor; /* that it was given when it rotated, when it is not */
};

/* Looks at a grant before its token rotates; -1: the token stays as it is. May park. */
typedef int refresh_check_fn(void *arg, const struct renewal *renewal, struct error *err);

/* Rotates a refresh token: of a grant with a check, of any other session with NULL; *ret: whose it
 * is. Fails:
 * UNAUTHORIZED; FORBIDDEN (suspended project, address), and as the check does, which leave the
 * token as it is. Parks. */
int refresh_run(struct authd *d, const struct request *req, const char *text,
                refresh_check_fn *check, void *arg, struct token_subject *ret,
                const char **ret_successor, struct error *err) MUST_USE;

#endif
