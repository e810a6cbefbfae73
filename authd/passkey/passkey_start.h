/*
 * passkey_start.h - starts of a sign-in with a passkey.
 *
 * Anyone can start one, so nothing is stored. The loginId has the state: base64url(sealed [id,
 * role, relying party, tenant, address, code challenge, end]). The challenge is a hash of that,
 * including a random nonce. The first answer uses it up, right or wrong: its id is stored for its
 * five minutes.
 */
#ifndef ATRIUM_AUTHD_PASSKEY_PASSKEY_START_H
#define ATRIUM_AUTHD_PASSKEY_PASSKEY_START_H

#include "authd/passkey/passkey_ceremony.h"
#include "common/domain/role.h"

/* Sets id, challenge and end. *ret_login_id is in the arena. */
void passkey_start_seal(struct authd *d, const struct request *req, struct passkey_ceremony *self,
                        const char **ret_login_id);

/* Opens a loginId. ERR_BAD_REQUEST: invalid, of another role, or expired. */
int passkey_start_open(struct authd *d, const struct request *req, enum role role,
                       const char *login_id, struct passkey_ceremony *ret,
                       struct error *err) MUST_USE;

/* Uses up a start, for a wrong answer. ERR_BAD_REQUEST: already used. Parks. */
int passkey_start_spend(struct authd *d, const struct request *req,
                        const struct passkey_ceremony *self, struct error *err) MUST_USE;

/* Starts a sign-in of any role, for the hosted page. BAD_REQUEST: no URL can have passkeys.
 * Parks. */
int passkey_start_any(struct authd *d, const struct request *req, const struct tenant *tenant,
                      const char *challenge, struct passkey_start_out *out,
                      struct error *err) MUST_USE;

/* Finishes a start without tenant. The passkey must open everything. Parks. */
int passkey_finish_account(struct authd *d, const struct request *req,
                           const struct passkey_finish_in *in, struct login_step *out,
                           struct error *err) MUST_USE;

/* Finishes like {patient,practitioner}_passkey_finish(). *ret_role: role of the passkey's account,
 * or patient if unknown. Parks. */
int passkey_finish_any(struct authd *d, const struct request *req,
                       const struct passkey_finish_in *in, enum role *ret_role,
                       struct login_step *out, struct error *err) MUST_USE;

#endif
