/*
 * login.h - what the steps of a sign-in share (login_start.c); also for the one-step routes, which
 * lead there when an account has a second factor.
 */
#ifndef ATRIUM_AUTHD_SIGNIN_LOGIN_H
#define ATRIUM_AUTHD_SIGNIN_LOGIN_H

#include "authd/signin/candidate.h"

struct login_mfa_in;
struct login_step;

enum { LOGIN_CODE_SIZE = 24 }; /* random bytes of a session code: 32 characters */

/* Writes the login of a proven candidate and answers its next step: a session code, or with a
 * second factor the login's id. project: the tenant named, or absent. ERR_THROTTLED when the keys
 * are at a limit; refuses like candidate_reject() when the account has gone meanwhile. Parks. */
int login_begin(struct authd *d, const struct request *req, const struct candidate *who,
                const struct throttle_keys *keys, struct uuid project, const char *challenge,
                struct login_step *out, struct error *err) MUST_USE;

/* The steps of a sign-in to the installation's own pages: as a practitioner's that names no tenant,
 * but whether or not the account is a member anywhere. Park. */
int login_start_account(struct authd *d, const struct request *req, const char *email,
                        const char *password, const char *challenge, struct login_step *out,
                        struct error *err) MUST_USE;
int login_mfa_account(struct authd *d, const struct request *req, const struct login_mfa_in *in,
                      struct login_step *out, struct error *err) MUST_USE;

/* Exchanges its code for a session that the browser holds by the cookie. *ret_waits: it waits for a
 * mailed code. Fails: BAD_REQUEST, THROTTLED. Parks. */
int login_token_account(struct authd *d, const struct request *req, const char *code,
                        const char *verifier, const char *cookie, bool *ret_waits,
                        struct error *err) MUST_USE;

/* The tenants (struct tenant) of the candidate's places that can be signed in to. Parks. */
int login_places(struct authd *d, const struct request *req, const struct candidate *who,
                 struct field_list *ret, struct error *err) MUST_USE;

/* What a practitioner may choose from (struct login_tenant): these tenants, each one of the
 * candidate's places. */
struct field_list login_choices(const struct request *req, const struct candidate *who,
                                struct field_list tenants);

#endif
