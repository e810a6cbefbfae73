/*
 * candidate.h - finds the account of a sign-in and verifies its password.
 */
#ifndef ATRIUM_AUTHD_SIGNIN_CANDIDATE_H
#define ATRIUM_AUTHD_SIGNIN_CANDIDATE_H

#include "authd/authd.h"
#include "authd/session/session.h"

struct place {
    struct uuid project, profile;
};

/* The account that someone tries to sign in to. If there is no account, only role and project are
 * set. */
struct candidate {
    struct sign_in is; /* project: target of the sign-in; not set: not chosen yet */
    const char *hash, *display, *email; /* `email`: as it was entered */
    const char *address_key;            /* NULL: none */
    const char
        *renewed; /* new hash after verification, NULL: keep `hash`; for the part password_renew */
    int64_t changes; /* count of credential changes, to notice a later one */
    bool mfa;
    /* Set only for a sign-in with an identity provider: */
    const char *auth_method;
    struct uuid identity;
    const char *provider_sid; /* the provider's session, or NULL */
    struct uuid login;        /* id of its row, which an application knows already */
    struct uuid within;       /* the provider's project: leads only there and below */
    bool locked;              /* locked in all its places for this sign-in */
    bool barred;              /* locked by an operator */
    bool enforced;            /* has places, without a provider not for this sign-in */
    bool anywhere;            /* for the installation's own pages, which need no place */
    struct place *places;     /* memberships that count and aren't locked */
    size_t count;
    struct place *locked_places; /* locked memberships that would count */
    size_t locked_count;
};

/* True if the account exists and has a membership that counts, even a locked one. */
bool candidate_is_member(const struct candidate *self);

/* True if the candidate is locked in that project, but not in all. */
bool candidate_is_locked_in(const struct candidate *self, struct uuid project);

/* Finds a patient's account in `project`, or a practitioner's in any. `project` restricts the
 * places. Returns 0 even if there is no account. ERR_THROTTLED: at a limit, but *ret is filled.
 * Parks. */
int candidate_find(struct authd *d, const struct request *req, enum role role, struct uuid project,
                   const char *email, const struct throttle_keys *keys, struct candidate *ret,
                   struct error *err) MUST_USE;

/* Finds the account of a login that waits for a second factor, with possible places. Returns 0 even
 * if there is none. Parks. */
int candidate_of_login(struct authd *d, const struct request *req, enum role role,
                       struct uuid login, struct candidate *ret, struct error *err) MUST_USE;

int candidate_refuse_login(struct error *err);

/* Finds the account of a passkey, emailed code or identity (by_provider), with places in all
 * projects or `project`. Returns 0 even if not found. Parks. */
int candidate_of_account(struct authd *d, const struct request *req, enum role role,
                         struct uuid account, struct uuid project, bool by_provider,
                         struct candidate *ret, struct error *err) MUST_USE;

/* Counts a failure. Fails with ERR_BAD_REQUEST, or over the limit with ERR_THROTTLED. Parks. */
int candidate_reject(struct authd *d, const struct request *req, const struct candidate *who,
                     const struct throttle_keys *keys, struct error *err) MUST_USE;

/* Verifies the password. If there is no account or place, this takes the same time, and the
 * password is never right. Sets `renewed` for outdated and imported hashes. Counts nothing.
 * Parks. */
int candidate_verify(struct authd *d, const struct request *req, struct candidate *who,
                     const char *password, bool *ret_right, struct error *err) MUST_USE;

/* Refuses a locked candidate after a right password: ERR_ACCOUNT_LOCKED, with an audit row. First
 * checks the keys' limits, so that further guesses learn nothing; `keys` NULL: nothing was guessed.
 * Parks. */
int candidate_check_lock(struct authd *d, const struct request *req, const struct candidate *who,
                         const struct throttle_keys *keys, struct error *err) MUST_USE;

/* Applies the places' strictest policy to a right but common password: nothing, an email to the
 * owner every 30 days, or ERR_PASSWORD_CHANGE_REQUIRED with an audit row. `keys`: see
 * candidate_check_lock(). Parks. */
int candidate_check_common(struct authd *d, const struct request *req, const struct candidate *who,
                           const struct throttle_keys *keys, struct error *err) MUST_USE;

/* True for a common password. `password` isn't normalized. */
bool candidate_is_common(const struct authd *d, const char *password);

/* Verifies password and place, checks lock and common password, and wipes the password. Call
 * throttle_check() next, unless login_begin() does; see throttle.h. Parks. */
int candidate_authenticate(struct authd *d, const struct request *req, struct candidate *who,
                           const struct throttle_keys *keys, const char *password,
                           struct error *err) MUST_USE;

#endif
