/*
 * webauthn.h - the checks of a relying party (Web Authentication Level 3, sections 7.1 and 7.2) on
 * what an authenticator answers: a credential that was made, and an assertion by one. Pure.
 *
 * libcbor unpacks and libfido2 reads keys and verifies signatures. Attestation is not asked for, so
 * libfido2 checks nothing of a new credential: type, challenge, origin, crossOrigin, rpIdHash and
 * flags are checked here, of both, and that an answer is nothing but what its flags say, in maps
 * that have no key twice. The statement of an attestation that comes all the same is not read; its
 * format must be a known one. tests/support/odd_passkey.c has answers that other servers take
 * otherwise.
 *
 * Not on a fiber: jansson, libcbor and OpenSSL need more stack than it has, and a signature takes
 * about a tenth of a millisecond. Run it by offload_run().
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
    WEBAUTHN_ATTESTATION_MAX = 32 * 1024, /* a chain of certificates may be among it */
    WEBAUTHN_SIGNATURE_MAX = 256,         /* of RSA 2048 */
    WEBAUTHN_KEY_MAX = 259,               /* of a public key as libfido2 has it: RSA 2048 */
};

/* Algorithms by their COSE number (RFC 9053), in the order that they are asked for. */
enum webauthn_algorithm { WEBAUTHN_ES256 = -7, WEBAUTHN_EDDSA = -8, WEBAUTHN_RS256 = -257 };

/* What the answer must belong to. */
struct webauthn_ceremony {
    const char *rp_id;            /* a host name */
    const char *const *origins;   /* NULL-ended; compared byte by byte, "https://host[:port]" */
    struct field_bytes challenge; /* WEBAUTHN_CHALLENGE_SIZE bytes */
};

/* A new credential. */
struct webauthn_credential {
    uint8_t id[WEBAUTHN_CREDENTIAL_ID_MAX], key[WEBAUTHN_KEY_MAX];
    size_t id_size, key_size;
    enum webauthn_algorithm algorithm;
    uint32_t sign_count;
    bool backed_up; /* it is synced between devices */
};

/* What a right assertion tells. */
struct webauthn_assertion {
    uint32_t sign_count; /* 0: the authenticator does not count */
    bool backed_up;
};

/* Each NULL when all holds, and *ret is set, else one word for the audit trail: "size",
 * "client-data", "type", "challenge", "origin", "cross-origin", "format", "rp", "presence",
 * "verification", "credential", "algorithm", "key", "signature". User presence and user
 * verification are required, of both. */
const char *webauthn_check_registration(const struct webauthn_ceremony *ceremony,
                                        struct field_bytes client_data,
                                        struct field_bytes attestation,
                                        struct webauthn_credential *ret) MUST_USE;

/* A credential that another system has kept: its id, its key in the form of COSE (RFC 9052, section
 * 7). Sets id, key and algorithm. NULL, "credential", "algorithm" or "key". */
const char *webauthn_read_credential(struct field_bytes id, struct field_bytes key,
                                     struct webauthn_credential *ret) MUST_USE;

/* algorithm and key: as webauthn_check_registration() set them. */
const char *webauthn_check_assertion(const struct webauthn_ceremony *ceremony,
                                     enum webauthn_algorithm algorithm, struct field_bytes key,
                                     struct field_bytes client_data, struct field_bytes auth_data,
                                     struct field_bytes signature,
                                     struct webauthn_assertion *ret) MUST_USE;

#endif
