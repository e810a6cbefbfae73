/*
 * key_api.c - see key_api.h.
 */
#include "authd/session/key_api.h"

enum { KEYS_MAX = 100 };

static const struct field public_key_rows[] = {
    FIELD_TEXT(struct public_key, kid, 1, 128, FIELD_REQUIRED, "Key ID.", ""),
    FIELD_TEXT(struct public_key, x, 1, 64, 0, "X coordinate in base64url.", ""),
    FIELD_TEXT(struct public_key, y, 1, 64, 0, "Y coordinate in base64url.", ""),
    FIELD_TEXT(struct public_key, pem, 1, 4096, 0, "SubjectPublicKeyInfo.", ""),
    FIELD_TEXT(struct public_key, use, 1, 16, 0,
               "`issuer` if the key signs for issuers; absent if it signs for the API.", "issuer"),
    FIELD_TEXT(struct public_key, alg, 1, 16, 0, "Algorithm.", "RS256"),
    FIELD_BOOL(struct public_key, active, false, 0, "Whether the key signs new tokens."),
    FIELD_TIME(struct public_key, createdAt, 0, "When the key was created."),
    FIELD_TIME(struct public_key, retireAt, 0,
               "When the key retires; absent if that is not scheduled."),
};
FIELD_TABLE(public_key);

static const struct field keys_get_out_rows[] = {
    FIELD_TEXT(struct keys_get_out, issuer, 1, 256, FIELD_REQUIRED,
               "Issuer of access tokens (claim `iss`).", "atrium"),
    FIELD_TEXT(struct keys_get_out, audience, 1, 256, FIELD_REQUIRED,
               "Audience of access tokens (claim `aud`).", "atrium"),
    FIELD_OBJECTS(struct keys_get_out, keys, public_key, KEYS_MAX, 0,
                  "Keys that verify the API's access tokens."),
    FIELD_OBJECTS(struct keys_get_out, issuerKeys, public_key, KEYS_MAX, 0,
                  "Keys that verify issuers' access tokens."),
    FIELD_TEXT(struct keys_get_out, publicUrl, 1, 4096, 0, "URL below which the issuers are.",
               "https://id.example.org"),
};
FIELD_TABLE(keys_get_out);

static const struct field keys_rotate_in_rows[] = {
    FIELD_BOOL(struct keys_rotate_in, issuer, false, 0,
               "Whether to rotate the issuers' keys instead of the API's."),
};
FIELD_TABLE(keys_rotate_in);

static const struct field key_list_rows[] = {
    FIELD_OBJECTS(struct key_list, keys, public_key, 2 * KEYS_MAX, 0, "All keys."),
};
FIELD_TABLE(key_list);
