/*
 * key_api.h - token signing keys, for gateways and atriumctl.
 */
#ifndef ATRIUM_AUTHD_SESSION_KEY_API_H
#define ATRIUM_AUTHD_SESSION_KEY_API_H

#include "common/wire/fields.h"

struct public_key {
    const char *kid, *x, *y; /* P-256 point, base64url (RFC 7518, section 6.2) */
    const char *pem;         /* SubjectPublicKeyInfo */
    /* "issuer": signs for issuers; NULL: for the API */
    const char *use;
    const char *alg;             /* NULL: ES256 */
    bool active;                 /* signs new tokens */
    int64_t createdAt, retireAt; /* retireAt 0: not scheduled */
};
FIELD_DECLARE(public_key);

struct keys_get_out {
    const char *issuer, *audience;
    struct field_list keys; /* struct public_key: not yet retired */
    /* ES256 keys of the issuers; none without public_url. */
    struct field_list issuerKeys;
    const char *publicUrl;
};
FIELD_DECLARE(keys_get_out);

struct keys_rotate_in {
    bool issuer; /* rotate the issuers' keys, not the API's */
};
FIELD_DECLARE(keys_rotate_in);

struct key_list {
    struct field_list keys;
};
FIELD_DECLARE(key_list);

#endif
