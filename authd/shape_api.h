/*
 * shape_api.h - limits, choices and checks that several field tables share (*_api.c).
 */
#ifndef ATRIUM_AUTHD_SHAPE_API_H
#define ATRIUM_AUTHD_SHAPE_API_H

enum {
    ANY_PASSWORD_MAX = 1048576, /* the largest body: a long password is wrong, not malformed */
    TENANT_CODE_MAX = 64,
    MEMBERS_MAX = 100, /* rows of a list's page */
    NAME_MAX_LENGTH = 128,
    REASON_MAX = 500,
    NEW_PASSWORD_MAX = 4096,
    DISPLAY_MAX = 512,
    CODE_MAX = 512, /* session codes and refresh tokens */
    MFA_TOKEN_MIN = 6,
    MFA_TOKEN_MAX = 10,
    DELETION_DAYS = 30,
    DELETION_DAYS_MAX = 90,
    PASSKEYS_MAX = 20,
    PASSKEY_NAME_MAX = 128,
    /* base64url characters, see authd/passkey/webauthn.h */
    PASSKEY_ID_MAX = 1364,
    PASSKEY_HANDLE_MAX = 86,
    RP_ID_MAX = 253,
};

#define LETTERS_AND_DIGITS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

/* For OpenAPI. Verifier and challenge match (RFC 7636, appendix B). */
#define EXAMPLE_PASSWORD "correct horse battery staple"
#define EXAMPLE_VERIFIER "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
#define EXAMPLE_CODE "p2XmC3u7Yw0bT9s4KfVqLh8dRzJ1oNeA"

#define BASE64URL_PATTERN "^[A-Za-z0-9_-]*$"
#define VERIFIER_PATTERN "^[A-Za-z0-9._~-]{43,128}$"
#define CHALLENGE_PATTERN "^[A-Za-z0-9_-]{43}$"

/* The fields of an emailed link. */
#define FIELD_LINK(s)                                                     \
    FIELD_UUID(s, id, FIELD_REQUIRED, "`id` from the emailed link."),     \
        FIELD_TEXT(s, secret, 1, CODE_MAX, FIELD_REQUIRED | FIELD_SECRET, \
                   "`secret` from the emailed link; valid once until it expires.", EXAMPLE_CODE)

/* Checks base64url without padding, for FIELD_PATTERN. */
int shape_check_base64url(const char *value, char why[static 96]);

#endif
