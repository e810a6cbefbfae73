/*
 * challenge.h - proof key for code exchange (RFC 7636), method S256 only. Pure.
 */
#ifndef ATRIUM_AUTHD_CREDENTIAL_CHALLENGE_H
#define ATRIUM_AUTHD_CREDENTIAL_CHALLENGE_H

#include "common/base/base.h"

/* True when the verifier is one (section 4.1) and the challenge is base64url(SHA-256(verifier))
 * without padding (section 4.6). Takes equal time for every challenge of the right length. */
bool challenge_matches(const char *challenge, const char *verifier);

#endif
