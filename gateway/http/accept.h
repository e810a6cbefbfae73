/*
 * accept.h - decides if a client wants a page or JSON.
 */
#ifndef ATRIUM_GATEWAY_HTTP_ACCEPT_H
#define ATRIUM_GATEWAY_HTTP_ACCEPT_H

#include "common/base/base.h"

/* True when an Accept header (NULL: none) gives text/html a higher weight than application/json.
 * The most specific matching range decides (RFC 9110, section 12.5.1). Programs that accept
 * anything get JSON. */
bool accept_prefers_html(const char *accept);

#endif
