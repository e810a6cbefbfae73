/*
 * login.h - shared by the steps of a sign-in, and by one-step sign-ins that need a second factor.
 */
#ifndef ATRIUM_AUTHD_SIGNIN_LOGIN_H
#define ATRIUM_AUTHD_SIGNIN_LOGIN_H

#include "authd/signin/candidate.h"

struct login_mfa_in;
struct login_step;

enum { LOGIN_CODE_SIZE = 24 }; /* random bytes, 32 characters as text */

/* Writes an authenticated candidate's login and sets its next step: a session code, or the login's
 * id for a second factor. `project`: the named tenant's. ERR_THROTTLED: at a limit. Refuses like
 * candidate_reject() if the account was deleted meanwhile. Parks. */
int login_begin(struct authd *d, const struct request *req, const struct candidate *who,
                const struct throttle_keys *keys, struct uuid project, const char *challenge,
                struct login_step *out, struct error *err) MUST_USE;

/* Steps of a sign-in to the installation's own pages. Memberships aren't needed. Park. */
int login_start_account(struct authd *d, const struct request *req, const char *email,
                        const char *password, const char *challenge, struct login_step *out,
                        struct error *err) MUST_USE;
int login_mfa_account(struct authd *d, const struct request *req, const struct login_mfa_in *in,
                      struct login_step *out, struct error *err) MUST_USE;

/* Exchanges the code for a session in the browser's cookie. *ret_waits: the login waits for an
 * emailed code. Parks. */
int login_token_account(struct authd *d, const struct request *req, const char *code,
                        const char *verifier, const char *cookie, bool *ret_waits,
                        struct error *err) MUST_USE;

/* Finds the tenants of the candidate's places that allow sign-in. Parks. */
int login_places(struct authd *d, const struct request *req, const struct candidate *who,
                 struct field_list *ret, struct error *err) MUST_USE;

/* Returns these tenants as a practitioner's choices (struct login_tenant). */
struct field_list login_choices(const struct request *req, const struct candidate *who,
                                struct field_list tenants);

#endif
