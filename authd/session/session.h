/*
 * session.h - signed-in devices: made by registration and sign-in, renewed by refresh.c, ended
 * here.
 */
#ifndef ATRIUM_AUTHD_SESSION_SESSION_H
#define ATRIUM_AUTHD_SESSION_SESSION_H

#include "authd/authd.h"
#include "authd/credential/throttle.h"
#include "authd/session/refresh_token.h"
#include "authd/sql_part.h"

/* Who a token is for. */
struct token_subject {
    struct uuid project, membership, profile, session;
    enum role role;
    bool admin;
};

enum {
    ARRIVAL_KEYS_SIZE = 64, /* see arrival_keys() */
    SESSION_KEYS_SIZE = THROTTLE_KEY_SIZE + ARRIVAL_KEYS_SIZE,
};

/* A session that is about to be written, with its first refresh token. */
struct session_draft {
    struct uuid id, account;
    const char *auth_method, *browser, *os;
    struct refresh_token refresh;
    uint8_t known
        [SESSION_KEYS_SIZE]; /* what becomes known: the pair's throttle key, the arrival's keys */
    bool of_browser;         /* that signed in on a page; then */
    uint8_t cookie_hash[SECRET_HASH_SIZE];
};

/* What a statement writes of the draft by the parts session_insert, address_known and client_known.
 * Borrows the draft's bytes. */
struct sql_session_insert session_values(const struct request *req,
                                         const struct session_draft *draft);

/* Makes the draft of a session in the project, for the account with this role and e-mail. */
void session_draft(struct authd *d, const struct request *req, struct uuid project,
                   struct uuid account, enum role role, const char *email, const char *auth_method,
                   struct session_draft *ret);

/* The session becomes that of the browser that holds the cookie, and lives as long as
 * authd/page/visit.h says; its refresh token is no use. NULL: it stays a client's. */
void session_draft_for_browser(struct session_draft *self, const char *cookie);

/* Usable with CLEANUP on a struct session_draft variable. */
void session_draft_wipe(struct session_draft *self);

/* A new access token of the subject's session, from the request's arena. */
int session_access_token(struct authd *d, const struct request *req,
                         const struct token_subject *subject, const char **ret,
                         struct error *err) MUST_USE;

/* "<type>/<id>" with its display name, from the arena. */
const struct reference *session_reference(struct arena *arena, const char *type, struct uuid id,
                                          const char *display);

/* What sign_in and login_spend return of the session that they have created. */
struct session_created {
    struct uuid membership, profile;
    bool admin;
    int64_t change; /* its sign-in has taken a deletion back: the number of that change; else 0 */
    bool surplus;   /* the account has more sessions than it may have */
    bool arrival;   /* address and user agent are both new to the account */
    bool renewed;   /* with it the hash of the password, see password_renew.sql */
};
FIELD_DECLARE(session_created);

/* Does what follows from it, and fills *ret with its subject. Parks. */
int session_begun(struct authd *d, const struct request *req, const struct session_created *created,
                  const struct session_draft *draft, enum role role, const char *email,
                  const char *display, struct token_subject *ret, struct error *err) MUST_USE;

/* The token response of a fresh session. display: of the profile. */
int session_answer(struct authd *d, const struct request *req, const struct token_subject *subject,
                   const struct session_draft *draft, const char *project_name, const char *display,
                   struct token_response *out, struct error *err) MUST_USE;

/* The audit row of a draft that becomes a session: `action` makes it. */
struct sql_audit session_audit(const struct request *req, const char *action,
                               const struct session_draft *draft, struct uuid account,
                               enum role role);

/* Who tried to sign in, as far as that is known. */
struct sign_in {
    struct uuid project, account;
    enum role role;
};

/* The audit row of its failure. why: one word ("password", "code"). */
struct sql_audit sign_in_failure(const struct request *req, const struct sign_in *who,
                                 const char *why);

/* Records a failure that leaves no other trace. Parks. */
int sign_in_refused(struct authd *d, const struct request *req, const struct sign_in *who,
                    const char *why, struct error *err) MUST_USE;

/* Which live sessions of an account end, and why ("logout", "revoked", "theft", "login-replay",
 * "credential", "removed"). */
struct session_end {
    struct uuid project, account;
    struct uuid only, except; /* absent: all */
    const char *reason;
    struct uuid token; /* the jti that logged out, with "logout" */
};

/* Ends them and waits until every gateway refuses their tokens. *ret_count: how many were live.
 * Parks. */
int session_end(struct authd *d, const struct request *req, const struct session_end *which,
                size_t *ret_count, struct error *err) MUST_USE;

/* Ends the longest unused sessions of an account that has more than `sessions_per_account`; `kept`,
 * the newest, stays. Best effort, logged when it fails: the sign-in that made one too many stands.
 * Parks. */
void session_end_surplus(struct authd *d, const struct request *req, struct uuid account,
                         struct uuid kept);

/* What a transaction ended, and memberships that it changed: to be settled once it is committed. */
struct session_ended {
    struct change *changes;
    size_t count;
    int64_t sequence; /* the last one's */
};

/* Ends all live sessions of an account, in every project, but `except` (absent: none is kept),
 * within a transaction. Parks. */
int session_end_account(struct db_tx *tx, const struct request *req, struct uuid account,
                        struct uuid except, const char *reason, struct session_ended *ret,
                        struct error *err) MUST_USE;

/* The same for those of an account in one project. Parks. */
int session_end_project(struct db_tx *tx, const struct request *req, struct uuid project,
                        struct uuid account, const char *reason, struct session_ended *ret,
                        struct error *err) MUST_USE;

/* Numbers the change of a membership, too. The last statement but for the commit: it holds the
 * counter. Parks. */
int session_ended_membership(struct db_tx *tx, const struct request *req, struct uuid membership,
                             struct session_ended *ended, struct error *err) MUST_USE;

/* The same of an account. */
int session_ended_account(struct db_tx *tx, const struct request *req, struct uuid account,
                          struct session_ended *ended, struct error *err) MUST_USE;

/* The same of what is registered in a project. */
int session_ended_project(struct db_tx *tx, const struct request *req, struct uuid project,
                          struct session_ended *ended, struct error *err) MUST_USE;

/* Adds the changes that a statement has returned. */
void session_ended_add(const struct request *req, const struct field_list *changes,
                       struct session_ended *ended);

/* Waits until every gateway refuses their tokens and knows the memberships and accounts. Parks. */
int session_revocation_wait(struct authd *d, const struct request *req,
                            const struct session_ended *ended, struct error *err) MUST_USE;

#endif
