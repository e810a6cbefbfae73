/*
 * challenge.h - PKCE (RFC 7636) with S256, the only method.
 */
#ifndef ATRIUM_AUTHD_CREDENTIAL_CHALLENGE_H
#define ATRIUM_AUTHD_CREDENTIAL_CHALLENGE_H

#include "common/base/base.h"

/* True when the verifier is valid (section 4.1) and the challenge is its base64url(SHA-256) without
 * padding (section 4.6). Constant time for challenges of the right length. */
bool challenge_matches(const char *challenge, const char *verifier);

#endif
