/* target_origin.h - the scheme and host that a client called, told by trusted proxies. */
#ifndef ATRIUM_GATEWAY_HTTP_TARGET_ORIGIN_H
#define ATRIUM_GATEWAY_HTTP_TARGET_ORIGIN_H

#include "gateway/endpoint/exchange.h"

struct target_origin {
    const char *scheme; /* "http", "https" */
    const char *host;   /* "api.example.org:8443", as it came; NULL: not known */
};

/* A trusted peer's headers count (X-Forwarded-Proto and -Host, or Forwarded's `proto` and `host`,
 * RFC 7239, by forwarded_header), each by its last entry. */
struct target_origin target_origin_of(const struct exchange *exchange);

#endif
