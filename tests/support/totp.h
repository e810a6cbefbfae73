/*
 * totp.h - the device that shows a second factor's codes, as the tests have it: RFC 6238 written
 * anew.
 */
#ifndef ATRIUM_TESTS_SUPPORT_TOTP_H
#define ATRIUM_TESTS_SUPPORT_TOTP_H

#include <stdint.h>

#include "tests/support/suite.h"

enum { TOTP_STEP = 30, TOTP_SECRET = 20 };

/* The secret in an otpauth URL (base32 of 20 bytes); fails the running test when there is none. */
void totp_read(const char *url, uint8_t ret[static TOTP_SECRET]);

/* The code at a time in seconds since the epoch. */
const char *totp_code(const uint8_t secret[static TOTP_SECRET], int64_t at_s, char ret[static 7]);

/* Turns a person's second factor on; the time is that of the suite, in seconds since the epoch. */
void totp_enrol(struct suite *suite, const struct person *person, int64_t at_s,
                uint8_t ret[static TOTP_SECRET]);

#endif
