/*
 * oauth_error.h - OAuth 2.0 errors (RFC 6749, sections 4.1.2.1 and 5.2, and extensions). The
 * gateway sends code and text as `error` and `error_description`.
 */
#ifndef ATRIUM_AUTHD_OAUTH_OAUTH_ERROR_H
#define ATRIUM_AUTHD_OAUTH_OAUTH_ERROR_H

#include "common/base/error.h"

/* Error members that the gateway reads. */
#define OAUTH_WORD "error"
#define OAUTH_CHALLENGE "WWW-Authenticate"
#define OAUTH_NONCE "DPoP-Nonce"

/* Sets an OAuth error, and returns -1. word: such as "invalid_grant"; must live as long as the
 * error. */
int oauth_fail(struct error *err, enum error_code code, const char *word, const char *text);

/* Returns oauth_fail()'s code, or NULL. */
const char *oauth_word(const struct error *err);

/* Set a 401's challenge (RFC 9110, section 11.6.1), and a nonce for the next proof (RFC 9449,
 * section 8); return -1. Texts are from the request's arena. */
int oauth_fail_challenge(struct error *err, const char *challenge);
int oauth_fail_nonce(struct error *err, const char *nonce);

#endif
