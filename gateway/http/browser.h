/* browser.h - verifies that our page sent a form, by the tenant's cookie, Origin and form token. */
#ifndef ATRIUM_GATEWAY_HTTP_BROWSER_H
#define ATRIUM_GATEWAY_HTTP_BROWSER_H

#include "gateway/http/decode.h"

enum {
    COOKIE_BYTES = 32, /* random bytes, 43 characters as text */
    FORM_TOKEN_BYTES = 2 * COOKIE_BYTES,
};

/* Returns "__Host-atrium-{tenant}", or "atrium-{tenant}" over HTTP. NULL: cookie names can't
 * contain the tenant code. */
const char *cookie_name(struct arena *arena, const char *tenant, bool secure);

/* Returns the value in a Cookie header (RFC 6265, section 5.4). NULL: absent, repeated, or not made
 * by cookie_header(). */
const char *cookie_find(struct arena *arena, const char *header, const char *name);

/* Returns a Set-Cookie value (NULL deletes the cookie). Without Max-Age, because the server decides
 * when the session expires. */
const char *cookie_header(struct arena *arena, const char *name, const char *value, bool secure);

/* Returns a form token derived from the cookie and masked with random bytes (BREACH). NULL: the
 * cookie is malformed. */
const char *form_token(struct arena *arena, const char *cookie);

/* True when the token was derived from this cookie. Either can be NULL. Takes constant time. */
bool form_token_is_of(const char *token, const char *cookie);

/* Returns an id that is equal for the same cookie, path and body. NULL: the cookie is malformed. */
const char *form_submission(struct arena *arena, const char *cookie, const char *path,
                            const uint8_t *body, size_t size);

/* True when a page of public_url sent the POST. With `Referrer-Policy: no-referrer` browsers send
 * "Origin: null". Then Sec-Fetch-Site, which scripts can't set, must be same-origin. */
bool browser_is_own(const char *origin, const char *fetch_site, const char *public_url);

/* Decode a form. ERR_BAD_REQUEST: as query_decode(), or U+0000. The second also rejects repeated
 * parameters. */
int browser_body_decode(const uint8_t *body, size_t size, struct arena *arena, struct query *ret,
                        struct error *err) MUST_USE;
int browser_form_decode(const uint8_t *body, size_t size, struct arena *arena, struct query *ret,
                        struct error *err) MUST_USE;

#endif
