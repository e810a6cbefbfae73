/* target_origin.h - the scheme and host that a client called, as trusted proxies report them. */
#ifndef ATRIUM_GATEWAY_HTTP_TARGET_ORIGIN_H
#define ATRIUM_GATEWAY_HTTP_TARGET_ORIGIN_H

#include "gateway/endpoint/exchange.h"

struct target_origin {
    const char *scheme; /* "http" or "https" */
    const char *host;   /* "api.example.org:8443", not validated; NULL: unknown */
};

/* Uses a trusted peer's headers: X-Forwarded-Proto and -Host, or Forwarded's `proto` and `host`
 * (RFC 7239), by forwarded_header. The last entry of each counts. */
struct target_origin target_origin_of(const struct exchange *exchange);

#endif
