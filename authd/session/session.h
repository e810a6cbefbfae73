/*
 * session.h - sessions: created by registration and sign-in, refreshed by refresh.c, ended here.
 */
#ifndef ATRIUM_AUTHD_SESSION_SESSION_H
#define ATRIUM_AUTHD_SESSION_SESSION_H

#include "authd/authd.h"
#include "authd/credential/throttle.h"
#include "authd/session/refresh_token.h"
#include "authd/sql_part.h"

struct token_subject {
    struct uuid project, membership, profile, session;
    enum role role;
    bool admin;
};

enum {
    ARRIVAL_KEYS_SIZE = 64, /* see arrival_keys() */
    SESSION_KEYS_SIZE = THROTTLE_KEY_SIZE + ARRIVAL_KEYS_SIZE,
};

/* A session before it is written. */
struct session_draft {
    struct uuid id, account;
    const char *auth_method, *browser, *os;
    struct db_array above; /* the project with those above it */
    struct refresh_token refresh;
    uint8_t known[SESSION_KEYS_SIZE]; /* see session_draft() */
    bool of_browser;                  /* has a cookie */
    uint8_t cookie_hash[SECRET_HASH_SIZE];
};

/* Returns the values of the parts session_insert, address_known and client_known. Borrows the
 * draft. */
struct sql_session_insert session_values(const struct request *req,
                                         const struct session_draft *draft);

/* `known` gets the throttle key of email and network address, then the arrival keys (session.c).
 * Parks. */
int session_draft(struct authd *d, const struct request *req, struct uuid project,
                  struct uuid account, enum role role, const char *email, const char *auth_method,
                  struct session_draft *ret, struct error *err) MUST_USE;

/* Makes it the browser session of the cookie, with lifetimes of authd/page/visit.h and an unusable
 * refresh token. NULL: no change. */
void session_draft_for_browser(struct session_draft *self, const char *cookie);

void session_draft_wipe(struct session_draft *self);

/* Returns an access token from the request's arena. */
int session_access_token(struct authd *d, const struct request *req,
                         const struct token_subject *subject, const char **ret,
                         struct error *err) MUST_USE;

/* Returns "<type>/<id>", from the arena. */
const struct reference *session_reference(struct arena *arena, const char *type, struct uuid id,
                                          const char *display);

/* The result of sign_in and login_spend. */
struct session_created {
    struct uuid membership, profile;
    bool admin;
    int64_t change; /* change number of the canceled deletion; 0: none */
    bool surplus;   /* above sessions_per_account */
    bool arrival;   /* both address and user agent are new */
    bool renewed;   /* the password was rehashed, see password_renew.sql */
};
FIELD_DECLARE(session_created);

/* Finishes a new session. Parks. */
int session_begun(struct authd *d, const struct request *req, const struct session_created *created,
                  const struct session_draft *draft, enum role role, struct token_subject *ret,
                  struct error *err) MUST_USE;

/* Makes the answer of a new session, with its tokens. display: the profile's name. */
int session_answer(struct authd *d, const struct request *req, const struct token_subject *subject,
                   const struct session_draft *draft, const char *project_name, const char *display,
                   struct token_response *out, struct error *err) MUST_USE;

struct sql_audit session_audit(const struct request *req, const char *action,
                               const struct session_draft *draft, struct uuid account,
                               enum role role);

struct sign_in {
    struct uuid project, account;
    enum role role;
};

/* why: one word ("password", "code"). */
struct sql_audit sign_in_failure(const struct request *req, const struct sign_in *who,
                                 const char *why);

/* Audits a failed sign-in. Parks. */
int sign_in_refused(struct authd *d, const struct request *req, const struct sign_in *who,
                    const char *why, struct error *err) MUST_USE;

/* An account's sessions to end. reason: "logout", "revoked", "theft", "login-replay", "credential",
 * "removed". */
struct session_end {
    struct uuid project, account;
    struct uuid only, except; /* absent: all, and none */
    const char *reason;
    const char *why;   /* an admin's own words for the audit log, or NULL */
    struct uuid token; /* the jti that signed out, for "logout" */
};

/* Ends sessions, and waits until every gateway rejects their tokens. Parks. */
int session_end(struct authd *d, const struct request *req, const struct session_end *which,
                size_t *ret_count, struct error *err) MUST_USE;

/* Ends the least recently used sessions above `sessions_per_account`, except `kept`. Logs failures.
 * Parks. */
void session_end_surplus(struct authd *d, const struct request *req, struct uuid account,
                         struct uuid kept);

/* Changes for session_revocation_wait(), after the commit. */
struct session_ended {
    struct change *changes;
    size_t count;
    int64_t sequence; /* number of the last change */
};

/* Ends an account's sessions in all projects except `except` (absent: none). Parks. */
int session_end_account(struct db_tx *tx, const struct request *req, struct uuid account,
                        struct uuid except, const char *reason, struct session_ended *ret,
                        struct error *err) MUST_USE;

/* Ends an account's sessions in one project. Parks. */
int session_end_project(struct db_tx *tx, const struct request *req, struct uuid project,
                        struct uuid account, const char *reason, struct session_ended *ret,
                        struct error *err) MUST_USE;

/* Both functions add a change to `ended`. Call them last before the commit, because they lock the
 * counter. Both park. */
int session_ended_membership(struct db_tx *tx, const struct request *req, struct uuid membership,
                             struct session_ended *ended, struct error *err) MUST_USE;

int session_ended_account(struct db_tx *tx, const struct request *req, struct uuid account,
                          struct session_ended *ended, struct error *err) MUST_USE;

int session_ended_project(struct db_tx *tx, const struct request *req, struct uuid project,
                          struct session_ended *ended, struct error *err) MUST_USE;

void session_ended_add(const struct request *req, const struct field_list *changes,
                       struct session_ended *ended);

/* Waits until every gateway has applied the changes. Parks. */
int session_revocation_wait(struct authd *d, const struct request *req,
                            const struct session_ended *ended, struct error *err) MUST_USE;

#endif
