/*
 * passkey_step_up.h - a passkey as fresh proof, for step_up.c.
 */
#ifndef ATRIUM_AUTHD_PASSKEY_PASSKEY_STEP_UP_H
#define ATRIUM_AUTHD_PASSKEY_PASSKEY_STEP_UP_H

#include "authd/passkey/passkey_proof.h"

struct step_up_in;

/* Verifies the caller's passkey. *ret_wrong: the reason in one word, or NULL. ERR_BAD_REQUEST: not
 * the caller's challenge. Parks. */
int passkey_step_up(struct authd *d, const struct request *req, const struct step_up_in *in,
                    struct passkey_proof *ret, const char **ret_wrong, struct error *err) MUST_USE;

#endif
