/*
 * refresh.h - refreshing a session, for /auth/refresh-token or the issuers' token endpoint. A token
 * of one is invalid at the other.
 */
#ifndef ATRIUM_AUTHD_SESSION_REFRESH_H
#define ATRIUM_AUTHD_SESSION_REFRESH_H

#include "authd/session/session.h"

struct renewal {
    struct token_subject subject;
    struct uuid account, policy;
    int64_t change;        /* see admission_cache.h */
    bool current;          /* can rotate */
    bool grant;            /* session of an OAuth client */
    const char *successor; /* the next token, from the rotation; unset if `current` */
};

/* Checks a grant before its rotation; -1 keeps the token unchanged. Can park. */
typedef int refresh_check_fn(void *arg, const struct renewal *renewal, struct error *err);

/* Rotates a refresh token. check: for grants only, otherwise NULL. Fails: UNAUTHORIZED; FORBIDDEN
 * (suspended project, network address) or as the check does, with the token unchanged. Parks. */
int refresh_run(struct authd *d, const struct request *req, const char *text,
                refresh_check_fn *check, void *arg, struct token_subject *ret,
                const char **ret_successor, struct error *err) MUST_USE;

#endif
