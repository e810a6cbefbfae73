/*
 * key_api.h - the keys that sign tokens, as gateways and atriumctl ask for them.
 */
#ifndef ATRIUM_AUTHD_SESSION_KEY_API_H
#define ATRIUM_AUTHD_SESSION_KEY_API_H

#include "common/wire/fields.h"

struct public_key {
    const char *kid, *x, *y; /* P-256 point, base64url (RFC 7518, section 6.2) */
    const char *pem;         /* SubjectPublicKeyInfo */
    /* "issuer": of what the issuers below /t/ sign; NULL: of the API */
    const char *use;
    const char *alg;             /* NULL: ES256 */
    bool active;                 /* signs new tokens */
    int64_t createdAt, retireAt; /* retireAt 0: not scheduled */
};
FIELD_DECLARE(public_key);

struct keys_get_out {
    const char *issuer, *audience;
    struct field_list keys; /* struct public_key: active and not yet retired */
    /* Those of ES256 that the issuers below {publicUrl}/t/ sign access tokens with; none without
     * public_url. */
    struct field_list issuerKeys;
    const char *publicUrl;
};
FIELD_DECLARE(keys_get_out);

struct keys_rotate_in {
    bool issuer; /* the keys of the issuers, not that of the API */
};
FIELD_DECLARE(keys_rotate_in);

struct key_list {
    struct field_list keys;
};
FIELD_DECLARE(key_list);

#endif
