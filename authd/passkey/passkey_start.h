/*
 * passkey_start.h - a sign-in by passkey from its start until its answer: what was asked for goes
 * to the client and comes back with the answer, sealed, as its loginId.
 *
 *     base64url( sealed fields [id, role, relying party, tenant, address, code challenge, end] )
 *
 * So a start, which anyone can ask for, writes nothing: a flood of them leaves no rows. The
 * challenge is the hash of that text, which has a random nonce. The first answer, right or wrong,
 * at whatever instance, spends it: its id is kept until its five minutes are over.
 */
#ifndef ATRIUM_AUTHD_PASSKEY_PASSKEY_START_H
#define ATRIUM_AUTHD_PASSKEY_PASSKEY_START_H

#include "authd/passkey/passkey_ceremony.h"
#include "common/domain/role.h"

/* Gives a ceremony of role, rp, tenant, email and code_challenge as they are set its id, challenge
 * and end. *ret_login_id: in the arena. */
void passkey_start_seal(struct authd *d, const struct request *req, struct passkey_ceremony *self,
                        const char **ret_login_id);

/* Back. ERR_BAD_REQUEST for any other text, another role, or after its end. */
int passkey_start_open(struct authd *d, const struct request *req, enum role role,
                       const char *login_id, struct passkey_ceremony *ret,
                       struct error *err) MUST_USE;

/* Spends it, unless the statement of a right answer does. ERR_BAD_REQUEST when an answer has.
 * Parks. */
int passkey_start_spend(struct authd *d, const struct request *req,
                        const struct passkey_ceremony *self, struct error *err) MUST_USE;

/* A start of any role in the tenant, for the hosted page. Fails: BAD_REQUEST (no address that
 * passkeys can be of). Parks. */
int passkey_start_any(struct authd *d, const struct request *req, const struct tenant *tenant,
                      const char *challenge, struct passkey_start_out *out,
                      struct error *err) MUST_USE;

/* Finishes a start that names no tenant, on the installation's own page: the passkey must open
 * everything. Parks. */
int passkey_finish_account(struct authd *d, const struct request *req,
                           const struct passkey_finish_in *in, struct login_step *out,
                           struct error *err) MUST_USE;

/* Finishes it, as {patient,practitioner}_passkey_finish() of the role whose passkey it is.
 * *ret_role: that; of an unknown passkey a patient's. Parks. */
int passkey_finish_any(struct authd *d, const struct request *req,
                       const struct passkey_finish_in *in, enum role *ret_role,
                       struct login_step *out, struct error *err) MUST_USE;

#endif
