/*
 * target_origin.h - the scheme and host by which a client called: what the request says, and behind
 * a trusted proxy what that says.
 */
#ifndef ATRIUM_GATEWAY_HTTP_TARGET_ORIGIN_H
#define ATRIUM_GATEWAY_HTTP_TARGET_ORIGIN_H

#include "gateway/endpoint/exchange.h"

struct target_origin {
    const char *scheme; /* "http", "https" */
    const char *host;   /* "api.example.org:8443", as it came; NULL: not known */
};

/* Of a trusted peer that family of headers is believed which forwarded_header names, and of each
 * header the last entry, which is the nearest proxy's: X-Forwarded-Proto and X-Forwarded-Host, or
 * `proto` and `host` of Forwarded (RFC 7239). Texts are the exchange's. */
struct target_origin target_origin_of(const struct exchange *exchange);

#endif
