/*
 * account_session.h - practitioners' sessions on the installation's own pages (/t/-/...). They
 * belong to no project and open only these pages.
 *
 * A tenant's application can see password and second factor. So such a session also needs an
 * emailed code, or a passkey created in such a session.
 *
 * It expires 15 minutes after its last use, 12 hours after its start, and with every credential
 * change. Its requests have a caller without project and membership.
 */
#ifndef ATRIUM_AUTHD_SESSION_ACCOUNT_SESSION_H
#define ATRIUM_AUTHD_SESSION_ACCOUNT_SESSION_H

#include "authd/authd.h"
#include "authd/session/session.h"

#define ACCOUNT_IDLE_LIFE MINUTES(15)
#define ACCOUNT_ABSOLUTE_LIFE HOURS(12)
#define ACCOUNT_CODE_LIFE MINUTES(10)

static inline bool account_session_is(const struct request *req)
{
    return req->caller && !uuid_is_set(&req->caller->project);
}

struct account_session {
    bool waiting; /* for the emailed code */
    const char *email;
    struct caller caller;
};

/* Finds and extends a cookie's session. Returns 1, or 0 for none. Parks. */
int account_session_find(struct authd *d, const struct request *req, const char *cookie,
                         struct account_session *ret, struct error *err) MUST_USE;

struct account_login {
    struct uuid login, account;
    const char *auth_method, *email, *display;
    bool by_own_passkey; /* signed in with a passkey created in a session of this kind */
};

/* Spends a login's code and creates the cookie's session. *ret_waits: a code was emailed. Fails:
 * BAD_REQUEST (login spent), THROTTLED (codes per hour). Parks. */
int account_session_begin(struct authd *d, const struct request *req,
                          const struct account_login *login, const char *cookie, bool *ret_waits,
                          struct error *err) MUST_USE;

/* Opens a waiting session with the emailed code, under a new cookie. Fails: BAD_REQUEST (wrong
 * code, or sixth try), THROTTLED (wrong codes per day). Parks. */
int account_session_confirm(struct authd *d, const struct request *req,
                            const struct account_session *session, const char *code,
                            const char *cookie, struct error *err) MUST_USE;

/* Ends the session. Parks. */
int account_session_end(struct authd *d, const struct request *req, struct uuid id,
                        struct uuid account, struct error *err) MUST_USE;

#endif
