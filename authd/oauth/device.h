/*
 * device.h - devices without a browser: they show a code, a person enters it on a page and lets
 * them in, and they poll for their tokens (RFC 8628).
 *
 * A client may do so when its grantTypes have it. Of both codes only hashes are kept; ten minutes
 * after it has asked a device is forgotten.
 */
#ifndef ATRIUM_AUTHD_OAUTH_DEVICE_H
#define ATRIUM_AUTHD_OAUTH_DEVICE_H

#include "authd/oauth/issuer.h"
#include "common/base/secret.h"

#define DEVICE_LIFE MINUTES(10)
#define DEVICE_KEEP MINUTES(30) /* longer than that, to be told that it has expired */
#define DEVICE_WINDOW MINUTES(15)

enum {
    DEVICE_USER_CODE_LETTERS = 8,
    DEVICE_INTERVAL_S = 5, /* between two polls, and how much longer after one that was too soon */
    DEVICES_MAX = 100,     /* that one address asks for in DEVICE_WINDOW */
    DEVICE_TRIES_MAX = 5,  /* of codes in one browser session; beyond: another sign-in */
    DEVICE_ADDRESS_TRIES_MAX = 30, /* of one address in DEVICE_WINDOW */
};

/* The hash that a user code is known by: of its letters, in any case, whatever punctuation, dashes
 * and spaces of Unicode are beside them (RFC 8628, section 6.1). -1: it cannot be one. */
int device_user_hash(struct arena *arena, struct uuid project, const char *text,
                     uint8_t ret[static SECRET_HASH_SIZE]) MUST_USE;

#endif
