/*
 * totp.h - time-based one-time passwords (RFC 6238): SHA-1, six digits, thirty seconds.
 */
#ifndef ATRIUM_AUTHD_CREDENTIAL_TOTP_H
#define ATRIUM_AUTHD_CREDENTIAL_TOTP_H

#include "common/base/arena.h"
#include "common/base/base.h"

enum {
    TOTP_SECRET_SIZE = 20, /* bytes, the HMAC's length (RFC 4226, section 4, R6) */
    TOTP_SECRET_MIN = 10,  /* for imported secrets: the shortest that authenticators accept */
    TOTP_SECRET_MAX = 64,
    TOTP_DIGITS = 6,
    TOTP_STEP_S = 30,
    TOTP_WINDOW = 1, /* steps that a clock can be off, each way */
};

/* Initializes liboath. Call once. */
void totp_open(void);

/* Returns the time step of a right code, up to TOTP_WINDOW from `now_ms` (since the epoch), or
 * -1. */
int64_t totp_step(const uint8_t *secret, size_t size, const char *code, int64_t now_ms);

/* Decodes base32 (RFC 4648) with any case, spaces and padding. Returns 0 unless the size is
 * TOTP_SECRET_MIN to TOTP_SECRET_MAX. */
size_t totp_decode(const char *text, uint8_t ret[static TOTP_SECRET_MAX]);

/* Returns an otpauth://totp/... URL. Escapes `issuer` and `account`. */
const char *totp_url(struct arena *arena, const uint8_t secret[static TOTP_SECRET_SIZE],
                     const char *issuer, const char *account);

#endif
