/*
 * passkey_proof.h - verifies a passkey for a sign-in or step-up.
 */
#ifndef ATRIUM_AUTHD_PASSKEY_PASSKEY_PROOF_H
#define ATRIUM_AUTHD_PASSKEY_PASSKEY_PROOF_H

#include "authd/passkey/passkey_ceremony.h"

struct passkey_proof {
    struct uuid passkey, account;
    struct uuid opens;           /* see passkey_opens.h */
    struct uuid account_project; /* a patient's project */
    const char *email, *name;
    int64_t former_count; /* signature counter before this use */
    struct webauthn_assertion shown;
    bool has_handle; /* the answer had a user handle */
};

/* Checks an answer with a used ceremony. *ret_wrong: the reason in one word, or NULL; *ret is
 * filled as far as possible. Parks. */
int passkey_proof_check(struct authd *d, const struct request *req,
                        const struct passkey_ceremony *ceremony,
                        const struct passkey_credential *credential, struct passkey_proof *ret,
                        const char **ret_wrong, struct error *err) MUST_USE;

/* Call after recording the use. If the counter didn't grow, the passkey may have been copied:
 * audits that and emails the owner. The sign-in remains valid, because some authenticators count
 * wrongly. Only logs failures. Parks. */
struct tenant;
void passkey_proof_report(struct authd *d, const struct request *req, const struct tenant *tenant,
                          const struct passkey_proof *proof, const char *display);

#endif
