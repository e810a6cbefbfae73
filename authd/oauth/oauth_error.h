/*
 * oauth_error.h - refusals with the words of OAuth 2.0 (RFC 6749, sections 4.1.2.1 and 5.2, and
 * those that extend it).
 *
 * They travel in a struct error: the gateway answers the word as `error` and the text as
 * `error_description`, with the status of the code.
 */
#ifndef ATRIUM_AUTHD_OAUTH_OAUTH_ERROR_H
#define ATRIUM_AUTHD_OAUTH_OAUTH_ERROR_H

#include "common/base/error.h"

/* The members of the error that the gateway makes an answer of. */
#define OAUTH_WORD "error"
#define OAUTH_CHALLENGE "WWW-Authenticate"
#define OAUTH_NONCE "DPoP-Nonce"

/* "invalid_grant" with a text; returns -1. word: must live as long as the error. */
int oauth_fail(struct error *err, enum error_code code, const char *word, const char *text);

/* The word of an error that oauth_fail() has set; NULL: it is another. */
const char *oauth_word(const struct error *err);

/* The challenge of a 401 (RFC 9110, section 11.6.1), and a nonce for the next proof (RFC 9449,
 * section 8); return -1. From the request's arena. */
int oauth_fail_challenge(struct error *err, const char *challenge);
int oauth_fail_nonce(struct error *err, const char *nonce);

#endif
