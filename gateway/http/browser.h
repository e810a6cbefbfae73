/*
 * browser.h - how a request for a page is known to come from that page: the cookie of a tenant, the
 * Origin, and the token of a form, which is bound to the cookie.
 */
#ifndef ATRIUM_GATEWAY_HTTP_BROWSER_H
#define ATRIUM_GATEWAY_HTTP_BROWSER_H

#include "gateway/http/decode.h"

enum {
    COOKIE_BYTES = 32, /* random bytes of a cookie: 43 characters */
    FORM_TOKEN_BYTES = 2 * COOKIE_BYTES,
};

/* "__Host-atrium-{tenant}", over plain HTTP "atrium-{tenant}". NULL: a code that a name of a cookie
 * cannot hold. */
const char *cookie_name(struct arena *arena, const char *tenant, bool secure);

/* The value of the cookie of that name in a Cookie header (RFC 6265, section 5.4), from the arena.
 * NULL: there is none, it stands twice, or its value is not one that cookie_header() was given. */
const char *cookie_find(struct arena *arena, const char *header, const char *name);

/* The value of a Set-Cookie header; value NULL: the cookie ends. Without Max-Age: the browser keeps
 * it until it is closed, the server ends what it stands for earlier. */
const char *cookie_header(struct arena *arena, const char *name, const char *value, bool secure);

/* A token for the forms of one answer: what is made of the cookie, masked by random bytes, so that
 * no two answers hold the same text (BREACH). NULL: the cookie is not of that form. */
const char *form_token(struct arena *arena, const char *cookie);

/* Whether a form's token was made of this cookie; either may be NULL. In constant time. */
bool form_token_is_of(const char *token, const char *cookie);

/* Which form of a browser was sent: the same cookie, path and body give the same text, from the
 * arena, and no other cookie does. NULL: the cookie is not of that form. */
const char *form_submission(struct arena *arena, const char *cookie, const char *path,
                            const uint8_t *body, size_t size);

/* Whether a POST comes from a page of public_url ("https://host[:port][/...]"). A browser says
 * "Origin: null" below `Referrer-Policy: no-referrer` (Fetch, "append a request Origin header"):
 * then Sec-Fetch-Site, which no script can set, must say same-origin. */
bool browser_is_own(const char *origin, const char *fetch_site, const char *public_url);

/* Decodes the body of a form (application/x-www-form-urlencoded). ERR_BAD_REQUEST: as
 * query_decode() says, or U+0000; the second: or a parameter that stands twice. */
int browser_body_decode(const uint8_t *body, size_t size, struct arena *arena, struct query *ret,
                        struct error *err) MUST_USE;
int browser_form_decode(const uint8_t *body, size_t size, struct arena *arena, struct query *ret,
                        struct error *err) MUST_USE;

#endif
