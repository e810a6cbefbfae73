/*
 * passkey_proof.h - a passkey that was shown: for sign-in (passkey_sign_in.c) and step-up
 * (passkey_step_up.c).
 */
#ifndef ATRIUM_AUTHD_PASSKEY_PASSKEY_PROOF_H
#define ATRIUM_AUTHD_PASSKEY_PASSKEY_PROOF_H

#include "authd/passkey/passkey_ceremony.h"

struct passkey_proof {
    struct uuid passkey, account;
    struct uuid opens;           /* see passkey_opens.h */
    struct uuid account_project; /* of a patient */
    const char *email, *name;
    int64_t former_count; /* of signatures */
    struct webauthn_assertion shown;
    bool has_handle; /* the answer told whose it is */
};

/* Checks what was shown against a spent ceremony, whose relying party is complete. *ret_wrong: why
 * it does not hold, one word; *ret is then filled as far as is known. NULL: it holds. Parks. */
int passkey_proof_check(struct authd *d, const struct request *req,
                        const struct passkey_ceremony *ceremony,
                        const struct passkey_credential *credential, struct passkey_proof *ret,
                        const char **ret_wrong, struct error *err) MUST_USE;

/* To be called once the use was written. A counter that did not grow says that there may be a copy
 * of the passkey: an audit row and a mail to the owner, and no more than that, since authenticators
 * are known to count wrongly. Best effort, logged when it fails. Parks. */
struct tenant;
void passkey_proof_report(struct authd *d, const struct request *req, const struct tenant *tenant,
                          const struct passkey_proof *proof, const char *display);

#endif
