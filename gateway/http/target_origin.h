/* target_origin.h - scheme and host that a client called, according to trusted proxies. */
#ifndef ATRIUM_GATEWAY_HTTP_TARGET_ORIGIN_H
#define ATRIUM_GATEWAY_HTTP_TARGET_ORIGIN_H

#include "gateway/endpoint/exchange.h"

struct target_origin {
    const char *scheme;
    const char *host; /* "api.example.org:8443", not validated; NULL: unknown */
};

/* Uses X-Forwarded-Proto and -Host, or Forwarded's `proto` and `host` (RFC 7239), as configured by
 * forwarded_header. The last entry counts. */
struct target_origin target_origin_of(const struct exchange *exchange);

#endif
