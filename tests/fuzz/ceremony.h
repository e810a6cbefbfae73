/*
 * ceremony.h - what the fuzz targets of authenticator answers verify against.
 */
#ifndef ATRIUM_TESTS_FUZZ_CEREMONY_H
#define ATRIUM_TESTS_FUZZ_CEREMONY_H

#include "authd/passkey/webauthn.h"

#define FUZZ_CHALLENGE_TEXT "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZQA"

/* clientDataJSON of this ceremony, of type "create" or "get". */
#define FUZZ_CLIENT_DATA(type)                                                   \
    "{\"type\":\"webauthn." type "\",\"challenge\":\"" FUZZ_CHALLENGE_TEXT "\"," \
    "\"origin\":\"https://my.lakeside.example\",\"crossOrigin\":false}"

static const uint8_t fuzz_challenge[WEBAUTHN_CHALLENGE_SIZE] = "0123456789abcdef0123456789abcde";
static const char *const fuzz_origins[] = {"https://my.lakeside.example", NULL};
static const struct webauthn_ceremony fuzz_ceremony = {
    .rp_id = "my.lakeside.example",
    .origins = fuzz_origins,
    .challenge = {fuzz_challenge, sizeof(fuzz_challenge)},
};

#endif
