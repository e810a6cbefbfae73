/*
 * totp.h - time-based one-time passwords (RFC 6238): SHA-1, six digits, thirty seconds. Pure; for
 * mfa.c.
 */
#ifndef ATRIUM_AUTHD_CREDENTIAL_TOTP_H
#define ATRIUM_AUTHD_CREDENTIAL_TOTP_H

#include "common/base/arena.h"
#include "common/base/base.h"

enum {
    TOTP_SECRET_SIZE = 20, /* bytes: the length of the HMAC (RFC 4226, section 4, R6) */
    TOTP_SECRET_MIN = 10,  /* of one that another system made: as short as authenticators take it */
    TOTP_SECRET_MAX = 64,
    TOTP_DIGITS = 6,
    TOTP_STEP_S = 30,
    TOTP_WINDOW = 1, /* steps that a clock may be off, each way */
};

/* Makes liboath ready; once, before the others. */
void totp_open(void);

/* The time step that `code` is right for at now_ms (since the epoch), give or take TOTP_WINDOW; -1
 * when it is wrong or no code at all. */
int64_t totp_step(const uint8_t *secret, size_t size, const char *code, int64_t now_ms);

/* A secret as base32 (RFC 4648, either case, spaces and padding or none): its size, or 0 when it is
 * none, or of another size than TOTP_SECRET_MIN to TOTP_SECRET_MAX. */
size_t totp_decode(const char *text, uint8_t ret[static TOTP_SECRET_MAX]);

/* The key as authenticator applications read it (otpauth://totp/...), from the arena. `issuer` and
 * `account` are any texts. */
const char *totp_url(struct arena *arena, const uint8_t secret[static TOTP_SECRET_SIZE],
                     const char *issuer, const char *account);

#endif
