/*
 * odd_passkey.h - signed authenticator answers that violate Web Authentication Level 3 or CTAP2's
 * canonical CBOR, and whether three servers accept them: authd, npm's @simplewebauthn/server, and
 * python3-fido2 with attestation.
 */
#ifndef ATRIUM_TESTS_SUPPORT_ODD_PASSKEY_H
#define ATRIUM_TESTS_SUPPORT_ODD_PASSKEY_H

#include "tests/support/authenticator.h"

/* `why` explains authd's result if the three differ. */
struct odd_passkey {
    const char *label;
    bool is_new; /* otherwise an assertion */
    bool authd, simplewebauthn, fido2;
    const char *why;
    unsigned flags;   /* flags that are flipped */
    const char *tail; /* bytes after the authenticator data */
    size_t tail_size;
    bool credential;         /* puts credential data into an assertion, before `tail` */
    const char *head, *foot; /* the attestation object's bytes before and after authData */
    size_t head_size, foot_size;
    const char *key; /* bytes of additional pairs in the COSE key */
    size_t key_size;
    size_t cut; /* bytes removed from the authenticator data */
};

extern const struct odd_passkey odd_passkeys[];
extern const size_t odd_passkey_count;

/* Makes an ES256 key's answer to a base64url challenge. */
void odd_passkey_make(const struct odd_passkey *self, struct authenticator *key, const char *rp_id,
                      const char *challenge, struct authenticator_answer *ret);

#endif
