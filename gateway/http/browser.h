/* browser.h - proves that a page sent its form: the tenant's cookie, Origin, the form's token. */
#ifndef ATRIUM_GATEWAY_HTTP_BROWSER_H
#define ATRIUM_GATEWAY_HTTP_BROWSER_H

#include "gateway/http/decode.h"

enum {
    COOKIE_BYTES = 32, /* random bytes of a cookie: 43 characters */
    FORM_TOKEN_BYTES = 2 * COOKIE_BYTES,
};

/* "__Host-atrium-{tenant}", or over HTTP "atrium-{tenant}". NULL: a cookie cannot hold the code. */
const char *cookie_name(struct arena *arena, const char *tenant, bool secure);

/* The cookie's value in a Cookie header (RFC 6265, section 5.4). NULL: absent, twice, or not of
 * cookie_header()'s form. */
const char *cookie_find(struct arena *arena, const char *header, const char *name);

/* A Set-Cookie value (NULL: it ends). No Max-Age: the server ends what it stands for. */
const char *cookie_header(struct arena *arena, const char *name, const char *value, bool secure);

/* A form token made of the cookie, masked by random bytes (BREACH). NULL: a malformed cookie. */
const char *form_token(struct arena *arena, const char *cookie);

/* Whether a form's token was made of this cookie; either may be NULL. In constant time. */
bool form_token_is_of(const char *token, const char *cookie);

/* Identifies a sent form: equal for the same cookie, path and body. NULL: a malformed cookie. */
const char *form_submission(struct arena *arena, const char *cookie, const char *path,
                            const uint8_t *body, size_t size);

/* Whether a page of public_url sent the POST. Below `Referrer-Policy: no-referrer` browsers say
 * "Origin: null": then Sec-Fetch-Site, which no script can set, must be same-origin. */
bool browser_is_own(const char *origin, const char *fetch_site, const char *public_url);

/* Decodes a form. ERR_BAD_REQUEST: as query_decode(), U+0000; in the second also a repeated
 * parameter. */
int browser_body_decode(const uint8_t *body, size_t size, struct arena *arena, struct query *ret,
                        struct error *err) MUST_USE;
int browser_form_decode(const uint8_t *body, size_t size, struct arena *arena, struct query *ret,
                        struct error *err) MUST_USE;

#endif
