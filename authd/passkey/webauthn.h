/*
 * webauthn.h - a relying party's checks (Web Authentication Level 3, sections 7.1 and 7.2).
 *
 * libcbor unpacks; libfido2 reads keys and verifies signatures; all other checks are here.
 * tests/support/odd_passkey.c has answers that other servers treat differently. Call with
 * offload_run(): a fiber's stack is too small for jansson, libcbor and OpenSSL, and a signature
 * takes about 0.1 ms.
 */
#ifndef ATRIUM_AUTHD_PASSKEY_WEBAUTHN_H
#define ATRIUM_AUTHD_PASSKEY_WEBAUTHN_H

#include "common/base/base.h"
#include "common/wire/fields.h"

enum {
    WEBAUTHN_CHALLENGE_SIZE = 32,
    WEBAUTHN_CREDENTIAL_ID_MAX = 1023, /* section 5.8.3 */
    WEBAUTHN_CLIENT_DATA_MAX = 4096,   /* bytes of JSON */
    WEBAUTHN_AUTH_DATA_MAX = 4096,
    WEBAUTHN_ATTESTATION_MAX = 32 * 1024, /* can include a certificate chain */
    WEBAUTHN_SIGNATURE_MAX = 256,         /* RSA 2048 */
    WEBAUTHN_KEY_MAX = 259,               /* in libfido2's form, RSA 2048 */
};

/* COSE numbers (RFC 9053), in order of preference. */
enum webauthn_algorithm { WEBAUTHN_ES256 = -7, WEBAUTHN_EDDSA = -8, WEBAUTHN_RS256 = -257 };

/* Expected values of an answer. */
struct webauthn_ceremony {
    const char *rp_id;            /* a host name */
    const char *const *origins;   /* "https://host[:port]", compared bytewise; NULL-ended */
    struct field_bytes challenge; /* WEBAUTHN_CHALLENGE_SIZE bytes */
};

struct webauthn_credential {
    uint8_t id[WEBAUTHN_CREDENTIAL_ID_MAX], key[WEBAUTHN_KEY_MAX];
    size_t id_size, key_size;
    enum webauthn_algorithm algorithm;
    uint32_t sign_count;
    bool backed_up; /* synced between devices */
};

struct webauthn_assertion {
    uint32_t sign_count; /* 0: not counted */
    bool backed_up;
};

/* Return NULL and set *ret, or return one word: "size", "client-data", "type", "challenge",
 * "origin", "cross-origin", "format", "rp", "presence", "verification", "credential", "algorithm",
 * "key", "signature". Both require user presence and verification. */
const char *webauthn_check_registration(const struct webauthn_ceremony *ceremony,
                                        struct field_bytes client_data,
                                        struct field_bytes attestation,
                                        struct webauthn_credential *ret) MUST_USE;

/* Reads an imported credential's id and COSE key (RFC 9052, section 7). Returns NULL, "credential",
 * "algorithm" or "key". */
const char *webauthn_read_credential(struct field_bytes id, struct field_bytes key,
                                     struct webauthn_credential *ret) MUST_USE;

/* `algorithm`, `key`: from webauthn_check_registration(). */
const char *webauthn_check_assertion(const struct webauthn_ceremony *ceremony,
                                     enum webauthn_algorithm algorithm, struct field_bytes key,
                                     struct field_bytes client_data, struct field_bytes auth_data,
                                     struct field_bytes signature,
                                     struct webauthn_assertion *ret) MUST_USE;

#endif
