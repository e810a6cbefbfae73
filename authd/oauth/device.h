/*
 * device.h - devices without a browser (RFC 8628): they show a code, which a person enters on a
 * page, and poll for tokens. Only hashes of both codes are stored.
 */
#ifndef ATRIUM_AUTHD_OAUTH_DEVICE_H
#define ATRIUM_AUTHD_OAUTH_DEVICE_H

#include "authd/oauth/issuer.h"
#include "common/base/secret.h"

#define DEVICE_LIFE MINUTES(10)
#define DEVICE_KEEP MINUTES(30) /* retention after expiry, so that late polls get expired_token */
#define DEVICE_WINDOW MINUTES(15)

enum {
    DEVICE_USER_CODE_LETTERS = 8,
    DEVICE_INTERVAL_S = 5, /* interval between polls, and its increase after an early poll */
    DEVICES_MAX = 100,     /* per address and DEVICE_WINDOW */
    DEVICE_TRIES_MAX = 5,  /* codes per browser session; then a new sign-in */
    DEVICE_ADDRESS_TRIES_MAX = 30, /* codes per address and DEVICE_WINDOW */
};

/* Hashes a user code: its letters in any case, without punctuation, dashes and spaces of Unicode
 * (RFC 8628, section 6.1). -1: not a code. */
int device_user_hash(struct arena *arena, struct uuid project, const char *text,
                     uint8_t ret[static SECRET_HASH_SIZE]) MUST_USE;

#endif
