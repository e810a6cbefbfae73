/*
 * odd_passkey.h - answers of authenticators that are not as Web Authentication Level 3 and CTAP2's
 * canonical CBOR have them, each signed by its key, with what three servers say of it: authd, npm's
 * @simplewebauthn/server and python3-fido2, which is told to look at attestation statements.
 */
#ifndef ATRIUM_TESTS_SUPPORT_ODD_PASSKEY_H
#define ATRIUM_TESTS_SUPPORT_ODD_PASSKEY_H

#include "tests/support/authenticator.h"

/* Where the three differ, `why` says what authd does, and why. */
struct odd_passkey {
    const char *label;
    bool is_new;                       /* a new credential; else an assertion */
    bool authd, simplewebauthn, fido2; /* accepted */
    const char *why;
    unsigned flags;   /* that are turned over */
    const char *tail; /* behind the authenticator data */
    size_t tail_size;
    bool credential;         /* an assertion with the data of a credential, before that */
    const char *head, *foot; /* of the attestation object, around the authenticator data */
    size_t head_size, foot_size;
    const char *key; /* more pairs of the public key */
    size_t key_size;
    size_t cut; /* bytes that the authenticator data lacks */
};

extern const struct odd_passkey odd_passkeys[];
extern const size_t odd_passkey_count;

/* The answer of an ES256 key to a challenge in base64url. */
void odd_passkey_make(const struct odd_passkey *self, struct authenticator *key, const char *rp_id,
                      const char *challenge, struct authenticator_answer *ret);

#endif
