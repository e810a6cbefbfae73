/*
 * login.h - what the steps of a sign-in share (login_start.c); also for the one-step routes, which
 * lead there when an account has a second factor.
 */
#ifndef ATRIUM_AUTHD_SIGNIN_LOGIN_H
#define ATRIUM_AUTHD_SIGNIN_LOGIN_H

#include "authd/signin/candidate.h"

enum { LOGIN_CODE_SIZE = 24 }; /* random bytes of a session code: 32 characters */

/* Writes the login of a proven candidate and answers its next step: a session code, or with a
 * second factor the login's id. project: the tenant named, or absent. ERR_THROTTLED when the keys
 * are at a limit; refuses like candidate_reject() when the account has gone meanwhile. Parks. */
int login_begin(struct authd *d, const struct request *req, const struct candidate *who,
                const struct throttle_keys *keys, struct uuid project, const char *challenge,
                struct login_step *out, struct error *err) MUST_USE;

/* The tenants (struct tenant) of the candidate's places that can be signed in to. Parks. */
int login_places(struct authd *d, const struct request *req, const struct candidate *who,
                 struct field_list *ret, struct error *err) MUST_USE;

/* What a practitioner may choose from (struct login_tenant): these tenants, each one of the
 * candidate's places. */
struct field_list login_choices(const struct request *req, const struct candidate *who,
                                struct field_list tenants);

#endif
