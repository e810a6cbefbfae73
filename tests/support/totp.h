/*
 * totp.h - an authenticator app's codes: an independent RFC 6238.
 */
#ifndef ATRIUM_TESTS_SUPPORT_TOTP_H
#define ATRIUM_TESTS_SUPPORT_TOTP_H

#include <stdint.h>

#include "tests/support/suite.h"

enum { TOTP_STEP = 30, TOTP_SECRET = 20 };

/* Reads the secret of an otpauth URL (base32 of 20 bytes), or fails the test. */
void totp_read(const char *url, uint8_t ret[static TOTP_SECRET]);

/* Returns the code at a time in seconds since the epoch. */
const char *totp_code(const uint8_t secret[static TOTP_SECRET], int64_t at_s, char ret[static 7]);

void totp_enrol(struct suite *suite, const struct person *person, int64_t at_s,
                uint8_t ret[static TOTP_SECRET]);

#endif
