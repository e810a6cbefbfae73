/*
 * key_api.c - see key_api.h.
 */
#include "authd/session/key_api.h"

enum { KEYS_MAX = 100 };

static const struct field public_key_rows[] = {
    FIELD_TEXT(struct public_key, kid, 1, 128, FIELD_REQUIRED, "Key id.", ""),
    FIELD_TEXT(struct public_key, x, 1, 64, 0, "Coordinate, base64url.", ""),
    FIELD_TEXT(struct public_key, y, 1, 64, 0, "Coordinate, base64url.", ""),
    FIELD_TEXT(struct public_key, pem, 1, 4096, 0, "SubjectPublicKeyInfo.", ""),
    FIELD_TEXT(struct public_key, use, 1, 16, 0, "What it is for.", "issuer"),
    FIELD_TEXT(struct public_key, alg, 1, 16, 0, "Algorithm.", "RS256"),
    FIELD_BOOL(struct public_key, active, false, 0, "Signs new tokens."),
    FIELD_TIME(struct public_key, createdAt, 0, "When it was made."),
    FIELD_TIME(struct public_key, retireAt, 0, "From when on it is refused."),
};
FIELD_TABLE(public_key);

static const struct field keys_get_out_rows[] = {
    FIELD_TEXT(struct keys_get_out, issuer, 1, 256, FIELD_REQUIRED, "Claim iss.", "atrium"),
    FIELD_TEXT(struct keys_get_out, audience, 1, 256, FIELD_REQUIRED, "Claim aud.", "atrium"),
    FIELD_OBJECTS(struct keys_get_out, keys, public_key, KEYS_MAX, 0, "Keys to accept."),
    FIELD_OBJECTS(struct keys_get_out, issuerKeys, public_key, KEYS_MAX, 0, "Of the issuers."),
    FIELD_TEXT(struct keys_get_out, publicUrl, 1, 4096, 0, "The issuers are below it.",
               "https://id.example.org"),
};
FIELD_TABLE(keys_get_out);

static const struct field keys_rotate_in_rows[] = {
    FIELD_BOOL(struct keys_rotate_in, issuer, false, 0, "The keys of the issuers."),
};
FIELD_TABLE(keys_rotate_in);

static const struct field key_list_rows[] = {
    FIELD_OBJECTS(struct key_list, keys, public_key, 2 * KEYS_MAX, 0, "All keys."),
};
FIELD_TABLE(key_list);
