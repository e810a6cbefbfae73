/*
 * candidate.h - who wants to sign in, and the proof of it by password: for the tenant routes
 * (login_start.c, login_mfa.c) and the one-step routes (one_step.c).
 */
#ifndef ATRIUM_AUTHD_SIGNIN_CANDIDATE_H
#define ATRIUM_AUTHD_SIGNIN_CANDIDATE_H

#include "authd/authd.h"
#include "authd/session/session.h"

struct place {
    struct uuid project, profile;
};

/* Who wants to sign in; nothing but role and project is set when there is no such account. */
struct candidate {
    struct sign_in is; /* project: the one that the sign-in is for, absent: not settled */
    const char *hash, *display, *email; /* email: as it was given */
    const char *address_key;            /* NULL: none yet */
    const char *renewed;  /* its hash by present parameters, once the password was verified; NULL:
                           * `hash` stays. For the part password_renew of the statement to come. */
    int64_t changes;      /* how often password or second factor were changed before */
    bool mfa;             /* has a second factor */
    bool locked;          /* it has places for this sign-in, and is locked in all of them */
    bool barred;          /* locked by an operator */
    bool anywhere;        /* it signs in to the installation's own pages: needs no place */
    struct place *places; /* memberships that count for this sign-in, and are not locked */
    size_t count;
    struct place *locked_places; /* that would count, too */
    size_t locked_count;
};

/* Whether there is such an account with a membership that counts, be it locked. */
bool candidate_is_member(const struct candidate *self);

/* Whether the candidate is locked in that project, and not in all. */
bool candidate_is_locked_in(const struct candidate *self, struct uuid project);

/* Looks the account up; of a patient in `project`, of a practitioner anywhere. `project` keeps
 * only its own place, absent every one. Found or not, 0; ERR_THROTTLED (*ret is filled all the
 * same) when the keys are at a limit. Parks. */
int candidate_find(struct authd *d, const struct request *req, enum role role, struct uuid project,
                   const char *email, const struct throttle_keys *keys, struct candidate *ret,
                   struct error *err) MUST_USE;

/* Who a login that waits for a second factor belongs to, with the places that it may lead to; empty
 * when there is no such login. Found or not, 0. Parks. */
int candidate_of_login(struct authd *d, const struct request *req, enum role role,
                       struct uuid login, struct candidate *ret, struct error *err) MUST_USE;

/* Refuses a login that is not known, or is over: ERR_BAD_REQUEST. */
int candidate_refuse_login(struct error *err);

/* Whose passkey was shown, with the places that the sign-in may lead to: all, or `project`. Found
 * or not, 0. Parks. */
int candidate_of_account(struct authd *d, const struct request *req, enum role role,
                         struct uuid account, struct uuid project, struct candidate *ret,
                         struct error *err) MUST_USE;

/* Counts a failure and refuses: ERR_BAD_REQUEST, or ERR_THROTTLED when it was one too many.
 * Parks. */
int candidate_reject(struct authd *d, const struct request *req, const struct candidate *who,
                     const struct throttle_keys *keys, struct error *err) MUST_USE;

/* Verifies the password; one of a candidate without account or place costs the same and is
 * never right. Sets `renewed` for a hash of older parameters or of another system. Counts nothing.
 * Parks. */
int candidate_verify(struct authd *d, const struct request *req, struct candidate *who,
                     const char *password, bool *ret_right, struct error *err) MUST_USE;

/* Refuses a candidate who is locked, by an operator or by an admin of the project, once the
 * password was right: ERR_ACCOUNT_LOCKED, with a row in the audit trail. The keys must still be
 * below their limits, so that guesses beyond them learn nothing; NULL: nothing was guessed.
 * Parks. */
int candidate_check_lock(struct authd *d, const struct request *req, const struct candidate *who,
                         const struct throttle_keys *keys, struct error *err) MUST_USE;

/* What the account policies of its places (the strictest counts) want of a candidate whose password
 * was right and is a common one: nothing; a mail to the owner (COMMON_PASSWORD), one in 30 days,
 * best effort; or ERR_PASSWORD_CHANGE_REQUIRED, with a row in the audit trail. The keys as for
 * candidate_check_lock(). Parks. */
int candidate_check_common(struct authd *d, const struct request *req, const struct candidate *who,
                           const struct throttle_keys *keys, struct error *err) MUST_USE;

/* Whether a password, not normalised, is one of those. */
bool candidate_is_common(const struct authd *d, const char *password);

/* Right password, right place, not locked, not refused for a common password: else refused as by
 * candidate_reject(), candidate_check_lock() and candidate_check_common(). Wipes the password.
 * Whether the keys are below their limits still, see throttle.h, is the caller's next question,
 * unless login_begin() asks it. Parks. */
int candidate_authenticate(struct authd *d, const struct request *req, struct candidate *who,
                           const struct throttle_keys *keys, const char *password,
                           struct error *err) MUST_USE;

#endif
