/*
 * passkey_step_up.h - a passkey as the proof of POST /auth/step-up, for step_up.c.
 */
#ifndef ATRIUM_AUTHD_PASSKEY_PASSKEY_STEP_UP_H
#define ATRIUM_AUTHD_PASSKEY_PASSKEY_STEP_UP_H

#include "authd/passkey/passkey_proof.h"

struct step_up_in;

/* Checks the passkey that the caller has shown; *ret is what was proven, *ret_wrong why not, one
 * word, NULL: it holds. ERR_BAD_REQUEST when the challenge is not the caller's. Parks. */
int passkey_step_up(struct authd *d, const struct request *req, const struct step_up_in *in,
                    struct passkey_proof *ret, const char **ret_wrong, struct error *err) MUST_USE;

#endif
