/* browser.h - verifies that a page of the gateway sent a form: by cookie, Origin and form token. */
#ifndef ATRIUM_GATEWAY_HTTP_BROWSER_H
#define ATRIUM_GATEWAY_HTTP_BROWSER_H

#include "gateway/http/decode.h"

enum {
    COOKIE_BYTES = 32, /* random; 43 characters as text */
    FORM_TOKEN_BYTES = 2 * COOKIE_BYTES,
};

/* Returns "__Host-atrium-{tenant}", over HTTP "atrium-{tenant}". NULL: not possible in a cookie's
 * name. */
const char *cookie_name(struct arena *arena, const char *tenant, bool secure);

/* RFC 6265, section 5.4. NULL: absent, repeated, or not made by cookie_header(). */
const char *cookie_find(struct arena *arena, const char *header, const char *name);

/* Returns a Set-Cookie header; `value` NULL deletes the cookie. It has no Max-Age, because the
 * server ends sessions. */
const char *cookie_header(struct arena *arena, const char *name, const char *value, bool secure);

/* The language that the browser's user chose on a page ("de"), for all tenants. NULL: none. */
const char *language_cookie_find(struct arena *arena, const char *header, bool secure);
const char *language_cookie_header(struct arena *arena, const char *language, bool secure);

/* Returns whether a text can be such a language: two lower-case letters. NULL can't. */
bool is_language_choice(const char *text);

/* Returns a form token: a hash of the cookie, masked with random bytes (BREACH). NULL: malformed
 * cookie. */
const char *form_token(struct arena *arena, const char *cookie);

/* True if the token is of this cookie; both can be NULL. Constant time. */
bool form_token_is_of(const char *token, const char *cookie);

/* Returns the same id for the same cookie, path and body. NULL: malformed cookie. */
const char *form_submission(struct arena *arena, const char *cookie, const char *path,
                            const uint8_t *body, size_t size);

/* True when a page of public_url sent the POST. With `Referrer-Policy: no-referrer` its Origin is
 * "null". Then Sec-Fetch-Site, which scripts can't set, must be same-origin. */
bool browser_is_own(const char *origin, const char *fetch_site, const char *public_url);

/* Decodes a form. ERR_BAD_REQUEST: as for query_decode(), and for U+0000; browser_form_decode()
 * also for a repeated field. */
int browser_body_decode(const uint8_t *body, size_t size, struct arena *arena, struct query *ret,
                        struct error *err) MUST_USE;
int browser_form_decode(const uint8_t *body, size_t size, struct arena *arena, struct query *ret,
                        struct error *err) MUST_USE;

#endif
