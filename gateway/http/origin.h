/*
 * origin.h - the scheme and host by which a client called: what the request says, and behind a
 * trusted proxy what that says.
 */
#ifndef ATRIUM_GATEWAY_HTTP_ORIGIN_H
#define ATRIUM_GATEWAY_HTTP_ORIGIN_H

#include "gateway/endpoint/exchange.h"

struct origin {
    const char *scheme; /* "http", "https" */
    const char *host;   /* "api.example.org:8443", as it came; NULL: not known */
};

/* Of a trusted peer that family of headers is believed which forwarded_header names, and of each
 * header the last entry, which is the nearest proxy's: X-Forwarded-Proto and X-Forwarded-Host, or
 * `proto` and `host` of Forwarded (RFC 7239). Texts are the exchange's. */
struct origin origin_of(const struct exchange *exchange);

#endif
