/*
 * account_session.h - sessions of the installation's own pages (/t/-/...): of a practitioner's
 * account and of no project. They open these pages alone: no route of the API, no client, no page
 * of a tenant.
 *
 * What a tenant's application has seen never suffices for one: after password and second factor it
 * waits for a code that the installation emails, unless a passkey made in such a session was shown.
 *
 * It lives 15 minutes after its last use and 12 hours at most, and ends with every change of the
 * account's credential. A request in its name has a caller without project and membership.
 */
#ifndef ATRIUM_AUTHD_SESSION_ACCOUNT_SESSION_H
#define ATRIUM_AUTHD_SESSION_ACCOUNT_SESSION_H

#include "authd/authd.h"
#include "authd/session/session.h"

#define ACCOUNT_IDLE_LIFE MINUTES(15)
#define ACCOUNT_ABSOLUTE_LIFE HOURS(12)
#define ACCOUNT_CODE_LIFE MINUTES(10)

/* Whether the request is in the name of one. */
static inline bool account_session_is(const struct request *req)
{
    return req->caller && !uuid_is_set(&req->caller->project);
}

/* One that a browser holds. */
struct account_session {
    bool waiting; /* for the mailed code */
    const char *email;
    struct caller caller;
};

/* Finds the session of a cookie, and notes the use of one that is open: 1, or 0: there is none.
 * Parks. */
int account_session_find(struct authd *d, const struct request *req, const char *cookie,
                         struct account_session *ret, struct error *err) MUST_USE;

/* Whose sign-in it becomes. */
struct account_login {
    struct uuid login, account;
    const char *auth_method, *email, *display;
    bool by_own_passkey; /* one that opens everything was shown */
};

/* Spends the code of a login and makes the session of the cookie. *ret_waits: a code was mailed.
 * Fails: BAD_REQUEST (the login was spent), THROTTLED (too many codes in an hour). Parks. */
int account_session_begin(struct authd *d, const struct request *req,
                          const struct account_login *login, const char *cookie, bool *ret_waits,
                          struct error *err) MUST_USE;

/* Opens a session that waits, by the mailed code, under a new cookie. Fails: BAD_REQUEST (wrong,
 * or the sixth try), THROTTLED (ten wrong ones in a day). Parks. */
int account_session_confirm(struct authd *d, const struct request *req,
                            const struct account_session *session, const char *code,
                            const char *cookie, struct error *err) MUST_USE;

/* Ends one of the account's. Parks. */
int account_session_end(struct authd *d, const struct request *req, struct uuid id,
                        struct uuid account, struct error *err) MUST_USE;

#endif
